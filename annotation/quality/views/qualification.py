"""The qualification test: what it asks, and how annotators do on it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.rules import rules_of
from annotation.models import Benchmark
from annotation.quality.forms import QualificationForm, WaiveForm
from annotation.quality.present.sections import quality_context
from annotation.quality.read.qualification import candidates
from annotation.quality.write.qualification import set_qualification, waive
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in

STATES = {
    "passed": ("accepted", gettext_lazy("Passed")),
    "waived": ("accepted", gettext_lazy("Not needed")),
    "open": ("draft", gettext_lazy("In progress")),
    "failed": ("returned", gettext_lazy("Not passed, attempts left")),
    "out": ("discarded", gettext_lazy("Not passed, no attempt left")),
    "new": ("todo", gettext_lazy("Not begun")),
}
"""The sign and the words of a state of ``Candidate``."""


@login_required
@require_safe
def qualification(request: SignedInRequest, slug: str) -> HttpResponse:
    """See ``qualification_page``."""
    return qualification_page(request, load_benchmark(request, slug, Right.MANAGE))


def qualification_page(
    request: SignedInRequest,
    benchmark: Benchmark,
    *,
    rules: QualificationForm | None = None,
    waiving: WaiveForm | None = None,
) -> HttpResponse:
    """Template annotation/quality/qualification.html; context: rows (Candidate, with the sign and words of the state),
    stored (QualityRules), rules and waiving (forms)."""
    stored = rules_of(benchmark)
    found = candidates(benchmark, stored.quiz_attempts)
    waiting = [one.person for one in found if one.state not in ("passed", "waived")]
    initial = {
        "quiz_size": stored.quiz_size,
        "quiz_pass": round(100 * stored.quiz_pass, 4),
        "quiz_attempts": stored.quiz_attempts,
    }
    context: dict[str, Any] = {
        **quality_context(request, benchmark, "qualification"),
        "rows": [(one, *STATES[one.state]) for one in found],
        "stored": stored,
        "rules": rules or QualificationForm(initial=initial),
        "waiving": waiving or WaiveForm(waiting),
    }
    wrong = any(form is not None and form.errors for form in (rules, waiving))
    return render(request, "annotation/quality/qualification.html", context, status=400 if wrong else 200)


@login_required
@require_POST
def qualification_rules(request: SignedInRequest, slug: str) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = QualificationForm(request.POST)
    if form.is_valid():
        with errors_said_in(form):
            set_qualification(actor=request.user, benchmark=benchmark, **form.values())
            messages.success(request, gettext("Rules of the qualification test saved."))
            return redirect("annotation:qualification", slug)
    return qualification_page(request, benchmark, rules=form)


@login_required
@require_POST
def qualification_waive(request: SignedInRequest, slug: str) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = candidates(benchmark, rules_of(benchmark).quiz_attempts)
    form = WaiveForm([one.person for one in found], request.POST)
    if form.is_valid():
        with errors_said_in(form):
            waive(actor=request.user, benchmark=benchmark, **form.cleaned_data)
            message = gettext("%(person)s needs no qualification test.") % {"person": form.cleaned_data["user"]}
            messages.success(request, message)
            return redirect("annotation:qualification", slug)
    return qualification_page(request, benchmark, waiving=form)
