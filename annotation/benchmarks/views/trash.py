"""Deleting a benchmark, and the deleted benchmarks of a person."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.benchmarks.forms import DeleteBenchmarkForm
from annotation.benchmarks.read.trash import deleted_benchmarks
from annotation.benchmarks.write.trash import delete_benchmark, purge_benchmark, restore_benchmark
from annotation.common.loading import load_benchmark
from annotation.common.trash import gone_at
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/benchmarks/delete.html; context: form, samples_n, versions_n, gone (when it is purged).
    Posted: the title, to confirm."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = DeleteBenchmarkForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            delete_benchmark(actor=request.user, benchmark=benchmark, title=form.cleaned_data["title"])
            messages.success(request, gettext("%(title)s is in the trash.") % {"title": benchmark.title})
            return redirect("annotation:trash")
    context = {
        "benchmark": benchmark, "form": form, "samples_n": benchmark.samples.count(),
        "versions_n": benchmark.versions.count(), "gone": gone_at(timezone.now()),
    }  # fmt: skip
    return render(request, "annotation/benchmarks/delete.html", context, status=400 if form.errors else 200)


@login_required
@require_safe
def trash(request: SignedInRequest) -> HttpResponse:
    """Template annotation/benchmarks/trash.html; context: benchmarks (Benchmark and when it is purged)."""
    found = [(one, gone_at(one.deleted_at)) for one in deleted_benchmarks(request.user)]
    return render(request, "annotation/benchmarks/trash.html", {"benchmarks": found})


@login_required
@require_POST
def restore(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take a benchmark out of the trash."""
    benchmark = get_object_or_404(deleted_benchmarks(request.user), slug=slug)
    restore_benchmark(actor=request.user, benchmark=benchmark)
    messages.success(request, gettext("%(title)s is restored.") % {"title": benchmark.title})
    return redirect("annotation:benchmark", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def purge(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/benchmarks/purge.html; context: benchmark. Posted: delete it permanently."""
    benchmark = get_object_or_404(deleted_benchmarks(request.user), slug=slug)
    if request.method == "POST":
        purge_benchmark(actor=request.user, benchmark=benchmark)
        messages.success(request, gettext("%(title)s is being deleted permanently.") % {"title": benchmark.title})
        return redirect("annotation:trash")
    return render(request, "annotation/benchmarks/purge.html", {"benchmark": benchmark})
