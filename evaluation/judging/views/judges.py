"""The page on judge models and people: their agreement, and the quality of a judge as a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.agreement import Coefficient, JudgeQuality
from annotation.common.loading import load_benchmark
from annotation.common.words import Count, count_of
from annotation.prediction_powered import MORE, disagree
from annotation.quality.read.agreement import audience_of, facet_names
from annotation.quality.views.agreement import agreement_context
from annotation.statistics import DRAWS, SEED, Interval, wilson
from annotation.workflow import Right
from evaluation.common.judging.words import UNDECIDED
from evaluation.common.links import Count as Trajectories
from evaluation.judging.present import VerdictLists
from evaluation.judging.read.judges import Judged, Pair, Verdict, by_value, chosen_verdicts, kinds_of, load_judged
from evaluation.models import Run

Explained = tuple[str, str, Coefficient, Trajectories]
"""Its entry of the glossary, its name, its value, and the verdicts that it rests on."""
ON_A_PAGE = 100
INK = 10
"""A cell's ink has this many steps."""


@dataclass(frozen=True)
class Cell:
    """One field of the matrix: raw agreement of two judges and on how many verdicts; None: the judge itself."""

    a: str
    b: str
    value: float | None
    n: int
    ink: int
    chosen: bool


@dataclass(frozen=True)
class ValueRow:
    """The chosen two at one value of the facet."""

    value: str
    samples: Count
    verdicts: Trajectories
    same: Trajectories
    raw: float | None
    interval: Interval | None


@require_safe
def judges(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/judging/judges/judges.html; context: kinds, kind, matrix (judge, person or not, cells),
    people_n, pair (see ``_pair_context``), facets, by, audience. Address: ?kind= which judgments, ?a=&b= the cell,
    ?by=FACET."""
    benchmark = load_benchmark(request, slug, Right.COMPARE_WORK)
    audience = audience_of(request.user, benchmark)
    facets, kinds = facet_names(benchmark), kinds_of(benchmark, request.user)
    by, asked = request.GET.get("by", ""), request.GET.get("kind", "")
    by, kind = by if by in facets else "", asked if asked in kinds else next(iter(kinds), "")
    judged = load_judged(benchmark, kind, audience, request.user, by) if kind else Judged((), frozenset(), ())
    pair, lists = judged.chosen(request.GET.get("a", ""), request.GET.get("b", "")), VerdictLists(benchmark, kind)
    context: dict[str, Any] = {
        **agreement_context(request, benchmark, "judges"),
        "audience": audience,
        "kinds": kinds,
        "kind": kind,
        "judges": judged.judges,
        "people_n": len(judged.people),
        "verdicts_n": len(judged.verdicts),
        "undecided": [(name, unsure_of(lists, judged, name)) for name in sorted(judged.undecided)],
        "matrix": _matrix(judged, pair) if pair else [],
        "pair": pair_context(lists, judged, pair, by) if pair else None,
        "facets": facets,
        "by": by,
        "draws": DRAWS,
        "seed": SEED,
    }
    return render(request, "evaluation/judging/judges/judges.html", context)


def _matrix(judged: Judged, chosen: Pair) -> list[tuple[str, bool, list[Cell | None]]]:
    pairs = {frozenset((pair.first, pair.second)): pair for pair in judged.pairs()}
    at = frozenset((chosen.first, chosen.second))

    def cell(a: str, b: str) -> Cell | None:
        if a == b:
            return None
        pair = pairs[frozenset((a, b))]
        ink = round(INK * pair.raw) if pair.raw is not None else 0
        return Cell(a, b, pair.raw, len(pair.verdicts), ink, frozenset((a, b)) == at)

    return [(a, a in judged.people, [cell(a, b) for b in judged.judges]) for a in judged.judges]


def unsure_of(lists: VerdictLists, judged: Judged, judge: str) -> Trajectories:
    """Where a judge was undecided."""
    return lists.of([one for one in judged.unsure if one.judge == judge], judge=judge, said=UNDECIDED)


def rate_of(lists: VerdictLists, judged: Judged, judge: str) -> tuple[Trajectories, Trajectories]:
    """Where a judge says yes, and all of its verdicts."""
    verdicts = judged.by(judge)
    return lists.of([one for one in verdicts if one.yes], judge=judge, said="yes"), lists.of(verdicts, judge=judge)


def pair_context(lists: VerdictLists, judged: Judged, pair: Pair, by: str = "") -> dict[str, Any]:
    """names, samples and same (Count), verdicts, raw and its interval, coefficients (its entry of the glossary, name,
    Coefficient, verdicts), table (word, cells of verdicts, Count of samples and of trajectories), words, quality
    (entry, words, Coefficient, verdicts), judge and its rate (verdicts that say yes, and all), raw_rate and corrected
    (Coefficient or None), powered (PoweredRate or None), disagree, more, by_rows (ValueRow)."""
    found, quality, benchmark = pair.agreement(), pair.quality(), lists.benchmark
    two = {"a": pair.first, "b": pair.second}
    shared = lists.of([one for one, _ in pair.verdicts], **two)
    coefficients: list[Explained] = []
    if found is not None:
        coefficients = [
            ("kappa", gettext("Cohen’s κ"), found.kappa, shared),
            ("alpha", gettext("Krippendorff’s α"), found.alpha, shared),
            ("ac1", gettext("Gwet’s AC1"), found.ac1, shared),
        ]
    judge = next(iter({pair.first, pair.second} - pair.people), "")
    rate = judged.rate(judge) if quality else None
    return {
        "names": (pair.first, pair.second),
        "samples": count_of(benchmark, pair.keys),
        "same": count_of(benchmark, pair.same),
        "same_n": lists.of([one for one, other in pair.verdicts if one.word == other.word], **two, same="yes"),
        "verdicts": shared,
        "raw": pair.raw,
        "interval": pair.interval,
        "coefficients": coefficients,
        "words": pair.words,
        "table": [
            (
                first,
                [
                    _cell(lists, cell, **two, first=first, second=second)
                    for second, cell in zip(pair.words, cells, strict=True)
                ],
            )
            for first, cells in pair.table()
        ],
        "quality": _quality_rows(lists, pair, quality) if quality else [],
        "judge": judge,
        "rate": rate_of(lists, judged, judge) if rate else None,
        "raw_rate": Coefficient(rate[0] / rate[1], rate[1], wilson(*rate)) if rate else None,
        **_corrected(judged, pair),
        "by_rows": [_value_row(lists, value, one, by) for value, one in by_value(pair)] if by else [],
    }


def _corrected(judged: Judged, pair: Pair) -> dict[str, Any]:
    corrected, powered = judged.corrected(pair), judged.powered(pair)
    return {
        "corrected": corrected,
        "powered": powered,
        "disagree": bool(
            powered and corrected and corrected.interval and disagree(corrected.interval, powered.interval)
        ),
        "more": MORE,
        "drawn": judged.drawn(pair),
    }


def _cell(lists: VerdictLists, verdicts: Sequence[Verdict], **terms: str) -> tuple[int, Count, Trajectories]:
    """Verdicts, their samples, and their trajectories."""
    return len(verdicts), count_of(lists.benchmark, [one.key for one in verdicts]), lists.of(verdicts, **terms)


def _quality_rows(lists: VerdictLists, pair: Pair, quality: JudgeQuality) -> list[Explained]:
    """Each with the verdicts of the person that it is a share of."""
    side = "first" if pair.first in pair.people else "second"

    def said(yes: bool) -> Trajectories:
        words = [one for one in pair.of_person if one.yes is yes]
        return lists.of(words, a=pair.first, b=pair.second, **{side: words[0].word} if words else {})

    return [
        ("sensitivity", gettext("Sensitivity"), quality.sensitivity, said(yes=True)),
        ("specificity", gettext("Specificity"), quality.specificity, said(yes=False)),
    ]


def _value_row(lists: VerdictLists, value: str, pair: Pair, by: str) -> ValueRow:
    terms = {"a": pair.first, "b": pair.second, "by": by, "value": value}
    verdicts = lists.of([one for one, _ in pair.verdicts], **terms)
    same = lists.of([one for one, other in pair.verdicts if one.word == other.word], **terms, same="yes")
    return ValueRow(value, count_of(lists.benchmark, pair.keys), verdicts, same, pair.raw, pair.interval)


@require_safe
def verdicts(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/judging/judges/verdicts.html: the verdicts behind a number of the page on judges. Address:
    ?kind= and the terms of ``chosen_verdicts``, ?by=FACET, ?page=. Context: kind, page (of verdicts, in pairs where two
    judges are compared), names (of the judges), runs (by number)."""
    benchmark = load_benchmark(request, slug, Right.COMPARE_WORK)
    kinds, by = kinds_of(benchmark, request.user), request.GET.get("by", "")
    kind = request.GET.get("kind", "")
    if kind not in kinds or (by and by not in facet_names(benchmark)):
        raise Http404
    judged = load_judged(benchmark, kind, audience_of(request.user, benchmark), request.user, by)
    terms = request.GET.dict()
    page = Paginator(chosen_verdicts(judged, terms), ON_A_PAGE).get_page(terms.get("page"))
    runs = {run.pk: str(run) for run in Run.objects.of(benchmark)}
    context = {
        **agreement_context(request, benchmark, "judges"),
        "kind": kind,
        "page": page,
        "names": [name for name in (terms.get("judge") or terms.get("a"), terms.get("b")) if name],
        "rows": [(one, other, runs.get(one.run, "")) for one, other in page],
    }
    return render(request, "evaluation/judging/judges/verdicts.html", context)
