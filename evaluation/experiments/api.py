"""Endpoints and experiments over the API. Keys are accepted and never returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import allowed
from annotation.common.api import benchmark_for
from annotation.common.idempotency import answer_once
from annotation.common.requests import key_of
from annotation.workflow import Right
from evaluation.common.lineage.write import MOST_STEP
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.present.exchanges import body_text, image_answer, images_in
from evaluation.experiments.present.rows import experiment_row, progress_row
from evaluation.experiments.read.attempts import attempts_known_to
from evaluation.experiments.read.exchanges import exchange_lines, export_name
from evaluation.experiments.read.prompts import Owner, PromptHistory, history_of, prompts_of
from evaluation.experiments.write.arms import MARGIN, USUAL, ArmChoices, create_arms
from evaluation.experiments.write.create import DEFAULT_SAMPLING, MOST_ROLLOUTS, Choices, create_experiment
from evaluation.experiments.write.endpoints import (
    CHANGEABLE,
    add_endpoint,
    change_endpoint,
    remove_endpoint,
    test_endpoint,
)
from evaluation.experiments.write.judges import JudgeChoices, create_judge
from evaluation.experiments.write.prompts import MOST_NOTE, MOST_SLUG, change_prompt, create_prompt
from evaluation.experiments.write.states import (
    change_budget,
    pause,
    resume,
    retry_failed,
    start_all,
    start_trial,
    stop,
)
from evaluation.models import Attempt, Endpoint, Exchange, Experiment, Run, SentImage
from evaluation.models.querysets.experiments import AttemptQuerySet
from evaluation.runner.arms.catalogue import Estimand
from evaluation.runner.judges import VOTES, Question
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import LONGEST, Role
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField, TextField, WholeNumberField
from webapp.common.api_paging import PAGING, page_of, paged, paged_rows
from webapp.common.api_query import one_of, said
from webapp.common.errors import Conflict, InvalidInput, NotAllowed, NotFound
from webapp.common.streaming import streamed

Used = Mapping[tuple[str, str], int]
START = ("none", "trial", "all")
STATE = OpenApiParameter("state", str, enum=Attempt.State.values, description="Only attempts in this state.")
IMAGES = OpenApiParameter("images", str, enum=["yes", "no"], description="Whether requests contain their images.")
CONFIRM = "Start although the test of the endpoint found boxes in another frame."
WANTED = ("running", "paused", "stopped")


class EndpointFields(serializers.Serializer):
    preset = serializers.ChoiceField(choices=list(PRESETS), required=False)
    base_url = TextField(max_length=500, required=False)
    model = TextField(max_length=200, required=False)
    label = TextField(max_length=200, required=False, allow_blank=True)  # type: ignore[assignment]  # of the fields
    family = TextField(max_length=20, required=False, allow_blank=True)
    dialect = TextField(max_length=20, required=False)
    frame = TextField(max_length=10, required=False)
    key_name = TextField(max_length=64, required=False, allow_blank=True)
    limits = serializers.DictField(required=False, help_text="requests_per_minute, tokens_per_minute, in_flight")
    prices = serializers.DictField(required=False, help_text="USD per million tokens: input, output, cached")
    key = TextField(max_length=500, required=False, write_only=True, help_text="Stored encrypted; never returned.")


class NewEndpoint(EndpointFields):
    name = TextField(max_length=60)
    base_url = TextField(max_length=500)
    model = TextField(max_length=200)


class NewExperiment(serializers.Serializer):
    endpoint = TextField(max_length=60, help_text="Name of an endpoint of the benchmark or of the site.")
    protocol = serializers.ChoiceField(choices=list(PROTOCOLS))
    dialect = TextField(max_length=20, required=False, default="", allow_blank=True)
    prompt = TextField(max_length=80, required=False, default="", allow_blank=True, help_text="slug@version")
    user_prompt = TextField(max_length=80, required=False, default="", allow_blank=True, help_text="slug@version")
    rollouts = WholeNumberField(required=False, default=1, min_value=1, max_value=MOST_ROLLOUTS)
    samples = TextField(max_length=2000, required=False, default="", allow_blank=True)
    setting = TextField(max_length=200, required=False, default="", allow_blank=True)
    lineage = TextField(max_length=200, required=False, default="", allow_blank=True, help_text="With step.")
    step = WholeNumberField(required=False, allow_null=True, default=None, min_value=0, max_value=MOST_STEP)
    sampling = serializers.ChoiceField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)
    images = TextField(max_length=20, required=False, default="", allow_blank=True)
    parameters = serializers.DictField(required=False, default=dict, help_text="Replace values of the sampling.")
    rounds = WholeNumberField(required=False, allow_null=True, default=None, min_value=1, max_value=200)
    calls = WholeNumberField(required=False, allow_null=True, default=None, min_value=1, max_value=1000)
    budget_usd = NumberField(required=False, default=5.0, min_value=0)
    budget_calls = WholeNumberField(required=False, default=1000, min_value=1, max_value=10_000_000)
    start = serializers.ChoiceField(choices=START, required=False, default="none")
    confirm_frame = serializers.BooleanField(required=False, default=False, help_text=CONFIRM)


class NewArms(serializers.Serializer):
    endpoint = TextField(max_length=60, help_text="Name of an endpoint that serves the model of the run.")
    arms = TextField(max_length=500, required=False, default=USUAL, help_text="Such as sham:4,noise:12.5-100x3.")
    estimand = serializers.ChoiceField(choices=list(Estimand), required=False, default=Estimand.PREFIX.value)
    confirm = TextField(max_length=500, required=False, default="", allow_blank=True, help_text="Confirmatory arms.")
    margin = NumberField(required=False, default=MARGIN, help_text="Of equivalence, in percentage points.")
    samples = TextField(max_length=2000, required=False, default="", allow_blank=True)
    sampling = serializers.ChoiceField(choices=["", *SAMPLING], required=False, default="", allow_blank=True)
    injector = TextField(
        max_length=80, required=False, default="", allow_blank=True, help_text="slug@version that wrote the mistakes."
    )
    budget_usd = NumberField(required=False, default=5.0, min_value=0)
    budget_calls = WholeNumberField(required=False, default=10_000, min_value=1, max_value=10_000_000)
    start = serializers.ChoiceField(choices=START, required=False, default="none")


class NewJudge(serializers.Serializer):
    endpoint = TextField(max_length=60, help_text="Name of an endpoint of the benchmark or of the site.")
    question = serializers.ChoiceField(choices=list(Question))
    votes = serializers.ChoiceField(choices=VOTES, required=False, default=1)
    prompt = TextField(max_length=80, required=False, default="", allow_blank=True, help_text="slug@version")
    samples = TextField(max_length=2000, required=False, default="", allow_blank=True)
    sampling = serializers.ChoiceField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)
    images = TextField(max_length=20, required=False, default="", allow_blank=True)
    budget_usd = NumberField(required=False, default=5.0, min_value=0)
    budget_calls = WholeNumberField(required=False, default=10_000, min_value=1, max_value=10_000_000)
    start = serializers.ChoiceField(choices=START, required=False, default="none")


class PromptChange(serializers.Serializer):
    text = TextField(max_length=LONGEST, help_text="Fields as {{ question }}. Lines end as in files.")
    note = TextField(max_length=MOST_NOTE, required=False, default="", allow_blank=True)
    based_on = TextField(max_length=64, help_text="Digest of the newest version that you have read.")


class NewPrompt(serializers.Serializer):
    slug = TextField(max_length=MOST_SLUG)
    role = serializers.ChoiceField(choices=[role.value for role in Role])
    text = TextField(max_length=LONGEST, help_text="Fields as {{ question }}. Lines end as in files.")
    note = TextField(max_length=MOST_NOTE, required=False, default="", allow_blank=True)


class ExperimentChange(serializers.Serializer):
    state = serializers.ChoiceField(choices=WANTED, required=False)
    budget_usd = NumberField(required=False, min_value=0)
    budget_calls = WholeNumberField(required=False, min_value=1, max_value=10_000_000)
    retry_failed = serializers.BooleanField(required=False, default=False)
    confirm_frame = serializers.BooleanField(required=False, default=False, help_text=CONFIRM)


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
EXPERIMENT = inline_serializer(
    "Experiment",
    {
        "id": serializers.IntegerField(),
        "endpoint": serializers.CharField(),
        "kind": serializers.ChoiceField(Experiment.Kind.values),
        "run": serializers.IntegerField(allow_null=True, help_text="That arms repeat, or a judge judges."),
        "design": serializers.DictField(help_text="Of arms: arms with their seeds, confirm, margin."),
        "model": serializers.CharField(),
        "setting": serializers.CharField(),
        "samples": serializers.CharField(allow_blank=True),
        "rollouts": serializers.IntegerField(),
        "recipe": serializers.DictField(),
        "recipe_digest": serializers.CharField(),
        "state": serializers.ChoiceField(Experiment.State.values),
        "pause_reason": serializers.CharField(allow_blank=True),
        "pause_note": serializers.CharField(allow_blank=True),
        "budget_usd": serializers.FloatField(),
        "budget_calls": serializers.IntegerField(),
        "spent_usd": serializers.FloatField(),
        "calls": serializers.IntegerField(),
        "import": serializers.IntegerField(allow_null=True),
        "job": serializers.CharField(allow_blank=True),
        "created_at": serializers.DateTimeField(),
        "finished_at": serializers.DateTimeField(allow_null=True),
    },
)
PROMPT_VERSION = inline_serializer(
    "PromptVersion",
    {
        "version": serializers.CharField(),
        "text": serializers.CharField(),
        "digest": serializers.CharField(help_text="SHA-256 of the text."),
        "frozen": serializers.BooleanField(help_text="An experiment has used it: it can't change."),
        "note": serializers.CharField(allow_blank=True),
        "created_by": serializers.CharField(allow_blank=True),
        "created_at": serializers.DateTimeField(allow_null=True),
        "experiments": serializers.IntegerField(help_text="Experiments of this benchmark with this version."),
    },
)
PROMPT = inline_serializer(
    "Prompt",
    {
        "slug": serializers.CharField(),
        "role": serializers.ChoiceField([role.value for role in Role]),
        "owner": serializers.ChoiceField([owner.value for owner in Owner]),
        "versions": serializers.ListField(child=PROMPT_VERSION, help_text="Oldest first."),
    },
)
PROGRESS = inline_serializer(
    "ExperimentProgress",
    {
        "experiment": EXPERIMENT,
        "attempts": serializers.DictField(child=serializers.IntegerField(), help_text="By state."),
        "failures": serializers.DictField(child=serializers.IntegerField(), help_text="By kind of error."),
        "tokens": serializers.DictField(child=serializers.IntegerField()),
        "seconds_left": serializers.FloatField(allow_null=True),
        "accuracy": serializers.FloatField(allow_null=True, help_text="So far; 0 to 1."),
        "accuracy_n": serializers.IntegerField(),
    },
)
ATTEMPT = inline_serializer(
    "Attempt",
    {
        "id": serializers.IntegerField(),
        "sample": serializers.CharField(),
        "rollout": serializers.IntegerField(help_text="Of arms the draw, of a judge the vote."),
        "arm": serializers.CharField(allow_blank=True),
        "result": serializers.DictField(allow_null=True, help_text="What a vote of a judge says."),
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
    given = _given(NewEndpoint, request)
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
    # Those of the site are read here, and changed on no address of a benchmark: a token can be limited to it.
    among = Endpoint.objects.offered_to(benchmark) if request.method == "GET" else benchmark.endpoints.all()
    found = get_object_or_404(among, pk=pk)
    if request.method == "DELETE":
        remove_endpoint(actor=person_of(request), endpoint=found)
        return Response(status=204)
    if request.method == "PATCH":
        given = _given(EndpointFields, request)
        key = given.pop("key", "")
        change_endpoint(actor=person_of(request), endpoint=found, values=given, key=key)
    return Response(_endpoint(found))


@needs(Scope.IMPORT)
@extend_schema(operation_id="endpoint_test", request=None, responses={202: dict})
@api_view(["POST"])
def endpoint_test(request: Request, slug: str, pk: int) -> Response:
    """Find out in a job what an endpoint can do. ``job`` is its id."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    found = get_object_or_404(benchmark.endpoints.all(), pk=pk)
    job = test_endpoint(actor=person_of(request), endpoint=found)
    return Response({"job": str(job.pk)}, status=202)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="prompts", parameters=PAGING, responses=page_of("PromptPage", PROMPT))
@extend_schema(methods=["POST"], operation_id="prompt_create", request=NewPrompt, responses={201: PROMPT})
@api_view(["GET", "POST"])
def prompts(request: Request, slug: str) -> Response:
    """The prompts that experiments of a benchmark can use: its own, those of the site and those of Sightline. POST
    creates one of the benchmark."""
    benchmark, used = _with_prompts(request, slug)
    if request.method == "GET":
        return paged_rows(request, prompts_of(benchmark), lambda one: _prompt(one, used))
    given = _given(NewPrompt, request)
    made = create_prompt(actor=person_of(request), benchmark=benchmark, **given)
    return Response(_prompt(_history(benchmark, made.slug), used), status=201)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="prompt", responses=PROMPT)
@extend_schema(methods=["POST"], operation_id="prompt_change", request=PromptChange, responses=PROMPT)
@api_view(["GET", "POST"])
def prompt(request: Request, slug: str, prompt: str) -> Response:
    """A prompt with its versions. POST changes the newest one, or adds a version if it is frozen. It is 409 if another
    person saved a version in the meantime."""
    benchmark, used = _with_prompts(request, slug)
    found = _history(benchmark, prompt)
    if request.method == "POST":
        # Those of the site are changed on no address of a benchmark: a token can be limited to it.
        if found.owner is not Owner.BENCHMARK or found.newest.row is None:
            raise NotFound(f"{benchmark.title} has no prompt {prompt} of its own.")
        given = _given(PromptChange, request)
        change_prompt(actor=person_of(request), prompt=found.newest.row, **given)
        found = _history(benchmark, prompt)
    return Response(_prompt(found, used))


@needs(Scope.IMPORT)
@extend_schema(
    methods=["GET"], operation_id="experiments", parameters=PAGING, responses=page_of("ExperimentPage", EXPERIMENT)
)
@extend_schema(methods=["POST"], operation_id="experiment_create", request=NewExperiment, responses={201: EXPERIMENT})
@api_view(["GET", "POST"])
def experiments(request: Request, slug: str) -> Response:
    """The experiments of a benchmark, oldest first. POST creates one; ``start`` runs a trial or all of it.
    The same ``Idempotency-Key`` again returns the same experiment."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    if request.method == "GET":
        return paged(request, benchmark.experiments.of_models(), "pk", experiment_row)
    given, actor = _given(NewExperiment, request), person_of(request)
    name, start, confirm = given.pop("endpoint"), given.pop("start"), given.pop("confirm_frame")
    found = Endpoint.objects.named(name, benchmark)
    if found is None:
        raise NotFound(f"There is no endpoint {name}.", field="endpoint")

    def make() -> dict[str, Any]:
        made = create_experiment(actor=actor, benchmark=benchmark, endpoint=found, choices=Choices(**given))
        if start != "none":
            begin = start_trial if start == "trial" else start_all
            begin(actor=actor, experiment=made, confirm_frame=confirm)
        return {"experiment": made.pk}

    if key := key_of(request):
        number = answer_once(actor, key, f"experiment:{benchmark.pk}", make).answer["experiment"]
    else:
        with transaction.atomic():
            number = make()["experiment"]
    return Response(experiment_row(get_object_or_404(benchmark.experiments, pk=number)), status=201)


@needs(Scope.IMPORT)
@extend_schema(operation_id="run_arms", request=NewArms, responses={201: EXPERIMENT})
@api_view(["POST"])
def run_arms(request: Request, slug: str, pk: int) -> Response:
    """Create an experiment that repeats a run under arms. The same ``Idempotency-Key`` again returns the same one."""
    return _on_run(request, slug, pk, NewArms, create_arms, ArmChoices)


@needs(Scope.IMPORT)
@extend_schema(operation_id="run_judge", request=NewJudge, responses={201: EXPERIMENT})
@api_view(["POST"])
def run_judge(request: Request, slug: str, pk: int) -> Response:
    """Create an experiment that judges a run. The same ``Idempotency-Key`` again returns the same one."""
    return _on_run(request, slug, pk, NewJudge, create_judge, JudgeChoices)


def _on_run(
    request: Request, slug: str, pk: int, form: type[serializers.Serializer], create: Any, choices: type[Any]
) -> Response:
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    run = get_object_or_404(Run.objects.of(benchmark).select_related("model", "benchmark"), pk=pk)
    given, actor = _given(form, request), person_of(request)
    name, start = given.pop("endpoint"), given.pop("start")
    endpoint = Endpoint.objects.named(name, benchmark)
    if endpoint is None:
        raise NotFound(f"There is no endpoint {name}.", field="endpoint")

    def make() -> dict[str, Any]:
        made = create(actor=actor, run=run, endpoint=endpoint, choices=choices(**given))
        if start != "none":
            (start_trial if start == "trial" else start_all)(actor=actor, experiment=made)
        return {"experiment": made.pk}

    if key := key_of(request):
        number = answer_once(actor, key, f"{create.__name__}:{run.pk}", make).answer["experiment"]
    else:
        with transaction.atomic():
            number = make()["experiment"]
    return Response(experiment_row(get_object_or_404(benchmark.experiments, pk=number)), status=201)


@needs(Scope.IMPORT)
@extend_schema(methods=["GET"], operation_id="experiment", responses=PROGRESS)
@extend_schema(methods=["PATCH"], operation_id="experiment_change", request=ExperimentChange, responses=PROGRESS)
@api_view(["GET", "PATCH"])
def experiment(request: Request, slug: str, pk: int) -> Response:
    """How far an experiment is. PATCH starts, resumes, pauses or stops it, changes its budget, or retries failures."""
    found = _load(request, slug, pk)
    if request.method == "PATCH":
        _change(found, person_of(request), _given(ExperimentChange, request))
    return Response(progress_row(found, person_of(request)))


@needs(Scope.IMPORT)
@extend_schema(
    operation_id="experiment_export",
    parameters=[IMAGES],
    responses={(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY, "One exchange a line.")},
)
@api_view(["GET"])
def export(request: Request, slug: str, pk: int) -> StreamingHttpResponse:
    """The exchanges of an experiment as lines of JSON (openai-chat): the same bytes as ``manage.py experiment export``.
    Without ``images=yes``, images are named by their SHA-256."""
    found = _load(request, slug, pk)
    images = one_of(request, "images", ("yes", "no"), "no") == "yes"
    return streamed(export_name(found), exchange_lines(found, person_of(request), images=images))


@needs(Scope.IMPORT)
@extend_schema(operation_id="attempts", parameters=[*PAGING, STATE], responses=page_of("AttemptPage", ATTEMPT))
@api_view(["GET"])
def attempts(request: Request, slug: str, pk: int) -> Response:
    """The attempts of an experiment, in the order in which they are run."""
    rows = _attempts(request, slug, pk).select_related("sample")
    state = said(request, "state", "")
    if state and state not in Attempt.State.values:
        raise InvalidInput(f"state must be one of {', '.join(Attempt.State.values)}.", field="state")
    return paged(request, rows.filter(state=state) if state else rows, "pk", _attempt)


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


def _change(found: Experiment, actor: Any, given: dict[str, Any]) -> None:
    budget = {name: given[name] for name in ("budget_usd", "budget_calls") if name in given}
    with transaction.atomic():
        if budget:
            change_budget(actor=actor, experiment=found, **budget)
        if given.get("retry_failed"):
            retry_failed(actor=actor, experiment=found)
        match given.get("state"):
            case "paused":
                pause(actor=actor, experiment=found)
            case "stopped":
                stop(actor=actor, experiment=found)
            case "running" if found.state == Experiment.State.PAUSED:
                resume(actor=actor, experiment=found)
            case "running" if found.state in (Experiment.State.DRAFT, Experiment.State.READY):
                start_all(actor=actor, experiment=found, confirm_frame=given["confirm_frame"])
            case "running" if found.state not in (Experiment.State.RUNNING, Experiment.State.TRIAL):
                raise Conflict(f"The experiment is {found.state} and can't be run again.", code="state")
    found.refresh_from_db()


def _with_endpoints(request: Request, slug: str) -> Any:
    """The benchmark of endpoints: reading them needs the right to import runs, changing them to manage endpoints."""
    if request.method == "GET":
        try:
            return benchmark_for(request, slug, Right.IMPORT_RUNS)
        except NotAllowed:
            pass  # A token that only manages reads what it changes.
    return benchmark_for(request, slug, Right.MANAGE)


def _load(request: Request, slug: str, pk: int) -> Experiment:
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    return get_object_or_404(benchmark.experiments.of_models().select_related("benchmark", "created_by"), pk=pk)


def _attempts(request: Request, slug: str, pk: int) -> AttemptQuerySet:
    return attempts_known_to(person_of(request), _load(request, slug, pk))


def _with_prompts(request: Request, slug: str) -> tuple[Any, Used]:
    """The benchmark, and how often its experiments use each version of a prompt. Who runs experiments
    reads prompts, and leads also write them."""
    benchmark = benchmark_for(request, slug)
    if request.method != "GET" or not allowed(person_of(request), benchmark, Right.IMPORT_RUNS):
        benchmark_for(request, slug, Right.MANAGE)
    return benchmark, benchmark.experiments.prompts()


def _history(benchmark: Any, slug: str) -> PromptHistory:
    found = history_of(benchmark, slug)
    if found is None:
        raise NotFound(f"There is no prompt {slug}.")
    return found


def _given(form: type[serializers.Serializer], request: Request) -> dict[str, Any]:
    """What was sent, checked. Raises ``InvalidInput`` naming an unknown field, which would have no effect."""
    read = form(data=request.data)
    if isinstance(request.data, Mapping) and (unknown := sorted(set(request.data) - set(read.fields))):
        known = ", ".join(read.fields)
        raise InvalidInput(f"There is no field {unknown[0]}. Fields: {known}.", field=unknown[0])
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)


def _prompt(history: PromptHistory, used: Used) -> dict[str, Any]:
    return {
        "slug": history.slug,
        "role": history.role.value,
        "owner": history.owner.value,
        "versions": [
            {
                "version": one.template.version,
                "text": one.template.text,
                "digest": one.template.digest,
                "frozen": one.frozen,
                "note": one.note,
                "created_by": one.created_by,
                "created_at": one.created_at,
                "experiments": used.get((history.slug, one.template.version), 0),
            }
            for one in history.versions
        ],
    }


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


def _attempt(row: Any) -> dict[str, Any]:
    names = ("rollout", "arm", "result", "state", "error_kind", "error", "tries")
    return {
        "id": row.pk,
        "sample": row.sample.key,
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
