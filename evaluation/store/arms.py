"""What the lab needs of a run: its trajectories under arms, and the samples that metrics are made of."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.store.snapshot import Snapshot


class ArmRow(NamedTuple):
    """A trajectory under an arm. ``verdict`` None where nothing says what is correct, or it is not scored."""

    sample: int
    key: str
    condition: str
    seed: int
    pk: int
    verdict: str | None
    reading: str | None
    failed: bool
    scored: bool


def arm_rows(snapshot: Snapshot, ending: str) -> list[ArmRow]:
    """The trajectories whose condition has this ending, by sample, condition and seed. One statement."""
    found = snapshot.ask(
        "SELECT sample, sample_key, condition, rollout, pk, verdict, reading, failed, scored FROM rows "
        f"WHERE ends_with(condition, {snapshot.conditions.arg(ending)}) ORDER BY sample_key, condition, rollout"
    )
    return [ArmRow(*row) for row in found]


def recorded_samples(snapshot: Snapshot) -> dict[int, tuple[int, str | None]]:
    """The image cluster, and the quadrant of the trajectory without an intervention, by sample. One statement."""
    found: list[tuple[Any, ...]] = snapshot.ask(
        "SELECT sample, samples.cluster, quadrant FROM rows JOIN samples USING (sample) WHERE evaluated"
    )
    return {sample: (cluster, quadrant) for sample, cluster, quadrant in found}
