"""The leaderboard over the API: the board of the page, as records."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import public_benchmark_for
from annotation.workflow import Right
from evaluation.common.api import QUERY_TEXT
from evaluation.common.board_metrics import BoardMetric
from evaluation.common.slices import QUERY
from evaluation.leaderboard.read.board import SORTED_BY, load_leaderboard
from evaluation.leaderboard.read.macro import (
    RATES,
    CrossBenchmarkLeaderboard,
    MacroRow,
    load_cross_benchmark_leaderboard,
)
from evaluation.leaderboard.read.published import PublishedRow
from evaluation.leaderboard.read.rows import PLACE, Ablation, Difference, LeaderboardRow, Neighbours
from evaluation.metrics.catalogue import METRICS
from webapp.common.api_query import number_of, one_of, said
from webapp.common.api_schema import NUMBER
from webapp.common.errors import InvalidInput, NotFound

METRIC_FIELDS = ("value", "n", "numerator", "ci_low", "ci_high", "ci_method", "p_value", "n_eff", "low", "high")
BANDS = ("ranked", "baselines", "detectors", "people", "failed", "unscored")
PRINTED = ("value", "unit", "table", "n", "halfwidth", "p_value", "pooled")

ROW = inline_serializer(
    "BoardRow",
    {
        "run": serializers.IntegerField(),
        "model": serializers.CharField(),
        "setting": serializers.CharField(allow_blank=True),
        "baseline": serializers.BooleanField(),
        "detector_threshold": serializers.FloatField(
            allow_null=True, help_text="Of a detector the score that counts; null: a model."
        ),
        "familiarity": serializers.CharField(
            allow_blank=True, help_text="Of people: only answers on subjects that they are so familiar with (4+, 5)."
        ),
        "people": serializers.DictField(
            allow_null=True,
            help_text="Of people: people, person_low and person_high (accuracy of one person), and by run against: the "
            "paired difference to it. null: a model.",
        ),
        "failed": serializers.BooleanField(),
        "stale": serializers.BooleanField(help_text="Trajectories, gold or settings changed after scoring."),
        "provisional": serializers.BooleanField(help_text="Provisional: too many unread answers, so no rank."),
        "missing": serializers.IntegerField(help_text="Samples without a trajectory of this run."),
        "counts": serializers.DictField(
            help_text="Never hidden, of the slice: samples, missing, trajectories, failed, unread, undecided, ..."
        ),
        "image_replaced": serializers.IntegerField(
            help_text="Trajectories of the slice without grounding, because their image was replaced after they were "
            "recorded: trajectories/?no_grounding=image_replaced."
        ),
        "standing": serializers.DictField(
            allow_null=True,
            help_text="rank, low, high, p_best, p_top3 (null among three or fewer), and what the range rests on: "
            "clusters, method (bootstrap: draws, seed; tests, below 20 clusters: pairs).",
        ),
        "metrics": serializers.DictField(
            child=serializers.DictField(),
            help_text="By name; value null is undefined. low, high: the range of what undecided answers could change.",
        ),
        "against": serializers.DictField(
            allow_null=True,
            help_text="The difference to the reference row: interval, samples that only one answered correctly, p exact"
            " and clustered by image, that p adjusted by Holm over p_family_size comparisons of p_family (reference, "
            "adjacent, settings), the minimum detectable difference, tie; what undecided answers allow, and if they "
            "could change the sign.",
        ),
    },
)
BOARD = inline_serializer(
    "Board",
    {
        "slice_by": serializers.CharField(allow_blank=True),
        "slice": serializers.CharField(allow_blank=True),
        "sorted_by": serializers.CharField(),
        "ranked_by": serializers.CharField(),
        "reference": serializers.IntegerField(allow_null=True),
        "settings": serializers.DictField(),
        **{name: type(ROW)(many=True) for name in BANDS},
        "published": inline_serializer(
            "PublishedRow",
            {
                "model": serializers.CharField(),
                "setting": serializers.CharField(allow_blank=True),
                "benchmark": serializers.CharField(),
                "source": serializers.CharField(),
                "metrics": serializers.DictField(
                    child=serializers.DictField(), help_text="As printed: value, unit, table, n, halfwidth, p_value."
                ),
            },
            many=True,
        ),
        "neighbours": inline_serializer(
            "Neighbours",
            {
                "upper": serializers.IntegerField(),
                "lower": serializers.IntegerField(),
                "against": serializers.DictField(help_text="Accuracy of the upper run minus that of the lower."),
            },
            many=True,
        ),
        "mixed_settings": serializers.ListField(
            child=serializers.IntegerField(), help_text="Runs scored with other settings than the reference."
        ),
        "mixed_gold": serializers.ListField(
            child=serializers.IntegerField(), help_text="Runs scored on a different gold version than the reference."
        ),
        "facets": serializers.DictField(
            child=serializers.DictField(child=serializers.IntegerField()),
            help_text="Facets to slice by: their values and numbers of samples.",
        ),
        "query": serializers.CharField(allow_blank=True, help_text="The query q, or that of the saved slice."),
        "ablations": inline_serializer(
            "Ablation",
            {
                "model": serializers.CharField(),
                "base": serializers.IntegerField(help_text="The run that the other settings are compared with."),
                "others": serializers.ListField(
                    child=serializers.DictField(), help_text="run, setting, and the difference of its accuracy to base."
                ),
            },
            many=True,
        ),
    },
)


@extend_schema(
    operation_id="leaderboard",
    parameters=[
        OpenApiParameter("by", str, description="A facet to slice by, or: saved slice; needs slice."),
        OpenApiParameter("slice", str, description="Its value; needs by."),
        OpenApiParameter("q", QUERY_TEXT, description="A query, instead of by and slice."),
        OpenApiParameter("sort", str, enum=list(METRICS), description="A metric."),
        OpenApiParameter("reference", NUMBER, description="Reference run. Default: the best run."),
    ],
    responses=BOARD,
)
@api_view(["GET"])
@permission_classes([AllowAny])
def leaderboard(request: Request, slug: str) -> Response:
    """The rows of the leaderboard on one slice, best first. Of a public benchmark they are read without a token."""
    reference, sort = (
        number_of(request, "reference", "the number of a run"),
        one_of(request, "sort", METRICS, SORTED_BY),
    )
    benchmark = public_benchmark_for(request, slug, Right.SEE_GOLD)
    query, by, value = said(request, "q").strip(), said(request, "by"), said(request, "slice")
    if query and (by or value):
        raise InvalidInput("Use either q, or by and slice.", field="q")
    by, value = (QUERY, query) if query else (by, value)
    if bool(by) != bool(value):
        raise InvalidInput("A slice is a facet and its value. Use both by and slice, or neither.", field="slice")
    board = load_leaderboard(
        benchmark,
        slice_by=by,
        slice=value,
        sorted_by=sort,
        reference=reference,
        person=request.user,
    )
    if reference and (board.reference is None or board.reference.run.pk != reference):
        raise NotFound(f"Unknown reference run {reference}, or it has no scores.", field="reference")
    bands = {name: [_row(row) for row in getattr(board, name)] for name in BANDS}
    return Response(
        {
            "slice_by": board.slice_by,
            "slice": board.slice,
            "sorted_by": board.sorted_by,
            "ranked_by": board.ranked_by,
            "reference": board.reference.run.pk if board.reference else None,
            "settings": board.settings.as_dict(),
            **bands,
            "published": [_published(row) for row in board.published],
            "neighbours": [_neighbours(one) for one in board.neighbours],
            "mixed_settings": [row.run.pk for row in board.mixed_settings],
            "mixed_gold": [row.run.pk for row in board.mixed_gold],
            "facets": {facet.name: dict(facet.values) for facet in board.facets},
            "query": board.query,
            "ablations": [_ablation(one) for one in board.ablations],
        }
    )


def _ablation(one: Ablation) -> dict[str, Any]:
    others = [{"run": row.run.pk, "setting": row.run.setting, **_difference(found)} for row, found in one.others]
    return {"model": one.base.run.model.name, "base": one.base.run.pk, "others": others}


def _neighbours(one: Neighbours) -> dict[str, Any]:
    return {"upper": one.upper.run.pk, "lower": one.lower.run.pk, "against": _difference(one.against)}


def _difference(found: Difference) -> dict[str, Any]:
    return {**asdict(found), "tie": found.tie, "could_turn": found.could_turn}


def _published(row: PublishedRow) -> dict[str, Any]:
    values = {name: {part: getattr(value, part) for part in PRINTED} for name, value in row.values.items()}
    return {**{name: getattr(row, name) for name in ("model", "setting", "benchmark", "source")}, "metrics": values}


def _row(row: LeaderboardRow) -> dict[str, Any]:
    standing = row.standing
    return {
        "run": row.run.pk,
        "model": row.run.model.name,
        "setting": row.run.setting,
        "baseline": row.baseline,
        "detector_threshold": row.run.detector_threshold,
        "familiarity": row.familiarity,
        "people": _people(row) if row.by_people else None,
        "failed": row.failed,
        "stale": row.stale,
        "provisional": row.provisional,
        "missing": row.missing,
        "counts": row.counts,
        "image_replaced": row.image_replaced,
        "standing": standing and {name: getattr(standing, name) for name in PLACE} | standing.detail,
        "metrics": {name: _metric(metric) for name, metric in row.metrics.items()},
        "against": _difference(row.against) if row.against else None,
    }


def _people(row: LeaderboardRow) -> dict[str, Any]:
    detail = (row.metrics["accuracy"].detail if "accuracy" in row.metrics else None) or {}
    return {name: detail.get(name) for name in ("people", "person_low", "person_high", "covered", "against")}


def _metric(metric: BoardMetric) -> dict[str, Any]:
    return {name: getattr(metric, name) for name in METRIC_FIELDS}


MACRO = inline_serializer(
    "MacroBoard",
    {
        "metric": serializers.CharField(),
        "draws": serializers.IntegerField(help_text="0: no draws and no ranks."),
        "seed": serializers.IntegerField(),
        "benchmarks": inline_serializer(
            "MacroColumn",
            {
                "benchmark": serializers.CharField(),
                "samples": serializers.IntegerField(),
                "clusters": serializers.IntegerField(
                    help_text="Image clusters; below 20 on any benchmark there are no draws."
                ),
            },
            many=True,
        ),
        "rows": inline_serializer(
            "MacroRow",
            {
                "model": serializers.CharField(),
                "setting": serializers.CharField(allow_blank=True),
                **{
                    name: serializers.FloatField(allow_null=True)
                    for name in (
                        "value",
                        "low",
                        "high",
                        "range_low",
                        "range_high",
                        "rank",
                        "rank_low",
                        "rank_high",
                        "p_best",
                        "p_top3",
                    )
                },
                "provisional": serializers.BooleanField(help_text="Too many answers unread on one: no mean, no rank."),
                "on": serializers.DictField(
                    child=serializers.DictField(),
                    help_text="By benchmark: run, value, n, interval; stale; odd: not scored as most runs there.",
                ),
            },
            many=True,
        ),
    },
)


@extend_schema(
    operation_id="macro_leaderboard",
    parameters=[
        OpenApiParameter("on", str, many=True, description="Names of benchmarks; by default those most models share."),
        OpenApiParameter("metric", str, enum=RATES),
    ],
    responses=MACRO,
)
@api_view(["GET"])
@permission_classes([AllowAny])
def macro(request: Request) -> Response:
    """Models over several benchmarks: macro means and ranks, those that lack a benchmark last and without. Visitors see
    public benchmarks."""
    metric = one_of(request, "metric", RATES, RATES[0])
    board = load_cross_benchmark_leaderboard(request.user, on=request.query_params.getlist("on"), metric=metric)
    columns = [
        {"benchmark": column.benchmark.slug, "samples": column.samples, "clusters": column.clusters}
        for column in board.columns
    ]
    rows = [{**row.numbers, "on": _cells(row, board)} for row in (*board.rows, *board.lacking)]
    head = {"metric": board.metric, "draws": board.draws, "seed": board.seed}
    return Response({**head, "benchmarks": columns, "rows": rows})


def _cells(row: MacroRow, board: CrossBenchmarkLeaderboard) -> dict[str, Any]:
    found = {column.benchmark.slug: row.cells.get(column.benchmark.pk) for column in board.columns}
    return {
        slug: {
            "run": cell.scoring.run_id,
            "odd": cell.odd,
            "stale": cell.stale,
            **{name: getattr(cell.metric, name) for name in METRIC_FIELDS},
        }
        for slug, cell in found.items()
        if cell
    }
