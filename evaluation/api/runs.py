"""Runs and their metrics over the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.loading import PAGING, benchmark_for, page_of, paged
from evaluation.actions.export_rows import metric_rows
from evaluation.metrics.catalogue import METRIC_COLUMNS
from evaluation.models import Metric, Run, Scoring


class ScoringSerializer(serializers.ModelSerializer):
    version = serializers.IntegerField(source="version.number", default=None, allow_null=True, read_only=True)

    class Meta:
        model = Scoring
        fields = (
            "settings", "version", "gold_digest", "stale", "computed_at", "samples_n", "trajectories_n", "failed_n",
        )  # fmt: skip
        read_only_fields = fields


class RunSerializer(serializers.ModelSerializer):
    model = serializers.CharField(source="model.name", read_only=True)
    baseline = serializers.BooleanField(source="model.baseline", read_only=True)
    trajectories = serializers.IntegerField(source="trajectories_n", read_only=True)
    failed = serializers.IntegerField(source="failed_n", read_only=True)
    scoring = ScoringSerializer(read_only=True, allow_null=True, default=None)

    class Meta:
        model = Run
        fields = ("id", "model", "setting", "baseline", "note", "created_at", "trajectories", "failed", "scoring")
        read_only_fields = fields


class MetricSerializer(serializers.ModelSerializer):
    """A metric row with the names of METRICS 10; null is undefined."""

    benchmark = serializers.CharField(read_only=True)
    run = serializers.IntegerField(read_only=True)
    model = serializers.CharField(read_only=True)
    setting = serializers.CharField(read_only=True)

    class Meta:
        model = Metric
        fields = tuple(METRIC_COLUMNS)
        read_only_fields = fields


@extend_schema(operation_id="runs", parameters=PAGING, responses=page_of("RunPage", RunSerializer))
@api_view(["GET"])
def runs(request: Request, slug: str) -> Response:
    """The runs on a benchmark, in the order they came."""
    rows = Run.objects.of(benchmark_for(request, slug)).with_counts()
    return paged(request, rows, "pk", lambda row: RunSerializer(row).data)


@extend_schema(operation_id="run", responses=RunSerializer)
@api_view(["GET"])
def run(request: Request, slug: str, pk: int) -> Response:
    """One run and how it was scored."""
    rows = Run.objects.of(benchmark_for(request, slug)).with_counts()
    return Response(RunSerializer(get_object_or_404(rows, pk=pk)).data)


SLICE = [
    OpenApiParameter("by", str, description="A facet: its slices only. Empty: the whole benchmark only."),
]


@extend_schema(operation_id="run_metrics", parameters=SLICE, responses=MetricSerializer(many=True))
@api_view(["GET"])
def run_metrics(request: Request, slug: str, pk: int) -> Response:
    """Every metric of a run on every slice, with interval and n."""
    found = benchmark_for(request, slug)
    get_object_or_404(Run.objects.of(found), pk=pk)
    return Response([row for row in metric_rows(found, slice_by=_by(request)) if row["run"] == pk])


@extend_schema(operation_id="metrics", parameters=SLICE, responses=MetricSerializer(many=True))
@api_view(["GET"])
def metrics(request: Request, slug: str) -> Response:
    """The metric rows of all runs: those of ``export_metrics``."""
    rows: list[dict[str, Any]] = list(metric_rows(benchmark_for(request, slug), slice_by=_by(request)))
    return Response(rows)


def _by(request: Request) -> str | None:
    return request.query_params.get("by")
