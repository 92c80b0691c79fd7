"""The arms of a run out of its scores: the draws of each arm on the same samples, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count

from evaluation.metrics.columns import UNKNOWN, Ints, Quadrant
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
from evaluation.runner.arms.catalogue import FAMILIES, SHAM, Arm, ArmError, Estimand
from evaluation.scoring.settings import settings_of
from evaluation.store.arms import ArmRow, arm_rows, recorded_samples
from evaluation.store.snapshot import Snapshot

MARGIN = 0.05
"""The margin where no experiment states one."""
CURVES = ("noise", "blur")
"""Families whose doses make a curve of accuracy."""


@dataclass(frozen=True)
class Outcome:
    """One draw: the trajectory, and what its answer came to. ``verdict`` "" where it has none."""

    trajectory: int
    seed: int
    verdict: str
    reading: str


@dataclass(frozen=True)
class LabData:
    """The arms of a run under one estimand, n samples.

    Attributes:
        samples, keys: primary keys and ids of the samples, in order of id.
        cluster: (n,) codes of images. ``quadrant``: (n,) that of the recorded trajectory, -1 for none.
        arms: the draws of each arm, in the order of the catalog; ``rows`` those of a sample by its place.
        failed: draws that ended in an error, by arm; ``undecided``: draws that no rule decides, which count as
            incorrect or not at all, as the setting says.
    """

    estimand: Estimand
    samples: Sequence[int]
    keys: Sequence[str]
    cluster: Ints
    quadrant: Ints
    arms: Mapping[Arm, Draws]
    rows: Mapping[Arm, Mapping[int, Sequence[Outcome]]]
    failed: Mapping[Arm, int]
    undecided: Mapping[Arm, int]

    @property
    def sham(self) -> Draws | None:
        return self.arms.get(Arm(SHAM, "", self.estimand))

    def seeds(self, arm: Arm) -> int:
        return int(self.arms[arm].correct.shape[1])


@dataclass(frozen=True)
class Design:
    """What was said before the start: the arms that are confirmatory, and the margin of equivalence as a share."""

    confirm: frozenset[str]
    margin: float


@dataclass(frozen=True)
class Found:
    """Everything that the page of a lab shows. ``holm``: adjusted p of confirmatory arms. ``quadrants``: effects on the
    samples of each recorded quadrant."""

    data: LabData
    design: Design
    effects: Mapping[Arm, ArmEffect]
    holm: Mapping[str, float | None]
    quadrants: Mapping[Arm, Sequence[ArmEffect]]
    trends: Mapping[str, Trend]
    restored: Restoration | None
    early: EarlyAnswering | None


def estimands_of(run: Run) -> list[Estimand]:
    """The estimands that the run has arms of."""
    names = run.trajectories.filter(condition__contains="@").order_by().values_list("condition", flat=True).distinct()
    found = {name.rpartition("@")[2] for name in names}
    return [one for one in Estimand if one.value in found]


def design_of(run: Run, estimand: Estimand) -> Design:
    """What the experiments on this run said before their start. One query."""
    rows = Experiment.objects.filter(source=run, kind=Experiment.Kind.ARMS, recipe__estimand=estimand.value)
    designs = list(rows.order_by("-pk").values_list("design", flat=True))
    confirm = frozenset(name for design in designs for name in design.get("confirm", ()))
    return Design(confirm, float(designs[0]["margin"]) / 100 if designs else MARGIN)


def skipped_of(run: Run, estimand: Estimand) -> dict[str, dict[str, int]]:
    """How many attempts had nothing to change, by arm and reason. One query."""
    skipped = Attempt.objects.filter(
        experiment__source=run, experiment__kind=Experiment.Kind.ARMS, arm__endswith=f"@{estimand}",
        state=Attempt.State.SKIPPED,
    )  # fmt: skip
    found: dict[str, dict[str, int]] = {}
    for arm, reason, n in skipped.order_by("arm", "error").values_list("arm", "error").annotate(n=Count("pk")):
        found.setdefault(arm, {})[reason] = n
    return found


def rebuilt_of(run: Run, estimand: Estimand) -> int:
    """On how many samples the messages were made again from the steps of a file. One query."""
    rows = run.trajectories.filter(condition__endswith=f"@{estimand}", extra__rebuilt=True).order_by()
    return rows.values("sample").distinct().count()


def lab_of(run: Run, estimand: Estimand, user: Any = None) -> Found | None:
    """Everything that the lab of a run shows; None without the sham arm."""
    snapshot = Snapshot(run.benchmark, [run], user)
    return find(load_lab(snapshot, estimand, settings_of(run.benchmark)), design_of(run, estimand))


def load_lab(snapshot: Snapshot, estimand: Estimand, settings: MetricSettings) -> LabData:
    """Read the arms of the one run of a snapshot. Two statements."""
    return _tables(arm_rows(snapshot, f"@{estimand}"), recorded_samples(snapshot), estimand, settings)


def _tables(
    found: Sequence[ArmRow], about: Mapping[int, tuple[int, str | None]], estimand: Estimand,
    settings: MetricSettings,
) -> LabData:  # fmt: skip
    keys = dict.fromkeys((row.sample, row.key) for row in found if row.sample in about)
    place = {sample: at for at, (sample, _) in enumerate(keys)}
    by_arm: dict[str, list[ArmRow]] = {}
    for row in found:
        if row.sample in place:
            by_arm.setdefault(row.condition, []).append(row)
    codes: dict[tuple[int, str], int] = {}
    arms, rows, failed, undecided = {}, {}, Counter[Arm](), Counter[Arm]()
    for arm in sorted(filter(None, map(_arm, by_arm)), key=_order):
        mine = by_arm[str(arm)]
        seeds = {seed: at for at, seed in enumerate(sorted({row.seed for row in mine}))}
        correct = np.full((len(place), len(seeds)), np.nan)
        said = np.full((len(place), len(seeds)), UNKNOWN, np.int64)
        listed: dict[int, list[Outcome]] = {}
        for row in mine:
            at = place[row.sample], seeds[row.seed]
            failed[arm] += bool(row.failed)
            undecided[arm] += row.verdict == "undecided"
            verdict, reading = "" if row.failed else row.verdict or "", row.reading or ""
            if row.scored and not row.failed:
                correct[at] = _correct(row.verdict, settings)
                said[at] = codes.setdefault((row.sample, reading), len(codes)) if reading else UNKNOWN
            listed.setdefault(at[0], []).append(Outcome(row.pk, row.seed, verdict, reading))
        arms[arm], rows[arm] = Draws(correct, said), listed
    quadrants = [about[sample][1] for sample, _ in keys]
    return LabData(
        estimand=estimand,
        samples=[sample for sample, _ in keys],
        keys=[key for _, key in keys],
        cluster=np.array([about[sample][0] for sample, _ in keys], np.int64),
        quadrant=np.array([Quadrant.NAMES.index(name) if name else -1 for name in quadrants], np.int64),
        arms=arms,
        rows=rows,
        failed=failed,
        undecided=undecided,
    )


def _arm(name: str) -> Arm | None:
    try:
        return Arm.read(name)
    except ArmError:
        return None


def _order(arm: Arm) -> tuple[int, int]:
    family = FAMILIES[arm.family]
    return list(FAMILIES).index(arm.family), list(family.doses or ("",)).index(arm.dose)


def _correct(verdict: str | None, settings: MetricSettings) -> float:
    """1 or 0, NaN where nothing says what is correct. An undecided answer counts as in the accuracy of runs."""
    if verdict is None or (verdict == "undecided" and settings.undecided_answer == "exclude"):
        return float("nan")
    return float(verdict == "yes")


def find(data: LabData, design: Design) -> Found | None:
    """Compute everything from the draws; None without the sham arm, which all else is compared with."""
    sham = data.sham
    if sham is None:
        return None
    compared = {arm: draws for arm, draws in data.arms.items() if arm.family != SHAM}
    effects = {arm: arm_effect(draws, sham, data.cluster, design.margin) for arm, draws in compared.items()}
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


def _by_quadrant(draws: Draws, sham: Draws, data: LabData, margin: float) -> list[ArmEffect]:
    """Of draws with the same numbers: the recorded one, which decides the quadrant, may share its seed with one."""
    number = min(draws.correct.shape[1], sham.correct.shape[1])
    draws, sham = draws.first(number), sham.first(number)
    found = []
    for code in range(len(Quadrant.NAMES)):
        rows = data.quadrant == code
        found.append(arm_effect(draws.of(rows), sham.of(rows), data.cluster[rows], margin))
    return found


def _trends(compared: Mapping[Arm, Draws], sham: Draws, cluster: Ints) -> dict[str, Trend]:
    found = {}
    for family in CURVES:
        doses = {float(arm.dose): draws for arm, draws in compared.items() if arm.family == family}
        if (trend := dose_trend(doses, sham, cluster)) is not None:
            found[family] = trend
    return found
