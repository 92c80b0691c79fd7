"""The audit log of a benchmark: who did what, when, and why."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.benchmarks.read.log import KINDS, log_page, log_people
from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest


@login_required
@require_safe
def log(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/benchmarks/log.html; context: rows (LogRow), page, kinds, kind, people, person."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    kind = request.GET.get("kind", "")
    kind = kind if kind in KINDS else ""
    chosen = request.GET.get("person", "")
    person = int(chosen) if chosen.isascii() and chosen.isdigit() and len(chosen) < 19 else None
    rows, page = log_page(benchmark, request.user, kind=kind, person=person, after=request.GET.get("after", ""))
    context = settings_context(request, benchmark, "log")
    context |= {
        "rows": rows, "page": page, "kinds": KINDS.items(), "kind": kind,
        "people": log_people(benchmark), "person": person, "after": request.GET.get("after", ""),
    }  # fmt: skip
    return render(request, "annotation/benchmarks/log.html", context)
