"""The leaderboard of a benchmark as records: for page, command and API. At most eight queries for any size, and one
more if gold has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.common.board_metrics import DETAILED, BoardMetric, metrics_by_scoring, sliced_metrics
from evaluation.common.slices import LISTED, read_slice
from evaluation.leaderboard.read.published import PublishedRow, published_rows
from evaluation.leaderboard.read.rows import (
    Ablation,
    Difference,
    Facet,
    Leaderboard,
    LeaderboardRow,
    Neighbours,
)
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.families import ADJACENT, REFERENCE, SETTINGS
from evaluation.metrics.people import FAMILIAR, FAMILIARITY
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.significance import holm
from evaluation.metrics.slices import COUNTED_BY
from evaluation.models import Comparison, Metric, Run, Standing
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.rank import RANKED_BY
from webapp.common.errors import NotFound

__all__ = [
    "Difference",
    "Leaderboard",
    "LeaderboardRow",
    "PublishedRow",
    "load_leaderboard",
    "published_rows",
    "slices_of",
]

SORTED_BY = "valid_grounded_reasoning"
BASE = "base"
"""The setting that the others of a model are compared with."""
NEIGHBOURS = 13
"""Ranked rows whose neighbors are compared: twelve pairs, so that Holm's correction leaves something to see."""


def load_leaderboard(
    benchmark: Benchmark,
    *,
    slice_by: str = "",
    slice: str = "",
    sorted_by: str = SORTED_BY,
    reference: int | None = None,
    metrics: Collection[str] | None = None,
    person: Any = None,
) -> Leaderboard:
    """The board on one slice; by one of ``LISTED`` on the list of a query, which takes some queries more and is that
    which this person sees.

    ``reference``: a run to which the others' accuracy is compared (whole benchmark only); without it the best ranked
    row. ``metrics``: only these are read, default all. Raises ``NotFound`` for a slice that no run has scores of.
    """
    sorted_by = sorted_by if sorted_by in METRICS else SORTED_BY
    ranked_by = sorted_by if sorted_by in RANKED_BY else SORTED_BY
    runs = list(Run.objects.of(benchmark))
    query, names = "", None if metrics is None else {*metrics, sorted_by, COUNTED_BY}
    if slice_by in LISTED:
        query, found = sliced_metrics(read_slice(benchmark, runs, slice_by, slice, names, person))
    else:
        found = _metrics(benchmark, slice_by, slice, names)
    published = published_rows(slice_by, slice)
    if slice_by and slice_by not in LISTED and not found and not published:
        message = gettext("No run has scores on %(slice_by)s = %(slice)s.")
        raise NotFound(message % {"slice_by": slice_by[:60], "slice": slice[:60]})
    standings = _standings(benchmark, ranked_by) if not slice_by else {}
    freshness = StalenessChecker(benchmark)
    rows = [_row(run, found, standings, freshness) for run in runs]
    scored = sorted((row for row in rows if row.scoring), key=lambda row: _place(row, sorted_by))
    alive = [row for row in scored if not row.failed]
    detectors = [row for row in alive if row.detector]
    models = [row for row in alive if not (row.detector or row.by_people)]
    ranked = [row for row in models if not (row.baseline or row.provisional)]
    chosen = next((row for row in models if row.run.pk == reference), next(iter(ranked or models or detectors), None))
    differences, neighbours = _comparisons(chosen, ranked) if chosen and not slice_by else ({}, [])
    ranked, baselines = ([_with(row, differences) for row in models if row.baseline is one] for one in (False, True))
    return Leaderboard(
        slice_by=slice_by,
        slice=slice,
        sorted_by=sorted_by,
        ranked=ranked,
        baselines=baselines,
        detectors=detectors,
        # A query lists trajectories, and nothing weighs them.
        people=[] if slice_by in LISTED else list(_people(alive, whole=not slice_by)),
        unscored=[row for row in rows if not row.scoring],
        published=published,
        reference=chosen,
        failed=[row for row in scored if row.failed],
        neighbours=neighbours,
        ablations=_ablations(models) if not slice_by else [],
        facets=_facets(chosen),
        settings=_settings(chosen, freshness.settings[benchmark.pk]),
        ranked_by=ranked_by,
        query=query,
    )


def _metrics(
    benchmark: Benchmark, slice_by: str, slice: str, names: Collection[str] | None
) -> dict[int, dict[str, BoardMetric]]:
    rows = Metric.objects.of(benchmark).on_slice(slice_by, slice)
    if names is not None:
        rows = rows.filter(metric__in=names)
    return metrics_by_scoring(rows, DETAILED)


def _standings(benchmark: Benchmark, metric: str) -> dict[int, Standing]:
    rows = Standing.objects.filter(scoring__run__benchmark=benchmark, metric=metric)
    return {standing.scoring_id: standing for standing in rows}


def _row(
    run: Run, metrics: dict[int, dict[str, BoardMetric]], standings: dict[int, Standing], freshness: StalenessChecker
) -> LeaderboardRow:
    scoring = getattr(run, "scoring", None)
    if scoring is None:
        return LeaderboardRow(run, None, {})
    stale = freshness.stale(scoring)
    return LeaderboardRow(run, scoring, metrics.get(scoring.pk, {}), standings.get(scoring.pk), stale=stale)


def _people(rows: Sequence[LeaderboardRow], *, whole: bool) -> Iterator[LeaderboardRow]:
    """Yield the rows of people; on the entire benchmark, each is followed by rows by familiarity. One query if there
    are any.
    """
    studies = [row for row in rows if row.by_people]
    if not studies or not whole:
        yield from studies
        return
    of = Metric.objects.filter(scoring__in=[row.scoring for row in studies], slice_by=FAMILIARITY)
    by_value = {value: metrics_by_scoring(of.filter(slice=value), DETAILED) for value in FAMILIAR}
    for row in studies:
        yield row
        for value, metrics in by_value.items():
            yield replace(row, metrics=metrics.get(_scoring(row), {}), familiarity=value)


def _place(row: LeaderboardRow, sorted_by: str) -> tuple[bool, float, str]:
    """The best row first, rows without a value last. A provisional row is sorted by its lower bound."""
    value = row.least(sorted_by)
    sign = 1 if METRICS[sorted_by].better == "lower" else -1
    return value is None, 0.0 if value is None else sign * value, str(row.run)


def _with(row: LeaderboardRow, differences: dict[int, Difference]) -> LeaderboardRow:
    return replace(row, against=differences.get(row.scoring.pk) if row.scoring else None)


def _comparisons(
    chosen: LeaderboardRow, ranked: Sequence[LeaderboardRow]
) -> tuple[dict[int, Difference], list[Neighbours]]:
    """Every other row against the chosen one, by scoring; and each ranked row against the next by accuracy."""
    ladder = sorted(ranked, key=lambda row: _place(row, "accuracy"))[:NEIGHBOURS]
    steps = [(_scoring(upper), _scoring(lower)) for upper, lower in pairwise(ladder)]
    own = _scoring(chosen)
    rungs = [_scoring(row) for row in ladder]
    wanted = Comparison.objects.touching(own) | Comparison.objects.among(rungs)
    stored = {(pair.a_id, pair.b_id): pair for pair in wanted}
    touching = [(a if b == own else b, own) for a, b in stored if own in (a, b)]
    differences = _differences(stored, touching, REFERENCE)
    against = _differences(stored, steps, ADJACENT)
    rows = {_scoring(row): row for row in ladder}
    neighbours = [Neighbours(rows[a], rows[b], against[a, b]) for a, b in steps if (a, b) in against]
    return {row: difference for (row, _), difference in differences.items()}, neighbours


def _ablations(rows: Sequence[LeaderboardRow]) -> list[Ablation]:
    """Models with several runs: the run under the setting "base", else the first by name, and each other against it."""
    models: dict[int, list[LeaderboardRow]] = {}
    for row in sorted(rows, key=lambda row: (row.run.setting != BASE, row.run.setting, row.run.pk)):
        models.setdefault(row.run.model_id, []).append(row)
    several = [found for found in models.values() if len(found) > 1]
    wanted = Comparison.objects.of_one_model([_scoring(base) for base, *_ in several])
    stored = {(pair.a_id, pair.b_id): pair for pair in wanted}
    found = []
    for base, *others in several:
        against = _differences(stored, [(_scoring(other), _scoring(base)) for other in others], SETTINGS)
        known = [(other, against[_scoring(other), _scoring(base)]) for other in others
                 if (_scoring(other), _scoring(base)) in against]  # fmt: skip
        if known:
            found.append(Ablation(base, known))
    return sorted(found, key=lambda one: str(one.base.run.model))


def _scoring(row: LeaderboardRow) -> int:
    return row.scoring.pk if row.scoring else 0


def _differences(
    stored: dict[tuple[int, int], Comparison], wanted: Sequence[tuple[int, int]], family: str
) -> dict[tuple[int, int], Difference]:
    """The wanted (row, reference) pairs with p by image adjusted over them, which are the
    ``family``. A comparison is stored once per pair, so some are turned."""
    pairs = [(pair, stored.get(pair) or stored.get(pair[::-1])) for pair in wanted]
    there = [(pair, comparison) for pair, comparison in pairs if comparison is not None]
    adjusted = holm([comparison.p_cluster for _, comparison in there])
    size = sum(p is not None for p in adjusted)
    return {
        pair: _difference(comparison, comparison.a_id == pair[1], p, family, size)
        for (pair, comparison), p in zip(there, adjusted, strict=True)
    }


def _difference(pair: Comparison, forward: bool, adjusted: float | None, family: str, size: int) -> Difference:
    """``forward``: the reference is the stored pair's a."""
    sign = 1 if forward else -1
    ends = [None if v is None else sign * v for v in (pair.ci_low, pair.ci_high)]
    low, high = ends if forward else ends[::-1]
    sides = [None if v is None else sign * v for v in pair.range]
    least, most = sides if forward else sides[::-1]
    return Difference(
        difference=None if pair.difference is None else sign * pair.difference,
        low=low,
        high=high,
        n=pair.n,
        reference_only=pair.a_only if forward else pair.b_only,
        row_only=pair.b_only if forward else pair.a_only,
        p_value=pair.p_value,
        p_cluster=pair.p_cluster,
        p_holm=adjusted,
        p_family=family,
        p_family_size=size,
        detectable=pair.detectable,
        difference_low=least,
        difference_high=most,
    )


def _facets(chosen: LeaderboardRow | None) -> list[Facet]:
    """Return the facets for slices, as named by the scores of the chosen run."""
    if chosen is None or chosen.scoring is None:
        return []
    rows = Metric.objects.filter(scoring=chosen.scoring, metric=COUNTED_BY).exclude(slice_by="").order_by("pk")
    facets: dict[str, Facet] = {}
    for slice_by, value, samples in rows.values_list("slice_by", "slice", "detail__samples"):
        facets.setdefault(slice_by, Facet(slice_by, [])).values.append((value, samples))
    return list(facets.values())


def _settings(chosen: LeaderboardRow | None, today: MetricSettings) -> MetricSettings:
    return MetricSettings.from_mapping(chosen.scoring.settings) if chosen and chosen.scoring else today


def slices_of(benchmark: Benchmark, slice_by: str) -> list[str]:
    """The values of a facet that there are metrics for, in the order the metrics were made."""
    rows = Metric.objects.of(benchmark).filter(slice_by=slice_by).order_by("pk").values_list("slice", flat=True)
    return list(dict.fromkeys(rows))
