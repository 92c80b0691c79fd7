"""The page of the variants of a sample, and the preview of one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.imaging.variants.recipes import FORMS, Kind, Recipe, RecipeError, recipe_of
from annotation.models import Benchmark, Sample
from annotation.variants.forms import RecipeForm
from annotation.variants.present import (
    before_and_after,
    dose_links,
    kind_links,
    offered_doses,
    rejection_of,
    row_of,
)
from annotation.variants.read import (
    directions_of,
    planned,
    preview_of,
    refused,
    source_of,
    unchanged,
    variants_of,
)
from annotation.variants.write import Requested, make_variants
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict, InvalidInput, errors_said_in
from webapp.common.limits import Rate, asking
from webapp.common.translation import any_of

PREVIEWS = Rate("regions")
SECONDS_KEPT = 3600


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def variants(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Template annotation/variants/variants.html; context: sample, kinds (KindLink), doses (DoseLink), figures (Figure:
    before and after), form (RecipeForm), kind (its Form), rejected (why the shown one is, or ""), directions (words in
    the question), rows (VariantRow), problem (why no variant can be made), and the benchmark's head.

    Address: ?kind=&dose=&choice=&seed= is the recipe that is shown. Posted: the fields of the form."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_SAMPLES)
    sample = _sample(benchmark, key)
    kind = _kind_of(request)
    form = RecipeForm(FORMS[kind], request.POST if request.method == "POST" else None)
    if form.is_valid():
        with errors_said_in(form):
            _report(request, make_variants(actor=request.user, sample=sample, recipes=form.recipes))
            return redirect(f"{request.path}?kind={kind.value}")
    context = benchmark_context(request, benchmark, "samples")
    context |= {"sample": sample, "kinds": kind_links(kind), "form": form, "kind": FORMS[kind]}
    context["rows"] = [row_of(slug, row) for row in variants_of(sample)]
    try:
        content = source_of(sample)
    except Conflict as problem:
        context["problem"] = problem.message
    else:
        context |= _shown(slug, sample, content, _recipe_of(request, kind))
    return render(request, "annotation/variants/variants.html", context, status=400 if form.errors else 200)


@require_safe
@login_required
def variant_preview(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A small JPEG of what ?kind=&dose=&choice=&seed= would make of the sample's image."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_SAMPLES)
    sample = _sample(benchmark, key)
    source_of(sample)
    PREVIEWS.take(asking(request))
    recipe = _recipe_of(request, _kind_of(request))
    assert sample.image is not None
    response = HttpResponse(preview_of(sample.image, recipe), content_type="image/jpeg")
    response["Cache-Control"] = f"private, max-age={SECONDS_KEPT}"
    return response


def _sample(benchmark: Benchmark, key: str) -> Sample:
    sample: Sample = get_object_or_404(benchmark.samples.with_gold(), key=key)
    sample.benchmark = benchmark
    return sample


def _kind_of(request: HttpRequest) -> Kind:
    given = request.GET.get("kind", Kind.ROTATE.value)
    return Kind(given) if given in {one.value for one in Kind} else Kind.ROTATE


def _recipe_of(request: HttpRequest, kind: Kind) -> Recipe:
    """The recipe of the address; the first of the ladder where no dose is named. Raises ``InvalidInput``."""
    dose, seed = request.GET.get("dose"), request.GET.get("seed", "0")
    try:
        number = float(dose) if dose is not None else next(iter(offered_doses(FORMS[kind])), None)
    except ValueError:
        raise InvalidInput(gettext("The dose must be a number."), field="dose") from None
    try:
        return recipe_of(kind.value, number, request.GET.get("choice", ""), int(seed) if seed.isdecimal() else seed)
    except RecipeError as error:
        raise refused(error) from error


def _shown(slug: str, sample: Sample, content: Any, recipe: Recipe) -> dict[str, Any]:
    """The recipe of the address, before and after, and the ladder of its kind."""
    plan = planned(sample, content, recipe)
    doses = []
    for dose in offered_doses(recipe.form):
        try:
            one = recipe_of(recipe.kind.value, dose, recipe.choice, recipe.seed)
            doses.append(planned(sample, content, one))
        except InvalidInput:
            continue
    words = any_of([f"“{word}”" for word in directions_of(recipe, content)])
    warning = gettext("The question names directions: %(words)s. Check in the review that it is still true.")
    return {
        "doses": dose_links(recipe, doses),
        "figures": before_and_after(slug, sample, unchanged(sample, content), plan),
        "rejected": rejection_of(plan) if plan.rejected else "",
        "directions": warning % {"words": words} if words else "",
        "dose_label": gettext(recipe.form.dose) if recipe.form.dose else "",
        "make_label": gettext("Make variants") if recipe.form.dose else gettext("Make the variant"),
    }


def _report(request: HttpRequest, done: Requested) -> None:
    count = len(done.accepted)
    if count:
        message = ngettext(
            "%(count)s variant is being made. It will wait for review.",
            "%(count)s variants are being made. They will wait for review.",
            count,
        )
        messages.success(request, message % {"count": count})
    for plan in done.rejected:
        messages.warning(request, rejection_of(plan))
