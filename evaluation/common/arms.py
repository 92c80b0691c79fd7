"""The draws of the arms of runs out of their scores, and the effect of an arm: all that shows one computes it here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.metrics.columns import UNKNOWN, Ints, Quadrant
from evaluation.metrics.lab import ArmEffect, Draws, arm_effect
from evaluation.metrics.settings import MetricSettings
from evaluation.runner.arms.catalogue import FAMILIES, SHAM, Arm, ArmError, Estimand
from evaluation.store.arms import ArmRow, Recorded, arm_rows, recorded_samples
from evaluation.store.snapshot import Snapshot

MARGIN = 0.05
"""The margin of equivalence where no experiment states one."""
LEADING = ("noise-100", "blank", "no-crops", "noise-75", "noise-50")
"""The arms that say most about the crops, the first one first."""


@dataclass(frozen=True)
class Outcome:
    """One draw: the trajectory, and the verdict on its answer. ``verdict`` "" without one."""

    trajectory: int
    seed: int
    verdict: str
    reading: str
    scored: bool = True


@dataclass(frozen=True)
class LabData:
    """The arms of a run under one estimand, n samples.

    Attributes:
        samples, keys: primary keys and ids of the samples, in order of id.
        cluster: (n,) codes of images. ``quadrant``: (n,) that of the recorded trajectory, -1 for none.
        recorded: numbers of the recorded trajectories.
        arms: the draws of each arm, in the order of the catalog; ``rows`` those of a sample by its place.
        failed: draws that ended in an error, by arm; ``undecided``: draws that no rule decides, which count as
            incorrect or not at all, as the setting says.
        elsewhere: arms that also have draws on other samples, which a list of the arm has and numbers do not count.
    """

    estimand: Estimand
    samples: Sequence[int]
    keys: Sequence[str]
    cluster: Ints
    quadrant: Ints
    recorded: Sequence[int]
    arms: Mapping[Arm, Draws]
    rows: Mapping[Arm, Mapping[int, Sequence[Outcome]]]
    failed: Mapping[Arm, int]
    undecided: Mapping[Arm, int]
    elsewhere: frozenset[Arm] = field(default_factory=frozenset)

    @property
    def sham(self) -> Draws | None:
        return self.arms.get(Arm(SHAM, "", self.estimand))

    def seeds(self, arm: Arm) -> int:
        return int(self.arms[arm].correct.shape[1])


def load_labs(
    snapshot: Snapshot, estimand: Estimand, settings: MetricSettings, where: str = "TRUE"
) -> dict[int, LabData]:  # fmt: skip
    """Read the arms of each run of a snapshot that has any, by its number. ``where``: condition that the trajectories
    without an intervention meet, so that only their samples count. Two statements."""
    by_run: dict[int, list[ArmRow]] = {}
    for row in arm_rows(snapshot, f"@{estimand}"):
        by_run.setdefault(row.run, []).append(row)
    if not by_run:
        return {}
    about = recorded_samples(snapshot, where)
    return {run: _tables(rows, about.get(run, {}), estimand, settings) for run, rows in by_run.items()}


def effect_of(data: LabData, arm: Arm, margin: float = MARGIN) -> ArmEffect | None:
    """The effect of an arm against sham over all its draws; None without the one or the other."""
    sham = data.sham
    return arm_effect(data.arms[arm], sham, data.cluster, margin) if sham is not None and arm in data.arms else None


def _tables(
    found: Sequence[ArmRow], about: Mapping[int, Recorded], estimand: Estimand,
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
            listed.setdefault(at[0], []).append(Outcome(row.pk, row.seed, verdict, reading, row.scored))
        arms[arm], rows[arm] = Draws(correct, said), listed
    recorded = [about[sample] for sample, _ in keys]
    outside = {row.condition for row in found if row.sample not in place}
    return LabData(
        estimand=estimand,
        samples=[sample for sample, _ in keys],
        keys=[key for _, key in keys],
        cluster=np.array([one.cluster for one in recorded], np.int64),
        quadrant=np.array([Quadrant.NAMES.index(one.quadrant) if one.quadrant else -1 for one in recorded], np.int64),
        recorded=[one.trajectory for one in recorded],
        arms=arms,
        rows=rows,
        failed=failed,
        undecided=undecided,
        elsewhere=frozenset(arm for arm in arms if str(arm) in outside),
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
    """Return 1 or 0, NaN without a gold answer. An undecided answer counts as in the accuracy of runs."""
    if verdict is None or (verdict == "undecided" and settings.undecided_answer == "exclude"):
        return float("nan")
    return float(verdict == "yes")
