"""The description of a benchmark, its native file, and scoring, over the API."""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.exporters import EXPORTERS
from annotation.exporters.parts import IN_NO_FORMAT, words_of
from annotation.workflow import ExportStates, Right
from evaluation.common.api import integers, numbers
from evaluation.exports.read.description import describe_benchmark
from evaluation.exports.read.formats import export_parts
from evaluation.metrics.settings import CHOICES, RANGES
from evaluation.scoring.queue import queue_scoring
from evaluation.scoring.settings import change_settings, settings_of
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_query import one_of
from webapp.common.errors import InvalidInput
from webapp.common.streaming import streamed
from webapp.jobs.api import JobSerializer

NOT_HELD = ", ".join(words_of((*EXPORTERS["native"].cannot_hold, *IN_NO_FORMAT)))
NUMBERS = numbers(
    "chain_mean", "chain_min", "chain_median", "chain_max", "unique_tools_mean", "prompt_words_mean",
    "evidence_share_mean", "evidence_share_median",
)  # fmt: skip
COUNTS = integers("samples", "with_image", "multiple_choice", "open", "reference_calls")
DESCRIPTION = inline_serializer(
    "BenchmarkDescription",
    {
        "slug": serializers.CharField(),
        "title": serializers.CharField(),
        "public": serializers.BooleanField(),
        **COUNTS,
        **NUMBERS,
        "by": serializers.DictField(child=serializers.DictField(child=serializers.IntegerField())),
        "settings": serializers.DictField(help_text="Metric settings that are not the default."),
    },
)


@extend_schema(operation_id="benchmark", responses=DESCRIPTION)
@api_view(["GET"])
def benchmark(request: Request, slug: str) -> Response:
    """A benchmark in the numbers of ``describe_benchmark``."""
    found = benchmark_for(request, slug, Right.SEE_GOLD)
    named = {"slug": found.slug, "title": found.title, "public": found.public}
    return Response({**named, **describe_benchmark(found), "settings": settings_of(found).changed()})


@extend_schema(
    operation_id="export",
    description=f"A benchmark as one native file: the same bytes as ``export_benchmark``. Not in the file: {NOT_HELD}.",
    parameters=[
        OpenApiParameter(
            "states",
            str,
            enum=list(ExportStates),
            default=ExportStates.ACCEPTED.value,
            description="accepted: accepted samples, and the results of models on them. all: all samples.",
        )
    ],
    responses={(200, "application/json"): OpenApiResponse(OpenApiTypes.OBJECT, "The benchmark as one native file.")},
)
@api_view(["GET"])
def export(request: Request, slug: str) -> StreamingHttpResponse:
    """A benchmark as one native file: the same bytes as ``export_benchmark``."""
    found = benchmark_for(request, slug, Right.EXPORT)
    states = ExportStates(one_of(request, "states", list(ExportStates), ExportStates.ACCEPTED))
    return streamed(f"{slug}.json", export_parts("native", found, person_of(request), states))


SCORE_REQUEST = {
    "type": "object",
    "properties": {
        "settings": {
            "type": "object",
            "description": "Metric settings to change.",
            "properties": {
                **{name: {"type": "string", "enum": list(allowed)} for name, allowed in CHOICES.items()},
                **{name: {"type": "number", "minimum": low, "maximum": high} for name, (low, high) in RANGES.items()},
            },
            "additionalProperties": False,
        }
    },
    "additionalProperties": False,
}


@needs(Scope.IMPORT)
@extend_schema(
    operation_id="score",
    request={"application/json": SCORE_REQUEST},
    responses={202: JobSerializer},
)
@api_view(["POST"])
@parser_classes([JSONParser])
def score(request: Request, slug: str) -> Response:
    """Change metric settings, if given (the lead's to say), and score the runs that are stale; the job that does it."""
    found = benchmark_for(request, slug, Right.SCORE)
    data = request.data if isinstance(request.data, dict) else {"settings": None}
    settings: Any = data.get("settings", {})
    if not isinstance(settings, dict) or data.keys() - {"settings"}:
        raise InvalidInput("settings must be an object of names and values.", field="settings")
    for name in RANGES.keys() & settings.keys():
        if isinstance(settings[name], bool) or not isinstance(settings[name], int | float):
            raise InvalidInput(f"{name} is a number.", field="settings")
    if settings:
        change_settings(actor=person_of(request), benchmark=found, values=settings)
    job = queue_scoring(actor=person_of(request), benchmark=found)
    return Response(JobSerializer(job).data, status=202)
