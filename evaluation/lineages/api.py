"""Lineages over the API: the list, and one with the numbers of its page."""

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
from evaluation.common.api import QUERY_TEXT
from evaluation.common.pairs import flip_terms
from evaluation.lineages.present.curves import separated_step
from evaluation.lineages.present.export import value_rows
from evaluation.lineages.present.page import changes_by_run
from evaluation.lineages.read import Series, load_series
from evaluation.metrics.columns import Quadrant
from evaluation.models import Lineage
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.api_query import number_of, said

_TRAINED = ("name", "base_model", "data", "reward_scheme")
_FACTS: dict[str, Any] = {
    "id": serializers.IntegerField(),
    **{name: serializers.CharField(allow_blank=True) for name in _TRAINED},
    "created_at": serializers.DateTimeField(),
}
LINEAGE = inline_serializer(
    "Lineage",
    _FACTS
    | {
        "runs": serializers.IntegerField(),
        "first_step": serializers.IntegerField(allow_null=True),
        "last_step": serializers.IntegerField(allow_null=True),
    },
)
_SHARE: dict[str, Any] = {"allow_null": True}
VALUE = inline_serializer(
    "LineageValue",
    {
        "step": serializers.IntegerField(),
        "run": serializers.IntegerField(),
        "model": serializers.CharField(),
        "setting": serializers.CharField(allow_blank=True),
        "metric": serializers.CharField(),
        **{name: serializers.FloatField(**_SHARE) for name in ("value", "ci_low", "ci_high")},
        "n": serializers.IntegerField(),
        "ci_method": serializers.CharField(allow_blank=True, allow_null=True),
        "stale": serializers.BooleanField(),
    },
)
CHANGE = inline_serializer(
    "LineageChange",
    {
        "run": serializers.IntegerField(),
        "step": serializers.IntegerField(),
        "n": serializers.IntegerField(),
        "clusters": serializers.IntegerField(),
        **{
            name: serializers.FloatField(**_SHARE)
            for name in ("accuracy", "grounding", "apart", "low", "high", "p", "p_holm", "detectable")
        },
        "separated": serializers.BooleanField(),
    },
)
SERIES = inline_serializer(
    "LineageSeries",
    {
        **{name: type(field)(**field._kwargs) for name, field in _FACTS.items()},
        "setting": serializers.CharField(allow_blank=True),
        "settings": serializers.ListField(child=serializers.CharField(allow_blank=True)),
        "query": serializers.CharField(allow_blank=True),
        "live": serializers.BooleanField(help_text="Rows arrive, or scores are computed."),
        "values": serializers.ListField(child=VALUE, help_text="Shares from 0 to 1; null: undefined."),
        "compared": serializers.BooleanField(help_text="Whether steps are compared; not if q is about runs."),
        "changes": serializers.ListField(child=CHANGE, help_text="Each later step against the first one."),
        "separated_at": serializers.IntegerField(allow_null=True, help_text="Step; null: not detected."),
        "flips": serializers.DictField(
            allow_null=True, help_text="Counts between two runs, by name, each with the terms of its list."
        ),
    },
)


@needs(Scope.READ)
@extend_schema(operation_id="lineages", parameters=PAGING, responses=page_of("LineagePage", LINEAGE))
@api_view(["GET"])
def lineages(request: Request, slug: str) -> Response:
    """The lineages of a benchmark: runs of one model at several steps of its training."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    return paged(request, benchmark.lineages.with_steps(), "pk", _listed)


def _listed(lineage: Any) -> dict[str, Any]:
    return _facts(lineage) | {
        "runs": lineage.runs_n,
        "first_step": lineage.first_step,
        "last_step": lineage.last_step,
    }


def _facts(lineage: Lineage) -> dict[str, Any]:
    named = {name: getattr(lineage, name) for name in _TRAINED}
    return {"id": lineage.pk, **named, "created_at": lineage.created_at}


@needs(Scope.READ)
@extend_schema(
    operation_id="lineage",
    parameters=[
        OpenApiParameter("setting", str, description="Where runs share a step; default: that of most runs."),
        OpenApiParameter("q", QUERY_TEXT, description="Only the trajectories of a query."),
        OpenApiParameter("from", {"type": "integer", "minimum": 1}, description="Run that flips are counted from."),
        OpenApiParameter("to", {"type": "integer", "minimum": 1}, description="Run that flips are counted to."),
    ],
    responses=SERIES,
)
@api_view(["GET"])
def lineage(request: Request, slug: str, pk: int) -> Response:
    """The numbers of the leaderboard at each step of a lineage, the first step at which grounding separates from
    accuracy, and what flipped between two steps (docs/metrics.md#checkpoints)."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    found = get_object_or_404(benchmark.lineages.select_related("benchmark"), pk=pk)
    between = number_of(request, "from", "run"), number_of(request, "to", "run")
    series = load_series(
        found, setting=said(request, "setting", ""), query=said(request, "q", ""), between=between, person=request.user
    )
    return Response(_facts(found) | series_json(series))


def series_json(series: Series) -> dict[str, Any]:
    """The numbers of a series as plain data."""
    left_out = ("benchmark", "lineage", "query")
    at = separated_step(series)
    steps = {point.run.pk: point.step for point in series.points}
    return {
        "setting": series.setting,
        "settings": list(series.settings),
        "query": series.query,
        "live": series.live,
        "values": [{name: value for name, value in row.items() if name not in left_out} for row in value_rows(series)],
        "compared": series.separation is not None,
        "changes": [
            {"run": run, "step": steps[run], **_change(change)} for run, change in changes_by_run(series).items()
        ],
        "separated_at": at.step if at else None,
        "flips": _flips(series),
    }


def _change(change: Any) -> dict[str, Any]:
    found = asdict(change)
    del found["least_p"]
    return found | {"separated": change.separated}


def _flips(series: Series) -> dict[str, Any] | None:
    if series.flips is None or series.between is None:
        return None
    (before, after), found = series.between, series.flips
    narrowed = {"q": series.query} if series.query else {}
    counts = {name: getattr(found, name) for name in ("answered", "correct", "incorrect")}
    counts |= {name: getattr(found, name) for name in ("looked", "grounded", "ungrounded")}
    names = Quadrant.NAMES
    counts |= {
        f"{one} {other}": int(found.quadrants[row, column])
        for row, one in enumerate(names)
        for column, other in enumerate(names)
    }
    terms = flip_terms(before.run.pk, after.run.pk)
    return {
        "from": before.run.pk,
        "to": after.run.pk,
        "counts": {name: {"n": n, "terms": terms[name] | narrowed} for name, n in counts.items()},
    }
