"""Human studies over the API, for leads: creating, following, closing, and the answers. People answer on pages."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.idempotency import answer_once
from annotation.common.requests import key_of
from annotation.evidence import Condition
from annotation.workflow import Right
from evaluation.common.api import Fields
from evaluation.models import Experiment
from evaluation.studies.forms import INVITED, LONGEST_NAME, MOST_PEOPLE, MOST_SAMPLES
from evaluation.studies.present import API_STATES, strata_shown, study_row
from evaluation.studies.read.answers import answer_lines, export_name
from evaluation.studies.read.draw import strata_of
from evaluation.studies.read.task import progress_by_person, progress_by_stratum
from evaluation.studies.write.create import StudyChoices, create_study
from evaluation.studies.write.states import close, pause, resume, save_run
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.streaming import streamed

CHANGES = {"paused": pause, "open": resume, "closed": close}
ROLES = [role.value for role in INVITED]


class NewStudy(Form):
    name = TextField(max_length=LONGEST_NAME, help_text="Setting of the run People.")
    n = WholeNumberField(
        min_value=2, max_value=MOST_SAMPLES, help_text="Samples: at most as many as have gold and an image."
    )
    facets = serializers.ListField(
        child=TextField(max_length=200), required=False, default=list, max_length=20, help_text="Of the samples."
    )
    people = WholeNumberField(required=False, default=3, min_value=1, max_value=MOST_PEOPLE)
    roles = serializers.ListField(
        child=WordField(ROLES), required=False, default=ROLES, min_length=1, max_length=len(ROLES)
    )
    seed = TextField(max_length=100, required=False, default="", allow_blank=True, help_text="Default: a secret one.")
    conditions = serializers.ListField(
        child=WordField(list(Condition)), required=False, default=list, max_length=len(Condition),
        help_text="Parts of the image; each person sees a sample under one of them. Empty: unchanged images.",
    )  # fmt: skip
    preview = TruthField(required=False, default=False, help_text="Only return the strata.")


class StudyChange(Form):
    state = WordField(list(CHANGES), required=False)
    # "save" is a method of every serializer, and the name that people send.
    save = TruthField(  # type: ignore[assignment]
        required=False, default=False, help_text="Save the answers of a closed study again, after an undo."
    )


STRATUM: Fields = {
    "groups": serializers.ListField(child=serializers.CharField()),
    "size": serializers.IntegerField(),
    "drawn": serializers.IntegerField(),
}
STUDY = inline_serializer(
    "Study",
    {
        "id": serializers.IntegerField(),
        "name": serializers.CharField(),
        "state": serializers.ChoiceField(list(API_STATES.values())),
        "facets": serializers.ListField(child=serializers.CharField()),
        "n": serializers.IntegerField(),
        "people": serializers.IntegerField(help_text="Answers per sample, at most."),
        "conditions": serializers.ListField(child=serializers.CharField()),
        "roles": serializers.ListField(child=serializers.CharField()),
        "seed": serializers.CharField(),
        "strata": inline_serializer("StudyStratum", STRATUM, many=True),
        "import": serializers.IntegerField(allow_null=True),
        "created_at": serializers.DateTimeField(),
        "closed_at": serializers.DateTimeField(allow_null=True),
    },
)
PROGRESS = inline_serializer(
    "StudyProgress",
    {
        "study": STUDY,
        "strata": serializers.ListField(
            child=serializers.DictField(), help_text="name, size, drawn, answered, full, answers"
        ),
        "participants": serializers.ListField(
            child=serializers.DictField(), help_text="person (a number), answers, skipped, finished"
        ),
    },
)
PREVIEW = inline_serializer(
    "StudyPreview",
    {
        "strata": serializers.ListField(child=serializers.DictField(), help_text="name, size, drawn, share, merged"),
    },
)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="studies", parameters=PAGING, responses=page_of("StudyPage", STUDY))
@extend_schema(methods=["POST"], operation_id="study_create", request=NewStudy, responses={200: PREVIEW, 201: STUDY})
@api_view(["GET", "POST"])
def studies(request: Request, slug: str) -> Response:
    """The human studies of a benchmark, oldest first. POST draws the samples of a new one and opens it; with
    ``preview``, it only returns the strata. The same ``Idempotency-Key`` again returns the same study."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    if request.method == "GET":
        return paged(request, benchmark.experiments.filter(kind=Experiment.Kind.HUMAN), "pk", study_row)
    given, actor = read_form(NewStudy, request), person_of(request)
    if given.pop("preview"):
        strata, _ = strata_of(benchmark, given["facets"], given["n"], given["conditions"])
        return Response({"strata": strata_shown(strata)})

    def make() -> dict[str, Any]:
        return {"study": create_study(actor=actor, benchmark=benchmark, choices=StudyChoices(**given)).pk}

    if key := key_of(request):
        number = answer_once(actor, key, f"study:{benchmark.pk}", make).answer["study"]
    else:
        with transaction.atomic():
            number = make()["study"]
    return Response(study_row(_study(benchmark, number)), status=201)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="study", responses=PROGRESS)
@extend_schema(methods=["PATCH"], operation_id="study_change", request=StudyChange, responses=PROGRESS)
@api_view(["GET", "PATCH"])
def study(request: Request, slug: str, pk: int) -> Response:
    """A study and how far it is. PATCH pauses it, opens it again or closes it for good, which saves the answers as the
    run People."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    found = _study(benchmark, pk)
    if request.method == "PATCH":
        given = read_form(StudyChange, request)
        if state := given.get("state"):
            CHANGES[state](actor=person_of(request), study=found)
        if given["save"]:
            save_run(actor=person_of(request), study=found)
        found.refresh_from_db()
    return Response(progress_row(found))


@needs(Scope.MANAGE)
@extend_schema(
    operation_id="study_answers",
    responses={(200, "application/x-ndjson"): OpenApiResponse(OpenApiTypes.STR, description="One answer per line.")},
)
@api_view(["GET"])
def answers(request: Request, slug: str, pk: int) -> StreamingHttpResponse:
    """The answers of a study as lines of JSON. People are numbers."""
    found = _study(benchmark_for(request, slug, Right.MANAGE), pk)
    return streamed(export_name(found), answer_lines(found))


def progress_row(found: Experiment) -> dict[str, Any]:
    participants = [
        {
            "person": one.number + 1, "answers": one.answers_n, "skipped": one.skipped_n,  # type: ignore[attr-defined]
            "finished": one.finished_at is not None,
        }
        for one in progress_by_person(found)
    ]  # fmt: skip
    strata = [row | {name: row[name].n for name in ("drawn", "answered", "full")} for row in progress_by_stratum(found)]
    return {"study": study_row(found), "strata": strata, "participants": participants}


def _study(benchmark: Any, pk: int) -> Experiment:
    found: Experiment = get_object_or_404(benchmark.experiments, pk=pk, kind=Experiment.Kind.HUMAN)
    found.benchmark = benchmark
    return found
