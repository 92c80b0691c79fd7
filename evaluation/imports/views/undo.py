"""Undoing an import: what is removed, what prevents it, and the button."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.judging.write import losses_known_to
from evaluation.imports.present.record import counted
from evaluation.imports.write.plan import undo_plan
from evaluation.imports.write.undo import ask_undo
from evaluation.imports.write.upload import require_kind
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """Template evaluation/imports/undo.html. Context: record, plan, goes, losses and hidden (see
    ``losses_known_to``), conflict (what came in between). Posted:
    ``withdraw``, once the losses of judging queues are agreed to."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    found = get_object_or_404(benchmark.imports.select_related("benchmark", "created_by"), pk=record)
    require_kind(request.user, found)
    conflict = ""
    if request.method == "POST":
        try:
            ask_undo(actor=request.user, record=found, withdraw="withdraw" in request.POST)
        except Conflict as error:
            conflict = error.message
        else:
            return redirect("evaluation:import-record", slug, record)
    plan = undo_plan(found)
    losses, hidden = losses_known_to(request.user, benchmark, plan.queues)
    context = {
        **benchmark_context(request, benchmark, "import"),
        "record": found,
        "plan": plan,
        "losses": losses,
        "hidden": hidden,
        "goes": counted(plan.goes),
        "conflict": conflict,
    }
    return render(request, "evaluation/imports/undo.html", context, status=409 if conflict else 200)
