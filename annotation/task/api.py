"""The task of a benchmark over the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.models import Benchmark, BenchmarkSchema
from annotation.task.read import values_to_decide
from annotation.task.write import CHANGE, DROP, KEEP, activate, save_draft
from annotation.task_schema import TaskSchema
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form


class SchemaSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="0: the benchmark has no schema of its own.")
    content = serializers.JSONField(help_text="See docs/task.md.")
    note = serializers.CharField()


class ValueInUseSerializer(serializers.Serializer[Any]):
    facet = serializers.CharField()
    value = serializers.CharField()
    count = serializers.IntegerField(help_text="Samples that have it.")
    proposed = serializers.CharField(help_text="The listed value that it seems to mean, or empty.")


class DraftSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    version = serializers.IntegerField(help_text="Raised by each save; 0: there is no draft.")
    content = serializers.JSONField(help_text="See docs/task.md.")
    note = serializers.CharField()
    undecided = ValueInUseSerializer(many=True, help_text="Values in use that the draft does not list.")


class SaveDraftSerializer(Form):
    content = serializers.DictField(help_text="See docs/task.md.")
    note = TextField(max_length=300, required=False, default="", allow_blank=True)
    version = WholeNumberField(min_value=0, help_text="Of the draft that you changed; 0: there is none yet.")


class DecisionSerializer(Form):
    facet = TextField(trimmed=False)
    value = TextField(trimmed=False)
    decision = WordField(choices=[KEEP, DROP, CHANGE])
    to = TextField(required=False, default="", trimmed=False, help_text="With change: the listed value.")


class ActivateSerializer(Form):
    version = WholeNumberField(min_value=1, help_text="Of the draft that you read.")
    decisions = DecisionSerializer(many=True, required=False)


def _in_force(benchmark: Benchmark) -> dict[str, Any]:
    stored = BenchmarkSchema.objects.filter(benchmark=benchmark).in_force()
    return {
        "number": stored.number if stored else 0,
        "content": benchmark.task.as_json(),
        "note": stored.note if stored else "",
    }


def _draft(benchmark: Benchmark) -> dict[str, Any]:
    draft = BenchmarkSchema.objects.filter(benchmark=benchmark).draft()
    task = TaskSchema.parse(draft.content) if draft else benchmark.task
    return {
        "number": draft.number if draft else 0,
        "version": draft.version if draft else 0,
        "content": task.as_json(),
        "note": draft.note if draft else "",
        "undecided": [ValueInUseSerializer(one).data for one in values_to_decide(benchmark, task)] if draft else [],
    }


@extend_schema(operation_id="task", responses=SchemaSerializer)
@api_view(["GET"])
def task(request: Request, slug: str) -> Response:
    """The schema in force: facets, question, answer, evidence, toolchain, tool plan, reasons and help."""
    return Response(_in_force(benchmark_for(request, slug, Right.VIEW)))


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="task_draft", responses=DraftSerializer)
@extend_schema(methods=["PUT"], operation_id="task_draft_save", request=SaveDraftSerializer, responses=DraftSerializer)
@api_view(["GET", "PUT"])
def draft(request: Request, slug: str) -> Response:
    """The draft of the next schema; without one, what it would begin with. PUT saves it, and
    answers 409 if another lead changed it after ``version``."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    if request.method == "PUT":
        save_draft(actor=person_of(request), benchmark=benchmark, **read_form(SaveDraftSerializer, request))
    return Response(_draft(benchmark))


@needs(Scope.MANAGE)
@extend_schema(operation_id="task_activate", request=ActivateSerializer, responses=SchemaSerializer)
@api_view(["POST"])
def activation(request: Request, slug: str) -> Response:
    """Put the draft in force. Every value in use that a closed facet does not list needs a decision: keep, drop, or
    change ``to`` a listed value. Answers 409 if the draft changed after ``version``, or a value has no decision."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    given = read_form(ActivateSerializer, request)
    decisions = {(one["facet"], one["value"]): (one["decision"], one["to"]) for one in given.get("decisions", ())}
    activate(actor=person_of(request), benchmark=benchmark, version=given["version"], decisions=decisions)
    return Response(_in_force(benchmark))
