"""Deleting runs and samples: what goes to the trash, and the trash of a benchmark."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.access import allowed
from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.common.trash import gone_at
from annotation.workflow import Right
from evaluation.common.judging.write import losses_known_to
from evaluation.models import Run
from evaluation.trash.forms import RemoveSamplesForm
from evaluation.trash.read import deleted_runs, in_versions, removed_samples
from evaluation.trash.write.runs import delete_run, empty_trash, restore_run, run_loss
from evaluation.trash.write.samples import MOST, Removed, delete_samples, empty_samples, restore_sample
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import InvalidInput, errors_said_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_delete(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/trash/delete_run.html; context: run, loss (RunLoss), losses (of judging queues) and
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
    return render(request, "evaluation/trash/delete_run.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def samples_delete(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/trash/delete_samples.html; context: samples, withdrawn (those of frozen versions), form,
    gone (when the others are purged). Address: ?id=KEY, several times; posted the same, and the reason."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    sent = request.POST if request.method == "POST" else request.GET
    keys = list(dict.fromkeys(sent.getlist("id")))
    form = RemoveSamplesForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            said = form.cleaned_data["reason"]
            removed = delete_samples(actor=request.user, benchmark=benchmark, keys=keys, reason=said)
            messages.success(request, _removed_words(removed))
            return redirect("annotation:samples", slug)
    samples = list(benchmark.samples.filter(key__in=keys[:MOST]).order_by("key"))
    if not samples:
        raise InvalidInput(gettext("Choose at least one sample."), field="id")
    kept = in_versions(samples)
    form.fields["reason"].required = bool(kept)
    context = {
        "benchmark": benchmark, "form": form, "samples": samples, "gone": gone_at(timezone.now()),
        "withdrawn": [sample for sample in samples if sample.pk in kept],
    }  # fmt: skip
    return render(request, "evaluation/trash/delete_samples.html", context, status=400 if form.errors else 200)


def _removed_words(removed: Removed) -> str:
    deleted = ngettext("%(count)s sample is in the trash.", "%(count)s samples are in the trash.", removed.deleted)
    withdrawn = ngettext("%(count)s sample is withdrawn.", "%(count)s samples are withdrawn.", removed.withdrawn)
    said = [(removed.deleted, deleted), (removed.withdrawn, withdrawn)]
    return " ".join(words % {"count": count} for count, words in said if count)


@login_required
@require_safe
def trash(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/trash/trash.html; context: runs (Run and when it is purged), samples and withdrawn (the same
    of Sample; for leads), fills (whether anything can be purged)."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    runs = [(run, gone_at(run.deleted_at)) for run in deleted_runs(benchmark)]
    leads = allowed(request.user, benchmark, Right.MANAGE)
    removed = list(removed_samples(benchmark)) if leads else []
    samples = [(one, gone_at(one.deleted_at)) for one in removed if not one.withdrawn]
    context = {
        **settings_context(request, benchmark, "trash"), "runs": runs, "samples": samples,
        "withdrawn": [one for one in removed if one.withdrawn], "fills": bool(runs or samples),
    }  # fmt: skip
    return render(request, "evaluation/trash/trash.html", context)


@login_required
@require_POST
def restore(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Take a run out of the trash."""
    run = get_object_or_404(deleted_runs(load_benchmark(request, slug, Right.IMPORT_RUNS)), pk=pk)
    restore_run(actor=request.user, run=run)
    messages.success(request, gettext("%(run)s is restored. It is ranked in the background.") % {"run": run})
    return redirect("evaluation:trash", slug)


@login_required
@require_POST
def sample_restore(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Take a sample out of the trash, or reinstate a withdrawn one."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    sample = get_object_or_404(removed_samples(benchmark), pk=pk)
    restore_sample(actor=request.user, benchmark=benchmark, sample=sample)
    messages.success(request, gettext("%(key)s is restored.") % {"key": sample.key})
    return redirect("evaluation:trash", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def empty(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/trash/empty.html; context: runs, samples (for leads). Posted: delete them permanently."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    leads = allowed(request.user, benchmark, Right.MANAGE)
    if request.method == "POST":
        runs = empty_trash(actor=request.user, benchmark=benchmark)
        samples = empty_samples(actor=request.user, benchmark=benchmark) if leads else 0
        messages.success(request, _emptied_words(runs, samples))
        return redirect("evaluation:trash", slug)
    context = {
        "benchmark": benchmark, "runs": deleted_runs(benchmark),
        "samples": removed_samples(benchmark).filter(withdrawn="") if leads else [],
    }  # fmt: skip
    return render(request, "evaluation/trash/empty.html", context)


def _emptied_words(runs: int, samples: int) -> str:
    of_runs = ngettext(
        "%(count)s run is being deleted permanently.", "%(count)s runs are being deleted permanently.", runs
    )
    of_samples = ngettext(
        "%(count)s sample is being deleted permanently.", "%(count)s samples are being deleted permanently.", samples
    )
    said = [words % {"count": count} for count, words in ((runs, of_runs), (samples, of_samples)) if count]
    return " ".join(said) or gettext("The trash is empty.")
