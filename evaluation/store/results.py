"""What comparing and ranking need of a run: one row per sample, out of the scores. One query for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import IntegerField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from evaluation.metrics.columns import UNKNOWN
from evaluation.models import Score, Scoring

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Results:
    """The scores that metrics are made of, n rows in the order of their samples: ``Results`` of
    ``evaluation.metrics.comparison``, ``Looks`` of ``evaluation.metrics.looks``, and more. ``sample``: primary keys, or
    rows after ``on``."""

    sample: Ints
    correct: Ints
    undecided: NDArray[np.bool_]
    in_population: NDArray[np.bool_]
    grounded: NDArray[np.bool_]
    quadrant: Ints
    coverage: NDArray[np.float64]
    ioa: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.sample)

    def on(self, samples: Sequence[int]) -> Results:
        """With rows of ``samples`` (primary keys) in place of keys; what is not among them is left out."""
        row_of = {pk: row for row, pk in enumerate(samples)}
        rows = np.array([row_of.get(pk, -1) for pk in self.sample.tolist()], np.int64)
        order = np.argsort(rows, kind="stable")
        order = order[rows[order] >= 0]
        taken: dict[str, Any] = {name: values[order] for name, values in vars(self).items()}
        return replace(self, **(taken | {"sample": rows[order]}))


def load_results(run: int) -> Results:
    """Without an intervention, the lowest rollout of each sample."""
    # Truth comes as a number, so that nothing is left to convert value by value.
    truth = [Cast(name, IntegerField()) for name in ("correct", "undecided", "in_population", "grounded")]
    rows = (
        Score.objects.of_run(run)
        .order_by("trajectory__sample_id", "trajectory__rollout")
        .values_list("trajectory__sample_id", "quadrant", "coverage", "ioa", *truth)
    )
    lowest: dict[int, tuple[Any, ...]] = {}
    for sample, *scores in rows.iterator(chunk_size=5000):
        lowest.setdefault(sample, tuple(scores))
    found = zip(*lowest.values(), strict=True) if lowest else ((),) * 7
    quadrant, coverage, ioa, correct, undecided, population, grounded = found
    return Results(
        np.array(list(lowest), np.int64),
        np.array([UNKNOWN if right is None else right for right in correct], np.int64),
        np.array(undecided, bool),
        np.array(population, bool),
        np.array(grounded, bool),
        np.array(quadrant, np.int64),
        _shares(coverage),
        _shares(ioa),
    )


def _shares(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if share is None else share for share in values], np.float64)


def results_of(scoring: Scoring) -> Results:
    """``load_results``, kept until the run is scored again."""
    return _kept(scoring.run_id, scoring.pk, scoring.computed_at)


@lru_cache(maxsize=64)
def _kept(run: int, *content: Any) -> Results:
    """``content`` names the computation that the scores are of."""
    return load_results(run)
