"""Parses the address of a leaderboard: slice, order, reference, columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext

from evaluation.common.slices import QUERY
from evaluation.leaderboard.present.columns import (
    ALWAYS,
    CHOICE,
    DIFFERENCE,
    GROUNDED,
    GROUPS,
    IN_FILE,
    OVERVIEW,
    PLAIN,
    PRESETS,
    QUADRANT_BAR,
    Column,
    plain_columns,
)
from evaluation.leaderboard.read.board import SORTED_BY
from evaluation.leaderboard.read.rows import Leaderboard
from evaluation.metrics.catalogue import METRICS
from webapp.common.errors import InvalidInput

SLICED = ("by", "slice", "q")
"""The parameters of the slice."""
CHOSEN = ("columns", "pin", "groups", "group")
"""Parameters of an address that change the columns of a preset."""


@dataclass(frozen=True)
class View:
    """The slice, columns and order of a leaderboard, from its address.

    ``chosen``: the plain columns by metric, in their order. ``pinned``: those at the front that stay when groups
    change. ``preset``: the name of the set of columns that they start from, "" if groups or columns are chosen without
    one. ``drawn``: the columns with drawings. ``folded``: the hidden columns, which are empty in every run."""

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
    preset: str
    drawn: frozenset[str]
    terms: QueryDict
    folded: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: HttpRequest) -> View:
        """Raises ``InvalidInput`` for an incomplete slice, or for a slice together with a query."""
        terms = request.GET
        query, by, value = terms.get("q", "").strip(), terms.get("by", ""), terms.get("slice", "")
        if bool(by) != bool(value):
            raise InvalidInput(
                gettext("A slice is a facet and its value. Use both by and slice, or neither."), field="by"
            )
        if query and by:
            raise InvalidInput(gettext("Use either q, or by and slice."), field="q")
        if query:
            by, value = QUERY, query
        asked = [name for name in terms.get("groups", "").split(",") if name in GROUPS]
        groups = tuple(name for name in GROUPS if name in asked) or tuple(GROUPS)
        group = terms.get("group", "")
        reference = terms.get("reference", "")
        preset = _preset(terms)
        usual = PRESETS[preset].columns if preset else tuple(column.metric for column in PLAIN)
        sort = terms["sort"] if terms.get("sort") in METRICS else SORTED_BY
        if preset and sort in CHOICE and sort not in usual:
            usual = (*usual, sort)  # The sort column is always visible.
        chosen = _metrics(terms.get("columns", "")) or usual
        by_groups = {QUADRANT_BAR, *((DIFFERENCE, GROUNDED.metric) if "grounding" in groups else ())}
        return cls(
            by=by,
            slice=value,
            sort=sort,
            reference=int(reference) if reference.isdecimal() and len(reference) < 19 else None,
            groups=groups,
            group=group if group in groups else groups[0],
            all_published=terms.get("published") == "all",
            intervals=terms.get("intervals") == "yes",
            chosen=chosen,
            pinned=tuple(name for name in _metrics(terms.get("pin", "")) if name in chosen),
            editing=terms.get("edit") == "columns",
            preset=preset,
            drawn=PRESETS[preset].drawn if preset else frozenset(by_groups),
            terms=terms,
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The metrics of the visible plain columns: first the pinned ones, then those of the visible groups."""
        rest = [name for name in self.chosen if name not in self.pinned and METRICS[name].group in self.groups]
        return (*self.pinned, *rest)

    @cached_property
    def columns(self) -> list[tuple[Column, str]]:
        return plain_columns(self.names, self.pinned)

    def on(self, board: Leaderboard) -> View:
        """This view, without the verdicts of files where no column was chosen and no file has any."""
        name = IN_FILE.metric
        if self.terms.get("columns") or any(row.value(name) is not None for row in board.rows()):
            return self
        return replace(self, chosen=tuple(one for one in self.chosen if one != name))

    def folding(self, board: Leaderboard) -> View:
        """This view without its empty columns, for pages; files keep them. Individually chosen columns stay."""
        rows = list(board.rows())
        empty = {name for name in (GROUNDED.metric, *self.chosen) if all(row.value(name) is None for row in rows)}
        if all(row.value("valid_grounded_reasoning") is None for row in rows):
            empty.add(QUADRANT_BAR)
        if not any(row.against for row in rows):
            empty.add(DIFFERENCE)
        chosen = self.chosen if self.terms.get("columns") else tuple(one for one in self.chosen if one not in empty)
        folded = [gettext(METRICS[GROUNDED.metric].label)] if GROUNDED.metric in self.drawn & empty else []
        folded += ["G+A+"] if QUADRANT_BAR in self.drawn & empty else []
        folded += [gettext(METRICS[one].label) for one in self.names if one not in chosen]
        if self.terms.get("empty") == "show" or not rows:
            return replace(self, folded=tuple(folded))
        pinned = tuple(one for one in self.pinned if one in chosen)
        return replace(self, chosen=chosen, pinned=pinned, drawn=self.drawn - empty, folded=tuple(folded))

    @property
    def unfolded(self) -> bool:
        """Whether empty columns were asked for."""
        return self.terms.get("empty") == "show"

    @property
    def metrics(self) -> frozenset[str]:
        """Every metric that this view reads."""
        return ALWAYS | {*self.names, "usd_mean", "calls_mean"}

    @property
    def query(self) -> str:
        """The query of the leaderboard as typed; "" without one."""
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
        terms = (("preset", self.preset), ("columns", columns), ("pin", pins))
        named = "".join(f"{name}={value}&" for name, value in terms if value)
        return f"{self._but_columns}{named}edit=columns"

    @cached_property
    def _but_columns(self) -> str:
        return self.without("preset", "columns", "pin", "edit")


def _preset(terms: QueryDict) -> str:
    """The set that is asked for; Overview where no columns are, but in files, which have all of them as ever."""
    asked = terms.get("preset", "")
    if asked in PRESETS:
        return asked
    return "" if terms.get("format") or any(terms.get(name) for name in CHOSEN) else OVERVIEW


def _metrics(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in text.split(",") if name in CHOICE))
