"""Experiments over the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.idempotency import answer_once
from annotation.common.requests import key_of
from annotation.evidence import Condition, Purpose
from annotation.workflow import Right
from evaluation.common.lineage.write import MOST_STEP
from evaluation.detections import THRESHOLD
from evaluation.experiments.api.parts import load
from evaluation.experiments.present.rows import experiment_row, progress_row
from evaluation.experiments.write.arms import MARGIN, MOST_MARGIN, USUAL, ArmChoices, create_arms
from evaluation.experiments.write.create import DEFAULT_SAMPLING, MOST_ROLLOUTS, Choices, create_experiment
from evaluation.experiments.write.detectors import DetectorChoices, create_detection
from evaluation.experiments.write.endpoints import DIALECTS
from evaluation.experiments.write.evidence import EvidenceChoices, create_evidence
from evaluation.experiments.write.fit import CONFIRMABLE
from evaluation.experiments.write.judges import JudgeChoices, create_judge
from evaluation.experiments.write.states import (
    MOST_CALLS,
    MOST_USD,
    change_budget,
    pause,
    resume,
    retry_failed,
    start_all,
    start_trial,
    stop,
)
from evaluation.models import Endpoint, Experiment, Run
from evaluation.runner.arms.catalogue import Estimand
from evaluation.runner.images import FORM as POLICY
from evaluation.runner.judges import VOTES, Question
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.sampling import SAMPLING
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NOT_BLANK, NumberField, TextField, TruthField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.errors import Conflict, NotFound

START = ("none", "trial", "all")


WANTED = ("running", "paused", "stopped")


class Confirming(Form):
    """The results of an endpoint's test that a person overrules: a field for each of ``fit.CONFIRMABLE``."""

    confirm_frame = TruthField(
        required=False, default=False, help_text="Start although the test of the endpoint found boxes in another frame."
    )
    confirm_vision = TruthField(
        required=False, default=False, help_text="Start although the test of the endpoint found that it sees no images."
    )


def confirmed_in(given: dict[str, Any]) -> list[str]:
    """Take the confirmations out of what was sent."""
    return [name for name in CONFIRMABLE if given.pop(f"confirm_{name}")]


def prompt_field(words: str = "slug@version, with the role that is needed.") -> TextField:
    """The name of a prompt; whether there is one is known to the benchmark alone."""
    return TextField(
        max_length=80, required=False, default="", allow_blank=True, pattern=r"^[a-z0-9][a-z0-9-]*(@[0-9]{1,6})?$",
        help_text=words,
    )  # fmt: skip


class Asking(Confirming):
    """The fields common to all new experiments."""

    endpoint = TextField(max_length=60, help_text="Name of an endpoint of the benchmark or of the site.")
    budget_usd = NumberField(required=False, default=5.0, min_value=0, max_value=MOST_USD)
    budget_calls = WholeNumberField(required=False, default=10_000, min_value=1, max_value=MOST_CALLS)
    start = WordField(choices=START, required=False, default="none")


class Starting(Asking):
    """The same of experiments on samples."""

    samples = TextField(
        max_length=2000, required=False, default="", allow_blank=True,
        help_text="Terms of the list of samples. They have to select some with gold and an image. Empty: all of them.",
    )  # fmt: skip


class NewExperiment(Starting):
    rules: ClassVar = {
        # A lineage and its step belong together.
        "anyOf": [
            {
                "required": ["lineage", "step"],
                "properties": {"lineage": {"pattern": NOT_BLANK}, "step": {"type": "integer"}},
            },
            {"properties": {"lineage": {"pattern": r"^\s*$"}, "step": {"enum": [None]}}},
        ]
    }
    protocol = WordField(choices=list(PROTOCOLS))
    dialect = WordField(choices=DIALECTS, required=False, default="", allow_blank=True)
    prompt = prompt_field()
    user_prompt = prompt_field()
    rollouts = WholeNumberField(required=False, default=1, min_value=1, max_value=MOST_ROLLOUTS)
    setting = TextField(max_length=200, required=False, default="", allow_blank=True)
    lineage = TextField(max_length=200, required=False, default="", allow_blank=True, help_text="With step.")
    step = WholeNumberField(required=False, allow_null=True, default=None, min_value=0, max_value=MOST_STEP)
    sampling = WordField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)
    images = TextField(
        max_length=20, required=False, default="", allow_blank=True, pattern=POLICY,
        help_text="Size of images: original, fit:N (longer side) or pixels:N (area).",
    )  # fmt: skip
    parameters = serializers.DictField(required=False, default=dict, help_text="Replace values of the sampling.")
    rounds = WholeNumberField(required=False, allow_null=True, default=None, min_value=1, max_value=200)
    calls = WholeNumberField(required=False, allow_null=True, default=None, min_value=1, max_value=1000)
    budget_calls = WholeNumberField(required=False, default=1000, min_value=1, max_value=MOST_CALLS)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["lineage"]) != (attrs["step"] is not None):
            missing = "step" if attrs["lineage"] else "lineage"
            raise serializers.ValidationError({missing: "A lineage and its step belong together."})
        return attrs


class NewArms(Starting):
    endpoint = TextField(max_length=60, help_text="Name of an endpoint that serves the model of the run.")
    arms = TextField(max_length=500, required=False, default=USUAL, help_text="Such as sham:4,noise:12.5-100x3.")
    estimand = WordField(choices=list(Estimand), required=False, default=Estimand.PREFIX.value)
    confirm = TextField(max_length=500, required=False, default="", allow_blank=True, help_text="Confirmatory arms.")
    margin = NumberField(
        required=False,
        default=MARGIN,
        min_value=0.01,
        max_value=MOST_MARGIN,
        help_text="Of equivalence, in percentage points.",
    )
    sampling = WordField(choices=list(SAMPLING), required=False, default="", allow_blank=True)
    injector = prompt_field("slug@version that wrote the mistakes.")


class NewJudge(Starting):
    question = WordField(choices=list(Question))
    votes = WordField(choices=VOTES, required=False, default=1)
    prompt = prompt_field()
    sampling = WordField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)
    images = TextField(
        max_length=20, required=False, default="", allow_blank=True, pattern=POLICY,
        help_text="Size of images: original, fit:N (longer side) or pixels:N (area).",
    )  # fmt: skip


class NewDetection(Starting):
    endpoint = TextField(max_length=60, help_text="Name of an endpoint that is a detector.")
    names = TextField(
        max_length=200_000, required=False, default="", allow_blank=True,
        help_text="What it looks for, divided by commas or lines; empty: all tools in the gold of the benchmark.",
    )  # fmt: skip
    threshold = NumberField(required=False, default=THRESHOLD, min_value=0, max_value=1, help_text="Least score.")
    setting = TextField(max_length=200, required=False, default="", allow_blank=True)
    images = TextField(
        max_length=20, required=False, default="", allow_blank=True, pattern=POLICY,
        help_text="Size of images: original, fit:N (longer side) or pixels:N (area).",
    )  # fmt: skip


class NewEvidence(Starting):
    purpose = WordField(choices=list(Purpose), help_text="check: submitted questions; evidence: those of the gold.")
    conditions = serializers.ListField(
        child=WordField(choices=list(Condition)), required=False, default=list, max_length=len(Condition),
        help_text="Empty: all of the purpose. A check has image and crop alone.",
    )  # fmt: skip
    samples = TextField(
        max_length=2000, required=False, default="", allow_blank=True,
        help_text="Terms of the list of samples; of a check, facets alone. They have to select some of the purpose.",
    )  # fmt: skip
    prompt = prompt_field("slug@version, with the role user.")
    sampling = WordField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)
    images = TextField(
        max_length=20, required=False, default="", allow_blank=True, pattern=POLICY,
        help_text="Size of images: original, fit:N (longer side) or pixels:N (area).",
    )  # fmt: skip


class ExperimentChange(Confirming):
    state = WordField(choices=WANTED, required=False)
    budget_usd = NumberField(required=False, min_value=0, max_value=MOST_USD)
    budget_calls = WholeNumberField(required=False, min_value=1, max_value=MOST_CALLS)
    retry_failed = TruthField(required=False, default=False)


EXPERIMENT = inline_serializer(
    "Experiment",
    {
        "id": serializers.IntegerField(),
        "endpoint": serializers.CharField(),
        "kind": serializers.ChoiceField(Experiment.Kind.values),
        "run": serializers.IntegerField(allow_null=True, help_text="That arms repeat, or a judge judges."),
        "design": serializers.DictField(
            help_text="Of arms: arms with their seeds, confirm, margin. overruled: what a person confirmed."
        ),
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
    create = partial(create_experiment, benchmark=benchmark)
    return created(request, benchmark, NewExperiment, create, Choices, f"experiment:{benchmark.pk}")


@needs(Scope.IMPORT)
@extend_schema(operation_id="detect", request=NewDetection, responses={201: EXPERIMENT})
@api_view(["POST"])
def detect(request: Request, slug: str) -> Response:
    """Create an experiment that asks a detector. The same ``Idempotency-Key`` again returns the same one."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    create = partial(create_detection, benchmark=benchmark)
    return created(request, benchmark, NewDetection, create, DetectorChoices, f"create_detection:{benchmark.pk}")


@needs(Scope.MANAGE)
@extend_schema(operation_id="ask_evidence", request=NewEvidence, responses={201: EXPERIMENT})
@api_view(["POST"])
def ask_evidence(request: Request, slug: str) -> Response:
    """Create an experiment that asks questions under conditions: to check annotators before the review, or to test
    whether gold questions need their evidence. The same ``Idempotency-Key`` again returns the same one."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    create = partial(create_evidence, benchmark=benchmark)
    return created(request, benchmark, NewEvidence, create, EvidenceChoices, f"create_evidence:{benchmark.pk}")


@needs(Scope.IMPORT)
@extend_schema(operation_id="run_arms", request=NewArms, responses={201: EXPERIMENT})
@api_view(["POST"])
def run_arms(request: Request, slug: str, pk: int) -> Response:
    """Create an experiment that repeats a run under arms. The same ``Idempotency-Key`` again returns the same one."""
    benchmark, run = _run(request, slug, pk)
    return created(request, benchmark, NewArms, partial(create_arms, run=run), ArmChoices, f"create_arms:{run.pk}")


@needs(Scope.IMPORT)
@extend_schema(operation_id="run_judge", request=NewJudge, responses={201: EXPERIMENT})
@api_view(["POST"])
def run_judge(request: Request, slug: str, pk: int) -> Response:
    """Create an experiment that judges a run. The same ``Idempotency-Key`` again returns the same one."""
    benchmark, run = _run(request, slug, pk)
    make = partial(create_judge, run=run)
    return created(request, benchmark, NewJudge, make, JudgeChoices, f"create_judge:{run.pk}")


def _run(request: Request, slug: str, pk: int) -> tuple[Any, Run]:
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    return benchmark, get_object_or_404(Run.objects.of(benchmark).select_related("model", "benchmark"), pk=pk)


def created(
    request: Request, benchmark: Any, form: type[Asking], create: Any, choices: Callable[..., Any], about: str
) -> Response:
    """The experiment that ``create`` makes of what was sent, started if that is wanted; with a key only once."""
    given, actor = read_form(form, request), person_of(request)
    name, start, confirm = given.pop("endpoint"), given.pop("start"), confirmed_in(given)
    endpoint = Endpoint.objects.named(name, benchmark)
    if endpoint is None:
        raise NotFound(f"There is no endpoint {name}.", field="endpoint")

    def make() -> dict[str, Any]:
        made = create(actor=actor, endpoint=endpoint, choices=choices(**given))
        if start != "none":
            (start_trial if start == "trial" else start_all)(actor=actor, experiment=made, confirm=confirm)
        return {"experiment": made.pk}

    if key := key_of(request):
        number = answer_once(actor, key, about, make).answer["experiment"]
    else:
        with transaction.atomic():
            number = make()["experiment"]
    return Response(experiment_row(get_object_or_404(benchmark.experiments, pk=number)), status=201)


@needs(Scope.IMPORT)
@extend_schema(methods=["GET"], operation_id="experiment", responses=PROGRESS)
@extend_schema(methods=["PATCH"], operation_id="experiment_change", request=ExperimentChange, responses=PROGRESS)
@api_view(["GET", "PATCH"])
def experiment(request: Request, slug: str, pk: int) -> Response:
    """The progress of an experiment. PATCH starts, resumes, pauses or stops it, changes its budget, or retries
    failures.
    """
    found = load(request, slug, pk)
    if request.method == "PATCH":
        _change(found, person_of(request), read_form(ExperimentChange, request))
    return Response(progress_row(found, person_of(request)))


def _change(found: Experiment, actor: Any, given: dict[str, Any]) -> None:
    budget = {name: given[name] for name in ("budget_usd", "budget_calls") if name in given}
    confirm = confirmed_in(given)
    with transaction.atomic():
        if budget:
            change_budget(actor=actor, experiment=found, **budget)
        if given.get("retry_failed"):
            retry_failed(actor=actor, experiment=found, confirm=confirm)
        match given.get("state"):
            case "paused":
                pause(actor=actor, experiment=found)
            case "stopped":
                stop(actor=actor, experiment=found)
            case "running" if found.state == Experiment.State.PAUSED:
                resume(actor=actor, experiment=found, confirm=confirm)
            case "running" if found.state in (Experiment.State.DRAFT, Experiment.State.READY):
                start_all(actor=actor, experiment=found, confirm=confirm)
            case "running" if found.state not in (Experiment.State.RUNNING, Experiment.State.TRIAL):
                raise Conflict(f"The experiment is {found.state} and can't be run again.", code="state")
    found.refresh_from_db()
