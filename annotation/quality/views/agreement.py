"""The agreement of people: all pairs and gold, and the details of one pair."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.common.words import count_of
from annotation.models import Benchmark
from annotation.quality.present.disputes import disputes_of, worst_first
from annotation.quality.present.matrix import MEASURES, AllPairs, Chosen, all_pairs, first_choice, matrices, name_of
from annotation.quality.present.pair import coefficient_row, facet_rows, lowest_of, overlap_of, two_by_two
from annotation.quality.present.people import person_rows
from annotation.quality.read.agreement import (
    ALL,
    GOLD,
    Audience,
    Rater,
    Work,
    audience_of,
    facet_names,
    load_work,
    verified_known_to,
)
from annotation.quality.read.labels import agreement_on, labels_of
from annotation.quality.read.people import people_work
from annotation.statistics import DRAWS, SEED
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.translation import all_of


@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """Template annotation/quality/agreement/agreement.html; context: audience, matrices, overlapping, and of the chosen
    pair ``pair``.

    Address: ?a=PERSON|all&b=PERSON|all|gold choose the cell, ?measure=boxes|answers one matrix, ?label= and ?value= the
    two by two, ?by=FACET the table by facet.
    """
    benchmark = load_benchmark(request, slug, Right.COMPARE_WORK)
    audience = audience_of(request.user, benchmark)
    facets = facet_names(benchmark)
    by = request.GET.get("by", "")
    work = load_work(benchmark, request.user, audience, by if by in facets else "")
    found = all_pairs(work, audience, request.user.pk or 0)
    chosen = _chosen(request.GET, found)
    measure = request.GET.get("measure", "")
    measure = measure if measure in MEASURES else ""
    context: dict[str, Any] = {
        **agreement_context(request, benchmark, "annotators"),
        "audience": audience,
        "measure": measure,
        "measures": MEASURES,
        "facets": facets,
        "by": by if by in facets else "",
        "overlapping": count_of(benchmark, _overlapping(work)),
        "unverified": _unverified(benchmark, request.user, audience, work),
        "draws": DRAWS,
        "seed": SEED,
    }
    if chosen is not None:
        context["matrices"] = matrices(work, found, chosen, measure)
        context["pair"] = _pair_context(request, benchmark, work, found, chosen, audience)
    return render(request, "annotation/quality/agreement/agreement.html", context)


def _unverified(benchmark: Benchmark, user: Any, audience: Audience, work: Work) -> list[str]:
    """The names of the people whose address is not verified, as far as this audience may know them."""
    verified = verified_known_to(benchmark, user, audience, work.people)
    return [str(one) for one in User.objects.filter(pk__in=[pk for pk, known in verified.items() if not known])]


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """Template annotation/quality/agreement/people.html; context: rows (``PersonRow``), audience."""
    benchmark = load_benchmark(request, slug, Right.COMPARE_WORK)
    audience = audience_of(request.user, benchmark)
    together = audience is Audience.TOGETHER
    work = load_work(benchmark, request.user, audience)
    rows = [] if together else person_rows(benchmark, people_work(benchmark, request.user, audience, work))
    context = {**agreement_context(request, benchmark, "people"), "audience": audience, "rows": rows}
    return render(request, "annotation/quality/agreement/people.html", context)


def agreement_context(
    request: HttpRequest, benchmark: Benchmark, current: str, tab: str = "agreement"
) -> dict[str, Any]:
    """Shared context of pages under the tab: the head of the benchmark, and ``sections`` (words, address, current)."""
    sections = (
        ("annotators", gettext("Annotators"), "annotation:agreement"),
        ("blind", gettext("Blind answers"), "evaluation:human-accuracy"),
        ("judges", gettext("Judges and people"), "evaluation:judges"),
        ("people", gettext("People"), "annotation:agreement-people"),
    )
    links = [(words, reverse(route, args=[benchmark.slug]), name == current) for name, words, route in sections]
    return {**benchmark_context(request, benchmark, tab), "sections": links}


def _chosen(query: QueryDict, found: AllPairs) -> Chosen | None:
    """The cell the address names, either way round; else the one with the most samples; None with nothing anywhere."""
    a, b = (_rater(query.get(name, "")) for name in ("a", "b"))
    asked = next((place for place in ((a, b), (b, a)) if place in found), None)
    return asked if asked is not None and any(found.values()) else first_choice(found)


def _rater(text: str) -> Rater:
    return int(text) if text.isdecimal() and len(text) < 19 else text


def _overlapping(work: Work) -> list[str]:
    """Samples that at least two people have submitted."""
    counts: dict[int, int] = {}
    for said in work.said.values():
        for sample in said:
            counts[sample] = counts.get(sample, 0) + 1
    return [work.samples[sample].key for sample, n in counts.items() if n > 1]


def _pair_context(
    request: HttpRequest, benchmark: Benchmark, work: Work, found: AllPairs, chosen: Chosen, audience: Audience
) -> dict[str, Any]:
    """Everything about the chosen cell."""
    pairs, (a, b) = found[chosen], chosen
    several = chosen == (ALL, ALL)
    labels = labels_of(pairs)
    rows = [coefficient_row(benchmark, agreement_on(label, pairs, a, b), pairs) for label in labels]
    asked = request.GET.get("label", "")
    label = next((one for one in labels if one.name == asked), labels[0])
    disputed = worst_first(pairs)
    return {
        "a": a,
        "b": b,
        "names": (gettext("one"), gettext("other")) if several else (name_of(work, a), name_of(work, b)),
        "title": gettext("All pairs") if several else _title(work, a, b),
        "samples": count_of(benchmark, (pair.place.key for pair in pairs)),
        "pairs": len(pairs),
        "pictures": len({pair.place.cluster for pair in pairs}),
        "apart": sum(pair.shapes_differ for pair in pairs),
        "overlap": overlap_of(benchmark, pairs, several),
        "rows": rows,
        "label": label.name,
        "lowest": lowest_of(rows),
        "two": None if several else two_by_two(benchmark, label, request.GET.get("value", ""), pairs),
        "by_rows": facet_rows(benchmark, pairs) if request.GET.get("by") else [],
        "disputed": count_of(benchmark, (pair.place.key for pair in disputed)),
        "disputes": disputes_of(
            benchmark, work, disputed, reader=request.user, named=audience is not Audience.TOGETHER
        ),
        "with_gold": b == GOLD,
        "several": several,
    }


def _title(work: Work, a: Rater, b: Rater) -> str:
    first = name_of(work, a)
    return all_of([first.capitalize() if a == ALL else first, name_of(work, b)])
