"""The page on the accuracy of people before they see the gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.words import Count, count_of
from annotation.quality.read.agreement import Audience, audience_of, facet_names
from annotation.quality.views.agreement import agreement_context
from annotation.work_rules import Condition
from annotation.workflow import Right
from evaluation.judging.read.accuracy import Accuracy, blind_answers, grouped
from evaluation.judging.read.sufficiency import Difference, by_condition, differences

FIRST_FACETS = ("dimension", "category")
"""The default facets of the table: the first of these that exists, else any."""


@dataclass(frozen=True)
class AccuracyRow:
    """One group of answers with its counts; answers of several people to one sample are more than its samples."""

    accuracy: Accuracy
    answers: int
    samples: Count
    right: Count
    unsure: Count
    undecided: Count
    reviewer: int | None = None
    chosen: bool = False


@dataclass(frozen=True)
class DifferenceRow:
    """Pairs of answers from the crop alone and with the image, with counts of samples."""

    difference: Difference
    both: Count
    only_crop: Count
    only_picture: Count
    neither: Count


@require_safe
def human_accuracy(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/judging/accuracy/accuracy.html; context: everyone, reviewers, by_rows (``AccuracyRow``),
    facets, by, chosen (name of the reviewer of ?reviewer=ID), without_gold, own_gold, audience; conditions (name,
    ``AccuracyRow``) with the one of ?condition=NAME that the tables are of, and differences (``DifferenceRow``)."""
    benchmark = load_benchmark(request, slug, Right.COMPARE_WORK)
    audience = audience_of(request.user, benchmark)
    facets = facet_names(benchmark)
    by = _facet(request.GET.get("by", ""), facets)
    found = blind_answers(benchmark, request.user, audience, by)
    conditions = by_condition(found.judged)
    condition = _condition(request.GET.get("condition", ""), conditions)
    judged = [one for one in found.judged if one.condition == condition]
    asked = request.GET.get("reviewer", "") if audience is Audience.EVERYONE else ""
    chosen = [one for one in judged if str(one.reviewer) == asked] or judged
    context: dict[str, Any] = {
        **agreement_context(request, benchmark, "blind"),
        "audience": audience,
        "everyone": _row(benchmark, Accuracy("everyone", judged)),
        "reviewers": [] if audience is Audience.TOGETHER else _reviewers(benchmark, judged, asked),
        "by_rows": [_row(benchmark, one) for one in grouped(chosen, lambda one: one.values or ("none",))] if by else [],
        "facets": facets,
        "by": by,
        "chosen": chosen[0].name if chosen is not judged else "",
        "conditions": [(one, _row(benchmark, accuracy)) for one, accuracy in conditions.items()],
        "condition": condition,
        "differences": [_difference(benchmark, one) for one in differences(found.judged)],
        "without_gold": count_of(benchmark, found.without_gold),
        "own_gold": count_of(benchmark, found.own_gold),
    }
    return render(request, "evaluation/judging/accuracy/accuracy.html", context)


def _condition(asked: str, conditions: Mapping[Condition, Accuracy]) -> str:
    """The one asked for, else the first there is."""
    return next((one.value for one in conditions if one == asked), next(iter(conditions), Condition.PICTURE).value)


def _difference(benchmark: Any, found: Difference) -> DifferenceRow:
    groups = (found.both, found.only_crop, found.only_picture, found.neither)
    return DifferenceRow(found, *(count_of(benchmark, group) for group in groups))


def _facet(asked: str, facets: Sequence[str]) -> str:
    return next((name for name in (asked, *FIRST_FACETS, *facets) if name in facets), "")


def _reviewers(benchmark: Any, judged: Sequence[Any], asked: str) -> list[AccuracyRow]:
    names = {one.reviewer: one.name for one in judged}
    groups = {person: [one for one in judged if one.reviewer == person] for person in names}
    return [
        _row(benchmark, Accuracy(names[person], group), person, chosen=str(person) == asked)
        for person, group in sorted(groups.items(), key=lambda item: names[item[0]])
    ]


def _row(benchmark: Any, accuracy: Accuracy, reviewer: int | None = None, *, chosen: bool = False) -> AccuracyRow:
    def count(answers: Sequence[Any]) -> Count:
        return count_of(benchmark, (one.key for one in answers))

    return AccuracyRow(
        accuracy=accuracy,
        answers=len(accuracy.counted),
        samples=count(accuracy.counted),
        right=count(accuracy.right),
        unsure=count([one for one in accuracy.answers if one.unsure]),
        undecided=count([one for one in accuracy.answers if one.undecided]),
        reviewer=reviewer,
        chosen=chosen,
    )
