"""The data of runs for the lab: their trajectories under arms, and the samples of metrics."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.store.snapshot import Snapshot


class ArmRow(NamedTuple):
    """A trajectory under an arm. ``verdict`` None without a gold answer, or if it is not scored."""

    run: int
    sample: int
    key: str
    condition: str
    seed: int
    pk: int
    verdict: str | None
    reading: str | None
    failed: bool
    scored: bool


class Recorded(NamedTuple):
    """Of the trajectory without an intervention: the cluster of its image, its quadrant and its number."""

    cluster: int
    quadrant: str | None
    trajectory: int


def arm_rows(snapshot: Snapshot, ending: str) -> list[ArmRow]:
    """The trajectories whose condition has this ending, by sample, condition and seed. One statement."""
    found = snapshot.ask(
        "SELECT run, sample, sample_key, condition, rollout, pk, verdict, reading, failed, scored FROM rows "
        f"WHERE ends_with(condition, {snapshot.conditions.arg(ending)}) ORDER BY sample_key, condition, rollout"
    )
    return [ArmRow(*row) for row in found]


def recorded_samples(snapshot: Snapshot, where: str = "TRUE") -> dict[int, dict[int, Recorded]]:
    """The trajectories without an intervention that a condition selects, by run and sample. One statement."""
    rows: list[tuple[Any, ...]] = snapshot.ask(
        "SELECT run, sample, samples.cluster, quadrant, pk FROM rows JOIN samples USING (sample) "
        f"WHERE evaluated AND {where}"
    )
    found: dict[int, dict[int, Recorded]] = {}
    for run, sample, *about in rows:
        found.setdefault(run, {})[sample] = Recorded(*about)
    return found
