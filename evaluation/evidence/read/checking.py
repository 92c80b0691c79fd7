"""Models that check annotators: how often they differ, and how often reviewers then change something.

A sample that still waits for a decision is counted and never named, because its reviewer answers blind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.agreement import same_answer
from annotation.content.evidence import waiting_samples
from annotation.content.revisions import content_of
from annotation.evidence import CHECKED, Answered, Condition, Purpose, Tally, tallied
from annotation.models import Benchmark, EvidenceTest, Review, Revision
from evaluation.metrics.intervals import rate_interval

Row = tuple[bool, int]
"""Yes or no, and the image."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95% interval, clustered by image (Wilson if each image has one question)."""

    hits: int
    n: int
    low: float | None
    high: float | None

    @property
    def share(self) -> float | None:
        return self.hits / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Flagged:
    """A flagged question whose review is decided. ``confirmed``: the reviewer returned or discarded it, or changed its
    answer."""

    key: str
    models: tuple[str, ...]
    decision: str
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Checking:
    """``asked``: checked questions. ``conditions``: answers by condition, and the rate of mismatches among the decided
    ones. ``flags``: questions with a mismatch, of those with a decided answer. ``precision``: confirmed flags, of the
    flags with a decision of a reviewer; ``others``: the same rate of questions without a flag. ``waiting``: flags
    without a decision."""

    asked: int
    conditions: tuple[tuple[Condition, Tally, Rate], ...]
    flags: Rate
    precision: Rate
    others: Rate
    waiting: int
    flagged: tuple[Flagged, ...]


def checking_of(benchmark: Benchmark) -> Checking:
    """A fixed number of queries."""
    answers: dict[int, list[tuple[Answered, str]]] = {}
    images: dict[int, int] = {}
    tests = EvidenceTest.objects.of(benchmark, Purpose.CHECK).filter(person=None).order_by("pk")
    fields = ("revision", "condition", "answer", "right", "model", "revision__annotation__sample__image")
    for revision, condition, text, right, model, image in tests.values_list(*fields):
        answers.setdefault(revision, []).append((Answered(Condition(condition), text, right), model))
        images[revision] = image or 0
    flagged = {pk: {model for one, model in found if one.right is False} for pk, found in answers.items()}
    decided = [pk for pk, found in answers.items() if any(one.right is not None for one, _ in found)]
    reviews = _decisions(decided, benchmark)
    found = [one for given in answers.values() for one, _ in given]
    rows = [(one, images[pk]) for pk, given in answers.items() for one, _ in given if one.right is not None]
    tallies = tallied(found)
    return Checking(
        asked=len(answers),
        conditions=tuple(
            (name, tallies[name], _rate((one.right is False, image) for one, image in rows if one.condition is name))
            for name in CHECKED
            if name in tallies
        ),
        flags=_rate((bool(flagged[pk]), images[pk]) for pk in decided),
        precision=_rate((reviews[pk][2], images[pk]) for pk in decided if flagged[pk] and pk in reviews),
        others=_rate((reviews[pk][2], images[pk]) for pk in decided if not flagged[pk] and pk in reviews),
        waiting=sum(1 for pk in decided if flagged[pk] and pk not in reviews),
        flagged=tuple(
            Flagged(reviews[pk][0], tuple(sorted(flagged[pk])), reviews[pk][1], reviews[pk][2])
            for pk in sorted(decided, key=lambda pk: reviews[pk][0] if pk in reviews else "")
            if flagged[pk] and pk in reviews
        ),
    )


def _decisions(revisions: list[int], benchmark: Benchmark) -> dict[int, tuple[str, str, bool]]:
    """By revision: the sample, the decision, and whether it changed the question, as ``Flagged.confirmed``. Without
    samples that wait for a decision again."""
    rows = Review.objects.filter(revision__in=revisions).exclude(
        revision__annotation__sample__in=waiting_samples(benchmark)
    )
    fields = (
        "revision",
        "revision__annotation",
        "revision__number",
        "reviewer",
        "decision",
        "revision__annotation__sample__key",
    )
    found = list(rows.order_by("pk").values_list(*fields))
    fixes = {(row[1], row[2] + 1): row for row in found if row[4] == Review.Decision.FIX_AND_ACCEPT}
    changed = _changed_answers(fixes.keys(), {row[0] for row in fixes.values()})
    undone = (Review.Decision.RETURN, Review.Decision.DISCARD)
    return {row[0]: (row[5], row[4], row[4] in undone or row[0] in changed) for row in found}


def _changed_answers(fixes: Iterable[tuple[int, int]], revisions: set[int]) -> set[int]:
    """The revisions whose reviewer wrote another answer. ``fixes``: (annotation, number) of what they wrote."""
    wanted = set(fixes)
    if not wanted:
        return set()
    rows = Revision.objects.filter(annotation__in={one for one, _ in wanted}).with_content()
    by_place = {(one.annotation_id, one.number): one for one in rows}
    before = {one.pk: one for one in by_place.values() if one.pk in revisions}
    return {
        pk
        for pk, one in before.items()
        if (after := by_place.get((one.annotation_id, one.number + 1))) is not None
        and same_answer(content_of(one), content_of(after)) is False
    }


def _rate(rows: Iterable[Row]) -> Rate:
    found = list(rows)
    if not found:
        return Rate(0, 0, None, None)
    hits, images = np.array([hit for hit, _ in found], dtype=np.float64), np.array([image for _, image in found])
    interval = rate_interval(hits, np.unique(images, return_inverse=True)[1])
    return Rate(int(hits.sum()), len(found), interval.low if interval else None, interval.high if interval else None)
