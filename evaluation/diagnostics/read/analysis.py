"""Plans and calls of some runs of a benchmark, as their page, files and API show them.

Nothing is computed from single trajectories here: metrics are those of each scoring, counts one statement on the score
store, and results of runs with and without tools one file each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.common.compared import calling_between, compared_samples
from evaluation.common.plan_errors import PlanCounts, plan_counts
from evaluation.metrics.calling import CallingEffect
from evaluation.metrics.published import PublishedValue, published_values
from evaluation.metrics.rank_correlation import Concordance, Correlation, concordance, spearman
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slices import MOST_VALUES, TARGETS, natural
from evaluation.models import Metric, Run
from evaluation.store.files import scores_are_lost
from evaluation.store.results import load_results
from evaluation.store.slices import populations_by_run
from evaluation.store.snapshot import Snapshot
from webapp.common.errors import InvalidInput, NotFound

SEGMENT = "segment"
MOST_RUNS = 40
"""Runs that one page is about; more are chosen from."""
LEAST_PLANS = 10
"""Plans that a cell of segments by runs needs."""
CURVES = ("success_rate_at_1", "success_rate_at_2", "success_rate_at_3", "exact_match", "task_completable_rate")
HEATED = "task_completable_rate"
ERROR_METRICS = (
    "functional_omission", "spurious_in_scene", "spurious_repeat", "spurious_hallucinated", "complete_out_of_order",
    "chance_out_of_order",
)  # fmt: skip
TASKS = (
    "recognition_precision", "recognition_recall", "recognition_f1", "selection_precision", "selection_recall",
    "selection_f1", "f1_difference",
)  # fmt: skip
CALLS = ("pass_rate", "tool_call_rate", "tool_efficiency")
PAIRS = tuple(combinations(CALLS, 2))
"""The scatters: the first metric across, the second up."""
BASE = "base"
"""The setting of runs without tools."""
Metrics = Mapping[str, Metric]


@dataclass(frozen=True)
class CallingPair:
    """A run with tools and the one without that it is compared with."""

    without: Run
    tools: Run
    effect: CallingEffect


@dataclass(frozen=True)
class PublishedPoint:
    """A model of a paper, on the samples and with the settings of that paper. ``values``: of ``CALLS``, all defined."""

    model: str
    setting: str
    benchmark: str
    source: str
    values: Mapping[str, PublishedValue]

    @property
    def place(self) -> str:
        """The benchmark and the table of the paper."""
        return f"{self.benchmark}, {self.values[CALLS[0]].table}"


@dataclass(frozen=True)
class Heat:
    """The metric ``HEATED`` by value of a facet (rows, the best mean first) and run (columns, the same): None with
    fewer than ``LEAST_PLANS`` plans. ``means``: of the known cells of each row. ``agreement``: over rows without a gap.
    ``small``: values without a row."""

    by: str
    runs: Sequence[Run]
    rows: Sequence[tuple[str, Sequence[Metric | None]]]
    means: Sequence[float]
    agreement: Concordance
    small: int


@dataclass(frozen=True)
class Diagnostics:
    """``runs``: scored, no detectors. ``facets``: to group plans by; ``by``: the one used.

    ``metrics``: of each run on all samples. ``plans``: of runs with scored plans. ``curves``: by run, number of
    targets and metric. ``calling``: runs with tools that have one without; ``bases``: runs with answers and without a
    call. ``correlations``: of ``PAIRS``, over the runs with both. ``listed``: by run, the trajectories that count in a
    metric of ``TASKS``, or in both of a pair.
    """

    runs: Sequence[Run]
    facets: Sequence[str]
    by: str
    metrics: Mapping[int, Metrics]
    plans: Mapping[int, PlanCounts]
    curves: Mapping[int, Mapping[str, Metrics]]
    heat: Heat | None
    calling: Sequence[CallingPair]
    bases: Sequence[Run]
    base: Run | None
    correlations: Sequence[Correlation]
    listed: Mapping[int, Mapping[str, int]]

    @property
    def planners(self) -> list[Run]:
        return [run for run in self.runs if run.pk in self.plans]

    @property
    def sizes(self) -> list[str]:
        """The numbers of targets, in order."""
        return sorted({size for found in self.curves.values() for size in found}, key=natural)

    def metric(self, run: Run, name: str) -> Metric | None:
        return self.metrics.get(run.pk, {}).get(name)

    def value(self, run: Run, name: str) -> float | None:
        metric = self.metric(run, name)
        return metric.value if metric else None


def diagnosed_runs(benchmark: Benchmark) -> list[Run]:
    """The scored runs of models, by name: no detectors, and no people, whose numbers are weighted estimates. One
    query."""
    runs = Run.objects.of(benchmark).scored().order_by("model__name", "setting", "pk")
    return [run for run in runs if not (run.by_detector or run.by_people)]


def chosen_runs(asked: Sequence[str], runs: Sequence[Run]) -> list[Run]:
    """The runs of these numbers, in their order; without any, the first ``MOST_RUNS``."""
    known = {str(run.pk): run for run in runs}
    named = list(dict.fromkeys(pk for pk in asked if pk))
    if unknown := next((pk for pk in named if pk not in known), None):
        message = gettext("Unknown run %(unknown)s. Choose scored runs of this benchmark.")
        raise NotFound(message % {"unknown": unknown[:20]}, field="run")
    if len(named) > MOST_RUNS:
        message = gettext("Up to %(limit)s runs can be shown at once, not %(count)s.")
        raise InvalidInput(message % {"limit": MOST_RUNS, "count": len(named)}, field="run")
    return [known[pk] for pk in named] or list(runs)[:MOST_RUNS]


def diagnose(
    snapshot: Snapshot, runs: Sequence[Run], chosen: Sequence[Run], *, by: str = "", base: str = ""
) -> Diagnostics:
    """``runs``: all of ``diagnosed_runs``; ``chosen``: those to analyze. ``base``: the number of the run without calls
    that others are compared with, default the one of the same model.

    Raises ``NotFound`` for an unknown facet or base.
    """
    facets = [name for name, values in snapshot.facets.items() if len(values) <= MOST_VALUES]
    if by and by not in facets:
        raise NotFound(gettext("There is no facet %(by)s to group by.") % {"by": repr(by[:60])}, field="by")
    by = by or (SEGMENT if SEGMENT in facets else "")
    whole, curves, heated = _metrics(runs, chosen, by)
    bases = [run for run in runs if _calls(whole, run) == 0 and run.scoring.answers_n and not scores_are_lost(run)]
    wanted = next((run for run in bases if str(run.pk) == base), None)
    if base and wanted is None:
        message = gettext("Run %(base)s is no run without calls. Choose one that made none.")
        raise NotFound(message % {"base": base[:20]}, field="base")
    counts = {pk: found for pk, found in plan_counts(snapshot).items() if pk in {run.pk for run in chosen}}
    return Diagnostics(
        runs=chosen,
        facets=facets,
        by=by,
        metrics=whole,
        plans=counts,
        curves={run.pk: curves.get(run.pk, {}) for run in chosen if run.pk in counts},
        heat=_heat(by, [run for run in chosen if run.pk in counts], heated),
        calling=_calling(snapshot.benchmark, chosen, bases, wanted, whole),
        bases=bases,
        base=wanted,
        correlations=[_correlation(chosen, whole, *pair) for pair in PAIRS],
        listed=populations_by_run(snapshot, {" ".join(names): names for names in (*((one,) for one in TASKS), *PAIRS)}),
    )


@cache
def published_points() -> tuple[PublishedPoint, ...]:
    """The models of which a paper prints all of ``CALLS`` on its whole benchmark, in the order of its table. They are
    in no correlation: other samples, and values as printed."""
    found: dict[tuple[str, str, str, str, str], dict[str, PublishedValue]] = {}
    for one in published_values():
        if one.metric in CALLS and not one.slice_by:
            found.setdefault((one.model, one.setting, one.benchmark, one.source, one.table), {})[one.metric] = one
    return tuple(
        PublishedPoint(model, setting, benchmark, source, values)
        for (model, setting, benchmark, source, _), values in found.items()
        if len(values) == len(CALLS)
    )


ByRun = dict[int, dict[str, Metric]]
ByValue = dict[int, dict[str, dict[str, Metric]]]


def _metrics(runs: Sequence[Run], chosen: Sequence[Run], by: str) -> tuple[ByRun, ByValue, ByValue]:
    """Metrics on all samples, by number of targets, and by the facet. One query."""
    of = {run.scoring.pk: run.pk for run in runs}
    asked = {run.scoring.pk for run in chosen}
    rows = Metric.objects.filter(scoring__in=of)
    wanted = rows.filter(slice_by="", metric__in={*CURVES, *ERROR_METRICS, *TASKS, *CALLS})
    wanted |= rows.filter(scoring__in=asked, slice_by=TARGETS, metric__in=CURVES)
    if by:
        wanted |= rows.filter(scoring__in=asked, slice_by=by, metric=HEATED)
    whole: ByRun = {run.pk: {} for run in runs}
    curves: ByValue = {}
    heated: ByValue = {}
    for row in wanted.order_by("pk"):
        run = of[row.scoring_id]
        if not row.slice_by:
            whole[run][row.metric] = row
            continue
        if row.slice_by == TARGETS and row.metric in CURVES:
            curves.setdefault(run, {}).setdefault(row.slice, {})[row.metric] = row
        if row.slice_by == by and row.metric == HEATED:
            heated.setdefault(run, {}).setdefault(row.slice, {})[row.metric] = row
    return whole, curves, heated


def _heat(by: str, runs: Sequence[Run], found: ByValue) -> Heat | None:
    """None without a cell."""
    names = sorted({value for values in found.values() for value in values}, key=natural)
    cells = {(name, run.pk): found.get(run.pk, {}).get(name, {}).get(HEATED) for name in names for run in runs}
    known = {key: row for key, row in cells.items() if row is not None and row.n >= LEAST_PLANS}
    if not known:
        return None
    mean = {
        key: float(np.mean([row.value for place, row in known.items() if key in place]))
        for key in {part for place in known for part in place}
    }
    rows = sorted((name for name in names if name in mean), key=lambda name: -mean[name])
    columns = sorted((run for run in runs if run.pk in mean), key=lambda run: -mean[run.pk])
    table = [(name, [known.get((name, run.pk)) for run in columns]) for name in rows]
    full = [[row.value for row in cells_of if row is not None] for _, cells_of in table if None not in cells_of]
    values = np.array(full, np.float64).reshape(-1, len(columns))
    return Heat(by, columns, table, [mean[name] for name in rows], concordance(values), len(names) - len(rows))


def _calls(whole: ByRun, run: Run) -> float | None:
    rate = whole[run.pk].get("tool_call_rate")
    return rate.value if rate else None


def _calling(
    benchmark: Benchmark, chosen: Sequence[Run], bases: Sequence[Run], base: Run | None, whole: ByRun
) -> list[CallingPair]:
    """Return each of the chosen runs with calls, compared with ``base``, else with the run of its model without calls:
    one of the setting ``BASE`` before others. One query for the samples if there is any.
    """
    pairs = []
    for run in chosen:
        own = [other for other in bases if other.model_id == run.model_id]
        own.sort(key=lambda other: (other.setting != BASE, other.pk))
        without = base or next(iter(own), None)
        if without is not None and _calls(whole, run) and not scores_are_lost(run):
            pairs.append((without, run))
    if not pairs:
        return []
    samples = compared_samples(benchmark)
    results = {run.pk: load_results(run).on(samples.pks) for pair in pairs for run in pair}
    return [
        CallingPair(
            without,
            tools,
            calling_between(
                samples,
                results[without.pk],
                results[tools.pk],
                MetricSettings.from_mapping(tools.scoring.settings),
            ),
        )
        for without, tools in pairs
    ]


def _correlation(runs: Sequence[Run], whole: ByRun, first: str, second: str) -> Correlation:
    points = [point_of(run, whole[run.pk], first, second) for run in runs]
    pairs = [(x, y) for x, y in points if x is not None and y is not None]
    return spearman([x for x, _ in pairs], [y for _, y in pairs])


def point_of(run: Run, metrics: Metrics, first: str, second: str) -> tuple[float | None, float | None]:
    """Both metrics of a run. The pass rate of a provisional run is a range, and no point."""
    x, y = (
        None if row is None or (name == "pass_rate" and run.scoring.provisional) else row.value
        for name, row in ((first, metrics.get(first)), (second, metrics.get(second)))
    )
    return x, y
