"""Tool recognition, tool selection and plan order against what a query needs. Source: docs/metrics.md#plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.marking import gettext_noop
from annotation.schema import ToolPlan
from evaluation.metrics.columns import (
    FALSE,
    TRUE,
    UNKNOWN,
    Bools,
    Floats,
    Ints,
    Outcome,
    RunColumns,
    SampleColumns,
    cached_per_sample_columns,
)
from evaluation.metrics.matching import (
    UNMATCHED,
    TargetNames,
    match,
    normalised,
    normalised_map,
    target_names,
)
from evaluation.metrics.settings import MetricSettings

Prf = tuple[float, float, float]
Key = tuple[tuple[str, ...], tuple[tuple[str, str | None], ...], int]
_NO_PRF = (np.nan, np.nan, np.nan)
_NO_PLAN = (Outcome.NONE, -1, -1, UNKNOWN, -1, -1, -1)


@dataclass(frozen=True)
class PlanColumns:
    """The planning measures of n trajectories; fields and shapes as in ``ScoreColumns``."""

    plan_outcome: Ints
    plan_missing: Ints
    plan_extra: Ints
    plan_in_order: Ints
    plan_prefix: Ints
    recognition_prf: Floats
    selection_prf: Floats
    plan_order: Ints


@dataclass(frozen=True, slots=True)
class PlanScore:
    """One prediction against one query: outcome code, counts, order, length of the correct prefix, pairs of order."""

    outcome: int
    missing: int
    extra: int
    in_order: bool
    prefix: int
    reversed_pairs: int
    pairs: int


@dataclass(frozen=True)
class Query:
    """A plan's targets prepared for matching: ``steps`` by target, all equal if the query has no order."""

    targets: TargetNames
    steps: tuple[int, ...]
    scene: TargetNames


def query_of(plan: ToolPlan) -> Query:
    """Targets, their steps and the whole scene (targets and distractors) of a plan."""
    targets = target_names([target.tool for target in plan.targets])
    first = {name: target.step for target in reversed(plan.targets) for name in normalised([target.tool])}
    steps = tuple(1 if plan.ordered is False else first[name] for name in targets.names)
    scene = target_names([*(target.tool for target in plan.targets), *plan.distractors])
    return Query(targets, steps, scene)


def has_order(plan: ToolPlan) -> bool:
    """Whether a query has an order: its own mark, or, unmarked, at least two different steps."""
    return plan.ordered if plan.ordered is not None else len({target.step for target in plan.targets}) > 1


def precision_recall_f1(
    predicted: Sequence[str], targets: TargetNames, judge: Mapping[str, str | None], *, fuzzy: bool = False
) -> Prf | None:
    """Matched / distinct predicted, matched / targets, and 2PR/(P+R) on sets of normalized names; each 0..1.

    An empty prediction scores 0, 0, 0; without a target the query is not scored (None). Source: docs/metrics.md#f1.
    """
    if not targets.names:
        return None
    distinct = tuple(dict.fromkeys(predicted))
    matched = sum(place != UNMATCHED for place in match(distinct, targets, judge, fuzzy=fuzzy))
    if not matched:
        return 0.0, 0.0, 0.0
    precision, recall = matched / len(distinct), matched / len(targets.names)
    return precision, recall, 2 * precision * recall / (precision + recall)


def score_plan(predicted: Sequence[str], query: Query, judge: Mapping[str, str | None]) -> PlanScore | None:
    """Outcome (4.3), correct prefix (4.4) and order violations (4.5) of normalized names; None without a target.

    Example: targets A(1) B(2) C(2) D(3): "a,c,b,d" is an Exact Match, "a,c,d,b" Out-of-Order.
    """
    if not query.targets.names:
        return None
    places = match(predicted, query.targets, judge)
    steps = [query.steps[place] for place in places if place != UNMATCHED]
    missing, extra = len(query.targets.names) - len(steps), len(places) - len(steps)
    in_order = all(a <= b for a, b in pairwise(steps))
    pairs = [(a, b) for i, a in enumerate(steps) for b in steps[i + 1 :] if a != b]
    return PlanScore(
        _outcome(missing, extra, in_order),
        missing,
        extra,
        in_order,
        _prefix(places, query.steps),
        sum(a > b for a, b in pairs),
        len(pairs),
    )


def score_plans(samples: SampleColumns, run: RunColumns, settings: MetricSettings) -> PlanColumns:
    """Planning measures of every trajectory of a run. A missing prediction and a query without targets are undefined.

    Each distinct (prediction, judge mapping, query) is scored once.
    """
    codes, queries = queries_of(samples)
    query_code = codes[run.sample] if len(codes) else codes
    fuzzy = settings.recognition_match == "fuzzy"
    collapse = settings.plan_repeats == "collapse"
    recognised, place = different(run.recognition, run.recognition_map, query_code)
    found = [
        precision_recall_f1(normalised(names), queries[code].scene, normalised_map(dict(judge)), fuzzy=fuzzy)
        for names, judge, code in recognised
    ]
    recognition = _rows(found, _NO_PRF, np.float64)[place]
    selected: list[Prf | None] = []
    plans: list[tuple[int, ...] | None] = []
    planned, place = different(run.plan, run.plan_map, query_code)
    for written, mapping, code in planned:
        names, judge, query = normalised(written), normalised_map(dict(mapping)), queries[code]
        selected.append(precision_recall_f1(names, query.targets, judge))
        score = score_plan(tuple(dict.fromkeys(names)) if collapse else names, query, judge)
        plans.append(None if score is None else _numbers(score))
    table = _rows(plans, _NO_PLAN, np.int64)[place]
    return PlanColumns(
        plan_outcome=table[:, 0],
        plan_missing=table[:, 1],
        plan_extra=table[:, 2],
        plan_in_order=table[:, 3],
        plan_prefix=table[:, 4],
        recognition_prf=recognition,
        selection_prf=_rows(selected, _NO_PRF, np.float64)[place],
        plan_order=table[:, 5:7],
    )


@cached_per_sample_columns
def targets_of(samples: SampleColumns) -> Ints:
    """(m,) How many targets the plan of each sample has; 0 without a plan."""
    return np.fromiter((len(plan.targets) for plan in samples.plans), np.int64, len(samples))


def sr_population(plans: Sequence[ToolPlan], settings: MetricSettings) -> Bools:
    """Return which queries are in the population of SR@k under the setting ``sr_population``, (m,)."""
    if settings.sr_population == "ordered":
        return np.fromiter((bool(p.targets) and has_order(p) for p in plans), dtype=np.bool_, count=len(plans))
    least = 2 if settings.sr_population == "multi" else 1
    return np.fromiter((len(p.targets) >= least for p in plans), dtype=np.bool_, count=len(plans))


def success_at(k: int, prefix: Ints, targets: Ints, settings: MetricSettings) -> tuple[Bools, Bools]:
    """SR@k of n evaluated rows: (success, in the denominator) from prefix lengths and numbers of targets.

    Fewer than k targets: false under ``sr_short`` = fail, outside under exclude, min(k, targets) under cap.
    """
    needed = np.minimum(k, targets) if settings.sr_short == "cap" else np.full(len(prefix), k)
    counted = targets >= k if settings.sr_short == "exclude" else np.ones(len(prefix), dtype=np.bool_)
    return (prefix >= needed) & counted, counted


def _outcome(missing: int, extra: int, in_order: bool) -> int:
    if missing:
        return Outcome.SUBSTITUTE if extra else Outcome.MISSING_ONLY
    if not in_order:
        return Outcome.OUT_OF_ORDER
    return Outcome.EXTRA_ONLY if extra else Outcome.EXACT


def _prefix(places: Sequence[int], steps: Sequence[int]) -> int:
    """Return how many first entries match an unused target whose step is the i-th smallest of the query."""
    length = 0
    for place, step in zip(places, sorted(steps), strict=False):
        if place == UNMATCHED or steps[place] != step:
            break
        length += 1
    return length


@cached_per_sample_columns
def queries_of(samples: SampleColumns) -> tuple[Ints, list[Query]]:
    """A code for the plan of each sample, and the query behind each code; equal plans share a code."""
    found: dict[ToolPlan, int] = {}
    # Equal plans are mostly one object, which is faster to recognize.
    objects = {id(plan): plan for plan in samples.plans}
    code = {number: found.setdefault(plan, len(found)) for number, plan in objects.items()}
    codes = np.fromiter((code[id(plan)] for plan in samples.plans), np.int64, len(samples))
    return codes, [query_of(p) for p in found]


def different(
    predictions: Sequence[tuple[str, ...] | None], maps: Sequence[Mapping[str, str | None]], codes: Ints
) -> tuple[list[Key], Ints]:
    """The rows that differ in prediction, judge mapping or query, and the index of each row among them.

    The index is -1 without a prediction."""
    book: dict[Key, int] = {}
    places = [
        -1 if names is None else book.setdefault((names, tuple(mapping.items()), code), len(book))
        for names, mapping, code in zip(predictions, maps, codes.tolist(), strict=True)
    ]
    return list(book), np.array(places, np.int64)


def _numbers(score: PlanScore) -> tuple[int, ...]:
    in_order = TRUE if score.in_order else FALSE
    return score.outcome, score.missing, score.extra, in_order, score.prefix, score.reversed_pairs, score.pairs


def _rows(found: Sequence[tuple[float, ...] | None], undefined: tuple[float, ...], kind: type[Any]) -> NDArray[Any]:
    """A row of each; the last one is the undefined one, which represents None and is at place -1."""
    return np.array([*(undefined if row is None else row for row in found), undefined], kind)


OUTCOMES = {
    Outcome.EXACT: (gettext_noop("Exact match"), gettext_noop("all targets, nothing else, in order")),
    Outcome.EXTRA_ONLY: (gettext_noop("Extra only"), gettext_noop("all targets in order, and more")),
    Outcome.MISSING_ONLY: (gettext_noop("Missing only"), gettext_noop("targets are missing, nothing is extra")),
    Outcome.SUBSTITUTE: (
        gettext_noop("Substitute"),
        gettext_noop("targets are missing, and other tools are named instead"),
    ),
    Outcome.OUT_OF_ORDER: (gettext_noop("Out of order"), gettext_noop("all targets, in an incorrect order")),
}
