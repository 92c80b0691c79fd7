"""The experiments of a benchmark, and one experiment while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.access import allowed
from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.experiments.forms import (
    ArmForm,
    AuditForm,
    BudgetForm,
    DescribeForm,
    DetectorForm,
    EvidenceForm,
    ExperimentForm,
    JudgeForm,
    RenderForm,
)
from evaluation.experiments.present.exchanges import exchanges_of, image_answer
from evaluation.experiments.present.experiment import (
    STARTS,
    accuracy_cases,
    actions_of,
    counts_of,
    crops_of,
    failures_of,
    listed_counts,
    reason_words,
    recipe_parts,
    state_words,
)
from evaluation.experiments.read.attempts import OF_ITEMS, attempts_known_to, sends_to
from evaluation.experiments.read.exchanges import exchange_lines, export_name
from evaluation.experiments.read.progress import accuracy_of, price_range, progress_of
from evaluation.experiments.write.arms import create_arms
from evaluation.experiments.write.board import create_audit, create_describing, create_rendering
from evaluation.experiments.write.create import create_experiment
from evaluation.experiments.write.detectors import create_detection
from evaluation.experiments.write.evidence import create_evidence
from evaluation.experiments.write.fit import CONFIRMABLE, misfits_of
from evaluation.experiments.write.judges import KINDS, create_judge
from evaluation.experiments.write.states import (
    change_budget,
    pause,
    resume,
    retry_failed,
    start_all,
    start_trial,
    stop,
)
from evaluation.models import Attempt, Experiment, Run, SentImage
from evaluation.models.querysets.experiments import LIVE
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError, Conflict
from webapp.common.htmx import render_page
from webapp.common.paging import page_after
from webapp.common.streaming import streamed

PAGE = 50
ATTEMPTS = 50
DO: Mapping[str, Callable[..., Any]] = {
    "trial": start_trial, "start": start_all, "resume": resume, "pause": pause, "stop": stop, "retry": retry_failed,
}  # fmt: skip


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def experiments(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/experiments.html; context: page, shown (Experiments, their state as text,
    counts), form, endpoints (whether there is one), prompt (?prompt=slug@version: only experiments with it).
    Posted: the fields of ``ExperimentForm``, which creates a draft."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    form = ExperimentForm(request.POST or None, benchmark=benchmark)
    if request.method == "POST" and form.is_valid():
        try:
            made = create_experiment(
                actor=request.user, benchmark=benchmark, endpoint=form.cleaned_data["endpoint"], choices=form.choices()
            )
        except ApplicationError as error:
            if error.status == 403:
                raise
            form.add_error(error.field if error.field in form.fields else None, error.message)
        else:
            return redirect("evaluation:experiment", slug, made.pk)
    rows, prompt = (
        benchmark.experiments.of_models().with_counts().select_related("created_by"),
        request.GET.get("prompt", ""),
    )
    if prompt:
        rows = rows.with_prompt(*prompt.partition("@")[::2])
    page = page_after(rows, request.GET.get("after", ""), order=("-pk",), size=PAGE)
    context = {
        **benchmark_context(request, benchmark, "experiments"),
        "page": page,
        "shown": [(one, state_words(one), listed_counts(one)) for one in page.rows],
        "form": form,
        "prompt": prompt,
        "endpoints": form.fields["endpoint"].queryset.exists(),  # type: ignore[attr-defined]  # of a ModelChoiceField
    }
    return render(request, "evaluation/experiments/experiments.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_arms(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/on_run.html; context: form, title, text, button, endpoints (whether one can be
    chosen), none (the message if there is none). ``?run=`` is preselected. Posted: the fields of ``ArmForm``, which
    creates a draft.
    """
    words = {
        "title": gettext("Run arms"),
        "text": gettext(
            "An arm repeats the trajectories of a run with one controlled change, and asks the same model again."
        ),
        "button": gettext("Create a draft"),
    }
    return _new_on_run(request, slug, ArmForm, create_arms, words)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_judge(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/on_run.html, as ``new_arms``. Posted: the fields of ``JudgeForm``."""
    words = {
        "title": gettext("Judge a run"),
        "text": gettext(
            "A model is asked about the trajectories of a run. It should be of another family than the model that it "
            "judges. Compare it with people under Judging before you trust it."
        ),
        "button": gettext("Create a draft"),
    }
    return _new_on_run(request, slug, JudgeForm, create_judge, words)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_detection(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/on_run.html, as ``new_arms``. Posted: the fields of ``DetectorForm``."""
    words = {
        "title": gettext("Ask a detector"),
        "text": gettext(
            "A detector gets each image and names of tools, and answers with boxes. It is a ceiling of tool "
            "recognition, in a band of its own on the leaderboard."
        ),
        "button": gettext("Create a draft"),
        "none": gettext("A detector is an endpoint of the server Detector over HTTP."),
    }
    return _new_on_run(request, slug, DetectorForm, create_detection, words)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_audit(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/on_run.html, as ``new_arms``, for leads. ``?items=`` is preselected. Posted: the
    fields of ``AuditForm``."""
    words = {
        "title": gettext("Check texts with a model"),
        "text": gettext(
            "A model checks every tool of the items at QC-I. Its findings are proposals. People check a share of the "
            "items without them. If they agree on all of these, the findings count for the other items."
        ),
        "button": gettext("Create a draft"),
    }
    return _new_on_run(request, slug, AuditForm, create_audit, words, Right.MANAGE)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_description(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/on_run.html, as ``new_audit``. Posted: the fields of ``DescribeForm``."""
    words = {
        "title": gettext("Draft descriptions"),
        "text": gettext(
            "A model drafts the scene of each item that waits for its description. It gets the instruction and the "
            "tools without their roles. A person accepts or changes each draft."
        ),
        "button": gettext("Create a draft"),
    }
    return _new_on_run(request, slug, DescribeForm, create_describing, words, Right.MANAGE)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_rendering(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/on_run.html, as ``new_audit``. Posted: the fields of ``RenderForm``."""
    words = {
        "title": gettext("Generate images"),
        "text": gettext(
            "A model generates an image of the description of each item that waits for one. A person checks it "
            "(QC-III)."
        ),
        "button": gettext("Create a draft"),
        "none": gettext("An image generator is an endpoint of a server that generates images."),
    }
    return _new_on_run(request, slug, RenderForm, create_rendering, words, Right.MANAGE)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_evidence(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/on_run.html, as ``new_arms``, for leads. Posted: the fields of
    ``EvidenceForm``."""
    words = {
        "title": gettext("Ask under conditions"),
        "text": gettext(
            "A model answers questions from other parts of their images. Its answers check annotators before the "
            "review, or show whether gold questions need their evidence."
        ),
        "button": gettext("Create a draft"),
    }
    return _new_on_run(request, slug, EvidenceForm, create_evidence, words, Right.MANAGE)


def _new_on_run(
    request: SignedInRequest,
    slug: str,
    kind: type[ArmForm | JudgeForm | DetectorForm | AuditForm | DescribeForm | RenderForm | EvidenceForm],
    create: Callable[..., Experiment],
    words: dict[str, str],
    right: Right = Right.IMPORT_RUNS,
) -> HttpResponse:
    benchmark = load_benchmark(request, slug, right)
    # Parameters of links are preselected: the run, and the arms with their samples.
    given = ("run", "arms", "samples", "items", "purpose")
    initial = {name: request.GET[name] for name in given if name in request.GET}
    form = kind(request.POST or None, benchmark=benchmark, initial=initial)
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        try:
            with transaction.atomic():
                subject = {"run": chosen["run"]} if "run" in chosen else {"benchmark": benchmark}
                made = create(actor=request.user, endpoint=chosen["endpoint"], choices=form.choices(), **subject)
                if "start" in request.POST:
                    start_all(actor=request.user, experiment=made)
        except ApplicationError as error:
            if error.status == 403:
                raise
            form.add_error(error.field if error.field in form.fields else None, error.message)
        else:
            return redirect("evaluation:experiment", slug, made.pk)
    context = {
        **benchmark_context(request, benchmark, "experiments"),
        "none": gettext("An endpoint is the address of a chat API with one model."),
        **words,
        "form": form,
        "endpoints": form.fields["endpoint"].queryset.exists(),  # type: ignore[attr-defined]  # of a ModelChoiceField
    }
    return render(request, "evaluation/experiments/on_run.html", context, status=400 if form.errors else 200)


@login_required
@require_safe
def experiment(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/experiments/experiment.html and its piece evaluation/experiments/_experiment.html, which
    is asked for again while the experiment runs. Context: experiment, state, reason, asks (whether it sends
    requests), progress, failures, accuracy, crops, misfits (what to confirm before a start), starting (actions with
    that), actions, price, parts (of the recipe), run, budget (form), page (attempts; ?after=, ?state=, ?arm=,
    ?error=) and their total, counts (links to these), chosen (what narrows them), hidden (attempts at items whose
    text they have not checked), labels (whether people can label what it says)."""
    found = _load(request, slug, pk)
    progress = progress_of(found, request.user)
    attempts = attempts_known_to(request.user, found).select_related("sample", "item", "trajectory")
    state, arm, error = (request.GET.get(name, "") for name in ("state", "arm", "error"))
    chosen: list[str] = []
    if state in progress.counts:
        attempts = attempts.filter(state=state)
        chosen.append(str(Attempt.State(state).label))
    if arm:
        attempts = attempts.filter(arm=arm)
        chosen.append(arm)
    if error:
        attempts = attempts.filter(error_kind=error)
        chosen.append(error)
    accuracy = accuracy_of(found)
    actions = actions_of(found, failed=progress.counts.get("failed", 0))
    starting = [one for one in actions if one.starts]
    misfits = misfits_of(found) if starting else []
    context = {
        **benchmark_context(request, found.benchmark, "experiments"),
        "experiment": found,
        "state": state_words(found),
        "reason": reason_words(found),
        "asks": found.kind != Experiment.Kind.SESSION,
        "live": found.state in LIVE and found.kind != Experiment.Kind.SESSION,
        "progress": progress,
        "failures": failures_of(found, progress.failures),
        "counts": counts_of(found, progress),
        "accuracy": accuracy,
        "accuracy_n": accuracy_cases(found, accuracy, request.user) if accuracy else None,
        "crops": crops_of(found),
        "misfits": misfits,
        # With a misfit, what starts is in the form that confirms it.
        "starting": starting,
        "actions": [one for one in actions if not one.starts] if misfits else actions,
        "price": price_range(found) if found.state == Experiment.State.READY else None,
        "parts": recipe_parts(found),
        "run": _run_of(found),
        "budget": BudgetForm(
            initial={"budget_usd": found.budget_usd, "budget_calls": found.budget_calls}, priced=_priced(found)
        ),
        "page": page_after(attempts, request.GET.get("after", ""), order=("pk",), size=ATTEMPTS),
        "total": attempts.count(),
        "hidden": _hidden(found, request.user),
        "chosen": " · ".join(chosen),
        "labels": found.state == Experiment.State.DONE
        and found.recipe.get("question") in KINDS
        and allowed(request.user, found.benchmark, Right.SCORE),
    }
    page, piece = "evaluation/experiments/experiment.html", "evaluation/experiments/_experiment.html"
    return render_page(request, page, piece, context)


@login_required
@require_POST
def act(request: SignedInRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Run one of ``DO``. If the experiment is in another state, its page shows the reason."""
    found = _load(request, slug, pk)
    confirm = [name for name in CONFIRMABLE if request.POST.get(f"confirm_{name}") == "yes"]
    more = {"confirm": confirm} if action in STARTS else {}
    try:
        DO[action](actor=request.user, experiment=found, **more)
    except Conflict as refused:
        messages.warning(request, refused.message)
    return redirect("evaluation:experiment", slug, pk)


@login_required
@require_POST
def budget(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Change what the experiment may spend. Posted: the fields of ``BudgetForm``."""
    found = _load(request, slug, pk)
    form = BudgetForm(request.POST, priced=_priced(found))
    if not form.is_valid():
        wanted = gettext("Enter a budget in USD and a number of requests.")
        messages.warning(request, wanted if _priced(found) else gettext("Enter a number of requests."))
    else:
        try:
            change_budget(actor=request.user, experiment=found, **form.cleaned_data)
        except ApplicationError as error:
            if error.status == 403:
                raise
            messages.warning(request, error.message)
        else:
            messages.success(request, gettext("The budget is changed."))
    return redirect("evaluation:experiment", slug, pk)


@login_required
@require_safe
def attempt(request: SignedInRequest, slug: str, pk: int, attempt: int) -> HttpResponse:
    """Template evaluation/experiments/attempt.html; context: experiment, attempt, exchanges (shown requests and
    responses, as sent and received)."""
    found = _load(request, slug, pk)
    known = attempts_known_to(request.user, found).select_related("sample", "item", "trajectory", "reused_from")
    one = get_object_or_404(known, pk=attempt)
    context = {
        **benchmark_context(request, found.benchmark, "experiments"),
        "experiment": found,
        "attempt": one,
        "exchanges": exchanges_of(one),
    }
    return render(request, "evaluation/experiments/attempt.html", context)


@login_required
@require_safe
def export(request: SignedInRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """The exchanges of an experiment as lines of JSON; ``?images=yes``: with the images."""
    found = _load(request, slug, pk)
    return streamed(export_name(found), exchange_lines(found, request.user, images=request.GET.get("images") == "yes"))


@login_required
@require_safe
def image(request: SignedInRequest, slug: str, pk: int, sha256: str) -> HttpResponse:
    """An image as a model received it, of a request that this person may read."""
    found = _load(request, slug, pk)
    row = get_object_or_404(SentImage, experiment=found, sha256=sha256)
    if not sends_to(request.user, found, sha256):
        raise Http404(gettext("There is no such image."))
    return image_answer(row)


def _run_of(found: Experiment) -> Run | None:
    """The run that an experiment fills, or is about."""
    if found.source_id is not None:
        return found.source
    return Run.objects.filter(benchmark=found.benchmark, model__name=found.model, setting=found.setting).first()


def _hidden(found: Experiment, user: Any) -> int:
    """Attempts at items of the building board whose text this person has not checked."""
    if found.kind not in OF_ITEMS:
        return 0
    return found.attempts.count() - attempts_known_to(user, found).count()


def _priced(experiment: Experiment) -> bool:
    """Whether its requests can cost something: detectors have no tokens."""
    return experiment.kind != Experiment.Kind.DETECT


def _load(request: SignedInRequest, slug: str, pk: int) -> Experiment:
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    found = benchmark.experiments.of_models().select_related(
        "benchmark", "endpoint", "created_by", "import_record", "source__model", "source__benchmark"
    )
    return get_object_or_404(found, pk=pk)
