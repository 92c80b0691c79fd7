"""Rows of docs/metrics.md#exports out of the database: metrics, samples, comparisons. The same rows for command, page
and API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from annotation.models import AcceptedChain, Benchmark
from evaluation.common.rewards import REWARD_COLUMNS, reward_rows
from evaluation.metrics.catalogue import COMPARISON_COLUMNS, METRIC_COLUMNS, SAMPLE_COLUMNS
from evaluation.metrics.families import ALL_PAIRS
from evaluation.metrics.significance import holm
from evaluation.models import Comparison, Metric, Run
from evaluation.schema import FILE_READINGS
from evaluation.store.files import paths_of
from evaluation.store.measures import MEASURES, measured_rows

Row = dict[str, Any]


def metric_rows(benchmark: Benchmark, *, slice_by: str | None = None) -> Iterator[Row]:
    """One row per (run, metric, slice), in a fixed order; ``slice_by`` "" for the whole benchmark only."""
    rows = Metric.objects.of(benchmark).for_export()
    if slice_by is not None:
        rows = rows.filter(slice_by=slice_by)
    yield from rows.values(*METRIC_COLUMNS).iterator(chunk_size=2000)


ACCEPTED = "accepted_chains"
"""The number of accepted toolchains in addition to the gold's; ``reference_chain`` counts them from 1."""
FILE_READING = FILE_READINGS[0]
"""The answer extracted by the imported file, if it has one."""


def sample_rows(benchmark: Benchmark) -> Iterator[Row]:
    """One row per scored trajectory without an intervention, ordered by model, setting and sample. Two queries, and one
    for each run."""
    chains = AcceptedChain.objects.filter(sample__benchmark=benchmark).order_by().values_list("sample__key")
    further = dict(chains.annotate(n=Count("pk")))
    runs = list(Run.objects.of(benchmark).order_by("model__name", "setting"))
    for run, file in zip(runs, paths_of(runs), strict=True):
        said = _said_in_file(run)
        for pk, key, *values in measured_rows(file):
            own = {"run": run.pk, "model": run.model.name, "sample": key}
            row: Row = own | dict(zip(MEASURES, values, strict=True))
            yield row | {ACCEPTED: further.get(key, 0), FILE_READING: said.get(pk)}


def _said_in_file(run: Run) -> dict[int, str]:
    """Return the answers that the imported file has read, by trajectory."""
    rows = run.trajectories.filter(condition="none", extra__has_any_keys=FILE_READINGS).order_by()
    found: dict[int, str] = {}
    for pk, *values in rows.values_list("pk", *(f"extra__{name}" for name in FILE_READINGS)).iterator(2000):
        extracted = next((said for said in values if said is not None), None)
        if extracted is not None:
            found[pk] = str(extracted)
    return found


def comparison_rows(benchmark: Benchmark) -> list[Row]:
    """One row per pair of runs, p by image adjusted by Holm over all pairs of the benchmark."""
    pairs = list(
        Comparison.objects.filter(a__run__benchmark=benchmark)
        .select_related("a__run__model", "b__run__model")
        .order_by("a__run__model__name", "a__run__setting", "b__run__model__name", "b__run__setting")
    )
    adjusted = holm([pair.p_cluster for pair in pairs])
    family = {"p_family": ALL_PAIRS, "p_family_size": sum(p is not None for p in adjusted)}
    return [
        {"model_a": str(pair.a.run), "model_b": str(pair.b.run), "p_holm": p, **family}
        | {name: getattr(pair, name) for name in COMPARISON_COLUMNS if hasattr(pair, name)}
        for pair, p in zip(pairs, adjusted, strict=True)
    ]


@dataclass(frozen=True)
class Export:
    """A kind of rows and its columns, in the order of docs/metrics.md#exports."""

    columns: Sequence[str]
    rows: Callable[[Benchmark], Iterable[Row]]


EXPORTS: dict[str, Export] = {
    "metrics": Export(METRIC_COLUMNS, metric_rows),
    "samples": Export((*SAMPLE_COLUMNS, ACCEPTED, FILE_READING), sample_rows),
    "comparisons": Export(COMPARISON_COLUMNS, comparison_rows),
    "rewards": Export(REWARD_COLUMNS, reward_rows),
}
