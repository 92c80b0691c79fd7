"""The jobs pages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from webapp.accounts.http import SignedInRequest
from webapp.common.htmx import render_page
from webapp.common.paging import page_after
from webapp.jobs import actions
from webapp.jobs.models import Job

TABS = {
    "all": gettext_lazy("All"),
    "running": gettext_lazy("Running"),
    "failed": gettext_lazy("Failed"),
    "done": gettext_lazy("Done"),
}
PAGE_SIZE = 50
# Enough to read the error; the whole log of a long job would be megabytes each second.
LINES_SHOWN = 200


@login_required
@require_safe
def jobs(request: SignedInRequest) -> HttpResponse:
    """Templates jobs/list.html and its piece jobs/_list.html; context: page (rows, has_next, after), tabs (name,
    label, count, current), tab, counts (all, queued, running, done, failed, rejected,
    cancelled), everyone (shown, else mine),
    can_see_everyone, live (whether the piece should ask again).

    Address: ?tab=all|running|failed|done &who=everyone (site admins) &after=KEY. Five queries with the session's two.
    """
    everyone = request.user.is_staff and request.GET.get("who") == "everyone"
    seen = Job.objects.visible_to(request.user) if everyone else Job.objects.started_by(request.user)
    tab = request.GET.get("tab", "all")
    tab = tab if tab in TABS else "all"
    counts = seen.counts()
    rows = seen.in_tab(tab).select_related("created_by")
    context = {
        "page": page_after(rows, request.GET.get("after", ""), order=("-created", "-id"), size=PAGE_SIZE),
        "tabs": _tabs(counts, tab),
        "tab": tab,
        "counts": counts,
        "everyone": everyone,
        "can_see_everyone": request.user.is_staff,
        "live": bool(counts["queued"] + counts["running"]),
    }
    return render_page(request, "jobs/list.html", "jobs/_list.html", context)


def _tabs(counts: dict[str, int], current: str) -> list[dict[str, Any]]:
    """Return the label and count of each tab; the tabs contain the states of JobQuerySet.in_tab."""
    shown = {
        "all": counts["all"],
        "running": counts["queued"] + counts["running"],
        "failed": counts["failed"],
        "done": counts["done"] + counts["rejected"] + counts["cancelled"],
    }
    return [
        {"name": name, "label": label, "count": shown[name], "current": name == current} for name, label in TABS.items()
    ]


@login_required
@require_safe
def indicator(request: SignedInRequest) -> HttpResponse:
    """The jobs link in the bar. Template jobs/_indicator.html; context: live (how many of mine wait or run), failed
    (how many need me), newest (the live one that began last, or none).
    """
    mine = Job.objects.started_by(request.user)
    counts = mine.counts()
    context = {
        "live": counts["queued"] + counts["running"],
        "failed": counts["failed"],
        "newest": mine.live().first(),
    }
    return render(request, "jobs/_indicator.html", context)


@login_required
@require_safe
def job(request: SignedInRequest, job_id: UUID) -> HttpResponse:
    """Templates jobs/detail.html and its piece jobs/_detail.html; context: job, lines (the last 200: at, level,
    text), lines_left_out, live.
    """
    found = _job_for(request, job_id)
    newest = list(found.lines.order_by("-id")[: LINES_SHOWN + 1])
    context = {
        "job": found,
        "lines": newest[:LINES_SHOWN][::-1],
        "lines_left_out": len(newest) > LINES_SHOWN,
        "live": found.is_live,
    }
    return render_page(request, "jobs/detail.html", "jobs/_detail.html", context)


@login_required
@require_POST
def cancel(request: SignedInRequest, job_id: UUID) -> HttpResponse:
    stopped = actions.cancel(_job_for(request, job_id), actor=request.user)
    message = gettext("“%(job)s” stops at its next step.") if stopped.is_live else gettext("“%(job)s” stopped.")
    messages.success(request, message % {"job": stopped.title_words})
    return redirect(stopped)


@login_required
@require_POST
def retry(request: SignedInRequest, job_id: UUID) -> HttpResponse:
    again = actions.retry(_job_for(request, job_id), actor=request.user)
    messages.success(request, gettext("“%(job)s” will be retried.") % {"job": again.title_words})
    return redirect(again)


def _job_for(request: SignedInRequest, job_id: UUID) -> Job:
    """The job, if this person may see it; 404 for a stranger."""
    return get_object_or_404(Job.objects.visible_to(request.user).select_related("created_by"), pk=job_id)
