"""A query over columns: which of n trajectories it lists, as n truth values. No framework, no database.

Two readings of one language need one meaning: tests hold this one, that of the database and a plain filter together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import reduce
from operator import and_, or_
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.columns import Bools
from evaluation.query.fields import FIELDS, Field, Kind, facet_of
from evaluation.query.numbers import bounds
from evaluation.query.samples import SampleRows
from evaluation.query.syntax import DEFINED, UNDEFINED, And, Elsewhere, Node, Not, Term, Text, fields_in

UNSCORED = -2
"""Code of columns of choices where there is no score. -1 is: scored, and without one of the choices."""
CORRECT = ("no", "yes", "undecided")
"""Codes of the column ``correct``; -1 where nothing says what is right."""

Column = NDArray[Any]


class Columns(Protocol):
    """n trajectories of one benchmark.

    ``conditions``: names of the codes in the column ``condition``, "none" first. ``runs``: the numbers of runs by
    each name they go by. ``by_sample``: the rows of each sample. ``evaluated``: (n,) those that metrics are made of.

    ``column``: (n,) numbers by name. Flags are 1, 0 or -1 for undefined; choices codes, negative for none; whole
    numbers -1 and floats NaN where undefined. ``facet``: (n,) the sample has this value; ``ask``: (n,) what only the
    database knows.
    """

    @property
    def conditions(self) -> tuple[str, ...]: ...
    @property
    def runs(self) -> Mapping[str, Collection[int]]: ...
    @property
    def by_sample(self) -> SampleRows: ...
    @property
    def evaluated(self) -> Bools: ...
    def __len__(self) -> int: ...
    def column(self, name: str) -> Column: ...
    def facet(self, name: str, value: str) -> Bools: ...
    def ask(self, node: Term | Text) -> Bools: ...


def listed(node: Node, columns: Columns) -> Bools:
    """(n,) the trajectories that a query lists: those it is about, and of them those that meet it."""
    return scope(node, columns) & holds(node, columns)


def scope(node: Node, columns: Columns) -> Bools:
    """(n,) what a query is about: see ``evaluation.querysets_query.in_scope``."""
    named = fields_in(node)
    if named & {"condition", "flip"}:
        return np.ones(len(columns), np.bool_)
    found: Bools = columns.column("condition") == 0 if "rollout" in named else columns.evaluated
    return found


def holds(node: Node, columns: Columns) -> Bools:
    """(n,) whether each trajectory meets the query. Raises ``QueryError`` for a number that is none."""
    if isinstance(node, Term):
        return _compared(node, columns)
    if isinstance(node, Text):
        return columns.ask(node)
    if isinstance(node, Not):
        return ~holds(node.part, columns)
    if isinstance(node, Elsewhere):
        return columns.by_sample.spread(columns.by_sample.on(listed(node.part, columns)))
    parts = [holds(part, columns) for part in node.parts] or [np.full(len(columns), isinstance(node, And))]
    return reduce(and_ if isinstance(node, And) else or_, parts)


def _compared(term: Term, columns: Columns) -> Bools:
    facet = facet_of(term.field)
    if facet is not None:
        return columns.facet(facet, term.value)
    field = FIELDS[term.field]
    if not field.column:
        return columns.ask(term)
    if field.name == "run":
        return _any_of(columns.column("run"), columns.runs.get(term.value, ()))
    if field.name == "condition":
        return _code(columns.column("condition"), term.value, columns.conditions)
    if field.name == "counted":
        counted: Bools = (columns.column("right") == 1) | (columns.column("wrong") == 1)
        return counted if _yes(term.value) else ~counted
    values = columns.column(field.column)
    if field.kind is Kind.NUMBER:
        return within(values, term)
    if field.kind is Kind.FLAG:
        return _code(values, "yes" if _yes(term.value) else "no", ("no", "yes"))
    return _chosen(values, term.value.casefold(), field)


def _any_of(values: Column, few: Collection[int]) -> Bools:
    """A name is that of a few runs: to compare with each is quicker than to look all values up."""
    found = np.zeros(len(values), np.bool_)
    for value in few:
        found |= values == value
    return found


def _chosen(values: Column, value: str, field: Field) -> Bools:
    if value in (UNDEFINED, DEFINED):
        found: Bools = values == -1 if value == UNDEFINED else values >= 0
        return found
    choices = CORRECT if field.name == "correct" else field.choices
    return _code(values, value, tuple(choice.casefold() for choice in choices))


def _yes(value: str) -> bool:
    return value.casefold() in {"1", "yes", "true"}


def _code(values: Column, value: str, names: tuple[str, ...]) -> Bools:
    found: Bools = values == (names.index(value) if value in names else UNSCORED - 1)
    return found


def within(values: Column, term: Term) -> Bools:
    """(n,) the numbers that a comparison holds for."""
    wanted, floats = bounds(term), values.dtype.kind == "f"
    if not wanted.defined:
        return np.isnan(values) if floats else values < 0
    met: list[Bools] = []
    # Whole numbers are compared with whole numbers, which is several times as quick; no comparison holds for NaN.
    if not floats:
        met.append(values >= max(0, math.floor(wanted.low) + 1 if wanted.low > -math.inf else 0))
    elif wanted.low > -math.inf:
        met.append(values > wanted.low)
    if wanted.high < math.inf:
        met.append(values < wanted.high if floats else values <= math.ceil(wanted.high) - 1)
    return reduce(and_, met) if met else ~np.isnan(values)
