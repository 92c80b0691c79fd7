"""The samples of a benchmark: a grid of images with their evidence, or a table."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from annotation.common.access import allowed
from annotation.common.facets.present import facets_of
from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.common.terms import SORTS, Terms
from annotation.samples.present.facts import facts_of
from annotation.samples.present.tiles import tile_of
from annotation.samples.read.first_steps import first_steps
from annotation.workflow import Right
from webapp.common.http import Request
from webapp.common.paging import page_after

PAGE_SIZE = 48
SORT_WORDS = {"key": "ID", "-changed": gettext_lazy("Last changed"), "share": gettext_lazy("Evidence area")}


@require_safe
def samples(request: Request, slug: str) -> HttpResponse:
    """Template annotation/samples/samples.html; context: facts, steps (Step, for leads), facets, page (has_next,
    after), tiles, total, terms, tokens, hidden, views, sorts. Address: see ``SAMPLE_FILTERS``; ?view=table,
    ?sort=key|-changed|share, ?after=KEY.
    """
    benchmark = load_benchmark(request, slug)
    if not allowed(request.user, benchmark, Right.SEE_GOLD):
        return redirect("annotation:annotate", slug)
    terms = Terms.read(request.GET)
    found = benchmark.samples.all().narrowed(terms.values, chosen=terms.chosen, user=request.user)
    page = page_after(
        found.with_gold().with_share_place(), request.GET.get("after", ""), order=SORTS[terms.sort], size=PAGE_SIZE
    )
    facts = facts_of(benchmark)
    tiles = [tile_of(benchmark, sample) for sample in page.rows]
    context: dict[str, Any] = {
        **benchmark_context(request, benchmark, "samples"),
        "facts": facts,
        "steps": first_steps(benchmark, facts.accepted) if allowed(request.user, benchmark, Right.MANAGE) else [],
        "facets": facets_of(benchmark.samples.all(), terms, request.user, benchmark),
        "page": page,
        "tiles": tiles,
        "total": found.count() if terms.values or terms.chosen else facts.samples,
        "terms": terms,
        "tokens": terms.tokens(benchmark),
        "hidden": terms.pairs(leave="q"),
        "kept": terms.pairs(leave="id"),
        "sorts": [(words, terms.shown(sort=name), name == terms.sort) for name, words in SORT_WORDS.items()],
        "grid": terms.shown(view="grid"),
        "table": terms.shown(view="table"),
    }
    return render(request, "annotation/samples/samples.html", context)
