"""The data card of a benchmark, as a page and as a file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.exporters.data_card import as_markdown
from evaluation.exports.read.card import read_data_card
from webapp.common.translation import in_english


@require_safe
def data_card(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/exports/data_card.html; context: card (DataCard)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    context = {**benchmark_context(request, benchmark, "data-card"), "card": read_data_card(benchmark)}
    return render(request, "evaluation/exports/data_card.html", context)


@require_safe
@in_english
def data_card_markdown(request: HttpRequest, slug: str) -> HttpResponse:
    """The same card as a Markdown file to keep."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    response = HttpResponse(as_markdown(read_data_card(benchmark)), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-data-card.md"'
    return response
