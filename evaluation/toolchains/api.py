"""The analysis of toolchains over the API."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.toolchains.read.analysis import MOST_RUNS, analyse_chains, chosen_runs, scored_runs
from evaluation.toolchains.read.tables import CHAIN_TABLES
from webapp.common.api_query import said
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.records import plain

RUNS = {"type": "array", "items": {"type": "integer"}, "maxItems": MOST_RUNS, "uniqueItems": True}


@extend_schema(
    operation_id="toolchains",
    parameters=[
        OpenApiParameter("run", RUNS, description=f"Of these runs; else of the first {MOST_RUNS} with scores."),
        OpenApiParameter("by", str, description="A facet to group by."),
        OpenApiParameter("value", str, description="Its value: everything is about that. Needs by."),
    ],
    responses=inline_serializer(
        "Toolchains",
        {
            "runs": serializers.ListField(child=serializers.IntegerField()),
            "without": serializers.ListField(
                child=serializers.IntegerField(), help_text="Runs without stored toolchains: rescore them."
            ),
            "by": serializers.CharField(allow_blank=True),
            "value": serializers.CharField(allow_blank=True),
            "trajectories": serializers.IntegerField(),
            "tables": serializers.DictField(child=serializers.ListField(child=serializers.DictField())),
        },
    ),
)
@api_view(["GET"])
def toolchains(request: Request, slug: str) -> Response:
    """The tools that runs choose, confuse and call one after another, the lengths of toolchains, and pass rates by
    them: the tables that the page exports.
    """
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    runs, named = scored_runs(benchmark), request.query_params.getlist("run")
    if "" in named or len(set(named)) < len(named):
        raise InvalidInput("run must be the number of a run, each at most once.", field="run")
    asked = {"by": said(request, "by"), "value": said(request, "value")}
    if asked["value"] and not asked["by"]:
        raise InvalidInput("value needs the facet, as by.", field="value")
    found = analyse_chains(benchmark, runs, chosen_runs(named, runs), **asked)
    # The page goes on with another facet; a program would take its numbers for those it asked for.
    if asked["by"] and found.by != asked["by"]:
        raise NotFound(f"There is no facet {asked['by'][:60]!r} to group by.", field="by")
    if found.value != asked["value"]:
        raise NotFound(f"No sample has {asked['value'][:60]!r} as its {found.by}.", field="value")
    return Response(
        {
            "runs": [run.pk for run in found.runs],
            "without": [run.pk for run in found.without],
            "by": found.by,
            "value": found.value,
            "trajectories": len(found.chains),
            "tables": {name: plain(list(table.rows(found))) for name, table in CHAIN_TABLES.items()},
        }
    )
