"""The home page: what waits for me, my benchmarks, recent runs, jobs and news; for a visitor, what is public."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.views.benchmarks_cards import cards_for, creates, is_first_run, next_for, waiting_for
from annotation.views.tiles import tile_of
from evaluation.actions.read_home import happenings, recent_runs
from webapp.accounts.models import User
from webapp.common.http import Request
from webapp.jobs.models import Job

JOBS_SHOWN = 5
PICTURE_SIDE = 960


@require_safe
def home(request: Request) -> HttpResponse:
    """Templates evaluation/home.html (signed in), home_visitor.html, home_first.html (no benchmark at all).

    Context: cards; signed in also today, waiting (rows: words, benchmark, count, href), next (a tile) or
    None and the address of its picture, runs (RecentRun), jobs, news (Happening).
    """
    cards = cards_for(request.user)
    if not cards and is_first_run():
        return render(request, "evaluation/home_first.html", {})
    if not request.user.is_authenticated:
        return render(request, "evaluation/home_visitor.html", {"cards": cards})
    return render(
        request,
        "evaluation/home.html",
        {"cards": cards, "creates": creates(request.user, cards), **_mine(request.user)},
    )


def _mine(user: User) -> dict[str, Any]:
    waiting = waiting_for(user)
    upcoming = next_for(user, waiting)
    return {
        "today": timezone.now(),
        "waiting": waiting,
        "next": tile_of(upcoming.benchmark, upcoming) if upcoming else None,
        "picture": _large(upcoming) if upcoming else "",
        "runs": recent_runs(user),
        "jobs": Job.objects.started_by(user).unfinished()[:JOBS_SHOWN],
        "news": happenings(user),
    }


def _large(sample: Any) -> str:
    """The whole picture of a sample, larger than its thumbnail."""
    whole = f"0,0,{sample.image.width},{sample.image.height}"
    return reverse("annotation:region", args=[sample.benchmark.slug, sample.image.sha256, whole, PICTURE_SIDE])
