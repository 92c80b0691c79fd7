"""The page of the settings on which a lead lets annotators see boxes of models."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.content.suggestions import allow_suggestions, allows_suggestions
from annotation.studio.forms import SuggestionsForm
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def suggestions(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/studio/suggestions.html; context: form (SuggestionsForm: allowed). Posted: allowed."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    posted = request.POST if request.method == "POST" else None
    form = SuggestionsForm(posted, initial={"allowed": allows_suggestions(benchmark)})
    if form.is_valid():
        allowed = form.cleaned_data["allowed"]
        allow_suggestions(actor=request.user, benchmark=benchmark, allowed=allowed)
        on, off = gettext("Annotators see the boxes of models."), gettext("Annotators see no boxes of models.")
        messages.success(request, on if allowed else off)
        return redirect("annotation:suggestions", slug)
    context = {**settings_context(request, benchmark, "suggestions"), "form": form}
    return render(request, "annotation/studio/suggestions.html", context)
