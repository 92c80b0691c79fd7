"""The texts of a portable file that contain names of people."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.portable.read.version import version_named
from annotation.workflow import Right
from evaluation.exports.present import named_rows
from evaluation.exports.read.names import texts_with_names
from webapp.accounts.http import SignedInRequest


@login_required
@require_safe
def names(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/exports/names.html; context: rows (text, href), count, version (``version=``: a frozen
    version, else None), versions.
    """
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    version = version_named(benchmark, request.GET.get("version", ""))
    found = texts_with_names(benchmark, version)
    context = {
        **benchmark_context(request, benchmark, "export"),
        "rows": named_rows(benchmark, found.listed),
        "count": found.count,
        "version": version,
        "versions": benchmark.versions.order_by("-number"),
    }
    return render(request, "evaluation/exports/names.html", context)
