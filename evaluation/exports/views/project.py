"""Portable files on pages: an export in the background, an upload with its preview, and the benchmark out of it."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.common.uploads import upload_room
from annotation.workflow import Right
from evaluation.exports.forms import AddressForm, ExportForm, ProjectFileForm, UpdateForm
from evaluation.exports.present import differences_in, runs_in_preview
from evaluation.exports.read.room import portable_room
from evaluation.exports.read.run_changes import RunKind
from evaluation.exports.write import files, uploads
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import takes_files
from webapp.common.errors import InvalidInput, errors_said_in
from webapp.common.htmx import render_page
from webapp.jobs.models import Job


@login_required
@require_POST
def start_export(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have a job write the posted ``version`` ("": working state) with the posted ``people`` and ``runs``."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = ExportForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(" ".join(str(error) for errors in form.errors.values() for error in errors))
    given = form.cleaned_data
    job = files.start_export(
        actor=request.user, benchmark=benchmark, number=given["version"], named=given["people"] == "named",
        with_runs=given["runs"],
    )  # fmt: skip
    return redirect(job)


@login_required
@require_safe
def export_file(request: SignedInRequest, slug: str, job_id: UUID) -> FileResponse:
    """The file that a job wrote."""
    job = files.export_of(load_benchmark(request, slug, Right.MANAGE), job_id)
    name, stream = files.written_file(job)
    return FileResponse(stream, as_attachment=True, filename=name, content_type="application/octet-stream")


@takes_files(portable_room)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_from_file(request: SignedInRequest) -> HttpResponse:
    """Template evaluation/exports/new_from_file.html; context: form. A posted file is stored and then read by a job."""
    uploads.require_creator(request.user)
    form = ProjectFileForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            made = uploads.upload_file(actor=request.user, file=form.cleaned_data["file"])
            return redirect("evaluation:portable-upload", made.pk)
    status = 400 if form.errors else 200
    return render(request, "evaluation/exports/new_from_file.html", {"form": form}, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Template evaluation/exports/upload.html and its piece _upload.html; context: upload, job, form. Posting ``slug``
    makes the benchmark; the sender leads it."""
    uploads.require_creator(request.user)
    found = uploads.upload_of(request.user, pk)
    form = AddressForm(request.POST if request.method == "POST" else None, initial={"slug": found.preview.get("slug")})
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            uploads.create_benchmark_from(actor=request.user, upload=found, slug=form.cleaned_data["slug"])
            return redirect("evaluation:portable-upload", pk)
    job = Job.objects.filter(pk=found.job_id).first() if found.works else None
    context = {"upload": found, "job": job, "form": form}
    status = 400 if form.errors else 200
    return render_page(
        request, "evaluation/exports/upload.html", "evaluation/exports/_upload.html", context, status=status
    )


@takes_files(upload_room(Right.MANAGE))
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_update(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/exports/new_update.html; context: form. A posted file is stored and compared by a job."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = ProjectFileForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            given = form.cleaned_data["file"]
            made = uploads.upload_file(actor=request.user, file=given, benchmark=benchmark)
            return redirect("evaluation:portable-update", slug, made.pk)
    context = {**benchmark_context(request, benchmark, "export"), "form": form}
    return render(request, "evaluation/exports/new_update.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def update(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Template evaluation/exports/update.html and its piece _update.html; context: upload, job, form, groups (samples
    of the preview by kind), runs (that differ), adds_runs. Posting starts the update with the posted choices."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = uploads.upload_of(request.user, pk, benchmark)
    form = UpdateForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            choices = form.cleaned_data["conflicts"]
            uploads.update_benchmark_from(actor=request.user, upload=found, choices=choices)
            return redirect("evaluation:portable-update", slug, pk)
    job = Job.objects.filter(pk=found.job_id).first() if found.works else None
    found.preview = uploads.preview_known_to(request.user, found)
    context = {
        **benchmark_context(request, benchmark, "export"),
        "upload": found,
        "job": job,
        "form": form,
        "groups": differences_in(found.preview),
        "runs": (runs := runs_in_preview(found.preview)),
        "adds_runs": any(one.kind in (RunKind.ADDED, RunKind.MARKED) for one in runs),
    }
    status = 400 if form.errors else 200
    return render_page(
        request, "evaluation/exports/update.html", "evaluation/exports/_update.html", context, status=status
    )
