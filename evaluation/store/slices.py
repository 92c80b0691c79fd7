"""Metrics of any selection of trajectories, run by run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.metrics.columns import Floats, Ints
from evaluation.metrics.selection import AMONG, ENDED, SELECTED, Summary, columns_of, open_of, summarise
from evaluation.models import Run
from evaluation.query.sql import counts_in
from evaluation.store.engine import Reader, parquet
from evaluation.store.files import folder, paths_of
from evaluation.store.schema import ORDER
from evaluation.store.snapshot import Snapshot
from webapp.common.lru_cache import LRUCache


def counts_by_run(
    snapshot: Snapshot, where: str, hidden: Mapping[str, str], sums: Mapping[str, tuple[str, str]] | None = None
) -> dict[int, dict[str, int]]:
    """Count, by run, the trajectories and samples that a condition selects, and those for which each of these columns
    or conditions is true.

    ``sums``: a column of whole numbers to add up, and its condition."""
    added = {} if sums is None else sums
    names = ("trajectories", "samples", *hidden, *added)
    parts = [f"count(*) FILTER (WHERE {column})" for column in hidden.values()]
    parts += [f"coalesce(sum({column}) FILTER (WHERE {true}), 0)::BIGINT" for column, true in added.values()]
    each = ", ".join(parts)
    rows = snapshot.ask(f"SELECT run, count(*), count(DISTINCT sample), {each} FROM rows WHERE {where} GROUP BY run")
    return {run: dict(zip(names, counts, strict=True)) for run, *counts in rows}


def populations_by_run(
    snapshot: Snapshot, lists: Mapping[str, Collection[str]], where: str = "TRUE"
) -> dict[int, dict[str, int]]:
    """How many trajectories a list holds of those that count in all metrics of each of ``lists``, by run. One
    statement. A run that changed since it was scored has none."""
    if not lists:
        return {}
    each = ", ".join(
        f"count(*) FILTER (WHERE {' AND '.join(counts_in([one]) for one in metrics)})" for metrics in lists.values()
    )
    rows = snapshot.ask(f"SELECT run, {each} FROM contributions WHERE evaluated AND {where} GROUP BY run")
    return {run: dict(zip(lists, counts, strict=True)) for run, *counts in rows}


@dataclass(frozen=True)
class Contributions:
    """The sample of each trajectory, and what the trajectory adds to numerator and denominator of a metric."""

    sample: Ints
    numerator: Floats
    denominator: Floats


_KEPT: LRUCache[dict[int, dict[str, Summary]]] = LRUCache(512)
"""Metrics of the latest requested slices, by the content from which they were computed."""


def summaries_by_run(snapshot: Snapshot, where: str, metrics: Sequence[str]) -> dict[int, dict[str, Summary]]:
    """Compute, by run, the metrics of its trajectories on a slice. A run that changed since it was scored has
    none."""
    key = snapshot.key_of(where)
    if key is None:
        return _summarise(snapshot, where, metrics)
    return _KEPT.get((key, tuple(metrics)), lambda: _summarise(snapshot, where, metrics))


def _summarise(snapshot: Snapshot, where: str, metrics: Sequence[str]) -> dict[int, dict[str, Summary]]:
    alone = _alone(snapshot)
    wanted = dict.fromkeys(one for name in metrics for one in columns_of(name))
    names = [f"{side}_{name}" for name in wanted for side in "nd"]
    columns = snapshot.columns(
        f"SELECT run, cluster, {', '.join(names)} FROM contributions JOIN samples USING (sample) WHERE {where} "
        f"ORDER BY run, {', '.join(ORDER)}"
    )
    found: dict[int, dict[str, Summary]] = {}
    runs, begins = np.unique(columns["run"], return_index=True)
    ends = [*begins[1:].tolist(), len(columns["run"])]
    for run, begin, end in zip(runs.tolist(), begins.tolist(), ends[: len(runs)], strict=True):
        rows = slice(begin, end)
        if any(np.ma.getmaskarray(columns[name][rows]).any() for name in names):
            continue
        own = {name: np.asarray(columns[name][rows], np.float64) for name in names}
        cluster = None if run in alone else np.asarray(columns["cluster"][rows], np.int64)
        found[run] = {name: _summary(name, own, cluster) for name in metrics}
    return found


def _summary(name: str, columns: Mapping[str, Floats], cluster: Ints | None) -> Summary:
    found = summarise(SELECTED[name], columns[f"n_{name}"], columns[f"d_{name}"], cluster)
    if name not in ENDED and name not in AMONG:
        return found
    return replace(found, range=open_of(name, columns).range())


def _alone(snapshot: Snapshot) -> set[int]:
    """The runs that have each image once."""
    rows = snapshot.ask(
        "SELECT run FROM rows JOIN samples USING (sample) WHERE evaluated "
        "GROUP BY run HAVING count(*) = count(DISTINCT cluster)"
    )
    return {run for [run] in rows}


def contributions(metric: str, runs: Collection[int]) -> dict[int, Contributions | None]:
    """Return the contributions of the trajectories of these runs to a metric; None for a run that changed since its
    scoring. One query.
    """
    rows = list(Run.everything.filter(pk__in=runs).select_related("model", "scoring", "file"))
    found: dict[int, Contributions | None] = {}
    for run, path in zip(rows, paths_of(rows), strict=True):
        reader = Reader(folder())
        reader.view("rows", f"SELECT * FROM {parquet(path)}")
        columns = reader.columns(f"SELECT sample, n_{metric} AS n, d_{metric} AS d FROM rows", {})
        known = not np.ma.getmaskarray(columns["d"]).any()
        found[run.pk] = Contributions(*(np.asarray(columns[name]) for name in ("sample", "n", "d"))) if known else None
    return found
