"""What the address of a leaderboard asks for: slice, order, reference, columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.http import HttpRequest, QueryDict

from evaluation.common.slices import QUERY
from evaluation.leaderboard.present.columns import ALWAYS, CHOICE, GROUPS, IN_FILE, PLAIN, Column, plain_columns
from evaluation.leaderboard.read.board import SORTED_BY
from evaluation.leaderboard.read.rows import Board
from evaluation.metrics.catalogue import METRICS
from webapp.common.errors import InvalidInput

SLICED = ("by", "slice", "q")
"""What an address says of the slice."""


@dataclass(frozen=True)
class View:
    """``chosen``: the plain columns by metric, in their order; ``pinned``: those of them that stand first and stay."""

    by: str
    slice: str
    sort: str
    reference: int | None
    groups: tuple[str, ...]
    group: str
    all_published: bool
    intervals: bool
    chosen: tuple[str, ...]
    pinned: tuple[str, ...]
    editing: bool
    terms: QueryDict

    @classmethod
    def of(cls, request: HttpRequest) -> View:
        """Raises ``InvalidInput`` for half of a slice, or one beside a query."""
        terms = request.GET
        query, by, value = terms.get("q", "").strip(), terms.get("by", ""), terms.get("slice", "")
        if bool(by) != bool(value):
            raise InvalidInput("A slice is a facet and its value: give by and slice, or neither.", field="by")
        if query and by:
            raise InvalidInput("A board is on a query or on a slice: give q, or by and slice.", field="q")
        if query:
            by, value = QUERY, query
        asked = [name for name in terms.get("groups", "").split(",") if name in GROUPS]
        groups = tuple(name for name in GROUPS if name in asked) or tuple(GROUPS)
        group = terms.get("group", "")
        reference = terms.get("reference", "")
        chosen = _metrics(terms.get("columns", "")) or tuple(column.metric for column in PLAIN)
        return cls(
            by=by,
            slice=value,
            sort=terms["sort"] if terms.get("sort") in METRICS else SORTED_BY,
            reference=int(reference) if reference.isdecimal() and len(reference) < 19 else None,
            groups=groups,
            group=group if group in groups else groups[0],
            all_published=terms.get("published") == "all",
            intervals=terms.get("intervals") == "yes",
            chosen=chosen,
            pinned=tuple(name for name in _metrics(terms.get("pin", "")) if name in chosen),
            editing=terms.get("edit") == "columns",
            terms=terms,
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The metrics of the plain columns as they stand: pinned ones first, then those of the groups shown."""
        rest = [name for name in self.chosen if name not in self.pinned and METRICS[name].group in self.groups]
        return (*self.pinned, *rest)

    @cached_property
    def columns(self) -> list[tuple[Column, str]]:
        return plain_columns(self.names, self.pinned)

    def on(self, board: Board) -> View:
        """This view, without the verdicts of files where no column was chosen and no file has any."""
        name = IN_FILE.metric
        if self.terms.get("columns") or any(row.value(name) is not None for row in board.rows()):
            return self
        return replace(self, chosen=tuple(one for one in self.chosen if one != name))

    @property
    def metrics(self) -> frozenset[str]:
        """Every metric that this view reads."""
        return ALWAYS | {*self.names, "usd_mean", "calls_mean"}

    @property
    def query(self) -> str:
        """The query that the board is on as it was typed; "" without one."""
        return self.slice if self.by == QUERY else ""

    def without(self, *names: str) -> str:
        """The address of this view but for these terms, for others to be added to."""
        terms = self.terms.copy()
        for name in names:
            terms.pop(name, None)
        return f"?{terms.urlencode()}&" if terms else "?"

    def others(self, *names: str) -> list[tuple[str, str]]:
        """The terms of this view but for these, for a form to carry along."""
        return [(name, str(value)) for name, value in self.terms.items() if name not in names]

    def choosing(self, chosen: Sequence[str], pinned: Sequence[str] | None = None) -> str:
        """The address of this view with other columns; the menu stays open."""
        columns, pins = ",".join(chosen), ",".join(self.pinned if pinned is None else pinned)
        named = "".join(f"{name}={value}&" for name, value in (("columns", columns), ("pin", pins)) if value)
        return f"{self._but_columns}{named}edit=columns"

    @cached_property
    def _but_columns(self) -> str:
        return self.without("columns", "pin", "edit")


def _metrics(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in text.split(",") if name in CHOICE))
