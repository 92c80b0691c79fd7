"""The assignment rules of a benchmark's samples: one form among its settings."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.rules import rules_of
from annotation.common.sections import settings_context
from annotation.queue.forms import AdjudicationForm, QueueForm
from annotation.queue.settings import set_adjudication, set_queue
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def queue_settings(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/benchmarks/queue.html; context: form, adjudication (AdjudicationForm), checks_run. Posted:
    the fields of ``QueueForm``; or ``part`` "adjudication" and those of ``AdjudicationForm``."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    rule = request.POST.get("part") == "adjudication"
    posted = request.POST if request.method == "POST" else None
    form = QueueForm(benchmark, None if rule else posted)
    adjudication = AdjudicationForm(benchmark, posted if rule else None)
    sent: forms.Form = adjudication if rule else form
    if posted is not None and sent.is_valid():
        with errors_said_in(sent):
            store = set_adjudication if rule else set_queue
            changed = store(actor=request.user, benchmark=benchmark, **sent.cleaned_data)
            named = ", ".join(str(sent.fields[name].label).removesuffix(", %").lower() for name in changed)
            messages.success(
                request,
                gettext("Changed: %(fields)s.") % {"fields": named} if changed else gettext("No changes to save."),
            )
            return redirect("annotation:queue-settings", slug)
    context = {
        **settings_context(request, benchmark, "queue"),
        "form": form,
        "adjudication": adjudication,
        "checks_run": rules_of(benchmark).checks_run,
    }
    return render(request, "annotation/benchmarks/queue.html", context, status=400 if sent.errors else 200)
