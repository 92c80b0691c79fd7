"""The work of people over the API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.requests import key_of
from annotation.models.sample import HIGHEST_PRIORITY
from annotation.queue.batch import MOST
from annotation.queue.priority import prioritize_samples
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, WholeNumberField
from webapp.common.api_forms import Form, read_form
from webapp.common.errors import InvalidInput


class PrioritySerializer(Form):
    ids = serializers.ListField(child=TextField(max_length=200), min_length=1, max_length=MOST)
    priority = WholeNumberField(min_value=0, max_value=HIGHEST_PRIORITY, help_text="9 is assigned first.")


class PrioritizedSerializer(serializers.Serializer[Any]):
    priority = serializers.IntegerField()
    samples = serializers.IntegerField(help_text="Samples that have this priority now.")


@needs(Scope.MANAGE)
@extend_schema(operation_id="priorities_set", request=PrioritySerializer, responses=PrioritizedSerializer)
@api_view(["POST"])
def priorities(request: Request, slug: str) -> Response:
    """Set the priority of samples. Samples of a higher priority are assigned to annotators first."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    sent = read_form(PrioritySerializer, request)
    ids, priority = set(sent["ids"]), sent["priority"]
    samples = benchmark.samples.filter(key__in=ids)
    missing = sorted(ids.difference(samples.values_list("key", flat=True)))
    if missing:
        raise InvalidInput(f"No sample {missing[0]!r} in this benchmark ({len(missing)} unknown ids).", field="ids")
    receipt = prioritize_samples(
        actor=person_of(request), benchmark=benchmark, samples=samples, priority=priority,
        key=key_of(request) or uuid4().hex,
    )  # fmt: skip
    return Response({"priority": receipt.answer["priority"], "samples": len(receipt.answer["done"])})
