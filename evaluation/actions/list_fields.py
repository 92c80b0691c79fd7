"""Fields of queries that the table of trajectories answers by itself, from what was read of samples, runs and chains.

Each means what it means in ``evaluation.querysets_query``: tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from django.db.models import Q

from evaluation.actions.list_table import ListTable
from evaluation.actions.list_values import ANY, NAMED, keys_of
from evaluation.metrics.columns import Bools
from evaluation.models import FailureLabel, Judgement
from evaluation.query.masks import within
from evaluation.query.syntax import DEFINED, UNDEFINED, Term
from evaluation.querysets_query import MOST_RUNS, NOTHING, is_number

KEPT = frozenset({"repeats", "paired", "beside", "flip", *NAMED})
"""Fields that put trajectories beside others, or that are kept by value: what they say is the same as long as the table
is."""


def having(table: ListTable, name: str, value: str, ask: Callable[[Q], Bools]) -> Bools:
    """(n,) the trajectories with a value of a field that is kept by value. One query, and one more for trajectories of
    which it is not kept. ``ask``: those of some trajectories that the database finds."""
    whole = name != "crop_cell" and value in (DEFINED, UNDEFINED)
    found, unkept = table.valued(name, [ANY] if whole else keys_of(name, value))
    scored = table.column("scored") == 1
    if whole and value == UNDEFINED:
        found = scored & ~found & ~np.isin(table.column("run"), list(unkept))
    # What is not scored has calls all the same.
    apart = Q(score=None) if name in ("tool", "tool_failed") and not scored.all() else NOTHING
    if unkept or apart is not NOTHING:
        found |= ask(Q(run__in=unkept) | apart)
    return found


def found_in(table: ListTable, name: str, term: Term) -> Bools | None:
    """(n,) the trajectories a comparison with the field of this name holds for; None for a field that only the
    database knows."""
    answer = _KNOWN.get(name)
    return None if answer is None else answer(table, term)


def _trajectory(table: ListTable, term: Term) -> Bools:
    met = np.zeros(len(table), np.bool_)
    met[table.places([int(one) for one in term.value.split(",") if is_number(one)])] = True
    return met


def _sample(table: ListTable, term: Term) -> Bools:
    key = term.value.removesuffix("*")
    return table.by_sample.spread(table.sample_table.with_key(key, begins=term.value.endswith("*")))


def _type(table: ListTable, term: Term) -> Bools:
    return table.by_sample.spread(table.sample_table.of_type(term.value))


def _boxes(table: ListTable, term: Term) -> Bools:
    return table.by_sample.spread(within(table.sample_table.boxes, term))


def _targets(table: ListTable, term: Term) -> Bools:
    return table.by_sample.spread(within(table.sample_table.targets, term))


def _priced(table: ListTable, term: Term) -> Bools:
    known: Bools = np.isfinite(table.column("usd"))
    return known if term.value.casefold() in {"1", "yes", "true"} else ~known


def _judged(table: ListTable, term: Term) -> Bools:
    """One query for what judges said of this kind; what people judged here is in no metric."""
    said = Q(verdict__regex=r"\S") | (Q(answer__isnull=False) if term.value == "sufficiency" else Q())
    there = Judgement.objects.of_models().filter(said, run__benchmark=table.benchmark, kind=term.value)
    pairs = np.array(list(there.order_by().values_list("run", "sample").distinct()), np.int64).reshape(-1, 2)
    return table.on(pairs[:, 0], table.sample_table.ranks(pairs[:, 1]))


def _judged_or_not(wanted: bool) -> Callable[[ListTable, Term], Bools]:
    return lambda table, term: (_judged(table, term) == wanted) & (table.column("evidence") == 1)


def _beside(table: ListTable, met: Bools) -> Bools:
    """Those with one of which this holds in the same run on the same sample."""
    return table.beside(np.flatnonzero(met))


def _labelled(table: ListTable, term: Term) -> Bools:
    """By anybody, or by each of some people: what people said of trajectories is little, and read as it is."""
    labels = FailureLabel.objects.filter(benchmark=table.benchmark)
    people = [] if term.value in (DEFINED, UNDEFINED) else term.value.split(",")
    if len(people) > MOST_RUNS or not all(is_number(person) for person in people):
        return np.zeros(len(table), np.bool_)
    met = np.ones(len(table), np.bool_)
    for said in [labels.filter(person=int(person)) for person in people] or [labels]:
        there = np.zeros(len(table), np.bool_)
        there[table.places(np.fromiter(said.values_list("trajectory", flat=True), np.int64))] = True
        met &= there
    return ~met if term.value == UNDEFINED else met


def _repeated(table: ListTable, term: Term) -> Bools:
    """By how many rollouts of the pair of run and sample count, and how many of them are right."""
    plain = table.column("condition") == 0
    n, right = table.beside_n(plain & _counted(table)), table.beside_n(plain & _right(table))
    several: Bools = n >= 2
    return {
        DEFINED: several,
        UNDEFINED: ~several,
        "always": several & (right == n),
        "some": several & (right > 0) & (right < n),
        "never": several & (right == 0),
    }.get(term.value.casefold(), np.zeros(len(table), np.bool_))


def _paired(table: ListTable, term: Term) -> Bools:
    scored = table.column("scored") == 1
    plain = scored & (table.column("evaluated") == 1)
    return scored & _beside(table, plain & (table.column("evidence") == 1) if term.value == "evidence" else plain)


def _under(table: ListTable, term: Term) -> Bools:
    if term.value not in table.conditions:
        return np.zeros(len(table), np.bool_)
    chosen = table.column("condition") == table.conditions.index(term.value)
    return _beside(table, chosen & (table.column("scored") == 1))


def _flipped(table: ListTable, term: Term) -> Bools:
    verdict, plain = table.column("correct"), table.column("evaluated") == 1
    right, wrong = verdict == 1, (verdict == 0) | (verdict == 2)
    if term.value not in ("lost", "gained"):
        return np.zeros(len(table), np.bool_)
    before, after = (right, wrong) if term.value == "lost" else (wrong, right)
    return _beside(table, plain & before) & after & (table.column("condition") != 0)


def _right(table: ListTable) -> Bools:
    return table.column("right") == 1


def _wrong(table: ListTable) -> Bools:
    return table.column("wrong") == 1


def _counted(table: ListTable) -> Bools:
    return _right(table) | _wrong(table)


def _cropped(table: ListTable) -> Bools:
    return table.column("usable_crops") > 0


def _placed(table: ListTable) -> Bools:
    return table.column("population") == 1


def _grounded(table: ListTable) -> Bools:
    return table.column("grounded") == 1


def _ungrounded(table: ListTable) -> Bools:
    return _placed(table) & ~_grounded(table)


def _in_each(of: Callable[[ListTable], Bools]) -> Callable[[ListTable, Term], Bools]:
    """Each of the runs named has a trajectory of which this holds, on the same sample."""

    def answer(table: ListTable, term: Term) -> Bools:
        runs = term.value.split(",")
        if len(runs) > MOST_RUNS or not all(is_number(run) for run in runs):
            return np.zeros(len(table), np.bool_)
        met = of(table) & (table.column("evaluated") == 1)
        each = [table.by_sample.on(met & (table.column("run") == int(run))) for run in runs]
        return table.by_sample.spread(np.logical_and.reduce(each))

    return answer


_KNOWN: Mapping[str, Callable[[ListTable, Term], Bools]] = {
    "trajectory": _trajectory,
    "sample": _sample,
    "type": _type,
    "boxes": _boxes,
    "targets": _targets,
    "priced": _priced,
    "repeats": _repeated,
    "paired": _paired,
    "beside": _under,
    "failure_by": _labelled,
    "flip": _flipped,
    "judged": _judged_or_not(True),
    "unjudged": _judged_or_not(False),
    "right_in": _in_each(_right),
    "wrong_in": _in_each(_wrong),
    "shared_with": _in_each(_counted),
    "cropped_in": _in_each(_cropped),
    "population_in": _in_each(_placed),
    "grounded_in": _in_each(_grounded),
    "ungrounded_in": _in_each(_ungrounded),
}
