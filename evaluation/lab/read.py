"""The arms of a run from its scores: the draws of each arm on the same samples, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from evaluation.common.arms import MARGIN, LabData, effect_of, load_labs
from evaluation.metrics.columns import Bools, Ints, Quadrant
from evaluation.metrics.lab import (
    ArmEffect,
    Draws,
    EarlyAnswering,
    Restoration,
    Trend,
    adjusted,
    arm_effect,
    dose_trend,
    early_answering,
    restoration,
)
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Attempt, Experiment, Run
from evaluation.models.querysets.experiments import AttemptQuerySet
from evaluation.runner.arms.catalogue import SHAM, Arm, Estimand
from evaluation.scoring.settings import settings_of
from evaluation.store.snapshot import Snapshot

CURVES = ("noise", "blur")
"""Families whose doses make a curve of accuracy."""


@dataclass(frozen=True)
class Skipped:
    """Attempts of an arm that had nothing to change: their number by reason."""

    reasons: dict[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return sum(self.reasons.values())


@dataclass(frozen=True)
class Design:
    """The choices before the start: the confirmatory arms, and the margin of equivalence as a share."""

    confirm: frozenset[str]
    margin: float


@dataclass(frozen=True)
class QuadrantEffect:
    """An arm on the samples of a recorded quadrant. ``rows``: (n,) the samples that it is compared on."""

    effect: ArmEffect
    rows: Bools


@dataclass(frozen=True)
class Found:
    """Everything that the page of a lab shows. ``holm``: adjusted p of confirmatory arms. ``quadrants``: effects on the
    samples of each recorded quadrant."""

    data: LabData
    design: Design
    effects: Mapping[Arm, ArmEffect]
    holm: Mapping[str, float | None]
    quadrants: Mapping[Arm, Sequence[QuadrantEffect]]
    trends: Mapping[str, Trend]
    restored: Restoration | None
    early: EarlyAnswering | None


def estimands_of(run: Run) -> list[Estimand]:
    """The estimands that the run has arms of."""
    names = run.trajectories.filter(condition__contains="@").order_by().values_list("condition", flat=True).distinct()
    found = {name.rpartition("@")[2] for name in names}
    return [one for one in Estimand if one.value in found]


def design_of(run: Run, estimand: Estimand) -> Design:
    """Return the choices of the experiments on this run before their start. One query."""
    rows = Experiment.objects.filter(source=run, kind=Experiment.Kind.ARMS, recipe__estimand=estimand.value)
    designs = list(rows.order_by("-pk").values_list("design", flat=True))
    confirm = frozenset(name for design in designs for name in design.get("confirm", ()))
    return Design(confirm, float(designs[0]["margin"]) / 100 if designs else MARGIN)


def skipped_of(run: Run, estimand: Estimand) -> dict[str, Skipped]:
    """The attempts that had nothing to change, by arm. One query."""
    skipped = skipped_attempts(run).filter(arm__endswith=f"@{estimand}")
    found: dict[str, Skipped] = {}
    for arm, reason, n in skipped.order_by("arm", "error").values_list("arm", "error").annotate(n=Count("pk")):
        found.setdefault(arm, Skipped()).reasons[reason] = n
    return found


def skipped_attempts(run: Run) -> AttemptQuerySet:
    """The attempts that had nothing to change, of all experiments on this run."""
    found: AttemptQuerySet = Attempt.objects.filter(
        experiment__source=run, experiment__kind=Experiment.Kind.ARMS, state=Attempt.State.SKIPPED
    )
    return found


def rebuilt_of(run: Run, estimand: Estimand) -> set[int]:
    """The samples whose messages were made again from the steps of a file. One query."""
    rows = run.trajectories.filter(condition__endswith=f"@{estimand}", extra__rebuilt=True).order_by()
    return set(rows.values_list("sample", flat=True).distinct())


def lab_of(run: Run, estimand: Estimand, user: Any = None) -> Found | None:
    """Everything that the lab of a run shows; None without the sham arm."""
    snapshot = Snapshot(run.benchmark, [run], user)
    return find(load_lab(snapshot, estimand, settings_of(run.benchmark)), design_of(run, estimand))


def load_lab(snapshot: Snapshot, estimand: Estimand, settings: MetricSettings) -> LabData | None:
    """Read the arms of the one run of a snapshot; None without any. Two statements."""
    return next(iter(load_labs(snapshot, estimand, settings).values()), None)


def find(data: LabData | None, design: Design) -> Found | None:
    """Compute everything from the draws; None without the sham arm, which all else is compared with."""
    if data is None or (sham := data.sham) is None:
        return None
    compared = {arm: draws for arm, draws in data.arms.items() if arm.family != SHAM}
    effects = {arm: one for arm in compared if (one := effect_of(data, arm, design.margin)) is not None}
    named = {str(arm): effect for arm, effect in effects.items()}
    gold = compared.get(Arm("gold", "", data.estimand))
    cut = {float(arm.dose) / 100: draws for arm, draws in compared.items() if arm.family == "truncate"}
    return Found(
        data=data,
        design=design,
        effects=effects,
        holm=adjusted(named, [name for name in named if name in design.confirm]),
        quadrants={arm: _by_quadrant(draws, sham, data, design.margin) for arm, draws in compared.items()},
        trends=_trends(compared, sham, data.cluster),
        restored=restoration(gold, sham, data.cluster) if gold is not None else None,
        early=early_answering(cut, sham) if len(cut) > 1 else None,
    )


def _by_quadrant(draws: Draws, sham: Draws, data: LabData, margin: float) -> list[QuadrantEffect]:
    """Of draws with the same numbers: the recorded one, which decides the quadrant, may share its seed with one."""
    number = min(draws.correct.shape[1], sham.correct.shape[1])
    draws, sham = draws.first(number), sham.first(number)
    found = []
    for code in range(len(Quadrant.NAMES)):
        rows = data.quadrant == code
        effect = arm_effect(draws.of(rows), sham.of(rows), data.cluster[rows], margin)
        found.append(QuadrantEffect(effect, rows & draws.known & sham.known))
    return found


def _trends(compared: Mapping[Arm, Draws], sham: Draws, cluster: Ints) -> dict[str, Trend]:
    found = {}
    for family in CURVES:
        doses = {float(arm.dose): draws for arm, draws in compared.items() if arm.family == family}
        if (trend := dose_trend(doses, sham, cluster)) is not None:
            found[family] = trend
    return found
