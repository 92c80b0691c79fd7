"""The lineages of a benchmark, the page of one lineage over its steps, and forms that assign a run to a step."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Max
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.lineage.write import place_of, place_run
from evaluation.common.terms import query_error
from evaluation.common.vocabulary import query_vocabulary
from evaluation.exporters.tables import writes_parquet
from evaluation.lineages.forms import DescriptionForm, PlaceForm
from evaluation.lineages.present.curves import SMOOTHINGS, panels_of
from evaluation.lineages.present.export import FORMATS, lineage_file
from evaluation.lineages.present.page import columns_of, flips_of, heads_of, rows_of, separation_words
from evaluation.lineages.read import Series, content_number, live_runs, load_series, runs_of
from evaluation.lineages.write import delete_lineage, describe_lineage
from evaluation.models import Lineage, Run
from evaluation.scoring.queue import scoring_under_way
from evaluation.scoring.settings import settings_of
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError
from webapp.common.htmx import render_page
from webapp.common.http import Request

ON_A_PAGE = 50
"""Checkpoints on a page of the table; the curves and the files have all."""


@require_safe
def lineages(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/lineages/lineages.html; context: lineages (with runs_n, first_step, last_step)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    found = list(benchmark.lineages.with_steps().order_by("name"))
    context = {**benchmark_context(request, benchmark, "lineages"), "lineages": found}
    return render(request, "evaluation/lineages/lineages.html", context)


@require_safe
def lineage(request: Request, slug: str, pk: int) -> HttpResponseBase:
    """Template evaluation/lineages/lineage.html and its piece evaluation/lineages/_series.html, which is polled while
    rows arrive. Address: ?setting= (if runs share a step) &q=QUERY (its samples) &from=RUN&to=RUN (flips between them)
    &smooth=3|5|9 &page=N (of the table) &format=csv|json|jsonl|parquet|md|tex|svg|png (these numbers as a file).

    Context: lineage, series, panels, heads, rows, page (of points, those of the rows), finding and basis (texts),
    flips, smooth, smoothings, formats, form (description of the training, for people who import runs), error (of the
    query).
    """
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    found = get_object_or_404(benchmark.lineages.select_related("benchmark"), pk=pk)
    runs = runs_of(found)
    # The ETag covers the inputs of the state, so that polling an unchanged state costs almost nothing.
    state = _state(request, benchmark, found, runs) if request.htmx and not request.GET.get("q") else ""
    if state and (same := get_conditional_response(request, etag=state)) is not None:
        return same
    query = request.GET.get("q", "").strip()
    error = query_error(query, query_vocabulary(benchmark, runs, request.user)) if query else None
    smooth = next((one for one in SMOOTHINGS if str(one) == request.GET.get("smooth")), 0)
    series = load_series(
        found, setting=request.GET.get("setting", ""), query="" if error else query, person=request.user, runs=runs,
        between=(_number(request, "from"), _number(request, "to")),
    )  # fmt: skip
    if (format := request.GET.get("format", "")) and error is None:
        if format not in FORMATS:
            raise Http404(gettext("Formats: %(formats)s.") % {"formats": ", ".join(FORMATS)})
        return lineage_file(series, format, smooth)
    context = {
        **benchmark_context(request, benchmark, "lineages"), **_shown(series, smooth, request.GET.get("page")),
        "lineage": found, "q": query, "error": error, "terms": _others(request),
    }  # fmt: skip
    if context["rights"]["import_runs"]:
        context["form"] = DescriptionForm.of(found)
    page, piece = "evaluation/lineages/lineage.html", "evaluation/lineages/_series.html"
    answer = render_page(request, page, piece, context, status=400 if error else 200)
    if state and not error:
        answer.headers["ETag"] = state
        answer.headers["Cache-Control"] = "private, no-cache"
    return answer


def _shown(series: Series, smooth: int, number: str | None) -> dict[str, Any]:
    page = Paginator(series.points, ON_A_PAGE).get_page(number)
    finding, basis = separation_words(series)
    return {
        "series": series,
        "panels": panels_of(series, smooth),
        "heads": heads_of(columns_of(series)),
        "page": page,
        "rows": rows_of(series, page),
        "finding": finding,
        "basis": basis,
        "flips": flips_of(series),
        "smooth": smooth,
        "smoothings": SMOOTHINGS,
        "formats": [name for name in FORMATS if name != "parquet" or writes_parquet()],
        "stale": [point for point in series.points if point.stale],
    }


def _state(request: Request, benchmark: Any, lineage: Lineage, runs: list[Run]) -> str:
    """Return an ETag of everything that the piece shows without a query: the person and the address, and the states of
    runs, gold, settings and rewards.
    """
    scored = [(run.pk, run.revision, run.step, run.setting, run.note, _scored(run)) for run in runs]
    number = content_number(benchmark)
    job = scoring_under_way(benchmark)
    parts = (
        request.user.pk, get_language(), request.get_full_path(), lineage.name, scored, number,
        sorted(live_runs(benchmark, runs)), job.pk if job else None, str(settings_of(benchmark)),
        benchmark.rollout_groups.aggregate(last=Max("rollouts"), n=Count("rollouts__reward_final")),
    )  # fmt: skip
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def _scored(run: Run) -> tuple[Any, ...]:
    scoring = getattr(run, "scoring", None)
    return (scoring.computed_at, scoring.stale) if scoring else ()


def _others(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the terms of the address that a query leaves unchanged."""
    return [(name, value) for name in ("setting", "smooth") if (value := request.GET.get(name, ""))]


def _number(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else None


@login_required
@require_POST
def describe(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Change the description of a lineage. Posted: the fields of ``DescriptionForm``."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    found = get_object_or_404(benchmark.lineages.select_related("benchmark"), pk=pk)
    form = DescriptionForm(request.POST)
    if form.is_valid():
        try:
            describe_lineage(actor=request.user, lineage=found, values=form.values())
        except ApplicationError as error:
            if error.status == 403:
                raise
            messages.warning(request, error.message)
        else:
            messages.success(request, gettext("Saved."))
    else:
        messages.warning(request, gettext("A lineage needs a name of at most 200 characters."))
    return redirect("evaluation:lineage", slug, pk)


@login_required
@require_POST
def delete(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a lineage; its runs stay."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    found = get_object_or_404(benchmark.lineages.select_related("benchmark"), pk=pk)
    delete_lineage(actor=request.user, lineage=found)
    messages.success(request, gettext("Deleted the lineage %(name)s. Its runs stay.") % {"name": found.name})
    return redirect("evaluation:lineages", slug)


@login_required
@require_POST
def place(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Put a run at a step of a lineage, or take it out. Posted: the fields of ``PlaceForm``."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    run = get_object_or_404(Run.objects.of(benchmark).select_related("model", "benchmark", "lineage"), pk=pk)
    form = PlaceForm(request.POST)
    try:
        wanted = place_of(*(str(form.data.get(name, "")) for name in ("lineage", "step")))
        place_run(actor=request.user, run=run, place=wanted, move=True)
    except ApplicationError as error:
        if error.status == 403:
            raise
        messages.warning(request, error.message)
    else:
        message = (
            gettext("%(run)s is step %(step)s of %(lineage)s.") if wanted else gettext("%(run)s is in no lineage.")
        )
        names = {"step": wanted.step, "lineage": wanted.lineage} if wanted else {}
        messages.success(request, message % {"run": run, **names})
    return redirect("evaluation:run", slug, pk)
