"""The import page of a benchmark: a place to drop a file, and everything imported so far."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.room import UPLOADS, left_bytes, upload_room
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.imports.forms.choices import UploadForm
from evaluation.imports.present.record import written
from evaluation.imports.write.upload import store_upload
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import takes_files
from webapp.common.errors import ApplicationError, NotAllowed
from webapp.common.limits import asking
from webapp.common.paging import page_after

PAGE = 30


@takes_files(upload_room(Right.IMPORT_RUNS))
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def imports(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/imports/imports.html; context: form, page, past (import records, each with the number
    of rows it wrote), most (bytes a file may have), left (bytes the
    benchmark has room for), room (bytes that can be sent now), rights.

    Posting a file leads to the page of its record; a file that is refused comes back with the sentence at its field.
    """
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    form = UploadForm()
    status = 200
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES)
        status = 400
        if form.is_valid():
            try:
                UPLOADS.take(asking(request))
                record = store_upload(
                    actor=request.user,
                    benchmark=benchmark,
                    file=form.cleaned_data["file"],
                    images=form.cleaned_data["images"],
                )
            except NotAllowed:
                raise
            except ApplicationError as error:
                form.add_error(error.field if error.field in form.fields else None, error.message)
                status = error.status
            else:
                return redirect("evaluation:import-record", slug, record.pk)
    records = benchmark.imports.select_related("created_by")
    page = page_after(records, request.GET.get("after", ""), order=("-created_at", "-pk"), size=PAGE)
    context = {
        **benchmark_context(request, benchmark, "import"),
        "form": form,
        "page": page,
        "past": [(record, written(record)) for record in page.rows],
        "most": settings.MAX_UPLOAD_BYTES,
        "left": (left := left_bytes(benchmark)),
        "room": min(left, settings.MAX_UPLOAD_BYTES),
    }
    return render(request, "evaluation/imports/imports.html", context, status=status)
