"""The list of benchmarks, and the page that makes one."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation.benchmarks.forms import NewBenchmarkForm
from annotation.benchmarks.present.cards import Card, cards_for, creates
from annotation.benchmarks.write.benchmark import create_benchmark, may_create
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import NotAllowed, errors_said_in
from webapp.common.http import Request

TAKE_BACK_MINUTES = 10
"""Of a benchmark that a person creates; existing ones and those of commands keep 0."""


@require_safe
def benchmarks(request: Request) -> HttpResponse:
    """Template annotation/benchmarks/benchmarks.html; context: cards, total, wanted (?q=, words of titles and
    addresses), creates. Five queries with the session's two."""
    cards, wanted = cards_for(request.user), request.GET.get("q", "").strip()
    found = [card for card in cards if _is_named(card, wanted.casefold().split())]
    return render(
        request,
        "annotation/benchmarks/benchmarks.html",
        {"cards": found, "total": len(cards), "wanted": wanted, "creates": creates(request.user, cards)},
    )


def _is_named(card: Card, words: list[str]) -> bool:
    name = f"{card.benchmark.title} {card.benchmark.slug}".casefold()
    return all(word in name for word in words)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_benchmark(request: SignedInRequest) -> HttpResponse:
    """Template annotation/benchmarks/new.html; context: form. Its creator becomes its lead."""
    if not may_create(request.user):
        raise NotAllowed(gettext("You can't create benchmarks on this site. Ask a site admin to create yours."))
    form = NewBenchmarkForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            made = create_benchmark(actor=request.user, take_back_minutes=TAKE_BACK_MINUTES, **form.cleaned_data)
            messages.success(request, gettext("%(title)s was created.") % {"title": made.title})
            return redirect("annotation:benchmark", made.slug)
    status = 400 if form.errors else 200
    return render(request, "annotation/benchmarks/new.html", {"form": form}, status=status)
