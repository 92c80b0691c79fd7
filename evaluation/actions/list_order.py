"""The orders of a list of trajectories: its own, by sample and run, or by a number that each of them has."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.actions.list_shown import SHOW
from evaluation.actions.list_table import ListTable
from evaluation.metrics.columns import Ints
from evaluation.query.fields import FIELDS, Kind
from webapp.common.errors import InvalidInput

SORT = "sort"
"""The name in an address: ``sort=ioa`` from the lowest, ``sort=-ioa`` from the highest."""
LOOK = frozenset({SORT, SHOW, "density"})
"""Terms of an address that say how a list is shown, not which trajectories it has."""
OFFERED = ("ioa", "iou", "area", "calls", "region", "edit_distance", "seconds", "output_tokens", "usd")
"""Fields that pages offer to sort by; any field that is a number may be asked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """The ``number``-th of a list, from 1; the trajectories before and after it, and the one that its page of the list
    begins behind: 0 where there is none."""

    number: int
    previous: int
    next: int
    page_after: int


def order_in(table: ListTable, sort: str) -> Ints:
    """(n,) the rows of a table in an order of an address. Raises ``InvalidInput`` for one that there is none of."""
    name = sort.removeprefix("-")
    field = FIELDS.get(name)
    if field is None or field.kind is not Kind.NUMBER or not field.column:
        known = ", ".join(OFFERED)
        message = f"A list cannot be sorted by {name[:40]!r}. It can be by {known}; -ioa is the highest first."
        raise InvalidInput(message, code="sort", field=SORT)
    return table.ranked(field.column, sort.startswith("-"))
