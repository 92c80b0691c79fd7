"""The tree of a query, and its errors with their positions.

``evaluation.query.parser`` makes a tree, ``evaluation.query.check`` checks it, and ``evaluation.query.sql`` compiles it
to SQL on the score store. It is two-valued: a comparison with an undefined value is false, and ``not`` is the
complement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.marking import Sentence, any_of, gettext_noop

UNDEFINED, DEFINED = "none", "any"
"""``ioa_gt:none`` and ``ioa_gt:any``."""


class QueryError(ValueError):
    """A query that cannot be read. ``column`` counts characters from 0; ``proposals`` are what may have been meant."""

    def __init__(self, message: str, column: int, text: str = "", proposals: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.column, self.text, self.proposals = message, column, text, proposals

    @property
    def sentence(self) -> str:
        """The message with its column, counted from 1, and the nearest that there is."""
        if not self.proposals:
            return Sentence(
                gettext_noop("Column %(column)s: %(problem)s"), column=self.column + 1, problem=self.message
            )
        return Sentence(
            gettext_noop("Column %(column)s: %(problem)s Did you mean %(nearest)s?"),
            column=self.column + 1,
            problem=self.message,
            nearest=any_of(self.proposals),
        )

    @property
    def caret(self) -> str:
        """The query, and below it a caret under the column."""
        return f"{self.text}\n{' ' * self.column}^"


@dataclass(frozen=True, slots=True)
class Term:
    """A comparison of a field with a value. ``sign``: ":" is, "<", "<=", ">", ">="."""

    field: str
    sign: str
    value: str
    column: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """Free text: in the question, the answer or any turn."""

    value: str
    column: int = 0


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts; without parts, everything."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class OnOtherTrajectory:
    """On a sample for which another trajectory, one that metrics are made of, meets the part."""

    part: Node


Node = Term | Text | Not | And | Or | OnOtherTrajectory


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return all parts that must hold, as a flat sequence."""
    if not isinstance(node, And):
        return (node,)
    return tuple(part for inner in node.parts for part in conjuncts(inner))


def terms_in(node: Node, *, elsewhere: bool = True) -> Iterator[Term | Text]:
    """Every comparison in reading order; with ``elsewhere`` false only those on the trajectory that is listed."""
    if isinstance(node, Term | Text):
        yield node
    elif isinstance(node, Not) or (isinstance(node, OnOtherTrajectory) and elsewhere):
        yield from terms_in(node.part, elsewhere=elsewhere)
    elif isinstance(node, And | Or):
        for part in node.parts:
            yield from terms_in(part, elsewhere=elsewhere)


def fields_in(node: Node) -> set[str]:
    """The fields that a query compares on the trajectories it lists."""
    return {term.field for term in terms_in(node, elsewhere=False) if isinstance(term, Term)}


def conjunction(parts: tuple[Node, ...]) -> Node:
    """All parts at once. The first that names a run says whose trajectories are listed; a part that names another run
    is about that run's trajectory on the same sample: ``run:a correct and run:b wrong``."""
    listed = next((name for part in parts if (name := _run_of(part))), None)
    meant = tuple(_on_other_run(part, listed) if listed else part for part in parts)
    return meant[0] if len(meant) == 1 else And(meant)


def _on_other_run(part: Node, listed: str) -> Node:
    inner = part.part if isinstance(part, Not) else part
    name = _run_of(inner)
    if name is None or name == listed or (isinstance(inner, Term) and isinstance(part, Not)):
        return part
    return Not(OnOtherTrajectory(inner)) if isinstance(part, Not) else OnOtherTrajectory(inner)


def _run_of(part: Node) -> str | None:
    names = (term.value for term in conjuncts(part) if isinstance(term, Term) and term.field == "run")
    return next(names, None)
