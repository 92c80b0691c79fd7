"""Ranks and pairwise comparisons of the runs of a benchmark, computed after scoring."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from django.db import transaction
from django.db.models import Count

from annotation.models import Benchmark
from annotation.statistics import MIN_CLUSTERS
from evaluation.metrics.answers import counted
from evaluation.metrics.columns import TRUE, Quadrant
from evaluation.metrics.comparison import compare
from evaluation.metrics.ranking import TOP, Ranking, rank_models, with_tested_ranges
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Comparison, Scoring, Standing
from evaluation.scoring.load.columns import LoadedSamples
from evaluation.scoring.people import keep_differences
from evaluation.store.files import scores_are_lost
from evaluation.store.results import Results, load_results
from webapp.common.locks import lock_rows

RANKED_BY = ("valid_grounded_reasoning", "accuracy")


def rank_runs(benchmark: Benchmark, samples: LoadedSamples, settings: MetricSettings) -> None:
    """Replace all standings and comparisons of the benchmark.

    Failed runs and runs with unreadable scores have none. Baselines and provisional runs are compared, but not ranked.
    """
    # Another job may score or delete a run meanwhile. Results are stored only for the current scorings.
    while not _rank_what_is_there(benchmark, samples, settings):
        pass
    keep_differences(benchmark, samples)


def is_ranked(benchmark: Benchmark) -> bool:
    """Whether all standings and comparisons belong to the current scorings. Deleting a scoring deletes them."""
    runs = Scoring.objects.compared([benchmark]).count()
    if Comparison.objects.filter(a__run__benchmark=benchmark).count() != runs * (runs - 1) // 2:
        return False
    ranked = Scoring.objects.ranked([benchmark]).annotate(n=Count("standings"))
    return not ranked.exclude(n=len(RANKED_BY)).exists()


def _rank_what_is_there(benchmark: Benchmark, samples: LoadedSamples, settings: MetricSettings) -> bool:
    """Return whether the scorings were unchanged at the end; otherwise nothing is stored.

    Ranks are computed before the transaction, because other writes cannot wait for minutes."""
    # Sorted by run, not by scoring time: the order decides the sides of a pair.
    found = Scoring.objects.compared([benchmark]).order_by("run__model__name", "run__setting", "pk")
    seen = list(found.select_related("run__model", "run__scoring", "run__file"))
    # Without its file, a run would rank last with no sample. Pages offer to score it again.
    scorings = [one for one in seen if not scores_are_lost(one.run)]
    results = [load_results(scoring.run).on(samples.pks) for scoring in scorings]
    ranked = [i for i, one in enumerate(scorings) if not (one.run.model.baseline or one.provisional)]
    of_ranked = [results[i] for i in ranked]
    rankings = {metric: _ranking(metric, of_ranked, samples, settings) for metric in RANKED_BY if ranked}
    comparisons = [
        _comparison(scorings[a], scorings[b], results[a], results[b], samples, settings)
        for a, b in combinations(range(len(scorings)), 2)
    ]
    with transaction.atomic():
        # Deleting a run locks its scoring. After waiting for that, ask again which runs there are.
        lock_rows(found)
        if list(found.values_list("pk", flat=True)) != [one.pk for one in seen]:
            return False
        Standing.objects.filter(scoring__run__benchmark=benchmark).delete()
        Comparison.objects.filter(a__run__benchmark=benchmark).delete()
        for metric, ranking in rankings.items():
            _save_standings([scorings[i] for i in ranked], metric, ranking)
        Comparison.objects.bulk_create(comparisons)
    return True


def _ranking(metric: str, results: Sequence[Results], samples: LoadedSamples, settings: MetricSettings) -> Ranking:
    """The value of a model uses its own samples. Samples without a trajectory have weight 0."""
    shape = (len(samples.pks), len(results))
    top, bottom = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for column, run in enumerate(results):
        if metric == "accuracy":
            inside, right = counted(run.correct, run.undecided, settings), run.correct == TRUE
        else:
            inside, right = run.quadrant != Quadrant.OUTSIDE, run.quadrant == Quadrant.GPAP
        bottom[run.sample, column] = inside
        top[run.sample, column] = inside & right
    found = rank_models(top, samples.columns.cluster, bottom)
    return found if found.clusters >= MIN_CLUSTERS else with_tested_ranges(found, top, bottom, samples.columns.cluster)


def _save_standings(scorings: Sequence[Scoring], metric: str, ranking: Ranking) -> None:
    """With three or fewer runs the chance of being among the first three is always 1, so it is not stored."""
    made_by = {"pairs": ranking.pairs} if ranking.pairs else {"draws": ranking.draws, "seed": ranking.seed}
    detail = {"n": ranking.n, "clusters": ranking.clusters, "method": ranking.method, **made_by}
    told = sum(s.rank is not None for s in ranking.standings) > TOP
    Standing.objects.bulk_create(
        Standing(
            scoring=scoring,
            metric=metric,
            rank=s.rank,
            low=s.low,
            high=s.high,
            p_best=s.p_best,
            p_top3=s.p_top3 if told else None,
            detail=detail,
        )
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
        accuracy_a_low=found.range_a[0],
        accuracy_a_high=found.range_a[1],
        accuracy_b_low=found.range_b[0],
        accuracy_b_high=found.range_b[1],
    )
