"""How a benchmark assigns its samples: one form among its settings."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.rules import rules_of
from annotation.common.sections import settings_context
from annotation.queue.forms import QueueForm
from annotation.queue.settings import set_queue
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def queue_settings(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/benchmarks/queue.html; context: form, checks_run. Posted: the fields of ``QueueForm``."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = QueueForm(benchmark, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            changed = set_queue(actor=request.user, benchmark=benchmark, **form.cleaned_data)
            named = ", ".join(str(form.fields[name].label).removesuffix(", %").lower() for name in changed)
            messages.success(
                request,
                gettext("Changed: %(fields)s.") % {"fields": named} if changed else gettext("No changes to save."),
            )
            return redirect("annotation:queue-settings", slug)
    context = {
        **settings_context(request, benchmark, "queue"),
        "form": form,
        "checks_run": rules_of(benchmark).checks_run,
    }
    return render(request, "annotation/benchmarks/queue.html", context, status=400 if form.errors else 200)
