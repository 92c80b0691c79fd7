"""The toolchains of some runs of a benchmark, on all samples or on one value of a facet, as their analysis reads them.

A fixed number of queries, whatever the number of trajectories: chains and scores come as columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.models import Benchmark
from evaluation.actions.chain_columns import KeptChains, read_chains
from evaluation.actions.list_table import ListTable, table_of
from evaluation.actions.run_tables import MOST_VALUES
from evaluation.metrics.chains import Chains, join_chains
from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.undecided import Open
from evaluation.models import Metric, Run
from webapp.common.errors import InvalidInput, NotFound

PREFERRED_FACET = "category"
MOST_RUNS = 40
"""Runs that one analysis is about; more are chosen from."""
RUN_METRICS = ("pass_rate", "tool_call_rate", "tool_efficiency", "calls_mean", "effective_calls_mean", "chain_mae",
               "effective_chain_mae")  # fmt: skip
_COLUMNS = (
    "calls", "unique_tools", "effective_calls", "reference_calls", "accuracy above", "accuracy below",
    "accuracy_high above", "accuracy_high below",
)  # fmt: skip


@dataclass(frozen=True)
class ChainAnalysis:
    """n trajectories of ``runs``, evaluated and scored; ``without``: runs whose chains are not kept, which are in none.

    Attributes:
        metrics: of each run by number, on the same slice, as it was scored.
        facets: those of the samples with at most ``MOST_VALUES``; ``by``: the one to group by ("" without any);
            ``value``: what the page is narrowed to, "" for nothing; ``values``: rows on each value of ``by``.
        chains: the calls and references, n rows; the following are (n,).
        run: place in ``runs``. sample: code of the sample. cluster: code of its picture.
        calls, tools, effective, reference: L_T, distinct tools, L_e, L_G (-1: none). right, counted: 0 or 1.
        possible, whole: right or undecided, and either right, wrong or undecided: 0 or 1.
        called: how calls write each tool, by canonical name.
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
        """What undecided answers leave open of the pass rate."""
        return Open(self.right, self.possible, self.whole)

    def of_run(self, place: int) -> Chains:
        return self.chains.take(np.flatnonzero(self.run == place))


def scored_runs(benchmark: Benchmark) -> list[Run]:
    """All runs, those with scores first, each part by name. One query."""
    runs = list(Run.objects.of(benchmark).without_tables().order_by("model__name", "setting", "pk"))
    return sorted(runs, key=lambda run: getattr(run, "scoring", None) is None)


def chosen_runs(asked: Sequence[str], runs: Sequence[Run]) -> list[Run]:
    """The runs of these numbers, in their order; without any, those with scores."""
    known = {str(run.pk): run for run in runs}
    named = list(dict.fromkeys(pk for pk in asked if pk))
    if unknown := next((pk for pk in named if pk not in known), None):
        raise NotFound(f"There is no run {unknown[:20]} here. Choose runs from those of this benchmark.")
    if len(named) > MOST_RUNS:
        raise InvalidInput(f"Up to {MOST_RUNS} runs are analysed at once, not {len(named)}.", field="run")
    return [known[pk] for pk in named] or [run for run in runs if getattr(run, "scoring", None)][:MOST_RUNS]


def analyse_chains(
    benchmark: Benchmark, runs: Sequence[Run], chosen: Sequence[Run], *, by: str = "", value: str = ""
) -> ChainAnalysis:
    """``runs``: all of the benchmark; ``chosen``: those of them that it is about."""
    table = table_of(benchmark, runs)
    table.prepare(_COLUMNS)
    facets = {name: found for name, found in table.sample_table.facets.items() if len(found.names) <= MOST_VALUES}
    by = next((name for name in (by, PREFERRED_FACET, *facets) if name in facets), "")
    value = value if by and value in facets[by].names else ""
    scored = [run for run in chosen if getattr(run, "scoring", None)]
    kept = read_chains([run.scoring.pk for run in scored])
    there = [run for run in scored if run.scoring.pk in kept]
    parts = [kept[run.scoring.pk] for run in there]
    rows = np.concatenate([np.empty(0, np.int64), *(table.places(part.pks) for part in parts)])
    of_run = np.repeat(np.arange(len(parts)), [len(part.pks) for part in parts])
    inside = np.arange(len(rows))
    if value:
        inside = np.flatnonzero(facets[by].samples_with(value, len(table.sample_table))[table.by_sample.rank[rows]])
    rows, of_run = rows[inside], of_run[inside]
    sample = table.by_sample.rank[rows]
    columns = {name: table.column(name)[rows] for name in _COLUMNS}
    return ChainAnalysis(
        runs=there,
        without=[run for run in chosen if run not in there],
        metrics=_metrics(there, by if value else "", value),
        facets=list(facets),
        by=by,
        value=value,
        values=dict(_groups(table, by, sample)),
        chains=join_chains([part.chains for part in parts]).take(inside),
        run=of_run,
        sample=sample,
        cluster=table.sample_table.cluster[sample],
        calls=columns["calls"].astype(np.int64),
        tools=columns["unique_tools"].astype(np.int64),
        effective=columns["effective_calls"].astype(np.int64),
        reference=columns["reference_calls"].astype(np.int64),
        right=columns["accuracy above"].astype(np.float64),
        counted=columns["accuracy below"].astype(np.float64),
        possible=columns["accuracy_high above"].astype(np.float64),
        whole=columns["accuracy_high below"].astype(np.float64),
        called=_joined(parts, "called"),
    )


def _groups(table: ListTable, by: str, sample: NDArray[Any]) -> Iterator[tuple[str, Ints]]:
    """The rows on samples with each value of the facet, in order of the value."""
    if not by:
        return
    facet = table.sample_table.facets[by]
    for value in sorted(facet.names):
        rows = np.flatnonzero(facet.samples_with(value, len(table.sample_table))[sample])
        if len(rows):
            yield value, rows


def _metrics(runs: Sequence[Run], by: str, value: str) -> dict[int, dict[str, Metric]]:
    found: dict[int, dict[str, Metric]] = {run.pk: {} for run in runs}
    rows = Metric.objects.filter(scoring__in=[run.scoring.pk for run in runs], metric__in=RUN_METRICS)
    for row in rows.on_slice(by, value).select_related("scoring").only(*_METRIC_FIELDS):
        found[row.scoring.run_id][row.metric] = row
    return found


_METRIC_FIELDS = ("metric", "value", "n", "numerator", "ci_low", "ci_high", "ci_method", "detail", "scoring__run_id")


def _joined(parts: Sequence[KeptChains], name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in parts:
        for tool, written in getattr(part, name).items():
            found[tool] = list(dict.fromkeys([*found.get(tool, ()), *written]))
    return found
