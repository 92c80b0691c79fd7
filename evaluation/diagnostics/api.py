"""Diagnostics of plans and tools over the API."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.diagnostics.read.analysis import MOST_RUNS, chosen_runs, diagnose, diagnosed_runs
from evaluation.diagnostics.read.tables import document
from evaluation.store.snapshot import Snapshot
from webapp.common.api_query import said
from webapp.common.errors import InvalidInput

RUNS = {"type": "array", "items": {"type": "integer"}, "maxItems": MOST_RUNS, "uniqueItems": True}


@extend_schema(
    operation_id="diagnostics",
    parameters=[
        OpenApiParameter("run", RUNS, description=f"Of these scored runs; else of the first {MOST_RUNS}."),
        OpenApiParameter("by", str, description="The facet of the table segments; default: segment, if there is one."),
        OpenApiParameter(
            "base", int, description="A run without calls, for the table calling; default: that of the same model."
        ),
    ],
    responses=inline_serializer(
        "Diagnostics",
        {
            "runs": serializers.ListField(child=serializers.IntegerField()),
            "by": serializers.CharField(allow_blank=True),
            "bases": serializers.ListField(
                child=serializers.IntegerField(), help_text="Runs with answers and without a call."
            ),
            "agreement": serializers.DictField(
                allow_null=True, help_text="Of runs on the order of segments: mean_rho, and w (Kendall)."
            ),
            "tables": serializers.DictField(child=serializers.ListField(child=serializers.DictField())),
        },
    ),
)
@api_view(["GET"])
def diagnostics(request: Request, slug: str) -> Response:
    """The reasons why plans fail, the effect of calling tools, and the relation of pass rate, call rate and efficiency:
    the tables that the page exports (docs/metrics.md#plan-diagnostics, #calling).
    """
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    runs, named = diagnosed_runs(benchmark), request.query_params.getlist("run")
    if "" in named or len(set(named)) < len(named):
        raise InvalidInput("run must be the number of a run, each at most once.", field="run")
    snapshot = Snapshot(benchmark, runs, request.user)
    found = diagnose(snapshot, runs, chosen_runs(named, runs), by=said(request, "by"), base=said(request, "base"))
    return Response(document(found))
