"""The analysis of toolchains over the API."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.loading import benchmark_for
from annotation.workflow import Right
from evaluation.actions.chain_tables import CHAIN_TABLES
from evaluation.actions.read_chains import analyse_chains, chosen_runs, scored_runs
from webapp.common.errors import InvalidInput
from webapp.common.records import plain


@extend_schema(
    operation_id="toolchains",
    parameters=[
        OpenApiParameter("run", int, many=True, description="Of these runs; else of all with scores."),
        OpenApiParameter("by", str, description="A facet to group by."),
        OpenApiParameter("value", str, description="Its value: everything is about that."),
    ],
    responses=inline_serializer(
        "Toolchains",
        {
            "runs": serializers.ListField(child=serializers.IntegerField()),
            "without": serializers.ListField(
                child=serializers.IntegerField(), help_text="Runs whose chains are not kept: score them again."
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
    """Which tools runs choose, confuse and call one after another, what lengths do, and pass rates by them: the tables
    that the page exports."""
    benchmark, terms = benchmark_for(request, slug, Right.SEE_GOLD), request.query_params
    runs = scored_runs(benchmark)
    asked = {"by": terms.get("by", ""), "value": terms.get("value", "")}
    found = analyse_chains(benchmark, runs, chosen_runs(terms.getlist("run"), runs), **asked)
    # The page goes on with another facet; a program would take its numbers for those it asked for.
    if asked["by"] and found.by != asked["by"]:
        raise InvalidInput(f"There is no facet {asked['by'][:60]!r} to group by.", field="by")
    if found.value != asked["value"]:
        raise InvalidInput(f"No sample has {asked['value'][:60]!r} as its {found.by}.", field="value")
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
