"""Deleting a run: what would go, and the button."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.workflow import Right
from evaluation.common.judging.write import losses_known_to
from evaluation.models import Run
from evaluation.runs.write import deletion_under_way, queue_delete_run, run_loss
from webapp.accounts.http import SignedInRequest


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_delete(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/runs/delete.html; context: run, loss (RunLoss), losses (of judging queues) and
    hidden (see ``losses_known_to``), job (that deletes it now)."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    run = get_object_or_404(Run.objects.of(benchmark), pk=pk)
    if request.method == "POST":
        queue_delete_run(actor=request.user, run=run)
        messages.success(request, gettext("%(run)s is being deleted in the background.") % {"run": run})
        return redirect("evaluation:runs", slug)
    loss = run_loss(run)
    losses, hidden = losses_known_to(request.user, benchmark, loss.queues)
    context = {
        "benchmark": benchmark, "run": run, "loss": loss, "losses": losses, "hidden": hidden,
        "job": deletion_under_way(run),
    }  # fmt: skip
    return render(request, "evaluation/runs/delete.html", context)
