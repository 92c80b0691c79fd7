"""Saved slices: what each of them holds, with the metrics of every run on it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.access import known_to, roles_of
from annotation.common.loading import load_benchmark, rights_in
from annotation.common.tabs import tabs_of
from annotation.workflow import Right
from evaluation.common.slices import SliceRow, SliceTable, read_slices, saved_slices
from evaluation.common.staleness import staleness
from evaluation.common.terms import narrowing, terms_of
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.selection import LEADING
from evaluation.models import Run, SavedSlice
from evaluation.query.tokens import quoted
from evaluation.trajectories.read.failures import FailureAgreement, read_failure_agreement
from evaluation.trajectories.write.slices import delete_slice, save_slice
from webapp.accounts.http import SignedInRequest


@require_safe
def slices(request: HttpRequest, slug: str) -> HttpResponse:
    """Template: evaluation/trajectories/slices/slices.html."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    runs = list(Run.objects.of(benchmark))
    address = reverse("evaluation:trajectories", args=[slug])
    tables = read_slices(benchmark, runs, list(saved_slices(benchmark, request.user)))
    rights = rights_in(request, benchmark)
    context = {
        "benchmark": benchmark, "member": bool(roles_of(request.user, benchmark)),
        "metrics": [METRICS[name] for name in LEADING],
        "failures": [_agreeing(one, address) for one in read_failure_agreement(benchmark, request.user)],
        "tables": [_shown(table, address) for table in tables],
        "named": known_to(request.user, benchmark).marks,
        "rights": rights, **tabs_of(benchmark, rights, "slices"), **staleness(benchmark, runs),
    }  # fmt: skip
    return render(request, "evaluation/trajectories/slices/slices.html", context)


@login_required
@require_POST
def save(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: ``name``; the address says what the list is."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    query = query_text(narrowing(terms_of(request)))
    made = save_slice(actor=request.user, benchmark=benchmark, name=request.POST.get("name", ""), query=query)
    messages.success(request, gettext("Slice %(name)s saved.") % {"name": made.name})
    return redirect("evaluation:slices", slug)


@login_required
@require_POST
def delete(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    saved = get_object_or_404(SavedSlice.objects.filter(benchmark=benchmark).select_related("benchmark"), pk=pk)
    delete_slice(actor=request.user, saved=saved)
    messages.success(request, gettext("Slice %(name)s deleted.") % {"name": saved.name})
    return redirect("evaluation:slices", slug)


def query_text(terms: dict[str, str]) -> str:
    """The terms of an address as one query."""
    signs = {"ioa_above": ("ioa", " > "), "ioa_upto": ("ioa", " <= ")}
    parts = []
    for name, value in terms.items():
        field, sign = signs.get(name, (_field(name), ":"))
        parts.append(
            f"({value})"
            if name == "q" and len(terms) > 1
            else value
            if name == "q"
            else f"{field}{sign}{quoted(value)}"
        )
    return " and ".join(parts)


def _field(name: str) -> str:
    return f"facet.{quoted(name.removeprefix('facet.'))}" if name.startswith("facet.") else name


def _agreeing(one: FailureAgreement, address: str) -> dict[str, Any]:
    href = f"{address}?{urlencode(one.terms)}"
    return {"names": one.names, "found": one.found, "same": one.same, "n": one.n, "href": href}


def _shown(table: SliceTable, address: str) -> dict[str, Any]:
    terms = {"q": table.saved.query}
    return {
        "saved": table.saved, "total": table.total, "error": table.error, "href": f"{address}?{urlencode(terms)}",
        "rows": [_row(row, None if table.names_run else f"{address}?{urlencode({**terms, 'run': row.run.pk})}")
                 for row in table.rows],
    }  # fmt: skip


def _row(row: SliceRow, href: str | None) -> dict[str, Any]:
    return {"run": row.run, "n": row.n, "href": href, "cells": [row.metrics.get(name) for name in LEADING]}
