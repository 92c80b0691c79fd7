"""Endpoints over the API. Keys are accepted and never returned."""

from __future__ import annotations

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.outgoing import addresses
from annotation.workflow import Right
from evaluation.endpoints import keys
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.write.endpoints import (
    CHANGEABLE,
    DIALECTS,
    FRAMES,
    add_endpoint,
    change_endpoint,
    remove_endpoint,
    test_endpoint,
)
from evaluation.models import Endpoint
from evaluation.models.experiment import KEY_NAME_FORM, NAME_FORM
from evaluation.runner.tokens import FAMILIES
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField, TextField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.errors import NotAllowed

MOST = 10**12 - 1
"""The largest limit and price."""
ADDRESS = "Such as https://api.example.com/v1. The site decides which hosts and networks are allowed."


class LimitsForm(Form):
    requests_per_minute = WholeNumberField(required=False, allow_null=True, min_value=0, max_value=MOST)
    tokens_per_minute = WholeNumberField(required=False, allow_null=True, min_value=0, max_value=MOST)
    in_flight = WholeNumberField(required=False, allow_null=True, min_value=0, max_value=MOST)


class PricesForm(Form):
    """Either none, or at least input and output."""

    rules: ClassVar = {"anyOf": [{"maxProperties": 0}, {"required": ["input", "output"]}]}
    input = NumberField(required=False, min_value=0, max_value=MOST)
    output = NumberField(required=False, min_value=0, max_value=MOST)
    cached = NumberField(required=False, allow_null=True, min_value=0, max_value=MOST)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs and not {"input", "output"} <= attrs.keys():
            raise serializers.ValidationError("Prices need input and output.")
        return attrs


class EndpointFields(Form):
    preset = WordField(choices=list(PRESETS), required=False)
    base_url = TextField(max_length=500, required=False, pattern=addresses.FORM, help_text=ADDRESS)
    model = TextField(max_length=200, required=False)
    label = TextField(max_length=200, required=False, allow_blank=True)  # type: ignore[assignment]  # of the fields
    family = WordField(choices=list(FAMILIES), required=False, allow_blank=True)
    dialect = WordField(choices=DIALECTS, required=False)
    frame = WordField(choices=FRAMES, required=False)
    key_name = TextField(max_length=64, required=False, allow_blank=True, pattern=KEY_NAME_FORM)
    limits = LimitsForm(required=False)
    prices = PricesForm(required=False, help_text="USD per million tokens.")
    key = TextField(
        max_length=500,
        required=False,
        write_only=True,
        pattern=keys.FORM,
        help_text="Stored encrypted; never returned.",
    )


class NewEndpoint(EndpointFields):
    name = TextField(max_length=60, pattern=NAME_FORM)
    base_url = TextField(max_length=500, pattern=addresses.FORM, help_text=ADDRESS)
    model = TextField(max_length=200)


ENDPOINT = inline_serializer(
    "Endpoint",
    {
        "id": serializers.IntegerField(),
        "name": serializers.CharField(),
        "of_site": serializers.BooleanField(),
        **{name: serializers.CharField(allow_blank=True) for name in CHANGEABLE if name not in ("limits", "prices")},
        "has_key": serializers.BooleanField(
            help_text="Whether an encrypted key is stored. key_name names one of the server."
        ),
        "limits": serializers.DictField(),
        "prices": serializers.DictField(),
        "capabilities": serializers.DictField(help_text="Results of the last test."),
        "checked_at": serializers.DateTimeField(allow_null=True),
    },
)


@needs(Scope.MANAGE)
@extend_schema(
    methods=["GET"], operation_id="endpoints", parameters=PAGING, responses=page_of("EndpointPage", ENDPOINT)
)
@extend_schema(methods=["POST"], operation_id="endpoint_add", request=NewEndpoint, responses={201: ENDPOINT})
@api_view(["GET", "POST"])
def endpoints(request: Request, slug: str) -> Response:
    """The endpoints that experiments of a benchmark can use, those of the site included. POST adds one."""
    benchmark = _with_endpoints(request, slug)
    if request.method == "GET":
        return paged(request, Endpoint.objects.offered_to(benchmark), "pk", _endpoint)
    given = read_form(NewEndpoint, request)
    name, key = given.pop("name"), given.pop("key", "")
    made = add_endpoint(actor=person_of(request), benchmark=benchmark, name=name, values=given, key=key)
    return Response(_endpoint(made), status=201)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="endpoint", responses=ENDPOINT)
@extend_schema(methods=["PATCH"], operation_id="endpoint_change", request=EndpointFields, responses=ENDPOINT)
@extend_schema(methods=["DELETE"], operation_id="endpoint_remove", responses={204: None})
@api_view(["GET", "PATCH", "DELETE"])
def endpoint(request: Request, slug: str, pk: int) -> Response:
    """An endpoint. PATCH changes it; another address deletes its stored key. DELETE removes it, and keeps its
    experiments."""
    benchmark = _with_endpoints(request, slug)
    # Endpoints of the site can be read here, but not changed, because a token can be limited to a benchmark.
    among = Endpoint.objects.offered_to(benchmark) if request.method == "GET" else benchmark.endpoints.all()
    found = get_object_or_404(among, pk=pk)
    if request.method == "DELETE":
        remove_endpoint(actor=person_of(request), endpoint=found)
        return Response(status=204)
    if request.method == "PATCH":
        given = read_form(EndpointFields, request)
        key = given.pop("key", "")
        change_endpoint(actor=person_of(request), endpoint=found, values=given, key=key)
    return Response(_endpoint(found))


@needs(Scope.IMPORT)
@extend_schema(operation_id="endpoint_test", request=None, responses={202: dict})
@api_view(["POST"])
def endpoint_test(request: Request, slug: str, pk: int) -> Response:
    """Test in a job what an endpoint supports. ``job`` is its id."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    found = get_object_or_404(benchmark.endpoints.all(), pk=pk)
    job = test_endpoint(actor=person_of(request), endpoint=found)
    return Response({"job": str(job.pk)}, status=202)


def _with_endpoints(request: Request, slug: str) -> Any:
    """Return the benchmark of endpoints. Reading them needs the permission to import runs, changing them the one to
    manage.
    """
    if request.method == "GET":
        try:
            return benchmark_for(request, slug, Right.IMPORT_RUNS)
        except NotAllowed:
            pass  # A token that can only manage reads the endpoints that it changes.
    return benchmark_for(request, slug, Right.MANAGE)


def _endpoint(row: Any) -> dict[str, Any]:
    shown = {name: getattr(row, name) for name in CHANGEABLE}
    return {
        "id": row.pk,
        "name": row.name,
        "of_site": row.benchmark_id is None,
        **shown,
        "has_key": bool(row.sealed_key),
        "capabilities": row.capabilities,
        "checked_at": row.checked_at,
    }
