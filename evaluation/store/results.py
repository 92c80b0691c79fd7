"""The data of a run for comparing and ranking: one row per sample, from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, Outcome, Quadrant
from evaluation.models import Run
from evaluation.store.engine import Reader, parquet
from evaluation.store.files import folder, paths_of

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Results:
    """The scores that metrics are made of, n rows in the order of their samples: ``Results`` of
    ``evaluation.metrics.comparison``, ``GroundedRun`` of ``evaluation.metrics.grounding_comparison``, and more.
    ``sample``: primary keys, or rows after ``on``."""

    sample: Ints
    correct: Ints
    undecided: NDArray[np.bool_]
    in_population: NDArray[np.bool_]
    grounded: NDArray[np.bool_]
    quadrant: Ints
    coverage: NDArray[np.float64]
    ioa: NDArray[np.float64]
    called: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.sample)

    def on(self, samples: Sequence[int]) -> Results:
        """Return the results with rows of ``samples`` (primary keys) instead of keys. Other samples are omitted."""
        row_of = {pk: row for row, pk in enumerate(samples)}
        rows = np.array([row_of.get(pk, -1) for pk in self.sample.tolist()], np.int64)
        order = np.argsort(rows, kind="stable")
        order = order[rows[order] >= 0]
        taken: dict[str, Any] = {name: values[order] for name, values in vars(self).items()}
        return replace(self, **(taken | {"sample": rows[order]}))


_COLUMNS: Mapping[str, str] = {
    "sample": "sample",
    "correct": f"CASE verdict WHEN 'yes' THEN {TRUE} WHEN 'no' THEN {FALSE} ELSE {UNKNOWN} END",
    "undecided": "undecided",
    "in_population": "population",
    "grounded": "coalesce(grounded, FALSE)",
    "quadrant": f"coalesce(list_position({list(Quadrant.NAMES)!r}, quadrant), 0) - 1",
    "coverage": "coalesce(coverage, 'nan'::DOUBLE)",
    "ioa": "coalesce(ioa, 'nan'::DOUBLE)",
    "called": "coalesce(calls, 0) > 0",
}
_TYPES = {"sample": np.int64, "correct": np.int64, "quadrant": np.int64}


def load_results(run: Run) -> Results:
    """Load the lowest scored rollout of each sample without an intervention. ``run``: of ``Run.objects.of``."""
    [path] = paths_of([run])
    return _read(path)


def verdicts_of(run: Run) -> dict[int, bool]:
    """Whether each trajectory that counts in accuracy is correct, by primary key.

    Further rollouts are included, interventions are not. ``run``: of ``Run.objects.of``."""
    [path] = paths_of([run])
    statement = f"SELECT pk, verdict = 'yes' FROM {parquet(path)} WHERE scored AND counted AND condition = 'none'"
    return dict(Reader(folder()).rows(statement, {}))


def successes_of(run: Run) -> dict[int, bool | None]:
    """Whether the lowest scored rollout of each sample succeeded: a plan with an exact match, an answer that counts if
    it is correct; None: it does not count. Interventions are left out. ``run``: of ``Run.objects.of``."""
    [path] = paths_of([run])
    exact = Outcome.NAMES[Outcome.EXACT]
    statement = (
        f"SELECT sample, CASE WHEN outcome IS NOT NULL THEN outcome = '{exact}' WHEN counted THEN verdict = 'yes' END "
        f"FROM {parquet(path)} WHERE scored AND condition = 'none' ORDER BY sample, rollout DESC"
    )
    return dict(Reader(folder()).rows(statement, {}))


@lru_cache(maxsize=64)
def _read(path: Path) -> Results:
    """Files never change, so the result is cached."""
    each = ", ".join(f"{sql} AS {name}" for name, sql in _COLUMNS.items())
    found = Reader(folder()).columns(
        f"SELECT {each} FROM {parquet(path)} WHERE scored AND condition = 'none' ORDER BY sample, rollout", {}
    )
    columns: dict[str, Any] = {name: np.asarray(found[name], _TYPES.get(name)) for name in _COLUMNS}
    _, lowest = np.unique(columns["sample"], return_index=True)
    return Results(**{name: values[lowest] for name, values in columns.items()})
