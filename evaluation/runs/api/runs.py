"""Runs and their metrics over the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.metrics.catalogue import METRIC_COLUMNS
from evaluation.models import Metric, Run, Scoring
from evaluation.models.querysets.runs import MetricQuerySet, with_counts
from evaluation.scoring.freshness import StalenessChecker
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.api_query import said
from webapp.common.errors import NotFound


class ScoringSerializer(serializers.ModelSerializer):
    version = serializers.IntegerField(source="version.number", default=None, allow_null=True, read_only=True)
    stale = serializers.SerializerMethodField(help_text="Trajectories, gold or settings changed after scoring.")

    class Meta:
        model = Scoring
        fields = (
            "settings", "version", "gold_digest", "stale", "computed_at", "samples_n", "trajectories_n", "failed_n",
        )  # fmt: skip
        read_only_fields = fields

    def get_stale(self, scoring: Scoring) -> bool:
        fresh: StalenessChecker = self.context["freshness"]
        return fresh.stale(scoring)


class RunSerializer(serializers.ModelSerializer):
    model = serializers.CharField(source="model.name", read_only=True)
    baseline = serializers.BooleanField(source="model.baseline", read_only=True)
    trajectories = serializers.IntegerField(source="trajectories_n", read_only=True)
    failed = serializers.IntegerField(source="failed_n", read_only=True)
    scoring = ScoringSerializer(read_only=True, allow_null=True, default=None)
    lineage = serializers.CharField(
        source="lineage.name", read_only=True, allow_null=True, default=None, help_text="Of which training it is a step"
    )
    step = serializers.IntegerField(read_only=True, allow_null=True)

    class Meta:
        model = Run
        fields = (
            "id", "model", "setting", "baseline", "note", "lineage", "step", "created_at", "trajectories", "failed",
            "scoring",
        )  # fmt: skip
        read_only_fields = fields


class MetricSerializer(serializers.ModelSerializer):
    """A metric row with the names of docs/metrics.md#exports; null is undefined."""

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
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    context = {"freshness": StalenessChecker(benchmark)}
    rows = Run.objects.of(benchmark)
    return paged(request, rows, "pk", lambda row: RunSerializer(row, context=context).data, with_counts)


@extend_schema(operation_id="run", responses=RunSerializer)
@api_view(["GET"])
def run(request: Request, slug: str, pk: int) -> Response:
    """One run and how it was scored."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    [found] = with_counts([get_object_or_404(Run.objects.of(benchmark), pk=pk)])
    return Response(RunSerializer(found, context={"freshness": StalenessChecker(benchmark)}).data)


SLICE = [
    OpenApiParameter("by", str, description="A facet: its slices only. Empty: the whole benchmark only."),
]


@extend_schema(
    operation_id="run_metrics", parameters=[*SLICE, *PAGING], responses=page_of("RunMetricPage", MetricSerializer)
)
@api_view(["GET"])
def run_metrics(request: Request, slug: str, pk: int) -> Response:
    """Every metric of a run on every slice, with interval and n."""
    found = get_object_or_404(Run.objects.of(benchmark_for(request, slug, Right.SEE_GOLD)), pk=pk)
    return _metrics(request, Metric.objects.filter(scoring__run=found))


@extend_schema(operation_id="metrics", parameters=[*SLICE, *PAGING], responses=page_of("MetricPage", MetricSerializer))
@api_view(["GET"])
def metrics(request: Request, slug: str) -> Response:
    """The metric rows of all runs: those of ``export_metrics``, run after run as they were scored."""
    return _metrics(request, Metric.objects.of(benchmark_for(request, slug, Right.SEE_GOLD)))


def _metrics(request: Request, rows: MetricQuerySet) -> Response:
    by = said(request, "by")
    found = rows.named().filter(slice_by=by) if "by" in request.query_params else rows.named()
    if by and not found.exists():
        raise NotFound(f"No metrics by {by[:60]!r}.", field="by")
    return paged(request, found.values("pk", *METRIC_COLUMNS), "pk", _metric)


def _metric(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in METRIC_COLUMNS}
