"""Gold checks for the lead: the current ones, the results and pauses of each person, and answers that need
a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.rules import rules_of
from annotation.common.words import Count, count_of
from annotation.content.comments import remarks_on_checks
from annotation.content.json import content_from_json
from annotation.models import Benchmark, CheckAnswer, GoldCheck, QualityRules
from annotation.quality.forms import AddChecksForm, CheckRulesForm
from annotation.quality.present.sections import quality_context
from annotation.quality.read.agreement import facet_names
from annotation.quality.read.checks import CheckGroup, CheckRow, by_person, check_rows, grouped, running_checks
from annotation.quality.write.checks import add_checks, decide_check, draw_checks, retire_check, set_check_rules
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict, errors_said_in

MOST_UNDECIDED = 20
MOST_REMARKS = 20


@dataclass(frozen=True)
class GroupRow:
    """A person, or one value of a facet, with counts that lead to the samples."""

    group: CheckGroup
    answered: Count
    passed: Count
    failed: Count
    undecided: Count


@dataclass(frozen=True)
class UndecidedRow:
    """An answer to another question than that of the gold check, next to the gold."""

    row: CheckRow
    question: str
    answer: str
    known_question: str
    known_answer: str


@login_required
@require_safe
def gold_checks(request: SignedInRequest, slug: str) -> HttpResponse:
    """See ``checks_page``. Address: ?by=FACET the table by facet."""
    return checks_page(request, load_benchmark(request, slug, Right.MANAGE))


def checks_page(
    request: SignedInRequest,
    benchmark: Benchmark,
    *,
    rules: CheckRulesForm | None = None,
    add: AddChecksForm | None = None,
) -> HttpResponse:
    """Template annotation/quality/checks/checks.html; context: people, everyone, by_rows (GroupRow), undecided
    (UndecidedRow) and undecided_n, remarks (Comment), checks (GoldCheck), rules, add (forms), stored (QualityRules),
    by, facets."""
    facets = facet_names(benchmark)
    by = request.GET.get("by", "")
    by = by if by in facets else ""
    rows = check_rows(benchmark, by)
    waiting = [row for row in rows if row.answer.passed is None]
    stored = rules_of(benchmark)
    context: dict[str, Any] = {
        **quality_context(request, benchmark, "checks"),
        "people": [_group(benchmark, group) for group in by_person(benchmark, rows)],
        "everyone": [_group(benchmark, group) for group in grouped(rows, lambda _: ("everyone",))],
        "by_rows": [_group(benchmark, one) for one in grouped(rows, lambda r: r.values or ("none",))] if by else [],
        "undecided": [_undecided(row) for row in waiting[:MOST_UNDECIDED]],
        "undecided_n": len(waiting),
        "remarks": remarks_on_checks(benchmark)[:MOST_REMARKS],
        "checks": running_checks(benchmark),
        "stored": stored,
        "rules": rules or CheckRulesForm(initial=_initial(stored)),
        "add": add or AddChecksForm(),
        "facets": facets,
        "by": by,
    }
    wrong = any(form is not None and form.errors for form in (rules, add))
    return render(request, "annotation/quality/checks/checks.html", context, status=400 if wrong else 200)


@login_required
@require_POST
def check_rules(request: SignedInRequest, slug: str) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = CheckRulesForm(request.POST)
    if not form.is_valid():
        return checks_page(request, benchmark, rules=form)
    try:
        set_check_rules(actor=request.user, benchmark=benchmark, **form.values())
    except Conflict as refused:
        form.add_error(refused.field, refused.message)
        return checks_page(request, benchmark, rules=form)
    messages.success(request, gettext("Gold check rules saved."))
    return redirect("annotation:gold-checks", slug)


@login_required
@require_POST
def add_gold_checks(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make the posted ``keys`` checks, or ``n`` at random."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = AddChecksForm(request.POST)
    if form.is_valid():
        keys, n = form.cleaned_data["keys"], form.cleaned_data["n"]
        with errors_said_in(form):
            new = (
                add_checks(actor=request.user, benchmark=benchmark, keys=keys)
                if keys
                else draw_checks(actor=request.user, benchmark=benchmark, n=n)
            )
            message = ngettext("%(count)s sample added as gold checks.", "%(count)s samples added as gold checks.", new)
            messages.success(request, message % {"count": new})
            return redirect("annotation:gold-checks", slug)
    return checks_page(request, benchmark, add=form)


@login_required
@require_POST
def retire_gold_check(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    check = get_object_or_404(GoldCheck.objects.select_related("sample__benchmark"), pk=pk, sample__benchmark=benchmark)
    retire_check(actor=request.user, check=check)
    messages.success(
        request, gettext("%(key)s is no longer a gold check. Its answers are kept.") % {"key": check.sample.key}
    )
    return redirect("annotation:gold-checks", slug)


@login_required
@require_POST
def decide_gold_check(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """``passed`` is "yes" or "no"."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = CheckAnswer.objects.on(benchmark).select_related("check_of__sample__benchmark", "user")
    answer = get_object_or_404(found, pk=pk)
    decide_check(actor=request.user, answer=answer, passed=request.POST.get("passed") == "yes")
    return redirect("annotation:gold-checks", slug)


def _initial(stored: QualityRules) -> dict[str, Any]:
    below = stored.pause_below
    return {
        "check_first": stored.check_first,
        "check_share": _plain(100 * stored.check_share),
        "box_measure": stored.box_measure,
        "box_least": _plain(stored.box_least),
        "any_question": stored.any_question,
        "pause_below": None if below is None else _plain(100 * below),
        "pause_after": stored.pause_after,
    }


def _plain(value: float) -> str:
    """A number as a person writes it into a field: 5, not 5.0."""
    return f"{value:.6g}"


def _group(benchmark: Benchmark, group: CheckGroup) -> GroupRow:
    counts = (count_of(benchmark, keys) for keys in (group.answered, group.passed, group.failed, group.undecided))
    return GroupRow(group, *counts)


def _undecided(row: CheckRow) -> UndecidedRow:
    said, _, _ = content_from_json(row.answer.content)
    known = row.answer.gold
    return UndecidedRow(
        row=row,
        question=said.question,
        answer=_answer(said.answers, said.options),
        known_question=known.question if known else "",
        known_answer=_answer(known.answers, known.options) if known else "",
    )


def _answer(answers: Sequence[Any], options: Any) -> str:
    return ", ".join(str(options.get(one, one)) for one in answers)
