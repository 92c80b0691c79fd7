"""Putting tags, notes and failures on trajectories, from the list and its preview."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotation.common.loading import load_benchmark
from annotation.workflow import Right
from evaluation.common.terms import opened_from, query_error, terms_of
from evaluation.common.vocabulary import query_vocabulary
from evaluation.models import Note, Run, Trajectory
from evaluation.models.querysets.live import of_shown
from evaluation.store.snapshot import Snapshot
from evaluation.store.trajectory_list import TrajectoryList
from evaluation.trajectories.present.facets import tags_facet
from evaluation.trajectories.read.marks import tags_on
from evaluation.trajectories.views.preview import preview_context, preview_piece
from evaluation.trajectories.write.marks import (
    correct_failure,
    delete_note,
    tag_trajectories,
    untag_trajectories,
    write_note,
)
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import InvalidInput


@login_required
@require_POST
def tag(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: ``tag``, ``whose`` ("mine" or all), ``off`` to remove it; ``trajectory``, or none: all of the list."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    one = request.POST.get("trajectory", "")
    chosen = [_trajectory(benchmark, one).pk] if one else _whole_list(request, benchmark)
    act = untag_trajectories if request.POST.get("off") else tag_trajectories
    n = act(
        actor=request.user,
        benchmark=benchmark,
        trajectories=chosen,
        name=request.POST.get("tag", ""),
        shared=request.POST.get("whose") != "mine",
    )
    if not one:
        off, name = bool(request.POST.get("off")), request.POST.get("tag", "")
        none, every = (
            gettext("No trajectory had the tag %(name)s."),
            gettext("All trajectories already had the tag %(name)s."),
        )
        unchanged = (none if off else every) % {"name": name}
        message = (
            gettext("Tag %(name)s removed from %(count)s.") if off else gettext("Tag %(name)s added to %(count)s.")
        )
        messages.success(request, message % {"name": name, "count": f"{n:,}"} if n else unchanged)
    elif getattr(request, "htmx", False):
        return _tagged(request, benchmark, int(one))
    return _back(request, slug, one)


def _tagged(request: SignedInRequest, benchmark: Any, pk: int) -> HttpResponse:
    """The preview with the updated tags of the list: the row, the facet, and an undo.

    Template evaluation/trajectories/_tagged.html; context in addition to that of the preview: facet (Facet, or None if
    the query of the list is invalid), row_tags, tag, off (whether it was removed), mine.
    """
    terms, runs = terms_of(request), list(Run.objects.of(benchmark))
    snapshot = Snapshot(benchmark, runs, request.user)
    readable = not query_error(terms.get("q", ""), query_vocabulary(benchmark, runs, request.user, snapshot))
    found = TrajectoryList(benchmark, runs, terms, request.user, snapshot) if readable else None
    context = preview_context(request, benchmark.slug, pk) | {
        "facet": tags_facet(found, terms) if found else None,
        "row_tags": tags_on([pk], request.user).get(pk, []),
        "tag": request.POST.get("tag", "").strip(),
        "off": bool(request.POST.get("off")),
        "mine": request.POST.get("whose") == "mine",
    }
    return render(request, "evaluation/trajectories/_tagged.html", context)


@login_required
@require_POST
def note(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Posted: ``text``; ``turn``, a number from 1, or none; ``region``, x1,y1,x2,y2 in pixels of the image, or none;
    ``image``, the SHA-256 of that image; ``on`` "trajectory": from its page, which is shown again."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    turn = request.POST.get("turn", "").strip()
    number = int(turn) if turn.isascii() and turn.isdigit() and len(turn) < 9 else None
    write_note(
        actor=request.user,
        trajectory=_trajectory(benchmark, str(pk)),
        text=request.POST.get("text", ""),
        turn=number,
        region=_region(request.POST.get("region", "").strip()),
        image=request.POST.get("image", "")[:64],
    )
    return _back(request, slug, str(pk))


@login_required
@require_POST
def note_delete(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    rows = Note.objects.filter(of_shown("trajectory__"), trajectory__run__benchmark=benchmark).select_related(
        "trajectory__run__benchmark"
    )
    found: Note = get_object_or_404(rows, pk=pk)
    delete_note(actor=request.user, note=found)
    return _back(request, slug, str(found.trajectory_id))


@login_required
@require_POST
def failure(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Posted: ``failure``, a name of ``evaluation.metrics.failures`` or none."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    correct_failure(
        actor=request.user, trajectory=_trajectory(benchmark, str(pk)), failure=request.POST.get("failure", "")
    )
    return _back(request, slug, str(pk))


def _trajectory(benchmark: Any, pk: str) -> Trajectory:
    number = int(pk) if pk.isascii() and pk.isdigit() and len(pk) < 19 else 0
    rows = Trajectory.objects.of(benchmark).select_related("run__benchmark")
    found: Trajectory = get_object_or_404(rows, pk=number)
    return found


def _region(text: str) -> tuple[float, float, float, float] | None:
    if not text:
        return None
    try:
        x1, y1, x2, y2 = map(float, text.split(","))
    except ValueError:
        message = gettext("A region is x1,y1,x2,y2 in pixels of the image, for example 120,80,400,260.")
        raise InvalidInput(message, code="region", field="region") from None
    return x1, y1, x2, y2


def _whole_list(request: SignedInRequest, benchmark: Any) -> list[int]:
    runs = list(Run.objects.of(benchmark))
    return list(TrajectoryList(benchmark, runs, terms_of(request), request.user).pks.tolist())


def _back(request: SignedInRequest, slug: str, shown: str) -> HttpResponse:
    """The preview again for htmx; the page of the trajectory for who came from it, else the list."""
    if shown and getattr(request, "htmx", False):
        return preview_piece(request, slug, int(shown))
    if shown and request.POST.get("on") == "trajectory":
        page = reverse("evaluation:trajectory", args=[slug, shown])
        return redirect(f"{page}?{urlencode({**opened_from(request), 'tab': 'notes'})}#more")
    terms = {**terms_of(request), **({"at": shown} if shown else {})}
    return redirect(f"{reverse('evaluation:trajectories', args=[slug])}?{urlencode(terms)}")
