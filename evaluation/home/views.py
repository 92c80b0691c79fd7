"""The home page: what waits for me, my benchmarks, recent runs, jobs and news; for a visitor, what is public."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.benchmarks.present.cards import cards_for, creates, is_first_run, next_for, waiting_for
from annotation.samples.present.tiles import tile_of
from evaluation.common.frame import Drawn, Frame, drawn, frame_of
from evaluation.home.read.case import Case, find_case
from evaluation.home.read.news import activity_events, recent_runs
from webapp.accounts.models import User
from webapp.common.http import Request
from webapp.jobs.models import Job

JOBS_SHOWN = 5
PICTURE_SIDE = 960


@require_safe
def home(request: Request) -> HttpResponse:
    """Templates evaluation/home/home.html (signed in), home_visitor.html, home_first.html (no benchmark at all).

    Context: cards; signed in also today, waiting (rows: words, benchmark, count, href), next (a tile) or
    None and the address of its image, runs (RecentRun), jobs, news (Happening).
    """
    cards = cards_for(request.user)
    if not cards and is_first_run():
        return render(request, "evaluation/home/first.html", {})
    if not request.user.is_authenticated:
        return render(request, "evaluation/home/visitor.html", {"cards": cards, **_case(request)})
    return render(
        request,
        "evaluation/home/home.html",
        {"cards": cards, "creates": creates(request.user, cards), **_mine(request.user)},
    )


def _case(request: Request) -> dict[str, Any]:
    """``case`` or None; with one also ``frame``, ``evidence`` (its enlarged part of the image) and ``looks``."""
    case = find_case(request.user)
    frame = frame_of(case.benchmark.slug, case.sample) if case else None
    if case is None or frame is None:
        return {"case": None}
    looks = [
        (one, [{"box": one.crop, "turn": 1, "focused": True}], words)
        for one, words in ((case.seen, gettext("looked at the evidence")), (case.missed, gettext("looked elsewhere")))
    ]
    return {"case": case, "frame": frame, "evidence": _evidence(frame, case), "looks": looks}


def _evidence(frame: Frame, case: Case) -> dict[str, Any]:
    """The first evidence box with room around it, in the shape of the image."""
    box = next(iter(case.gold))
    width = max(4 * (box.x2 - box.x1), 4 * (box.y2 - box.y1) * frame.width / frame.height, 160)
    width = min(width, frame.width)
    height = width * frame.height / frame.width
    left = min(max((box.x1 + box.x2 - width) / 2, 0), frame.width - width)
    top = min(max((box.y1 + box.y2 - height) / 2, 0), frame.height - height)
    return {
        "src": frame.region((left, top, left + width, top + height), PICTURE_SIDE),
        "width": width,
        "height": height,
        "gold": [_moved(drawn(box), left, top)],
    }


def _moved(shape: Drawn, left: float, top: float) -> Drawn:
    """The evidence in pixels of a region, measured from its left upper corner."""
    moved = Drawn([shape[0] - left, shape[1] - top, shape[2] - left, shape[3] - top])
    moved.points = [[x - left, y - top] for x, y in shape.points]
    return moved


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
        "news": activity_events(user),
    }


def _large(sample: Any) -> str:
    """The full image of a sample, larger than its thumbnail."""
    whole = f"0,0,{sample.image.width},{sample.image.height}"
    return reverse("annotation:region", args=[sample.benchmark.slug, sample.image.sha256, whole, PICTURE_SIDE])
