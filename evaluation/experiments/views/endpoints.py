"""The endpoints of a benchmark: the chat APIs that its experiments can ask."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.common.access import allowed
from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.experiments.forms import EndpointForm
from evaluation.experiments.present.endpoints import cards_of, config_of
from evaluation.experiments.write.endpoints import add_endpoint, change_endpoint, remove_endpoint, test_endpoint
from evaluation.models import Endpoint
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def endpoints(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/endpoints.html; context: cards (EndpointCard), form (for leads, else None).
    Posted: the fields of ``EndpointForm``, which adds an endpoint."""
    benchmark = load_benchmark(request, slug, Right.MANAGE if request.method == "POST" else Right.IMPORT_RUNS)
    form = EndpointForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = add_endpoint(
                actor=request.user, benchmark=benchmark, name=form.cleaned_data["name"], values=form.values(),
                key=form.cleaned_data["key"],
            )  # fmt: skip
        except ApplicationError as error:
            if error.status == 403:
                raise
            form.add_error(error.field if error.field in form.fields else None, error.message)
        else:
            messages.success(request, gettext("Added %(name)s. Test it before the first experiment.") % {"name": made})
            return redirect("evaluation:endpoints", slug)
    context = {
        **benchmark_context(request, benchmark, "experiments"),
        "cards": cards_of(benchmark),
        "form": form if allowed(request.user, benchmark, Right.MANAGE) else None,
    }
    return render(request, "evaluation/experiments/endpoints.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/experiments/endpoint.html; context: endpoint, form, has_key, config (the labeling
    configuration of an ML backend without one of the lead, "" for others). Posted: the fields of ``EndpointForm``
    without the name; an empty key keeps the stored one."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    endpoint = get_object_or_404(benchmark.endpoints, pk=pk)
    form = EndpointForm(
        request.POST or None,
        initial={name: getattr(endpoint, name) for name in EndpointForm.base_fields if hasattr(endpoint, name)},
    )
    del form.fields["name"]
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_endpoint(
                actor=request.user, endpoint=endpoint, values=form.values(), key=form.cleaned_data["key"]
            )
        except ApplicationError as error:
            if error.status == 403:
                raise
            form.add_error(error.field if error.field in form.fields else None, error.message)
        else:
            message = (
                gettext("Changed: %(names)s.") % {"names": ", ".join(changed)}
                if changed
                else gettext("No changes to save.")
            )
            messages.success(request, message)
            return redirect("evaluation:endpoints", slug)
    context = {
        **benchmark_context(request, benchmark, "experiments"),
        "endpoint": endpoint,
        "form": form,
        "has_key": bool(endpoint.sealed_key),
        "config": config_of(benchmark, endpoint),
    }
    return render(request, "evaluation/experiments/endpoint.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def test(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Find out what an endpoint can do; the page of the job follows."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    job = test_endpoint(actor=request.user, endpoint=_load(benchmark, pk))
    return redirect(job.get_absolute_url())


@login_required
@require_POST
def remove(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    endpoint = _load(benchmark, pk)
    remove_endpoint(actor=request.user, endpoint=endpoint)
    messages.success(request, gettext("Removed %(name)s.") % {"name": endpoint})
    return redirect("evaluation:endpoints", slug)


def _load(benchmark: Any, pk: int) -> Endpoint:
    return get_object_or_404(Endpoint.objects.offered_to(benchmark), pk=pk)
