"""After scoring: where the runs of a benchmark stand among each other, and every pair compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.db import transaction
from django.db.models import IntegerField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from annotation.models import Benchmark
from evaluation.actions.load_columns import LoadedSamples
from evaluation.metrics.columns import UNKNOWN, Quadrant
from evaluation.metrics.comparison import compare
from evaluation.metrics.ranking import Ranking, rank_models
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Comparison, Score, Scoring, Standing

RANKED_BY = ("valid_grounded_reasoning", "accuracy")


@dataclass(frozen=True)
class Results:
    """What comparing and ranking need of one run, n rows each; ``evaluation.metrics.comparison.Results`` and more."""

    sample: NDArray[np.int64]
    correct: NDArray[np.int64]
    undecided: NDArray[np.bool_]
    population: NDArray[np.bool_]
    quadrant: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sample)


def rank_runs(benchmark: Benchmark, samples: LoadedSamples, settings: MetricSettings) -> None:
    """Replace all standings and comparisons of the benchmark. Runs that failed have none; baselines are compared,
    but not ranked."""
    scorings = [
        scoring
        for scoring in Scoring.objects.filter(run__benchmark=benchmark).select_related("run__model").order_by("pk")
        if scoring.trajectories_n and scoring.failed_n < scoring.trajectories_n
    ]
    results = [_results(scoring, samples) for scoring in scorings]
    ranked = [i for i, scoring in enumerate(scorings) if not scoring.run.model.baseline]
    with transaction.atomic():
        Standing.objects.filter(scoring__run__benchmark=benchmark).delete()
        Comparison.objects.filter(a__run__benchmark=benchmark).delete()
        if ranked:
            for metric in RANKED_BY:
                ranking = _ranking(metric, [results[i] for i in ranked], samples, settings)
                _save_standings([scorings[i] for i in ranked], metric, ranking)
        Comparison.objects.bulk_create(
            _comparison(scorings[a], scorings[b], results[a], results[b], samples, settings)
            for a, b in combinations(range(len(scorings)), 2)
        )


def _results(scoring: Scoring, samples: LoadedSamples) -> Results:
    """The scores that metrics are made of, in order of the samples: without an intervention, the lowest rollout."""
    row_of = samples.row_of
    # Truth comes as a number, so that nothing is left to convert value by value.
    truth = [Cast(name, IntegerField()) for name in ("correct", "undecided", "in_population")]
    rows = (
        Score.objects.of_run(scoring.run)
        .order_by("trajectory__sample_id", "trajectory__rollout")
        .values_list("trajectory__sample_id", "quadrant", *truth)
    )
    lowest: dict[int, tuple[int, int | None, int, int]] = {}
    for sample, *found in rows.iterator(chunk_size=5000):
        if sample in row_of:
            lowest.setdefault(row_of[sample], tuple(found))
    values = [lowest[row] for row in sorted(lowest)]
    quadrant, correct, undecided, population = zip(*values, strict=True) if values else ((), (), (), ())
    return Results(
        np.array(sorted(lowest), np.int64),
        np.array([UNKNOWN if right is None else right for right in correct], np.int64),
        np.array(undecided, bool),
        np.array(population, bool),
        np.array(quadrant, np.int64),
    )


def _ranking(metric: str, results: Sequence[Results], samples: LoadedSamples, settings: MetricSettings) -> Ranking:
    """A model's value is taken over its own samples: those it has no trajectory on weigh nothing."""
    shape = (len(samples.pks), len(results))
    top, bottom = np.zeros(shape), np.zeros(shape)
    for column, run in enumerate(results):
        if metric == "accuracy":
            counted = ~run.undecided if settings.undecided_answer == "exclude" else np.ones(len(run.sample), bool)
            right = run.correct == 1
        else:
            counted, right = run.population, run.quadrant == Quadrant.GPAP
        bottom[run.sample, column] = counted
        top[run.sample, column] = counted & right
    return rank_models(top, samples.columns.cluster, bottom)


def _save_standings(scorings: Sequence[Scoring], metric: str, ranking: Ranking) -> None:
    detail = {"n": ranking.n, "clusters": ranking.clusters, "draws": ranking.draws, "seed": ranking.seed}
    Standing.objects.bulk_create(
        Standing(scoring=scoring, metric=metric, rank=s.rank, low=s.low, high=s.high, p_best=s.p_best, detail=detail)
        for scoring, s in zip(scorings, ranking.standings, strict=True)
    )


def _comparison(
    a: Scoring, b: Scoring, of_a: Results, of_b: Results, samples: LoadedSamples, settings: MetricSettings
) -> Comparison:
    found = compare(samples.columns, of_a, of_b, settings)
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return Comparison(
        a=a,
        b=b,
        n=found.n,
        accuracy_a=found.accuracy_a,
        accuracy_b=found.accuracy_b,
        difference=found.difference,
        a_only=found.a_only,
        b_only=found.b_only,
        p_value=found.p_value,
        p_cluster=found.p_cluster,
        ci_low=low,
        ci_high=high,
        detectable=found.detectable,
    )
