"""One import: its preview, its progress, its result; and the buttons on that page."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark, rights_in
from annotation.exchange.write.pictures import FORMAT as PICTURES
from annotation.exchange.write.records import WORKING, has_stopped
from annotation.workflow import Right
from evaluation.common.downloads import download
from evaluation.common.extraction.present import report_shown
from evaluation.common.extraction.read import read_extraction
from evaluation.common.links import RunLinks
from evaluation.exporters.tables import write_csv
from evaluation.imports.forms.choices import SPACES, ImportChoices
from evaluation.imports.present.record import (
    again_words,
    columns_shown,
    counted,
    five,
    issue_groups,
    keys_shown,
    run_words,
    settings_shown,
    strip,
)
from evaluation.imports.write import upload
from evaluation.imports.write.aliases import accept_alias, forget_alias
from evaluation.imports.write.preview.pictures import drawn
from evaluation.imports.write.replacement import replaceable
from evaluation.scoring.settings import settings_of
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError, Conflict, InvalidInput
from webapp.common.htmx import render_page
from webapp.common.paging import page_after
from webapp.common.translation import in_english
from webapp.jobs.models import Job

ISSUES = 100
RUNS_SHOWN = 4
ALIASES = 50
ISSUE_COLUMNS = ("severity", "rule", "file", "line", "row", "field", "found", "done")


@login_required
@require_safe
def record(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """Templates evaluation/imports/record.html and its piece evaluation/imports/_record.html. Context: record, job,
    live (whether the piece asks again), blocked, strip, groups, shown, choices; page (issues, once imported).

    Address: ?five=N (which five of the drawn records) &record=N (the one shown as read and raw) &after=KEY (issues).
    """
    found = _load(request, slug, record)
    if found.format == PICTURES:
        return redirect("annotation:upload-record", slug, record)
    return _page(request, found)


@login_required
@require_POST
def choose(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """Change the settings of the preview; the file is read again with them."""
    found = _load(request, slug, record)
    form = ImportChoices(request.POST)
    try:
        if not form.is_valid():
            field, errors = next(iter(form.errors.items()))
            raise InvalidInput(str(errors[0]), field=field)
        upload.update_choices(actor=request.user, record=found, choices=form.choices())
    except InvalidInput as error:
        return _page(request, found, error, status=200 if request.htmx else 400)
    return _back(slug, record)


@login_required
@require_POST
def read_again(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    upload.read_again(actor=request.user, record=_load(request, slug, record))
    return _back(slug, record)


@login_required
@require_POST
def alias(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """A name in the file means a sample from now on (empty: nothing again); the file is read again."""
    found = _load(request, slug, record)
    name, sample = request.POST.get("name", ""), request.POST.get("sample", "")
    try:
        if sample:
            accept_alias(actor=request.user, benchmark=found.benchmark, name=name, sample=sample)
        else:
            forget_alias(actor=request.user, benchmark=found.benchmark, name=name)
        upload.read_again(actor=request.user, record=found)
    except ApplicationError as error:
        if error.status == 403:
            raise
        messages.warning(request, error.message)
    return _back(slug, record)


@login_required
@require_POST
def other_kind(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """The runs of a file whose samples are imported, or the other way round."""
    twin = upload.other_kind(actor=request.user, record=_load(request, slug, record))
    return _back(slug, twin.pk)


@login_required
@require_POST
def commit(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """Start the import; if something blocks it meanwhile, the page shows the reason."""
    try:
        upload.commit(actor=request.user, record=_load(request, slug, record))
    except ApplicationError as error:
        if error.status != 409:
            raise
        messages.warning(request, error.message)
    return _back(slug, record)


@login_required
@require_safe
@in_english
def issues(request: SignedInRequest, slug: str, record: int) -> FileResponse:
    """Every issue of an import as CSV."""
    found = _load(request, slug, record)
    rows = found.issues.values(*ISSUE_COLUMNS).iterator(chunk_size=2000)
    return download(f"{slug}-import-{record}-issues.csv", lambda out: write_csv(out, rows, ISSUE_COLUMNS))


@login_required
@require_safe
def picture(request: SignedInRequest, slug: str, record: int, index: int, what: str) -> HttpResponse:
    """A small image of a drawn sample whose image is only in the upload so far."""
    response = HttpResponse(drawn(_load(request, slug, record), index, what), content_type="image/jpeg")
    response["Cache-Control"] = "private, max-age=600"
    return response


def _load(request: SignedInRequest, slug: str, record: int) -> Any:
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    found = get_object_or_404(benchmark.imports.select_related("created_by", "benchmark"), pk=record)
    if request.method == "POST" and found.format == PICTURES:
        raise Conflict(
            gettext("%(file_name)s contains only images. There is nothing to choose or commit.")
            % {"file_name": found.file_name}
        )
    return found


def _back(slug: str, record: int) -> HttpResponse:
    return redirect("evaluation:import-record", slug, record)


def _page(request: SignedInRequest, found: Any, error: InvalidInput | None = None, status: int = 200) -> HttpResponse:
    job = Job.objects.filter(pk=found.job_id).first() if found.job_id else None
    if found.state in WORKING and job is not None and not job.is_live:
        # The job may have ended since the record was read: what it left there, not that it stopped, is to be shown.
        found = get_object_or_404(found.benchmark.imports.select_related("created_by", "benchmark"), pk=found.pk)
    rights = rights_in(request, found.benchmark)
    may = rights[f"import_{found.kind}"]
    blocked = upload.blocking_reason(found)
    context = {
        "benchmark": found.benchmark,
        "record": found,
        "job": job,
        "live": found.state in WORKING and not has_stopped(found, job),
        "stopped": has_stopped(found, job),
        "rights": rights,
        "may": may,
        "blocked": blocked
        or ("" if may else gettext("Your role doesn't allow you to import %(kind)s.") % {"kind": found.kind}),
        "error": error,
        "upload_sha": found.upload.partition("/")[0],
        **settings_shown(found, rights, SPACES),
    }
    if found.state == "preview":
        context |= {
            "strip": strip(found),
            "read": report_shown(found.preview.get("answers"), settings=settings_of(found.benchmark)),
            "columns": columns_shown(found),
            "keys": keys_shown(found),
            "strangers": found.preview.get("strangers", []),
            "aliases": found.benchmark.sample_aliases.select_related("sample")[:ALIASES],
            "groups": issue_groups(found.preview.get("issues", []), found.file_name),
            "run_words": run_words(found),
            "again": again_words(found),
            "replaces": bool(found.options.get("replace")),
            "replaceable": replaceable(found.benchmark, found) if found.kind == "runs" else [],
            **five(found, request.GET.get("five", ""), request.GET.get("record", "")),
        }
    elif found.state == "reading":
        context |= five(found, request.GET.get("five", ""), request.GET.get("record", ""))
    elif found.state in ("done", "failed", "undone"):
        rows = found.issues.all()
        context |= {
            "strip": strip(found),
            "undone": counted(found.preview.get("undone", {})),
            "page": page_after(rows, request.GET.get("after", ""), order=("pk",), size=ISSUES),
            "runs": (runs := _runs(found)),
            "reports": _reports(found, runs, decides=rights["score"]),
        }
    page, piece = "evaluation/imports/record.html", "evaluation/imports/_record.html"
    return render_page(request, page, piece, context, status=status)


def _reports(found: Any, runs: list[Any], *, decides: bool) -> list[tuple[Any, dict[str, Any]]]:
    """Return how the answers of the scored runs among these were read; at most as many runs as are linked."""
    shown = []
    for run in runs[:RUNS_SHOWN]:
        [one] = read_extraction(found.benchmark, run.pk)
        if read := report_shown(one.report, links=RunLinks.of(run), decides=decides):
            shown.append((run, read))
    return shown


def _runs(found: Any) -> list[Any]:
    """The runs this import wrote to."""
    names = {(run["model"], run["setting"]) for run in found.preview.get("runs", [])}
    runs = found.benchmark.runs.select_related("model")
    return [run for run in runs if (run.model.name, run.setting) in names] if names else []
