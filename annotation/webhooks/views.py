"""The webhooks of a benchmark, under its settings."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.models import Benchmark, Webhook, WebhookDelivery
from annotation.webhooks.forms import ChangeForm, WebhookForm
from annotation.webhooks.present import kinds_words
from annotation.webhooks.write import (
    add_webhook,
    change_webhook,
    remove_webhook,
    renew_secret,
    send_again,
    send_test,
)
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in
from webapp.common.once import forget_once, keep_once, kept_once
from webapp.common.paging import page_after

ROWS = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/webhooks/webhooks.html; context: webhooks (pairs of Webhook and the labels of its kinds),
    form (WebhookForm), and the settings' sections. Posted: the fields of the form, which adds a webhook."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with errors_said_in(form):
            made, secret = add_webhook(actor=request.user, benchmark=benchmark, **form.cleaned_data)
            return _with_secret(request, made, secret)
    context = {
        **settings_context(request, benchmark, "webhooks"),
        "webhooks": [(one, kinds_words(one)) for one in benchmark.webhooks.all()],
        "form": form,
    }
    return render(request, "annotation/webhooks/webhooks.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template annotation/webhooks/webhook.html; context: webhook, kinds (their labels), secret (once after it was
    made, or ""), form (ChangeForm), page (rows: WebhookDelivery, has_next, after), and the settings' sections. Posted:
    the fields of the form. Address: ?after=KEY."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = _load(benchmark, pk)
    stored = {"url": found.url, "kinds": found.kinds}
    form = ChangeForm(request.POST if request.method == "POST" else None, initial=stored)
    if form.is_valid():
        with errors_said_in(form):
            change_webhook(actor=request.user, webhook=found, **form.cleaned_data)
            messages.success(request, gettext("Settings saved."))
            return redirect("annotation:webhook", slug, pk)
    secret = kept_once(request, _about(found))
    context = {
        **settings_context(request, benchmark, "webhooks"),
        "webhook": found,
        "kinds": kinds_words(found),
        "secret": secret,
        "form": form,
        "page": page_after(
            found.deliveries.all(), request.GET.get("after", ""), order=("-created_at", "-pk"), size=ROWS
        ),
    }
    response = render(request, "annotation/webhooks/webhook.html", context, status=400 if form.errors else 200)
    return forget_once(response) if secret else response


@login_required
@require_POST
def act(request: SignedInRequest, slug: str, pk: int, verb: str) -> HttpResponse:
    """Test, enable, disable or remove a webhook, or give it another secret: ``verb``."""
    found = _load(load_benchmark(request, slug, Right.MANAGE), pk)
    if verb == "secret":
        return _with_secret(request, found, renew_secret(actor=request.user, webhook=found))
    if verb == "remove":
        remove_webhook(actor=request.user, webhook=found)
        messages.success(request, gettext("The webhook is removed."))
        return redirect("annotation:webhooks", slug)
    if verb == "test":
        send_test(actor=request.user, webhook=found)
        messages.success(request, gettext("A test is on its way. Reload the page to see its result."))
    else:
        change_webhook(actor=request.user, webhook=found, active=verb == "enable")
    return redirect("annotation:webhook", slug, pk)


@login_required
@require_POST
def again(request: SignedInRequest, slug: str, pk: int, delivery: int) -> HttpResponse:
    """Send a delivery again."""
    found = _load(load_benchmark(request, slug, Right.MANAGE), pk)
    one = get_object_or_404(WebhookDelivery.objects.select_related("webhook__benchmark"), webhook=found, pk=delivery)
    send_again(actor=request.user, delivery=one)
    messages.success(request, gettext("It is on its way again, with the same ID."))
    return redirect("annotation:webhook", slug, pk)


def _load(benchmark: Benchmark, pk: int) -> Webhook:
    found: Webhook = get_object_or_404(Webhook.objects.select_related("benchmark"), benchmark=benchmark, pk=pk)
    return found


def _about(found: Webhook) -> str:
    return f"webhook {found.pk}"


def _with_secret(request: SignedInRequest, found: Webhook, secret: str) -> HttpResponse:
    answer: Any = redirect("annotation:webhook", found.benchmark.slug, found.pk)
    return keep_once(request, answer, _about(found), secret)
