"""The plan: work packages as bars with the range of their forecast."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.common.loading import load_benchmark
from annotation.common.work_pages import work_context
from annotation.models import Benchmark, WorkPackage
from annotation.planning.forms import PackageForm
from annotation.planning.present.plan import plan_of
from annotation.planning.write.packages import remove_package, save_package
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/planning/plan.html; context: see ``_page``. Posted: a new package. Address: ?query= fills the
    filter of the form."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    if request.method == "POST":
        return _save(request, benchmark, None)
    query = request.GET.get("query", "")
    return _page(request, benchmark, PackageForm(benchmark, initial={"query": query}), None, opened=bool(query))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def package(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The same page with the form of one package."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = get_object_or_404(benchmark.packages, pk=pk)
    if request.method == "POST":
        return _save(request, benchmark, found)
    form = PackageForm(benchmark, initial=PackageForm.values_of(found))
    return _page(request, benchmark, form, found, opened=True)


@login_required
@require_POST
def remove(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = get_object_or_404(benchmark.packages.select_related("benchmark"), pk=pk)
    remove_package(actor=request.user, package=found)
    messages.success(request, gettext("“%(title)s” is removed from the plan.") % {"title": found.title})
    return redirect("annotation:work-plan", slug)


def _save(request: SignedInRequest, benchmark: Benchmark, changed: WorkPackage | None) -> HttpResponse:
    form = PackageForm(benchmark, request.POST)
    if form.is_valid():
        with errors_said_in(form):
            saved = save_package(actor=request.user, benchmark=benchmark, package=changed, **form.cleaned_data)
            messages.success(request, gettext("“%(title)s” is saved.") % {"title": saved.title})
            return redirect("annotation:work-plan", benchmark.slug)
    return _page(request, benchmark, form, changed, opened=True, status=400)


def _page(
    request: SignedInRequest, benchmark: Benchmark, form: PackageForm, changed: WorkPackage | None, *, opened: bool,
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    """Context: plan (Plan), form, changed (the package in the form, or None), opened (the form is), and what
    ``work_context`` has."""
    context = {
        **work_context(request, benchmark, "plan"),
        "plan": plan_of(benchmark),
        "form": form,
        "changed": changed,
        "opened": opened,
    }
    return render(request, "annotation/planning/plan.html", context, status=status)
