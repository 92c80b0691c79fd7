"""Webhooks over the API. The secret is in the response that adds a webhook, and in no other one."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.reports import KINDS
from annotation.models import Webhook, WebhookDelivery
from annotation.webhooks.write import add_webhook, change_webhook, remove_webhook, send_again, send_test
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged


class WebhookFields(Form):
    url = TextField(max_length=2000, required=False, help_text="The secret stays, and what waits goes to this address.")
    kinds = serializers.ListField(child=WordField(KINDS), required=False, min_length=1)
    active = TruthField(required=False, help_text="True enables a webhook that was disabled.")


class NewWebhook(Form):
    url = TextField(max_length=2000)
    format = WordField(choices=Webhook.Format.choices, required=False, default="json")
    kinds = serializers.ListField(child=WordField(KINDS), min_length=1)


FIELDS = ("url", "format", "kinds", "active", "problem", "created_at")


def _shown() -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    """The form of a webhook in the description of the API."""
    return {
        "id": serializers.IntegerField(),
        "url": serializers.CharField(),
        "format": serializers.CharField(),
        "kinds": serializers.ListField(child=serializers.CharField()),
        "active": serializers.BooleanField(),
        "problem": serializers.CharField(allow_blank=True, help_text="Why it was disabled."),
        "created_at": serializers.DateTimeField(),
    }


WEBHOOK = inline_serializer("Webhook", _shown())
ADDED = inline_serializer("AddedWebhook", {**_shown(), "secret": serializers.CharField(help_text="Shown once.")})
DELIVERY = inline_serializer(
    "WebhookDelivery",
    {
        "id": serializers.IntegerField(),
        "event": serializers.CharField(help_text="The header webhook-id of every try."),
        "kind": serializers.CharField(),
        "state": serializers.CharField(),
        "attempts": serializers.IntegerField(),
        "status": serializers.IntegerField(allow_null=True),
        "error": serializers.CharField(allow_blank=True),
        "created_at": serializers.DateTimeField(),
        "not_before": serializers.DateTimeField(allow_null=True),
        "delivered_at": serializers.DateTimeField(allow_null=True),
    },
)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="webhooks", parameters=PAGING, responses=page_of("WebhookPage", WEBHOOK))
@extend_schema(methods=["POST"], operation_id="webhook_add", request=NewWebhook, responses={201: ADDED})
@api_view(["GET", "POST"])
def webhooks(request: Request, slug: str) -> Response:
    """The webhooks of a benchmark. POST adds one; ``secret`` signs its messages."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    if request.method == "GET":
        return paged(request, Webhook.objects.filter(benchmark=benchmark), "pk", _webhook)
    given = read_form(NewWebhook, request)
    made, secret = add_webhook(
        actor=person_of(request), benchmark=benchmark, url=given["url"], format=given.get("format", "json"),
        kinds=given["kinds"],
    )  # fmt: skip
    return Response({**_webhook(made), "secret": secret}, status=201)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="webhook", responses=WEBHOOK)
@extend_schema(methods=["PATCH"], operation_id="webhook_change", request=WebhookFields, responses=WEBHOOK)
@extend_schema(methods=["DELETE"], operation_id="webhook_remove", responses={204: None})
@api_view(["GET", "PATCH", "DELETE"])
def webhook(request: Request, slug: str, pk: int) -> Response:
    """A webhook. PATCH changes its address or kinds, enables or disables it. DELETE removes it with its deliveries."""
    found = _load(request, slug, pk)
    if request.method == "DELETE":
        remove_webhook(actor=person_of(request), webhook=found)
        return Response(status=204)
    if request.method == "PATCH":
        change_webhook(actor=person_of(request), webhook=found, **read_form(WebhookFields, request))
    return Response(_webhook(found))


@needs(Scope.MANAGE)
@extend_schema(operation_id="webhook_test", request=None, responses={202: DELIVERY})
@api_view(["POST"])
def webhook_test(request: Request, slug: str, pk: int) -> Response:
    """Send a message of the type ``test``."""
    return Response(_delivery(send_test(actor=person_of(request), webhook=_load(request, slug, pk))), status=202)


@needs(Scope.MANAGE)
@extend_schema(operation_id="webhook_deliveries", parameters=PAGING, responses=page_of("WebhookDeliveryPage", DELIVERY))
@api_view(["GET"])
def deliveries(request: Request, slug: str, pk: int) -> Response:
    """The deliveries of the last 30 days, the newest first."""
    found = _load(request, slug, pk)
    return paged(request, WebhookDelivery.objects.filter(webhook=found), "-pk", _delivery)


@needs(Scope.MANAGE)
@extend_schema(operation_id="webhook_send_again", request=None, responses={202: DELIVERY})
@api_view(["POST"])
def again(request: Request, slug: str, pk: int, delivery: int) -> Response:
    """Send a delivery again, with the same ``webhook-id``."""
    rows = WebhookDelivery.objects.filter(webhook=_load(request, slug, pk)).select_related("webhook__benchmark")
    one = get_object_or_404(rows, pk=delivery)
    send_again(actor=person_of(request), delivery=one)
    one.refresh_from_db()
    return Response(_delivery(one), status=202)


def _load(request: Request, slug: str, pk: int) -> Webhook:
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    found: Webhook = get_object_or_404(Webhook.objects.select_related("benchmark"), benchmark=benchmark, pk=pk)
    return found


def _webhook(row: Any) -> dict[str, Any]:
    return {"id": row.pk} | {name: getattr(row, name) for name in FIELDS}


def _delivery(row: Any) -> dict[str, Any]:
    names = ("event", "kind", "state", "attempts", "status", "error", "created_at", "not_before", "delivered_at")
    return {"id": row.pk} | {name: getattr(row, name) for name in names}
