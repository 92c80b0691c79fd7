"""Undecided answers over the API: how answers were read, the groups to decide, and decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.answers.read.groups import State, read_groups
from evaluation.answers.read.rows import AnswerGroup
from evaluation.answers.write import KEYS, decide_answers, take_back
from evaluation.common.extraction.read import RunReport, read_extraction, read_slices_extraction
from evaluation.models import Run
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_paging import PAGING, page_of, paged_rows
from webapp.common.api_query import number_of, one_of, said
from webapp.common.api_schema import NUMBER
from webapp.common.errors import InvalidInput

GROUP = inline_serializer(
    "AnswerGroup",
    {
        "group": serializers.CharField(help_text="Name of the group. Decisions refer to it."),
        "text": serializers.CharField(help_text="The normalized text, at most 500 characters."),
        "answers": serializers.IntegerField(),
        "reason": serializers.CharField(help_text="Why no rule decides."),
        "question": serializers.CharField(help_text="Of one of them."),
        "options": serializers.DictField(child=serializers.CharField()),
        "accepted": serializers.ListField(child=serializers.CharField(), help_text="Of open answers alone."),
        "runs": serializers.DictField(child=serializers.IntegerField(), help_text="Answers by number of the run."),
        "decision": serializers.CharField(allow_blank=True, help_text="An option, none, same, different or leave."),
        "by": serializers.CharField(allow_blank=True),
    },
)
DECISIONS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "decisions": {
            "type": "object",
            "description": f"By group: the letter of an option, or one of {', '.join(KEYS)}; null undoes a decision.",
            "additionalProperties": {"type": "string", "nullable": True, "maxLength": 20},
            "minProperties": 1,
            "maxProperties": 10_000,
        },
        "run": {**NUMBER, "nullable": True, "description": "Only answers of this run."},
    },
    "required": ["decisions"],
    "additionalProperties": False,
}
DONE = inline_serializer(
    "AnswersDecided",
    {"decided": serializers.IntegerField(), "taken_back": serializers.IntegerField()},
)
REPORT = inline_serializer(
    "ExtractionReport",
    {
        "run": serializers.IntegerField(),
        "model": serializers.CharField(),
        "setting": serializers.CharField(allow_blank=True),
        "stale": serializers.BooleanField(),
        "report": serializers.DictField(
            allow_null=True,
            help_text="answers, blank, decided, read, unread, undecided; where, rule, class and flags by name; reasons "
            "with n and texts; verdicts with n and same. null: to be scored.",
        ),
        "slices": serializers.DictField(help_text="The same on each value of the facet that was asked for."),
    },
)


@needs(Scope.IMPORT)
@extend_schema(
    methods=["GET"],
    operation_id="answers",
    parameters=[
        OpenApiParameter("state", str, enum=list(State), description="open (undecided), left or decided."),
        OpenApiParameter("run", NUMBER, description="Only answers of this run."),
        OpenApiParameter("reason", str, description="Only undecided for this reason."),
        *PAGING,
    ],
    responses=page_of("AnswerGroupPage", GROUP),
)
@extend_schema(
    methods=["POST"], operation_id="decide_answers", request={"application/json": DECISIONS}, responses={200: DONE}
)
@api_view(["GET", "POST"])
@parser_classes([JSONParser])
def answers(request: Request, slug: str) -> Response:
    """Groups of equal answers that no rule decides, largest first; or, posted, what they say. Without gold."""
    benchmark = benchmark_for(request, slug, Right.SCORE)
    if request.method == "POST":
        return Response(_decide(request, benchmark))
    state = State(one_of(request, "state", list(State), State.OPEN))
    run = _run(benchmark, number_of(request, "run", "the number of a run"))
    found = read_groups(benchmark, person_of(request), state=state, run=run, reason=said(request, "reason"))
    return paged_rows(request, found.tallies, _group, found.read)


def _decide(request: Request, benchmark: Any) -> dict[str, int]:
    data = request.data if isinstance(request.data, dict) else {}
    decided = data.get("decisions")
    if not isinstance(decided, dict) or not decided or data.keys() - DECISIONS["properties"].keys():
        raise InvalidInput("decisions must be an object from group names to decisions.", field="decisions")
    if not all(one is None or (isinstance(one, str) and len(one) <= 20) for one in decided.values()):
        raise InvalidInput("A decision must be a text of at most 20 characters, or null.", field="decisions")
    run = data.get("run")
    whole = isinstance(run, int) and not isinstance(run, bool)
    if run is not None and not (whole and NUMBER["minimum"] <= run <= NUMBER["maximum"]):
        raise InvalidInput("run must be the number of a run.", field="run")
    of = {"actor": person_of(request), "benchmark": benchmark, "run": _run(benchmark, run)}
    settled = {group: one for group, one in decided.items() if one is not None}
    gone = [group for group, one in decided.items() if one is None]
    back = take_back(keys=gone, **of) if gone else 0
    return {"decided": decide_answers(said=settled, **of).answers if settled else 0, "taken_back": back}


@extend_schema(
    operation_id="answers_report",
    parameters=[
        OpenApiParameter("run", NUMBER, description="Of this run only."),
        OpenApiParameter("by", str, description="A facet: also the report on each of its values."),
        *PAGING,
    ],
    responses=page_of("ExtractionReportPage", REPORT),
)
@api_view(["GET"])
def report(request: Request, slug: str) -> Response:
    """How the answers of each run were read when it was scored: place, rule, and unread answers."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    by, run = said(request, "by"), number_of(request, "run", "the number of a run")
    number = _run(benchmark, run)
    slices = read_slices_extraction(benchmark, by, number) if by else {}
    return paged_rows(request, read_extraction(benchmark, number), lambda one: _report(one, slices.get(one.run.pk, {})))


def _report(one: RunReport, slices: Mapping[str, Any]) -> dict[str, Any]:
    named = {"run": one.run.pk, "model": one.run.model.name, "setting": one.run.setting, "stale": one.stale}
    return {**named, "report": one.report, "slices": slices}


def _run(benchmark: Any, number: int | None) -> int | None:
    return None if number is None else get_object_or_404(Run.objects.filter(benchmark=benchmark), pk=number).pk


def _group(group: AnswerGroup) -> dict[str, Any]:
    said = group.said
    return {
        "group": group.key,
        "text": group.text,
        "answers": group.n,
        "reason": group.reason,
        "question": group.question,
        "options": dict(group.options),
        "accepted": list(group.accepted),
        "runs": {str(run): n for run, n in group.by_run.items()},
        "decision": (said.letter or said.word) if said else "",
        "by": said.by if said else "",
    }
