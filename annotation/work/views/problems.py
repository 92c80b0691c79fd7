"""Problems that people report while they annotate or review, and the lead's answer to them."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotation.common.loading import load_benchmark
from annotation.common.requests import answers_json, body_of, text_of
from annotation.common.sample import load_sample
from annotation.models import Problem
from annotation.queue.problems import report_problem, resolve_problem
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest


@require_POST
@answers_json
def report(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"text"} -> {}: by who annotates or reviews the sample."""
    person, sample = load_sample(request, slug, key, Right.VIEW)
    report_problem(actor=person, sample=sample, text=text_of(body_of(request), "text"))
    return JsonResponse({})


@login_required
@require_POST
def resolve(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Mark a problem as resolved, and go back to the list of problems."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = Problem.objects.filter(sample__benchmark=benchmark).select_related("sample__benchmark")
    problem = get_object_or_404(found, pk=pk)
    resolve_problem(actor=request.user, problem=problem)
    messages.success(request, gettext("The problem of %(key)s is resolved.") % {"key": problem.sample.key})
    return redirect("annotation:work", slug)
