"""The terms of an address that filter a list of trajectories, as one query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotation.common.sentences import translated
from evaluation.query.fields import FIELDS, Kind, described, facet_of
from evaluation.query.numbers import bounds
from evaluation.query.parser import parse
from evaluation.query.syntax import And, Node, Or, QueryError, Term
from webapp.common.errors import InvalidInput

_SIGNS = {
    f"{name}_{side}": (field, sign)
    for name, field in {**{n: n for n in ("ioa", "coverage", "concentration", "zoom")}, "crop_size": "region"}.items()
    for side, sign in (("above", ">"), ("upto", "<="))
}
TERMS = frozenset({*FIELDS, *_SIGNS})
"""Names in an address that filter a list, each a field of a query: ``?calls=3%2B`` is ``calls:3+``.

Facets are ``facet.NAME=VALUE``."""


def term_of(name: str, value: str) -> Term | None:
    """A term of an address as a comparison; None for a name that filters nothing."""
    field, sign = _SIGNS.get(name, (name, ":"))
    if field in FIELDS:
        return Term(FIELDS[field].name, sign, value)
    return Term(name, ":", value) if name.startswith("facet.") else None


def other_terms() -> Iterator[tuple[str, str]]:
    """The names in an address that no field describes, each with its form in queries."""
    for name in sorted(TERMS - {field.name for field in described()}):
        if term := term_of(name, ""):
            yield name, f"{term.field}{term.sign}"


def query_of(terms: Mapping[str, str]) -> Node:
    """The terms of an address as one query. Raises ``InvalidInput`` if ``q`` cannot be parsed.

    A term with an invalid value for its field selects nothing."""
    made = [term for name, value in terms.items() if (term := term_of(name, value)) is not None]
    parts: list[Node] = [part for part in made if facet_of(part.field) or _has_a_meaning(part)]
    if len(parts) < len(made):
        parts.append(Or(()))
    try:
        # A blank term is skipped: evaluating it for every row takes as long as a comparison.
        parts += [parse(terms["q"])] if terms.get("q") else []
    except QueryError as error:
        raise InvalidInput(translated(error.sentence), code="query", field="q") from error
    return And(tuple(parts))


def _has_a_meaning(term: Term) -> bool:
    try:
        bounds(term) if FIELDS[term.field].kind is Kind.NUMBER else None
    except QueryError:
        return False
    return True
