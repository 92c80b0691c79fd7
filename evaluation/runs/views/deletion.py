"""Deleting a run: what goes to the trash, and the trash of a benchmark."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.common.trash import gone_at
from annotation.workflow import Right
from evaluation.common.judging.write import losses_known_to
from evaluation.models import Run
from evaluation.runs.read.trash import deleted_runs
from evaluation.runs.write import delete_run, empty_trash, restore_run, run_loss
from webapp.accounts.http import SignedInRequest


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_delete(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/runs/delete.html; context: run, loss (RunLoss), losses (of judging queues) and
    hidden (see ``losses_known_to``), gone (when it is purged)."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    run = get_object_or_404(Run.objects.of(benchmark), pk=pk)
    if request.method == "POST":
        delete_run(actor=request.user, run=run)
        messages.success(request, gettext("%(run)s is in the trash.") % {"run": run})
        return redirect("evaluation:runs", slug)
    loss = run_loss(run)
    losses, hidden = losses_known_to(request.user, benchmark, loss.queues)
    context = {
        "benchmark": benchmark, "run": run, "loss": loss, "losses": losses, "hidden": hidden,
        "gone": gone_at(timezone.now()),
    }  # fmt: skip
    return render(request, "evaluation/runs/delete.html", context)


@login_required
@require_safe
def trash(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/runs/trash.html; context: runs (Run and when it is purged)."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    runs = [(run, gone_at(run.deleted_at)) for run in deleted_runs(benchmark)]
    return render(
        request, "evaluation/runs/trash.html", {**settings_context(request, benchmark, "trash"), "runs": runs}
    )


@login_required
@require_POST
def restore(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Take a run out of the trash."""
    run = get_object_or_404(deleted_runs(load_benchmark(request, slug, Right.IMPORT_RUNS)), pk=pk)
    restore_run(actor=request.user, run=run)
    messages.success(request, gettext("%(run)s is restored. It is ranked in the background.") % {"run": run})
    return redirect("evaluation:trash", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def empty(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/runs/empty_trash.html; context: runs. Posted: delete them permanently."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    if request.method == "POST":
        count = empty_trash(actor=request.user, benchmark=benchmark)
        said = ngettext(
            "%(count)s run is being deleted permanently.", "%(count)s runs are being deleted permanently.", count
        )
        messages.success(request, said % {"count": count})
        return redirect("evaluation:trash", slug)
    return render(
        request, "evaluation/runs/empty_trash.html", {"benchmark": benchmark, "runs": deleted_runs(benchmark)}
    )
