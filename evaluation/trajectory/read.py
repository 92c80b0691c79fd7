"""What judge models and people said of one trajectory, as far as it may be told to who looks at it.

Who still has a question open in a judging queue is told nothing on the samples of that queue: see ``judging_known``. A
judge is a person as in ``read_judges``: who judged here, or a member by name or address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Lower

from annotation.models import Membership
from evaluation.common.judging.known import withheld_samples
from evaluation.common.judging.words import word_of
from evaluation.common.trajectory.read import TrajectoryDetail
from evaluation.models import Attempt, Experiment, Judgement, Trajectory


@dataclass(frozen=True, slots=True)
class Said:
    """One judgment. ``person``: the key of who gave it, None of a judge model; ``word``: of ``word_of``."""

    kind: str
    judge: str
    person: int | None
    verdict: str | None
    answer: str | None
    word: str | None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """``told``: in order of kind and judge; ``withheld``: what there is, or is not, is not told yet."""

    told: Sequence[Said]
    withheld: bool = False


def read_verdicts(trajectory: Trajectory, detail: TrajectoryDetail, viewer: Any) -> Verdicts:
    """What was said of this trajectory. Two queries."""
    benchmark = trajectory.run.benchmark
    if withheld_samples(viewer, benchmark).filter(trajectory__sample=trajectory.sample_id).exists():
        return Verdicts((), withheld=True)
    here: Any = Judgement.objects.filter(run=trajectory.run_id, sample=trajectory.sample_id)
    found = here.with_subject().filter(subject=trajectory.pk).annotate(member=_member(trajectory))
    key = detail.samples.answers[0]
    return Verdicts(
        [
            Said(one.kind, one.judge, one.person_id or one.member, one.verdict, one.answer,
                 word_of(one.verdict, one.answer, one.kind, key, detail.settings))
            for one in found.order_by("kind", "judge")
        ]
    )  # fmt: skip


def _member(trajectory: Trajectory) -> Subquery:
    """The member whom a judge is named like; a judge without a name is nobody."""
    members = Membership.objects.filter(benchmark=trajectory.run.benchmark_id)
    named = members.annotate(address=Lower("user__email"), called=Lower("user__name"))
    judge = Lower(OuterRef("judge"))
    same = named.filter(Q(address=judge) | Q(called=judge) & ~Q(called=""))
    return Subquery(same.order_by("user").values("user")[:1])


def attempt_of(row: Any) -> Attempt | None:
    """The attempt of an experiment that made a trajectory. One query, none for runs of files."""
    if "@" not in row.condition and not any(name.startswith("recipe") for name in row.run.extra):
        return None
    made = Attempt.objects.filter(trajectory=row).exclude(experiment__kind=Experiment.Kind.JUDGE)
    return made.order_by("-pk").first()
