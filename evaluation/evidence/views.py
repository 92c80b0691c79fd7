"""The page of the settings with answers under conditions: the check of annotators, and the facet of gold questions."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.content.facet_batches import undo_batch, undo_message
from annotation.evidence import LEAST_ANSWERS, MOST_LEAST, Condition
from annotation.imaging.problems import PictureProblem
from annotation.workflow import Right
from evaluation.common.checking import checking_of
from evaluation.common.evidence import condition_image
from evaluation.evidence.present import change_counts, check_rows, flag_rows, flagged_rows, tested_row
from evaluation.evidence.read.necessity import batches_of, gold_named, necessity_of, result_of, tested_gold
from evaluation.evidence.write import set_facet
from evaluation.runner.arms.catalogue import CannotApply
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import conflict_as_message
from webapp.common.paging import page_after

ROWS, BATCHES = 50, 10


@login_required
@require_safe
def evidence(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/evidence/evidence.html; context: checking (Checking), checks (CheckRow), flags (RateRow),
    flagged, least (?least=), necessity (Necessity), changes (counts), page (TestedRow; ?after=), batches."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    least = least_of(request.GET.get("least", ""))
    checking, necessity = checking_of(benchmark), necessity_of(benchmark, least)
    page = page_after(tested_gold(benchmark), request.GET.get("after", ""), order=("pk",), size=ROWS)
    context = {
        **settings_context(request, benchmark, "evidence"),
        "checking": checking,
        "checks": check_rows(checking),
        "flags": flag_rows(checking),
        "flagged": flagged_rows(checking),
        "least": least,
        "most": MOST_LEAST,
        "necessity": necessity,
        "changes": change_counts(necessity),
        "page": page,
        "rows": [tested_row(result_of(one, least)) for one in page.rows],
        "batches": batches_of(benchmark)[:BATCHES],
    }
    return render(request, "evaluation/evidence/evidence.html", context)


@login_required
@require_POST
def set_needs(request: SignedInRequest, slug: str) -> HttpResponse:
    """Set the facet. Posted: least, and expected: the number of changes that the page showed."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    least, expected = least_of(request.POST.get("least", "")), request.POST.get("expected", "")
    wanted = int(expected) if expected.isdecimal() else None
    with conflict_as_message(request):
        batch = set_facet(actor=request.user, benchmark=benchmark, least=least, expected=wanted)
        n = len(batch.changes)
        said = ngettext("The facet of %(n)s sample is set.", "The facet of %(n)s samples is set.", n)
        messages.success(request, said % {"n": n})
    return redirect("evaluation:evidence", slug)


@login_required
@require_POST
def undo(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Undo a batch of facet values."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    batch = get_object_or_404(batches_of(benchmark), pk=pk)
    with conflict_as_message(request):
        back, kept = undo_batch(actor=request.user, batch=batch)
        messages.success(request, undo_message(back, kept))
    return redirect("evaluation:evidence", slug)


@login_required
@require_safe
def shown(request: SignedInRequest, slug: str, key: str, condition: str) -> HttpResponse:
    """The image of a gold question under a condition, as people see it. 404 where there is none."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    revision = get_object_or_404(gold_named(benchmark, key))
    sample = revision.annotation.sample
    if condition not in list(Condition) or sample.image is None:
        raise Http404
    try:
        image = condition_image(sample, revision, Condition(condition))
    except (CannotApply, PictureProblem) as problem:
        raise Http404 from problem
    if image is None:
        raise Http404
    return HttpResponse(image.data, content_type=image.media_type, headers={"Cache-Control": "private, max-age=300"})


def least_of(text: str) -> int:
    """The number of answers that a condition needs, within its limits; the default for anything else."""
    return min(max(int(text), 1), MOST_LEAST) if text.isdecimal() and len(text) < 4 else LEAST_ANSWERS
