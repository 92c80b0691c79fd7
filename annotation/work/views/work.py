"""The lead's Work page: samples by state, the work of each person, and current reservations."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.words import STATE_WORDS, Count
from annotation.common.work_pages import work_context
from annotation.models import Benchmark, Lease, Pause
from annotation.queue.forms import QueueForm
from annotation.queue.leases import queue_of
from annotation.queue.pauses import pause, resume
from annotation.queue.progress import whole_progress
from annotation.work.forms import PauseForm
from annotation.work.read import PersonAtWork, live_leases, open_problems, people_at_work
from annotation.work.write.leases import release_lease
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.accounts.models import User

SHOWN = ("assigned", "holds", "drafts", "returned", "waiting", "accepted", "submitted", "reviewed", "skipped")


@dataclass(frozen=True)
class PersonRow:
    """A person's numbers, each with a link to its samples."""

    at_work: PersonAtWork
    counts: dict[str, Count]


@login_required
@require_safe
def work(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/work/work.html; context: see ``work_page``."""
    return work_page(request, load_benchmark(request, slug, Right.MANAGE))


def work_page(request: SignedInRequest, benchmark: Benchmark, *, wrong: PauseForm | None = None) -> HttpResponse:
    """Context: states (sign, words, Count), whole (Whole), people (PersonRow), leases (Lease), problems (Problem),
    queue, order and blind as texts, pause (for everyone, or None), pause_form, pausing (the form is open:
    ?pause=PERSON), and the context of ``work_context``.
    """
    queue = queue_of(benchmark)
    people = people_at_work(benchmark)
    listed = reverse("annotation:work-samples", args=[benchmark.slug])
    whole = whole_progress(benchmark)
    context = {
        **work_context(request, benchmark, "overview"),
        "states": [
            (sign, word, _count(listed, "state", state, getattr(whole, _NAMES.get(state, state))))
            for state, (sign, word) in STATE_WORDS.items()
        ],
        "whole": whole,
        "people": [
            PersonRow(one, {kind: _count(listed, "work", f"{one.user.pk}:{kind}", one.work[kind]) for kind in SHOWN})
            for one in people
        ],
        "leases": live_leases(benchmark),
        "problems": open_problems(benchmark),
        "queue": queue,
        "order": QueueForm.orders[queue.order],
        "blind": QueueForm.blinds[queue.blind],
        "pause": Pause.objects.standing().filter(benchmark=benchmark, user=None).select_related("paused_by").first(),
        "pause_form": wrong or PauseForm(benchmark, initial={"user": request.GET.get("pause", "")}),
        "pausing": bool(wrong) or "pause" in request.GET,
    }
    return render(request, "annotation/work/work.html", context, status=400 if wrong else 200)


_NAMES = {"draft": "drafts"}


def _count(listed: str, name: str, value: str, n: int) -> Count:
    return Count(n, f"{listed}?{name}={value}" if n else "")


@login_required
@require_POST
def pause_work(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: reason, and user (the number of a member; none: everyone)."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = PauseForm(benchmark, request.POST)
    if not form.is_valid():
        return work_page(request, benchmark, wrong=form)
    pause(actor=request.user, benchmark=benchmark, **form.cleaned_data)
    messages.success(
        request,
        gettext("%(user)s is paused. Started samples can be finished.") % {"user": form.cleaned_data["user"]}
        if form.cleaned_data["user"]
        else gettext("Work is paused. Started samples can be finished."),
    )
    return redirect("annotation:work", slug)


@login_required
@require_POST
def resume_work(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: user (the number of a member; none: everyone)."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    user = _member(request, benchmark)
    lifted = resume(actor=request.user, benchmark=benchmark, user=user)
    if user:
        message = gettext("%(user)s resumed.") if lifted else gettext("%(user)s was not paused.")
    else:
        message = gettext("Work resumed.") if lifted else gettext("Work was not paused.")
    messages.success(request, message % {"user": user})
    return redirect("annotation:work", slug)


@login_required
@require_POST
def release(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """End the reservation of a sample."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    leases = Lease.objects.filter(sample__benchmark=benchmark).select_related("sample__benchmark", "user")
    lease = get_object_or_404(leases, pk=pk)
    release_lease(actor=request.user, lease=lease)
    messages.success(
        request,
        gettext("%(key)s is released. The draft of %(user)s is kept.") % {"key": lease.sample.key, "user": lease.user},
    )
    return redirect("annotation:work", slug)


def _member(request: HttpRequest, benchmark: Benchmark) -> User | None:
    number = request.POST.get("user", "")
    if not number:
        return None
    members = User.objects.filter(memberships__benchmark=benchmark).distinct()
    return get_object_or_404(members, pk=number if number.isdecimal() and len(number) < 19 else 0)
