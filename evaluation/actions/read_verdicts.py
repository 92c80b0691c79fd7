"""What judge models and people said of one trajectory, as far as it may be told to who looks at it.

Who still has a question open in a judging queue is not told what others said of the questions of that queue, as on the
queue's own page. A judge is a person as in ``read_judges``: who judged here, or a member by name or address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Lower

from annotation.models import Membership
from evaluation.actions.read_judges import word_of
from evaluation.actions.read_trajectory import TrajectoryDetail
from evaluation.models import Judgement, JudgingItem, Trajectory
from webapp.accounts.models import User


@dataclass(frozen=True, slots=True)
class Said:
    """One judgement. ``person``: the key of who gave it, None of a judge model; ``word``: of ``word_of``."""

    kind: str
    judge: str
    person: int | None
    verdict: str | None
    answer: str | None
    word: str | None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """``told``: in order of kind and judge; ``kept_back``: how many more are not told yet."""

    told: Sequence[Said]
    kept_back: int = 0


def read_verdicts(trajectory: Trajectory, detail: TrajectoryDetail, judging: User | None) -> Verdicts:
    """What was said of this run on this sample. ``judging``: who looks, if they may judge; else None. One query, and
    one more where there is something to keep back."""
    about = {"run": trajectory.run_id, "sample": trajectory.sample_id}
    found = Judgement.objects.filter(**about).annotate(member=_member(trajectory))
    key = detail.samples.answers[0]
    said = [
        Said(one.kind, one.judge, one.person_id or one.member, one.verdict, one.answer,
             word_of(one.verdict, one.answer, one.kind, key, detail.settings))
        for one in found.order_by("kind", "judge")
    ]  # fmt: skip
    others = [one for one in said if judging is not None and one.person != judging.pk]
    if judging is None or not others:
        return Verdicts(said)
    here = {"trajectory__run": trajectory.run_id, "trajectory__sample": trajectory.sample_id}
    items = JudgingItem.objects.of(trajectory.run.benchmark)
    kept = set(items.kept_from(judging).filter(**here).values_list("kind", flat=True))
    told = [one for one in said if one.person == judging.pk or one.kind not in kept]
    return Verdicts(told, len(said) - len(told))


def _member(trajectory: Trajectory) -> Subquery:
    """The member whom a judge is named like; a judge without a name is nobody."""
    members = Membership.objects.filter(benchmark=trajectory.run.benchmark_id)
    named = members.annotate(address=Lower("user__email"), called=Lower("user__name"))
    judge = Lower(OuterRef("judge"))
    same = named.filter(Q(address=judge) | Q(called=judge) & ~Q(called=""))
    return Subquery(same.order_by("user").values("user")[:1])
