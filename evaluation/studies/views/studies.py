"""The human studies of a benchmark: creating one, taking part, and progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.access import allowed, known_to
from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.models import Experiment
from evaluation.studies.forms import StudyForm
from evaluation.studies.present import (
    differences_shown,
    metrics_shown,
    state_words,
    strata_shown,
    study_row,
    with_answers,
    with_lists,
)
from evaluation.studies.read.answers import answer_lines, export_name
from evaluation.studies.read.cases import (
    difference_cases,
    metric_cases,
    skipped_samples,
    snapshot_of,
    stratum_answers,
)
from evaluation.studies.read.conditions import conditions_of
from evaluation.studies.read.draw import facets_of, strata_of
from evaluation.studies.read.results import result_of
from evaluation.studies.read.task import is_invited, mine_of, progress_by_person, progress_by_stratum
from evaluation.studies.write.answers import finish
from evaluation.studies.write.create import StudyChoices, create_study
from evaluation.studies.write.states import close, pause, resume, save_run
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.streaming import streamed

DO: Mapping[str, Callable[..., Any]] = {"pause": pause, "resume": resume, "close": close, "save": save_run}


@login_required
@require_safe
def studies(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/studies/studies.html; context: rows (study, label of its state, participants_n, answers_n),
    manages. Leads see all studies, others those that they are invited to or took part in.
    """
    benchmark = load_benchmark(request, slug)
    manages = allowed(request.user, benchmark, Right.MANAGE)
    found = Experiment.objects.studies_of(benchmark)
    took_part = set(benchmark.experiments.filter(participants__person=request.user).values_list("pk", flat=True))
    shown = [one for one in found if manages or one.pk in took_part or is_invited(request.user, one)]
    if not shown and not manages and not known_to(request.user, benchmark).takes_studies:
        raise NotAllowed(gettext("You are invited to no human study of %(title)s.") % {"title": benchmark.title})
    context = {
        **benchmark_context(request, benchmark, "studies"),
        "rows": [(one, state_words(one)) for one in shown],
        "manages": manages,
    }
    return render(request, "evaluation/studies/studies.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_study(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/studies/new.html; context: form, strata (of a preview: names, sizes, drawn). The fields of
    ``StudyForm`` in the address give a preview; posted, they create the study."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    facets = facets_of(benchmark)
    given = request.POST if request.method == "POST" else request.GET
    form = StudyForm(given or None, facets=facets)
    strata = None
    if form.is_bound and form.is_valid():
        choices = StudyChoices(**form.cleaned_data)
        try:
            if request.method == "POST":
                made = create_study(actor=request.user, benchmark=benchmark, choices=choices)
                return redirect("evaluation:study", slug, made.pk)
            strata, _ = strata_of(benchmark, choices.facets, choices.n, choices.conditions)
        except (InvalidInput, Conflict) as error:
            form.add_error(error.field if error.field in form.fields else None, error.message)
    context = {
        **benchmark_context(request, benchmark, "studies"),
        "form": form,
        "facets": facets,
        "strata": strata and strata_shown(strata),
        "answers_n": form.cleaned_data["n"] * form.cleaned_data["people"] if strata else 0,
    }
    return render(request, "evaluation/studies/new.html", context, status=400 if form.errors else 200)


@login_required
@require_safe
def study(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/studies/study.html; context: study, state, invited, mine (Mine), conditions; for leads also
    strata, people (with their answers and what they skipped), row; for those who may see the results of a
    closed study: result (Result or None), metrics (MetricLine) and differences (with their cases)."""
    benchmark = load_benchmark(request, slug)
    found = load_study(request, benchmark, pk)
    manages = allowed(request.user, benchmark, Right.MANAGE)
    closed = found.state == Experiment.State.DONE
    sees = closed and allowed(request.user, benchmark, Right.SEE_GOLD)
    result = result_of(found) if sees else None
    context = {
        **benchmark_context(request, benchmark, "studies"),
        "study": found,
        "state": state_words(found),
        "closed": closed,
        "open": found.state == Experiment.State.RUNNING,
        "invited": is_invited(request.user, found),
        "mine": mine_of(request.user, found),
        "manages": manages,
        "conditions": conditions_of(found),
        "row": study_row(found) if manages else None,
        "result": result,
    }
    if result:
        snapshot = snapshot_of(result, request.user)
        context |= {
            "metrics": metrics_shown(result, metric_cases(result, snapshot)),
            "differences": differences_shown(result, difference_cases(result, snapshot)),
        }
    if manages:
        run = result.run if result else None
        context |= {
            "strata": with_lists(progress_by_stratum(found), stratum_answers(found, run) if run else []),
            "people": with_answers(progress_by_person(found), run, skipped_samples(found)),
        }
    return render(request, "evaluation/studies/study.html", context)


@login_required
@require_POST
def act(request: SignedInRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Run one of ``DO``. If the study is in another state, its page shows the reason."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = load_study(request, benchmark, pk)
    try:
        DO[action](actor=request.user, study=found)
    except Conflict as refused:
        messages.warning(request, refused.message)
    return redirect("evaluation:study", slug, pk)


@login_required
@require_POST
def leave(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Finish for this person: they get no more samples of this study."""
    benchmark = load_benchmark(request, slug)
    finish(actor=request.user, study=load_study(request, benchmark, pk))
    return redirect("evaluation:study", slug, pk)


@login_required
@require_safe
def export(request: SignedInRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Return the answers of a study as lines of JSON."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = load_study(request, benchmark, pk)
    return streamed(export_name(found), answer_lines(found))


def load_study(request: SignedInRequest, benchmark: Any, pk: int) -> Experiment:
    """Return the study. A person who neither leads the benchmark, nor is invited, nor took part, gets 403."""
    found: Experiment = get_object_or_404(
        benchmark.experiments.select_related("created_by", "import_record"), pk=pk, kind=Experiment.Kind.HUMAN
    )
    found.benchmark = benchmark
    user = request.user
    if not (
        allowed(user, benchmark, Right.MANAGE)
        or is_invited(user, found)
        or found.participants.filter(person=user).exists()
    ):
        raise NotAllowed(gettext("You are not invited to this study. Ask its lead."))
    return found
