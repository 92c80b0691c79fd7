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

from annotation.api.loading import public_benchmark_for
from evaluation.actions.board_rows import BoardMetric, BoardRow
from evaluation.actions.read_board import SORTED_BY, read_board
from evaluation.metrics.catalogue import METRICS
from webapp.common.errors import InvalidInput

METRIC_FIELDS = ("value", "n", "numerator", "ci_low", "ci_high", "ci_method", "p_value")
BANDS = ("ranked", "baselines", "failed", "unscored")

ROW = inline_serializer(
    "BoardRow",
    {
        "run": serializers.IntegerField(),
        "model": serializers.CharField(),
        "setting": serializers.CharField(allow_blank=True),
        "baseline": serializers.BooleanField(),
        "failed": serializers.BooleanField(),
        "stale": serializers.BooleanField(help_text="Scored on other trajectories, gold or settings than today's."),
        "missing": serializers.IntegerField(help_text="Samples without a trajectory of this run."),
        "standing": serializers.DictField(allow_null=True, help_text="rank, low, high, p_best."),
        "metrics": serializers.DictField(child=serializers.DictField(), help_text="By name; value null is undefined."),
        "against": serializers.DictField(allow_null=True, help_text="The difference to the reference row."),
    },
    many=True,
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
        "ranked": ROW,
        "baselines": ROW,
        "failed": ROW,
        "unscored": ROW,
    },
)


@extend_schema(
    operation_id="leaderboard",
    parameters=[
        OpenApiParameter("by", str, description="A facet to slice by; needs slice."),
        OpenApiParameter("slice", str, description="Its value."),
        OpenApiParameter("sort", str, description="A metric."),
        OpenApiParameter("reference", int, description="The run to compare with, else the best one."),
    ],
    responses=BOARD,
)
@api_view(["GET"])
@permission_classes([AllowAny])
def leaderboard(request: Request, slug: str) -> Response:
    """The rows of the leaderboard on one slice, best first. Of a public benchmark they are read without a token."""
    terms = request.query_params
    reference, sort = terms.get("reference", ""), terms.get("sort", SORTED_BY)
    if reference and not (reference.isdecimal() and len(reference) < 19):
        raise InvalidInput("reference is the number of a run.", field="reference")
    if sort not in METRICS:
        raise InvalidInput(f"There is no metric {sort!r}.", field="sort")
    board = read_board(
        public_benchmark_for(request, slug),
        slice_by=terms.get("by", ""),
        slice=terms.get("slice", ""),
        sorted_by=sort,
        reference=int(reference) if reference else None,
    )
    bands = {
        name: [_row(row) for row in getattr(board, name)] for name in ("ranked", "baselines", "failed", "unscored")
    }
    return Response(
        {
            "slice_by": board.slice_by,
            "slice": board.slice,
            "sorted_by": board.sorted_by,
            "ranked_by": board.ranked_by,
            "reference": board.reference.run.pk if board.reference else None,
            "settings": board.settings.as_dict(),
            **bands,
        }
    )


def _row(row: BoardRow) -> dict[str, Any]:
    standing = row.standing
    return {
        "run": row.run.pk,
        "model": row.run.model.name,
        "setting": row.run.setting,
        "baseline": row.baseline,
        "failed": row.failed,
        "stale": row.stale,
        "missing": row.missing,
        "standing": standing and {name: getattr(standing, name) for name in ("rank", "low", "high", "p_best")},
        "metrics": {name: _metric(metric) for name, metric in row.metrics.items()},
        "against": asdict(row.against) if row.against else None,
    }


def _metric(metric: BoardMetric) -> dict[str, Any]:
    return {name: getattr(metric, name) for name in METRIC_FIELDS}
