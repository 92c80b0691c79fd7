"""Opening one settled sample again, with what happened to it before the lead's eyes."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.common.sample import load_sample
from annotation.common.tabs import benchmark_context
from annotation.models import Gold, Sample
from annotation.queue.reopen import reopen_samples
from annotation.queue.timeline import timeline
from annotation.work.forms import ReopenForm
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def reopen_sample(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Template annotation/work/reopen.html; context: sample, form, request_key, events (Event), gold (or None).
    Posted: reopen-reason, reopen-to, key."""
    person, sample = load_sample(request, slug, key, Right.MANAGE)
    posted = request.method == "POST"
    form = ReopenForm(sample.benchmark, request.POST if posted else None, prefix="reopen")
    if posted and form.is_valid():
        with errors_said_in(form):
            receipt = reopen_samples(
                actor=person, benchmark=sample.benchmark, samples=Sample.objects.filter(pk=sample.pk),
                key=request.POST.get("key", "")[:80] or uuid4().hex, **form.cleaned_data,
            )  # fmt: skip
            for _, why in receipt.answer["refused"]:
                form.add_error(None, why)
        if form.is_valid():
            messages.success(
                request,
                gettext("%(key)s is reopened. Its gold stays until a new revision is accepted.") % {"key": sample.key},
            )
            return redirect("evaluation:sample", slug, sample.key)
    context = {
        **benchmark_context(request, sample.benchmark, "work"),
        "sample": sample,
        "form": form,
        "request_key": uuid4().hex,
        "events": timeline(sample, person),
        "gold": Gold.objects.filter(sample=sample).select_related("revision__author").first(),
    }
    return render(request, "annotation/work/reopen.html", context, status=400 if form.errors else 200)
