"""Judgments of models and people on one trajectory that a person may see.

People with an open question in a judging queue see no judgments on the samples of that queue (``judging_known``). As in
``read_judges``, a judge is a person if they judged here, or if its name or address is that of a member.
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
    """``told``: visible judgments, by kind and judge; ``withheld``: whether judgments are hidden, even if there are
    none."""

    told: Sequence[Said]
    withheld: bool = False


def read_verdicts(trajectory: Trajectory, detail: TrajectoryDetail, viewer: Any) -> Verdicts:
    """Return the judgments on this trajectory. Two queries."""
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
    """The member with the name of a judge; None for a judge without a name."""
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
