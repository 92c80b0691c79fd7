"""The texts of a portable file that contain names of people."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.portable.read.version import version_named
from annotation.workflow import Right
from evaluation.exports.present import named_rows
from evaluation.exports.read.names import LONGEST_NUMBER, MOST, texts_with_names
from webapp.accounts.http import SignedInRequest
from webapp.common.htmx import render_page


@login_required
@require_safe
def names(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/exports/names.html and its piece _names.html, one part of the search from ``start=`` on;
    context: rows (text, words, href), part (``NamedTexts``), total (texts so far, with ``found=`` before), start, more
    (address of the next part), goes_on (whether it follows at once), version (``version=``: a frozen version, else
    None), versions.
    """
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    version = version_named(benchmark, request.GET.get("version", ""))
    start, before = request.GET.get("start", ""), request.GET.get("found", "")
    part = texts_with_names(benchmark, version, start)
    known = int(before) if before.isascii() and before.isdigit() and len(before) < LONGEST_NUMBER else 0
    total = known + len(part.listed)
    more = {"version": version.number if version else "", "start": part.next, "found": total}
    context = {
        **benchmark_context(request, benchmark, "export"),
        "rows": named_rows(benchmark, part.listed),
        "part": part,
        "total": total,
        "start": start,
        "more": f"?{urlencode(more)}" if part.next else "",
        "goes_on": len(part.listed) < MOST,
        "version": version,
        "versions": benchmark.versions.order_by("-number"),
    }
    return render_page(request, "evaluation/exports/names.html", "evaluation/exports/_names.html", context)
