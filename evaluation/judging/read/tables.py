"""The content of the pages of agreement and quality as rows for exports, limited to what each audience may see.

``verified``: whether the address of the person is verified; None for gold, for models, and for people of whom the
audience may not know it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.models import Benchmark
from annotation.quality.read.agreement import (
    ALL,
    GOLD,
    Audience,
    Pair,
    Rater,
    Said,
    Work,
    load_work,
    pairs_of,
    verified_known_to,
)
from annotation.quality.read.people import people_work
from evaluation.judging.read.accuracy import blind_answers
from evaluation.judging.read.judges import kinds_of, load_judged, verified_judges
from evaluation.judging.read.quality import AUDITS, CHECKS, audit_export, check_export
from webapp.common.errors import NotAllowed

Row = Mapping[str, Any]


@dataclass(frozen=True)
class AgreementTable:
    """A table that can be exported: its columns, and its rows for a benchmark, a person and their audience."""

    columns: Sequence[str]
    rows: Callable[[Benchmark, Any, Audience], Iterator[Row]]


def _pairs(benchmark: Benchmark, user: Any, audience: Audience) -> Iterator[Row]:
    """Yield every pair of people once, then everyone with gold; without names for people who only see the group."""
    work = load_work(benchmark, user, audience)
    own: Rater = user.pk if audience is Audience.OWN else ALL
    others: list[Rater] = [ALL] if own == ALL else [one for one in work.people if one != own]
    named = audience is not Audience.TOGETHER
    verified = verified_known_to(benchmark, user, audience, work.people)
    for other in (*others, GOLD):
        for pair in pairs_of(work, own, other):
            yield _pair_row(work, pair, named, verified)


def _pair_row(work: Work, pair: Pair, named: bool, verified: Mapping[int, bool]) -> Row:
    boxes = pair.boxes
    second = "gold" if pair.second_by is None else work.people[pair.second_by] if named else "other"
    return {
        "sample": pair.place.key,
        "first": work.people[pair.first_by] if named else "one",
        "second": second,
        "iou": boxes.iou if boxes else None,
        "ioa_first": boxes.ioa_first if boxes else None,
        "ioa_second": boxes.ioa_second if boxes else None,
        "same_answer": pair.same,
        "disputed": pair.disputed,
        **_said("first", pair.first),
        **_said("second", pair.second),
        "first_verified": verified.get(pair.first_by),
        "second_verified": None if pair.second_by is None else verified.get(pair.second_by),
    }


def _said(which: str, said: Said) -> Row:
    content = said.content
    return {
        f"{which}_answer_type": content.answer_type.value,
        f"{which}_answer": list(content.answers),
        f"{which}_unanswerable": content.unanswerable,
        f"{which}_boxes": [box.as_list() for box in content.gold_boxes],
    }


def _people(benchmark: Benchmark, user: Any, audience: Audience) -> Iterator[Row]:
    if audience is Audience.TOGETHER:
        raise NotAllowed(gettext("Only the lead and the person can see individual results."))
    people = people_work(benchmark, user, audience, load_work(benchmark, user, audience))
    verified = verified_known_to(benchmark, user, audience, [one.person for one in people])
    for one in people:
        interval = one.acceptance_interval
        yield {
            "person": one.name,
            "submitted": len(one.submitted),
            "reviewed": len(one.reviewed),
            "accepted_at_first_review": len(one.accepted_at_first),
            "acceptance": one.acceptance,
            "acceptance_low": interval.low if interval else None,
            "acceptance_high": interval.high if interval else None,
            "returned": len(one.returned),
            "discarded": len(one.discarded),
            "median_seconds": one.median_seconds,
            "median_iou_with_gold": one.median_iou,
            "boxes_with_gold": len(one.boxes_against_gold),
            "same_answer_as_gold": one.same_as_gold,
            "answers_with_gold": len(one.answers_against_gold),
            "verified": verified[one.person],
        }


def _blind(benchmark: Benchmark, user: Any, audience: Audience) -> Iterator[Row]:
    judged = blind_answers(benchmark, user, audience).judged
    verified = verified_known_to(benchmark, user, audience, {one.reviewer for one in judged})
    for one in judged:
        yield {
            "sample": one.key,
            "reviewer": one.name,
            "condition": one.condition,
            "answer": one.answer,
            "unsure": one.unsure,
            "right": one.right,
            "undecided": one.undecided,
            "seconds": one.seconds,
            "verified": verified.get(one.reviewer),
        }


def _judges(benchmark: Benchmark, user: Any, audience: Audience) -> Iterator[Row]:
    """Every verdict in one word; a reader pairs them by kind and trajectory."""
    for kind in kinds_of(benchmark, user):
        judged = load_judged(benchmark, kind, audience, user)
        verified = verified_judges(benchmark, judged)
        for one in judged.verdicts:
            yield {
                "kind": kind,
                "run": one.run,
                "sample": one.key,
                "trajectory": one.trajectory,
                "judge": one.judge,
                "person": one.judge in judged.people,
                "verdict": one.word,
                "verified": verified.get(one.judge),
            }


PARTS = ("answer_type", "answer", "unanswerable", "boxes")
"""The columns of each of the two in the table of pairs."""
AGREEMENT_TABLES: Mapping[str, AgreementTable] = {
    "pairs": AgreementTable(
        (
            "sample",
            "first",
            "second",
            "iou",
            "ioa_first",
            "ioa_second",
            "same_answer",
            "disputed",
            *(f"{which}_{what}" for which in ("first", "second") for what in PARTS),
            "first_verified",
            "second_verified",
        ),
        _pairs,
    ),
    "people": AgreementTable(
        (
            "person",
            "submitted",
            "reviewed",
            "accepted_at_first_review",
            "acceptance",
            "acceptance_low",
            "acceptance_high",
            "returned",
            "discarded",
            "median_seconds",
            "median_iou_with_gold",
            "boxes_with_gold",
            "same_answer_as_gold",
            "answers_with_gold",
            "verified",
        ),
        _people,
    ),
    "blind": AgreementTable(
        ("sample", "reviewer", "condition", "answer", "unsure", "right", "undecided", "seconds", "verified"), _blind
    ),
    "judges": AgreementTable(
        ("kind", "run", "sample", "trajectory", "judge", "person", "verdict", "verified"), _judges
    ),
    "checks": AgreementTable(CHECKS, check_export),
    "audits": AgreementTable(AUDITS, audit_export),
}
"""The tables of ``/benchmarks/SLUG/agreement/NAME.csv`` (or .json)."""
