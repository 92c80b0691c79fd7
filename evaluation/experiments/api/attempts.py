"""The attempts of experiments and their exchanges over the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.experiments.api.parts import load
from evaluation.experiments.present.exchanges import body_text, image_answer, images_in
from evaluation.experiments.read.attempts import attempts_known_to
from evaluation.experiments.read.exchanges import exchange_lines, export_name
from evaluation.models import Attempt, Exchange, SentImage
from evaluation.models.querysets.experiments import AttemptQuerySet
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.api_query import one_of, said
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.streaming import streamed

STATE = OpenApiParameter("state", str, enum=Attempt.State.values, description="Only attempts in this state.")
ARM = OpenApiParameter("arm", str, description="Only attempts of this arm, such as noise-50@prefix.")


IMAGES = OpenApiParameter("images", str, enum=["yes", "no"], description="Whether requests contain their images.")


ATTEMPT = inline_serializer(
    "Attempt",
    {
        "id": serializers.IntegerField(),
        "sample": serializers.CharField(),
        "rollout": serializers.IntegerField(help_text="Of arms the draw, of a judge the vote."),
        "arm": serializers.CharField(allow_blank=True),
        "result": serializers.DictField(
            allow_null=True, help_text="What a vote of a judge says, or the drafted fields and why others are left out."
        ),
        "state": serializers.ChoiceField(Attempt.State.values),
        "error_kind": serializers.CharField(allow_blank=True),
        "error": serializers.CharField(allow_blank=True),
        "tries": serializers.IntegerField(),
        "reused_from": serializers.IntegerField(allow_null=True),
        "trajectory": serializers.IntegerField(allow_null=True),
    },
)


EXCHANGE = inline_serializer(
    "Exchange",
    {
        "n": serializers.IntegerField(),
        "state": serializers.ChoiceField(Exchange.State.values),
        "request": serializers.CharField(help_text="As sent; images as sha256:…"),
        "response": serializers.CharField(allow_blank=True, help_text="As received."),
        "status": serializers.IntegerField(allow_null=True),
        "milliseconds": serializers.IntegerField(allow_null=True),
        "retries": serializers.IntegerField(),
        "input_tokens": serializers.IntegerField(allow_null=True),
        "output_tokens": serializers.IntegerField(allow_null=True),
        "estimated": serializers.BooleanField(),
        "usd": serializers.FloatField(allow_null=True),
        "finish_reason": serializers.CharField(allow_blank=True),
        "served_model": serializers.CharField(allow_blank=True),
    },
)


@needs(Scope.IMPORT)
@extend_schema(
    operation_id="experiment_export",
    parameters=[IMAGES],
    responses={(200, "application/x-ndjson"): OpenApiResponse(OpenApiTypes.STR, "One exchange a line.")},
)
@api_view(["GET"])
def export(request: Request, slug: str, pk: int) -> StreamingHttpResponse:
    """The exchanges of an experiment as lines of JSON (openai-chat): the same bytes as ``manage.py experiment export``.
    Without ``images=yes``, images are named by their SHA-256."""
    found = load(request, slug, pk)
    images = one_of(request, "images", ("yes", "no"), "no") == "yes"
    return streamed(export_name(found), exchange_lines(found, person_of(request), images=images))


@needs(Scope.IMPORT)
@extend_schema(operation_id="attempts", parameters=[*PAGING, STATE, ARM], responses=page_of("AttemptPage", ATTEMPT))
@api_view(["GET"])
def attempts(request: Request, slug: str, pk: int) -> Response:
    """The attempts of an experiment, in the order in which they are run."""
    rows = _attempts(request, slug, pk).select_related("sample", "item")
    state = said(request, "state", "")
    if state and state not in Attempt.State.values:
        raise InvalidInput(f"state must be one of {', '.join(Attempt.State.values)}.", field="state")
    rows = rows.filter(state=state) if state else rows
    arm = said(request, "arm", "")
    return paged(request, rows.filter(arm=arm) if arm else rows, "pk", _attempt)


@needs(Scope.IMPORT)
@extend_schema(operation_id="exchanges", parameters=PAGING, responses=page_of("ExchangePage", EXCHANGE))
@api_view(["GET"])
def exchanges(request: Request, slug: str, pk: int, attempt: int) -> Response:
    """The requests of an attempt with their responses; of a linked one, those of the attempt that it is linked to."""
    found = get_object_or_404(_attempts(request, slug, pk), pk=attempt)
    rows = Exchange.objects.filter(attempt=found.reused_from_id or found.pk)
    return paged(request, rows, "n", _exchange)


@needs(Scope.IMPORT)
@extend_schema(
    operation_id="exchange_image",
    responses={(200, "image/*"): OpenApiResponse(OpenApiTypes.BINARY, "The image as a model received it.")},
)
@api_view(["GET"])
def exchange_image(request: Request, slug: str, pk: int, attempt: int, n: int, sha256: str) -> HttpResponse:
    """An image of a request, by the SHA-256 that the request names."""
    found = get_object_or_404(_attempts(request, slug, pk).select_related("reused_from"), pk=attempt)
    source = found.reused_from or found
    row = get_object_or_404(Exchange, attempt=source, n=n)
    if sha256 not in images_in(row.request):
        raise NotFound("This request has no such image.")
    return image_answer(get_object_or_404(SentImage, experiment=source.experiment_id, sha256=sha256))


def _attempts(request: Request, slug: str, pk: int) -> AttemptQuerySet:
    return attempts_known_to(person_of(request), load(request, slug, pk))


def _attempt(row: Any) -> dict[str, Any]:
    names = ("rollout", "arm", "result", "state", "error_kind", "error", "tries")
    return {
        "id": row.pk,
        "sample": row.subject,
        **{name: getattr(row, name) for name in names},
        "reused_from": row.reused_from_id,
        "trajectory": row.trajectory_id,
    }


def _exchange(row: Any) -> dict[str, Any]:
    names = (
        "n", "state", "status", "milliseconds", "retries", "input_tokens", "output_tokens", "estimated", "usd",
        "finish_reason", "served_model",
    )  # fmt: skip
    bodies = {"request": body_text(row.request), "response": body_text(row.response)}
    return {**{name: getattr(row, name) for name in names}, **bodies}
