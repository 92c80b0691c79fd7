"""The replays of a run: the number kept, the reasons why others are not, and the job that makes them."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark, rights_in
from annotation.common.tabs import tabs_of
from annotation.workflow import Right
from evaluation.models import Replay, Run, Trajectory
from evaluation.models.querysets.live import on_samples
from evaluation.replay.run import WORDS, Outcome
from evaluation.scoring.replays import run as replays
from webapp.accounts.http import SignedInRequest
from webapp.jobs.models import Job

BECAME = (
    (replays.KEPT, gettext_lazy("replayed and saved")),
    (replays.ALREADY, gettext_lazy("already saved")),
    (replays.NO_PICTURE, gettext_lazy("not replayed: no image")),
    (replays.NO_CALL, gettext_lazy("not replayed: no call can be replayed")),
)


@dataclass(frozen=True)
class Told:
    """The result of a job: trajectories and calls as (label, count), and the reasons, the most frequent first."""

    job: Job
    became: list[tuple[str, int]]
    calls: list[tuple[str, int]]
    reasons: list[tuple[str, int]]


@require_safe
def run_replays(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/runs/replays.html; context: run, rights, total (trajectories with calls), kept, ``told``
    (``Told`` or None), live (a job is running).
    """
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    run = get_object_or_404(Run.objects.of(benchmark), pk=pk)
    job, rights = replays.last_job(run), rights_in(request, benchmark)
    context = {
        "benchmark": benchmark, "run": run, "rights": rights, "job": job, **tabs_of(benchmark, rights, "runs"),
        "total": Trajectory.objects.filter(run=run, steps__isnull=False).distinct().count(),
        "kept": Replay.objects.filter(on_samples("trajectory__"), trajectory__run=run).count(),
        "told": _told(job) if job else None, "live": job is not None and job.state in Job.LIVE,
    }  # fmt: skip
    return render(request, "evaluation/runs/replays.html", context)


@login_required
@require_POST
def keep(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Replay the run in a job."""
    run = get_object_or_404(Run.objects.of(load_benchmark(request, slug, Right.SCORE)), pk=pk)
    replays.queue_run_replays(actor=request.user, run=run)
    messages.success(
        request, gettext("The run is being replayed in the background. Saved replays are kept if you cancel the job.")
    )
    return redirect("evaluation:run-replays", slug, pk)


@login_required
@require_POST
def drop(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Discard the replays and use the recorded results again, for the entire run."""
    run = get_object_or_404(Run.objects.of(load_benchmark(request, slug, Right.SCORE)), pk=pk)
    count = replays.drop_run_replays(actor=request.user, run=run)
    message = ngettext(
        "%(count)s replay was discarded. Rescore the run to use the recorded values.",
        "%(count)s replays were discarded. Rescore the run to use the recorded values.",
        count,
    )
    messages.success(request, message % {"count": count})
    return redirect("evaluation:run-replays", slug, pk)


def _told(job: Job) -> Told:
    """Return the result of a finished job, or the progress of a running or stopped one."""
    receipt = replays.Receipt.read(job.result or job.checkpoint)
    return Told(
        job,
        [(str(words), receipt.of[name]) for name, words in BECAME if receipt.of[name]],
        [(WORDS[one], receipt.calls[one.value]) for one in Outcome if receipt.calls[one.value]],
        receipt.reasons.most_common(),
    )
