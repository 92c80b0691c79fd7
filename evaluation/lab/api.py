"""The faithfulness lab of a run over the API: the numbers of its page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.lab.present.export import effect_rows
from evaluation.lab.read import Found, design_of, estimands_of, find, load_lab
from evaluation.models import Run
from evaluation.runner.arms.catalogue import Estimand
from evaluation.scoring.settings import settings_of
from evaluation.store.snapshot import Snapshot
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_query import said
from webapp.common.errors import InvalidInput

ESTIMAND = OpenApiParameter(
    "estimand", str, enum=list(Estimand), description="What the effects are of; default: the first one there is."
)
SHARE: dict[str, Any] = {"allow_null": True}
EFFECT = inline_serializer(
    "ArmEffect",
    {
        "run": serializers.IntegerField(),
        **{name: serializers.CharField(allow_blank=True) for name in ("model", "setting", "estimand", "arm", "dose")},
        **{name: serializers.IntegerField() for name in ("seeds", "n", "clusters", "failed", "undecided")},
        **{
            name: serializers.FloatField(**SHARE)
            for name in (
                "accuracy", "accuracy_sham", "delta", "se", "ci_low", "ci_high", "p_value", "p_holm", "p_equivalence",
                "detectable", "changed", "churn", "excess",
            )
        },
        "margin": serializers.FloatField(),
        "conclusion": serializers.ChoiceField(("effect", "small", "equivalent", "undecided")),
    },
)  # fmt: skip
LAB = inline_serializer(
    "Lab",
    {
        "estimand": serializers.ChoiceField(list(Estimand)),
        "estimands": serializers.ListField(child=serializers.ChoiceField(list(Estimand)), help_text="Those with arms."),
        "effects": serializers.ListField(child=EFFECT, help_text="Shares from 0 to 1; null: undefined."),
        "trends": serializers.DictField(help_text="Of the doses of a family, by its name."),
        "restoration": serializers.DictField(allow_null=True),
        "early_answering": serializers.DictField(allow_null=True),
    },
)


@needs(Scope.READ)
@extend_schema(operation_id="run_lab", parameters=[ESTIMAND], responses=LAB)
@api_view(["GET"])
def lab(request: Request, slug: str, pk: int) -> Response:
    """The effects of the arms of a run, each compared with the sham arm (docs/metrics.md#faithfulness-lab)."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    run = get_object_or_404(Run.objects.of(benchmark).select_related("model", "benchmark"), pk=pk)
    there, wanted = estimands_of(run), said(request, "estimand", "")
    if wanted and wanted not in list(Estimand):
        raise InvalidInput(f"estimand must be one of {', '.join(Estimand)}.", field="estimand")
    estimand = Estimand(wanted) if wanted else there[0] if there else Estimand.PREFIX
    snapshot = Snapshot(benchmark, [run], request.user)
    found = find(load_lab(snapshot, estimand, settings_of(benchmark)), design_of(run, estimand))
    return Response(
        {
            "estimand": estimand.value,
            "estimands": [one.value for one in there],
            "effects": list(effect_rows(run, found)) if found is not None else [],
            **_curves(found),
        }
    )


def _curves(found: Found | None) -> dict[str, Any]:
    if found is None:
        return {"trends": {}, "restoration": None, "early_answering": None}
    restored = found.restored
    return {
        "trends": {family: asdict(trend) for family, trend in found.trends.items()},
        "restoration": None
        if restored is None
        else {
            "n": restored.n,
            "value": restored.value,
            "ci_low": restored.interval.low if restored.interval else None,
            "ci_high": restored.interval.high if restored.interval else None,
        },
        "early_answering": None if found.early is None else asdict(found.early),
    }
