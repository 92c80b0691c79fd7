"""Uploading images by themselves: the page to drop them on, and what became of them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.common.uploads import UPLOADS, left_bytes, upload_room
from annotation.exchange.write.pictures import DUPLICATE, FORMAT, go_on, receive_pictures
from annotation.exchange.write.records import has_stopped
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import takes_files
from webapp.common.errors import ApplicationError, NotAllowed
from webapp.common.htmx import render_page
from webapp.common.limits import asking
from webapp.common.paging import page_after
from webapp.jobs.models import Job

ISSUES = 100
PAST = 10


@takes_files(upload_room(Right.IMPORT_SAMPLES))
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/exchange/upload.html; context: error, past (the last uploads), most (bytes), left (bytes the
    benchmark has room for), room (bytes that can be sent now), most_files.

    Posting files leads to the page of the upload; refused ones come back with the sentence.
    """
    benchmark = load_benchmark(request, slug, Right.IMPORT_SAMPLES)
    error = None
    if request.method == "POST":
        try:
            UPLOADS.take(asking(request))
            files: list[Any] = request.FILES.getlist("files")
            record = receive_pictures(actor=request.user, benchmark=benchmark, files=files)
        except NotAllowed:
            raise
        except ApplicationError as problem:
            error = problem
        else:
            return redirect("annotation:upload-record", slug, record.pk)
    context = {
        **benchmark_context(request, benchmark, "samples"),
        "error": error,
        "past": benchmark.imports.filter(format=FORMAT).select_related("created_by")[:PAST],
        "most": settings.MAX_UPLOAD_BYTES,
        "left": (left := left_bytes(benchmark)),
        "room": min(left, settings.MAX_UPLOAD_BYTES),
        "most_files": settings.DATA_UPLOAD_MAX_NUMBER_FILES,
    }
    return render(request, "annotation/exchange/upload.html", context, status=error.status if error else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload_record(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """Templates annotation/exchange/record.html and its piece annotation/exchange/_record.html; context: record, job,
    live (whether the piece asks again), stopped, page (issues, once it is done), known (keys of samples that have an
    image of the upload), request_key (of the forms that ask about them). Posting continues a stopped upload.
    """
    benchmark = load_benchmark(request, slug, Right.IMPORT_SAMPLES)
    found = get_object_or_404(benchmark.imports.select_related("benchmark"), pk=record, format=FORMAT)
    if request.method == "POST":
        go_on(actor=request.user, record=found)
        return redirect("annotation:upload-record", slug, record)
    job = Job.objects.filter(pk=found.job_id).first() if found.job_id else None
    page = page_after(found.issues.all(), request.GET.get("after", ""), order=("-severity", "pk"), size=ISSUES)
    repeated = [issue.found for issue in page.rows if issue.rule == DUPLICATE]
    context: dict[str, Any] = {
        **benchmark_context(request, benchmark, "samples"),
        "record": found,
        "job": job,
        "live": found.state == "running" and not has_stopped(found, job),
        "stopped": has_stopped(found, job),
        "page": page,
        "known": set(benchmark.samples.filter(key__in=repeated).values_list("key", flat=True)),
        "request_key": uuid4().hex,
    }
    return render_page(request, "annotation/exchange/record.html", "annotation/exchange/_record.html", context)
