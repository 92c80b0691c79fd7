"""Two portable files compared on a page, or a file and a state of a benchmark."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.project_file import Kind
from annotation.workflow import Right
from evaluation.exports.forms import ComparisonForm, TwoFilesForm
from evaluation.exports.present import named_tables, sample_rows, table_counts
from evaluation.exports.read.comparison import PAGE, compared, comparison_of
from evaluation.exports.read.room import comparison_room, two_files_room
from evaluation.exports.write import comparison as writes
from evaluation.exports.write.uploads import require_creator
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import takes_files
from webapp.common.errors import errors_said_in
from webapp.common.htmx import render_page

PIECE = "evaluation/exports/_comparison.html"


@takes_files(comparison_room)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_comparison(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/exports/new_comparison.html; context: form, versions. A job compares the posted file with the
    posted ``version`` ("": working state)."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    writes.require_lead(request.user, benchmark)
    form = ComparisonForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            given = form.cleaned_data
            job = writes.start_comparison(
                actor=request.user, files=[given["file"]], benchmark=benchmark, number=given["version"]
            )
            return redirect("evaluation:portable-difference", slug, job.pk)
    context = {
        **benchmark_context(request, benchmark, "export"),
        "form": form,
        "versions": benchmark.versions.order_by("-number"),
        "chosen": form["version"].value() or request.GET.get("version", ""),
    }
    return render(request, "evaluation/exports/new_comparison.html", context, status=400 if form.errors else 200)


@login_required
@require_safe
def difference(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Template evaluation/exports/comparison.html and its piece _comparison.html; context of ``_shown``. Address:
    ?page=N. Seven queries in addition to those of every page of a benchmark, for any number of samples."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    writes.require_lead(request.user, benchmark)
    context = {**benchmark_context(request, benchmark, "export"), **_shown(request, pk, benchmark)}
    return render_page(request, "evaluation/exports/comparison.html", PIECE, context)


@takes_files(two_files_room)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def two_files(request: SignedInRequest) -> HttpResponse:
    """Template evaluation/exports/two_files.html; context: form. A job compares the posted files."""
    require_creator(request.user)
    form = TwoFilesForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            given = form.cleaned_data
            job = writes.start_comparison(actor=request.user, files=[given["first"], given["second"]])
            return redirect("evaluation:file-difference", job.pk)
    return render(request, "evaluation/exports/two_files.html", {"form": form}, status=400 if form.errors else 200)


@login_required
@require_safe
def file_difference(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Template evaluation/exports/file_comparison.html and its piece _comparison.html; context of ``_shown``."""
    require_creator(request.user)
    return render_page(request, "evaluation/exports/file_comparison.html", PIECE, _shown(request, pk, None))


def _shown(request: HttpRequest, pk: UUID, benchmark: Any) -> dict[str, Any]:
    """job, and once it is done: summary, page, rows (of samples), tables (NamedTable), others (title and counts), title
    (of the first state)."""
    job = comparison_of(request.user, pk, benchmark)  # type: ignore[arg-type]  # signed in
    found = compared(job, request.user, benchmark)  # type: ignore[arg-type]  # signed in
    context: dict[str, Any] = {"job": job, "summary": None, "address": request.path}
    if found is None:
        return context
    listed: Any = found
    page = Paginator(listed, PAGE).get_page(request.GET.get("page"))
    return context | {
        "summary": found.summary,
        "counts": [(kind.value, found.summary["counts"][kind]) for kind in (Kind.ADDED, Kind.REMOVED, Kind.CHANGED)],
        "page": page,
        "rows": sample_rows(benchmark, list(page)),
        "tables": named_tables(found),
        "others": table_counts(found),
    }
