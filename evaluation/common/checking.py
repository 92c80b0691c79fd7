"""Models that check annotators: how often they differ, and how often reviewers then change something.

A sample that still waits for a decision is counted and never named, because its reviewer answers blind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from annotation.agreement import same_answer
from annotation.content.evidence import waiting_samples
from annotation.content.revisions import content_of
from annotation.drafting import CONTROL_SHARE, Arm, arm_of
from annotation.evidence import CHECKED, Answered, Condition, Purpose, Tally, tallied
from annotation.models import Adjudication, Benchmark, Drafting, EvidenceTest, Review, Revision
from evaluation.metrics.flags import FlagDecision, Rate, flag_precision, rate_of

ADJUDICATED = "adjudicated"
"""The decision on an annotation that an adjudicator compared with others, and neither accepted nor returned."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision on a revision. ``changed``: its answer was changed, or it was returned or discarded."""

    sample: int
    key: str
    decision: str
    changed: bool
    person: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers of models to one revision, its image, and when the first of them became a flag; None: no flag."""

    image: int
    answers: list[Answered]
    models: set[str]
    flagged_at: datetime | None

    @property
    def decided(self) -> bool:
        return any(one.right is not None for one in self.answers)


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
    ones. ``flags``: questions with a mismatch, of those with a decided answer. ``precision`` and ``blind``: confirmed
    flags, of the decided flags that the person who decided saw, and of those that they did not see; ``others``: the
    same rate of questions without a flag. ``waiting``: flags without a decision. ``share``: the control share, in which
    no flag is seen; it stays from ``fixed_at`` on, None before its first use."""

    asked: int
    conditions: tuple[tuple[Condition, Tally, Rate], ...]
    flags: Rate
    precision: Rate
    blind: Rate
    others: Rate
    waiting: int
    flagged: tuple[Flagged, ...]
    share: float
    fixed_at: datetime | None


def checking_of(benchmark: Benchmark) -> Checking:
    """A fixed number of queries."""
    asked = _asked(benchmark)
    decided = {pk: one for pk, one in asked.items() if one.decided}
    reviews = _decisions(list(decided), benchmark)
    flags = {pk: one for pk, one in decided.items() if one.models}
    drafting = Drafting.objects.filter(benchmark=benchmark).first()
    on_flags = [
        FlagDecision(_saw(drafting, reviews[pk], one.flagged_at), reviews[pk].changed, one.image)
        for pk, one in flags.items()
        if pk in reviews
    ]
    found = [(one, each.image) for each in asked.values() for one in each.answers]
    rows = [(one, image) for one, image in found if one.right is not None]
    tallies = tallied(one for one, _ in found)
    return Checking(
        asked=len(asked),
        conditions=tuple(
            (name, tallies[name], rate_of((one.right is False, image) for one, image in rows if one.condition is name))
            for name in CHECKED
            if name in tallies
        ),
        flags=rate_of((pk in flags, one.image) for pk, one in decided.items()),
        precision=flag_precision(on_flags, blind=False),
        blind=flag_precision(on_flags, blind=True),
        others=rate_of((reviews[pk].changed, asked[pk].image) for pk in decided if pk not in flags and pk in reviews),
        waiting=sum(1 for pk in flags if pk not in reviews),
        flagged=tuple(
            Flagged(reviews[pk].key, tuple(sorted(flags[pk].models)), reviews[pk].decision, reviews[pk].changed)
            for pk in sorted((pk for pk in flags if pk in reviews), key=lambda pk: (reviews[pk].key, pk))
        ),
        share=drafting.control_share if drafting else CONTROL_SHARE,
        fixed_at=drafting.fixed_at if drafting else None,
    )


def _asked(benchmark: Benchmark) -> dict[int, Asked]:
    """By revision, what models answered. One query."""
    found: dict[int, Asked] = {}
    tests = EvidenceTest.objects.of(benchmark, Purpose.CHECK).filter(person=None).order_by("pk")
    fields = ("revision", "condition", "answer", "right", "model", "created_at", "revision__annotation__sample__image")
    for revision, condition, text, right, model, at, image in tests.values_list(*fields):
        one = found.get(revision) or Asked(image or 0, [], set(), None)
        one.answers.append(Answered(Condition(condition), text, right))
        if right is False:
            one.models.add(model)
            one = replace(one, flagged_at=min(at, one.flagged_at or at))
        found[revision] = one
    return found


def _saw(drafting: Drafting | None, decided: Decided, flagged_at: datetime | None) -> bool:
    """Whether the person who decided could see the flag: not if it came later, and not in the control arm. A flag that
    is older than the control share was shown to all."""
    if flagged_at is not None and flagged_at >= decided.at:
        return False
    if drafting is None or flagged_at is None or flagged_at < drafting.created_at:
        return True
    return arm_of(drafting.seed, decided.person, decided.sample, drafting.control_share) is Arm.SHOWN


def _decisions(revisions: list[int], benchmark: Benchmark) -> dict[int, Decided]:
    """The decisions by revision, without samples that wait for a decision again."""
    waiting = waiting_samples(benchmark)
    rows = Review.objects.filter(revision__in=revisions).exclude(revision__annotation__sample__in=waiting)
    needed = ("reviewer", "decision", "created_at", "revision__number", "revision__annotation__sample__key")
    found = list(rows.select_related("revision__annotation__sample").only(*needed).order_by("pk"))
    fixes = {
        (one.revision.annotation_id, one.revision.number + 1): one.revision_id
        for one in found
        if one.decision == Review.Decision.FIX_AND_ACCEPT
    }
    changed = _changed_answers(fixes.keys(), set(fixes.values()))
    undone = (Review.Decision.RETURN, Review.Decision.DISCARD)
    reviewed = {
        one.revision_id: Decided(
            one.revision.annotation.sample_id, one.revision.annotation.sample.key, one.decision,
            one.decision in undone or one.revision_id in changed, one.reviewer_id, one.created_at,
        )
        for one in found
    }  # fmt: skip
    return _adjudicated({pk for pk in revisions if pk not in reviewed}, benchmark, waiting) | reviewed


def _adjudicated(revisions: set[int], benchmark: Benchmark, waiting: Any) -> dict[int, Decided]:
    """Of annotations that were compared with others and have no review of their own, the decision of the last round,
    unless its result has another question."""
    kinds = (Adjudication.Decision.ONE, Adjudication.Decision.MIX)
    rounds = Adjudication.objects.filter(sample__benchmark=benchmark, decision__in=kinds, adjudicator__isnull=False)
    compared = {
        pk: one
        for one in rounds.exclude(sample__in=waiting).select_related("sample").order_by("round")
        for pk in one.measured.get("revisions", ())
        if pk in revisions
    }
    wanted = {*compared, *(one.result_id for one in compared.values() if one.result_id)}
    contents = {one.pk: content_of(one) for one in Revision.objects.filter(pk__in=wanted).with_content()}
    found = {}
    for pk, one in compared.items():
        before, after = contents.get(pk), contents.get(one.result_id or 0)
        if before is None or after is None or _plain(before.question) != _plain(after.question):
            continue
        differs = same_answer(before, after) is False
        assert one.adjudicator_id is not None
        assert one.decided_at is not None
        found[pk] = Decided(
            one.sample_id, one.sample.key, ADJUDICATED, differs, one.adjudicator_id, one.decided_at
        )  # fmt: skip
    return found


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


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
