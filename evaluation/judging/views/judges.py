"""The page on judge models and people: their agreement, and the quality of a judge as a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.agreement import Coefficient
from annotation.common.loading import load_benchmark
from annotation.common.words import Count, count_of
from annotation.prediction_powered import MORE, disagree
from annotation.quality.read.agreement import audience_of, facet_names
from annotation.quality.views.agreement import agreement_context
from annotation.statistics import DRAWS, SEED, Interval, wilson
from annotation.workflow import Right
from evaluation.common.links import Count as Trajectories
from evaluation.common.links import named_list
from evaluation.judging.read.judges import Judged, Pair, Verdict, by_value, kinds_of, load_judged

Explained = tuple[str, str, Coefficient]
"""Its entry of the glossary, its name, its value."""
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
    pair = judged.chosen(request.GET.get("a", ""), request.GET.get("b", ""))
    context: dict[str, Any] = {
        **agreement_context(request, benchmark, "judges"),
        "audience": audience,
        "kinds": kinds,
        "kind": kind,
        "judges": judged.judges,
        "people_n": len(judged.people),
        "verdicts_n": len(judged.verdicts),
        "undecided": sorted(judged.undecided.items()),
        "matrix": _matrix(judged, pair) if pair else [],
        "pair": pair_context(benchmark, judged, pair, by) if pair else None,
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


def pair_context(benchmark: Any, judged: Judged, pair: Pair, by: str = "") -> dict[str, Any]:
    """names, samples and same (Count), verdicts, raw and its interval, coefficients (its entry of the glossary, name,
    Coefficient), table (word, cells of verdicts, Count of samples and of trajectories), words, quality (entry, words,
    Coefficient), judge and its rate, raw_rate and corrected (Coefficient or None), powered
    (PoweredRate or None), disagree, more, by_rows (ValueRow)."""
    found, quality = pair.agreement(), pair.quality()
    coefficients: list[Explained] = []
    if found is not None:
        coefficients = [
            ("kappa", gettext("Cohen’s κ"), found.kappa),
            ("alpha", gettext("Krippendorff’s α"), found.alpha),
            ("ac1", gettext("Gwet’s AC1"), found.ac1),
        ]
    judge = next(iter({pair.first, pair.second} - pair.people), "")
    rate = judged.rate(judge) if quality else None
    return {
        "names": (pair.first, pair.second),
        "samples": count_of(benchmark, pair.keys),
        "same": count_of(benchmark, pair.same),
        "same_n": _cases(benchmark, [one for one, other in pair.verdicts if one.word == other.word]),
        "verdicts": _cases(benchmark, [one for one, _ in pair.verdicts]),
        "raw": pair.raw,
        "interval": pair.interval,
        "coefficients": coefficients,
        "words": pair.words,
        "table": [(word, [_cell(benchmark, found) for found in cells]) for word, cells in pair.table()],
        "quality": _quality_rows(quality.sensitivity, quality.specificity) if quality else [],
        "judge": judge,
        "rate": rate,
        "raw_rate": Coefficient(rate[0] / rate[1], rate[1], wilson(*rate)) if rate else None,
        **_corrected(judged, pair),
        "by_rows": [_value_row(benchmark, value, one) for value, one in by_value(pair)] if by else [],
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


def _cell(benchmark: Any, verdicts: Sequence[Verdict]) -> tuple[int, Count, Trajectories]:
    """Verdicts, their samples, and their trajectories."""
    return len(verdicts), count_of(benchmark, [one.key for one in verdicts]), _cases(benchmark, verdicts)


def _cases(benchmark: Any, verdicts: Sequence[Verdict]) -> Trajectories:
    """Verdicts with the list of their trajectories, where each has one."""
    pks = [one.trajectory for one in verdicts if one.trajectory]
    return Trajectories(len(verdicts), named_list(benchmark, pks) if len(pks) == len(verdicts) else "")


def _quality_rows(sensitivity: Coefficient, specificity: Coefficient) -> list[Explained]:
    return [("sensitivity", gettext("Sensitivity"), sensitivity), ("specificity", gettext("Specificity"), specificity)]


def _value_row(benchmark: Any, value: str, pair: Pair) -> ValueRow:
    verdicts = _cases(benchmark, [one for one, _ in pair.verdicts])
    return ValueRow(value, count_of(benchmark, pair.keys), verdicts, pair.raw, pair.interval)
