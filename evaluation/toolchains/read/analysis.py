"""The data of the analysis of toolchains: some runs of a benchmark, on all samples or on one value of a facet.

A fixed number of queries for any number of trajectories: toolchains and scores are read as columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.metrics.chains import Chains
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.slices import MOST_VALUES
from evaluation.metrics.undecided import Open
from evaluation.models import Metric, Run
from evaluation.store.chains import analyzed_runs, read_chains
from evaluation.store.snapshot import Snapshot
from webapp.common.errors import InvalidInput, NotFound

PREFERRED_FACET = "category"
MOST_RUNS = 40
"""The maximum number of runs in one analysis; if there are more, a person chooses."""
RUN_METRICS = ("pass_rate", "tool_call_rate", "tool_efficiency", "calls_mean", "effective_calls_mean", "chain_mae",
               "effective_chain_mae")  # fmt: skip
_COLUMNS = (
    "run", "sample", "cluster", "calls", "distinct_tools", "effective_calls", "reference_calls", "n_accuracy",
    "d_accuracy", "n_accuracy_high", "d_accuracy_high",
)  # fmt: skip


@dataclass(frozen=True)
class ChainAnalysis:
    """n trajectories of ``runs``, evaluated and scored; ``without``: runs without stored toolchains, which are
    excluded.

    Attributes:
        metrics: of each run by number, on the same slice, as scored.
        facets: those of the samples with at most ``MOST_VALUES``; ``by``: the one to group by ("" without any);
            ``value``: the filter of the page, "" for none; ``values``: rows on each value of ``by``.
        ``chains``: the calls and references, n rows; the following are (n,).
        run: index in ``runs``. sample: code of the sample. cluster: code of its image.
        calls, tools, effective, reference: L_T, distinct tools, L_e, L_G (-1: none). ``right``, counted: 0 or 1.
        possible, whole: correct or undecided, and any of correct, incorrect or undecided: 0 or 1.
        called: spellings of each tool in calls, by canonical name.
    """

    runs: Sequence[Run]
    without: Sequence[Run]
    metrics: Mapping[int, Mapping[str, Metric]]
    facets: Sequence[str]
    by: str
    value: str
    values: Mapping[str, Ints]
    chains: Chains
    run: Ints
    sample: Ints
    cluster: Ints
    calls: Ints
    tools: Ints
    effective: Ints
    reference: Ints
    right: Floats
    counted: Floats
    possible: Floats
    whole: Floats
    called: Mapping[str, Sequence[str]]

    @property
    def referenced(self) -> int:
        return int(np.count_nonzero(self.reference >= 0))

    @property
    def open(self) -> Open:
        """The range of the pass rate that undecided answers allow."""
        return Open(self.right, self.possible, self.whole)

    def of_run(self, place: int) -> Chains:
        return self.chains.take(np.flatnonzero(self.run == place))


def scored_runs(benchmark: Benchmark) -> list[Run]:
    """Return all runs, those with scores first, each part by name. One query."""
    runs = list(Run.objects.of(benchmark).order_by("model__name", "setting", "pk"))
    return sorted(runs, key=lambda run: getattr(run, "scoring", None) is None)


def chosen_runs(asked: Sequence[str], runs: Sequence[Run]) -> list[Run]:
    """Return the runs of these numbers, in their order; without any, those with scores."""
    known = {str(run.pk): run for run in runs}
    named = list(dict.fromkeys(pk for pk in asked if pk))
    if unknown := next((pk for pk in named if pk not in known), None):
        raise NotFound(gettext("Unknown run %(unknown)s. Choose runs of this benchmark.") % {"unknown": unknown[:20]})
    if len(named) > MOST_RUNS:
        raise InvalidInput(
            gettext("Up to %(limit)s runs can be analyzed at once, not %(count)s.")
            % {"limit": MOST_RUNS, "count": len(named)},
            field="run",
        )
    return [known[pk] for pk in named] or [run for run in runs if getattr(run, "scoring", None)][:MOST_RUNS]


def analyse_chains(
    benchmark: Benchmark, runs: Sequence[Run], chosen: Sequence[Run], *, by: str = "", value: str = ""
) -> ChainAnalysis:
    """Load the analysis. ``runs``: all of the benchmark; ``chosen``: those to analyze."""
    snapshot = Snapshot(benchmark, runs)
    facets = {name: values for name, values in snapshot.facets.items() if len(values) <= MOST_VALUES}
    by = next((name for name in (by, PREFERRED_FACET, *facets) if name in facets), "")
    value = value if by and value in facets[by] else ""
    analyzed = analyzed_runs(snapshot)
    there = [run for run in chosen if run.pk in analyzed]
    on = snapshot.samples_with(by, value) if value else None
    stored = read_chains(snapshot, [run.pk for run in there], _COLUMNS, samples=on)
    facts = {name: np.nan_to_num(values, nan=-1).astype(np.int64) for name, values in stored.facts.items()}
    place = {run.pk: at for at, run in enumerate(there)}
    return ChainAnalysis(
        runs=there,
        without=[run for run in chosen if run not in there],
        metrics=_metrics(there, by if value else "", value),
        facets=list(facets),
        by=by,
        value=value,
        values=_groups(snapshot, by, facts["sample"]),
        chains=stored.chains,
        run=np.array([place[pk] for pk in facts["run"].tolist()], np.int64),
        sample=facts["sample"],
        cluster=facts["cluster"],
        calls=facts["calls"],
        tools=facts["distinct_tools"],
        effective=facts["effective_calls"],
        reference=facts["reference_calls"],
        right=stored.facts["n_accuracy"],
        counted=stored.facts["d_accuracy"],
        possible=stored.facts["n_accuracy_high"],
        whole=stored.facts["d_accuracy_high"],
        called=stored.called,
    )


def _groups(snapshot: Snapshot, by: str, sample: Ints) -> dict[str, Ints]:
    """Return the rows on samples with each value of the facet, in order of the value."""
    found: dict[str, Ints] = {}
    for value in snapshot.facets.get(by, ()):
        rows = np.flatnonzero(np.isin(sample, snapshot.samples_with(by, value)))
        if len(rows):
            found[value] = rows
    return found


def _metrics(runs: Sequence[Run], by: str, value: str) -> dict[int, dict[str, Metric]]:
    found: dict[int, dict[str, Metric]] = {run.pk: {} for run in runs}
    rows = Metric.objects.filter(scoring__in=[run.scoring.pk for run in runs], metric__in=RUN_METRICS)
    for row in rows.on_slice(by, value).select_related("scoring").only(*_METRIC_FIELDS):
        found[row.scoring.run_id][row.metric] = row
    return found


_METRIC_FIELDS = ("metric", "value", "n", "numerator", "ci_low", "ci_high", "ci_method", "detail", "scoring__run_id")
