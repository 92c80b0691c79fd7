"""Audits for the lead: draws, rates and reasons of disagreement, proposals for reopening."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.words import Count, count_of
from annotation.models import AuditItem, Benchmark, Gold
from annotation.quality.forms import DrawAuditForm
from annotation.quality.present.sections import quality_context
from annotation.quality.read.agreement import facet_names
from annotation.quality.read.audits import AuditGroup, audit_rows, by_reason, grouped, proposals
from annotation.quality.write.audits import decide_proposal, draw_audit
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError


@dataclass(frozen=True)
class GroupRow:
    """A draw, or one value of a facet, with counts that link to the samples."""

    group: AuditGroup
    drawn: Count
    agreed: Count
    disagreed: Count
    overtaken: Count


@login_required
@require_safe
def audits(request: SignedInRequest, slug: str) -> HttpResponse:
    """See ``audits_page``. Address: ?by=FACET for the table by facet."""
    return audits_page(request, load_benchmark(request, slug, Right.MANAGE))


def audits_page(request: SignedInRequest, benchmark: Benchmark, *, draw: DrawAuditForm | None = None) -> HttpResponse:
    """Template annotation/quality/audits/audits.html; context: draws, everything, by_rows (GroupRow), reasons (code,
    Count), proposals (AuditItem), accepted_n, draw (form), by, facets, task (with the words of the reasons)."""
    facets = facet_names(benchmark)
    by = request.GET.get("by", "")
    by = by if by in facets else ""
    rows = audit_rows(benchmark, by)
    context: dict[str, Any] = {
        **quality_context(request, benchmark, "audits"),
        "draws": [_row(benchmark, one) for one in grouped(rows, lambda row: (str(row.item.draw.number),))],
        "everything": [_row(benchmark, one) for one in grouped(rows, lambda _: ("all",))],
        "by_rows": [_row(benchmark, one) for one in grouped(rows, lambda r: r.values or ("none",))] if by else [],
        "reasons": [(code, count_of(benchmark, keys)) for code, keys in by_reason(rows)],
        "proposals": proposals(rows),
        "accepted_n": Gold.objects.filter(sample__benchmark=benchmark, sample__state="accepted").count(),
        "draw": draw or DrawAuditForm(initial={"share": 5}),
        "facets": facets,
        "by": by,
        "task": benchmark.task,
    }
    wrong = draw is not None and draw.errors
    return render(request, "annotation/quality/audits/audits.html", context, status=400 if wrong else 200)


@login_required
@require_POST
def draw(request: SignedInRequest, slug: str) -> HttpResponse:
    """Draw the posted ``share`` (percent) of the accepted samples."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = DrawAuditForm(request.POST)
    if form.is_valid():
        try:
            made = draw_audit(actor=request.user, benchmark=benchmark, share=form.cleaned_data["share"] / 100)
        except ApplicationError as error:
            form.add_error("share", error.message)
        else:
            n = made.items.count()
            message = ngettext(
                "Audit %(audit)s: %(count)s sample selected for reviewers.",
                "Audit %(audit)s: %(count)s samples selected for reviewers.",
                n,
            )
            messages.success(request, message % {"audit": made.number, "count": n})
            return redirect("annotation:audits", slug)
    return audits_page(request, benchmark, draw=form)


@login_required
@require_POST
def settle(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """``outcome`` is "reopened" or "kept"; ``reason`` is optional."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    item = get_object_or_404(AuditItem.objects.of(benchmark).with_content(), pk=pk)
    item.sample.benchmark = item.draw.benchmark = benchmark
    outcome, reason = request.POST.get("outcome", ""), request.POST.get("reason", "").strip()[:2000]
    decide_proposal(actor=request.user, item=item, outcome=outcome, reason=reason)
    reopened = outcome == AuditItem.Outcome.REOPENED
    message = gettext("%(key)s is reopened for its author.") if reopened else gettext("%(key)s keeps its gold.")
    messages.success(request, message % {"key": item.sample.key})
    return redirect("annotation:audits", slug)


def _row(benchmark: Benchmark, group: AuditGroup) -> GroupRow:
    counts = (count_of(benchmark, keys) for keys in (group.drawn, group.agreed, group.disagreed, group.overtaken))
    return GroupRow(group, *counts)
