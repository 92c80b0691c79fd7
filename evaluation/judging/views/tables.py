"""The numbers of the agreement pages as files."""

from __future__ import annotations

from django.http import FileResponse, HttpRequest
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.quality.read.agreement import audience_of
from annotation.workflow import Right
from evaluation.common.downloads import download
from evaluation.exporters.tables import WRITERS
from evaluation.judging.read.tables import AGREEMENT_TABLES
from webapp.common.errors import NotFound
from webapp.common.translation import in_english

EXTENSIONS = ("csv", "json")


@require_safe
@in_english
def agreement_export(request: HttpRequest, slug: str, table: str, extension: str) -> FileResponse:
    """``table`` is one of ``AGREEMENT_TABLES``; the rows are those that this person sees on the page."""
    benchmark = load_benchmark(request, slug, Right.COMPARE_WORK)
    audience = audience_of(request.user, benchmark)
    if table not in AGREEMENT_TABLES or extension not in EXTENSIONS:
        raise NotFound(
            gettext("Unknown export %(table)s.%(extension)s. The agreement pages link to all exports.")
            % {"table": table, "extension": extension}
        )
    found = AGREEMENT_TABLES[table]
    rows = found.rows(benchmark, request.user, audience)
    return download(f"{slug}-{table}.{extension}", lambda out: WRITERS[extension](out, rows, found.columns))
