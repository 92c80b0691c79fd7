"""The cases behind a number of the lab: as many trajectories as samples that it counts."""

from __future__ import annotations

from collections.abc import Collection

from evaluation.common.arm_cases import places_of, scored_places
from evaluation.common.arms import LabData
from evaluation.common.links import Count, RunLinks, named_list
from evaluation.lab.read import Found
from evaluation.metrics.columns import Bools, Quadrant
from evaluation.models import Run
from evaluation.runner.arms.catalogue import Arm


def recorded_cases(run: Run, found: Found, samples: Collection[int]) -> Count:
    """Samples with the list of their trajectories without an intervention, where the lab has all of them."""
    rows = zip(found.data.samples, found.data.recorded, strict=True)
    pks = [trajectory for sample, trajectory in rows if sample in samples]
    return Count(len(samples), named_list(run.benchmark, pks) if len(pks) == len(samples) else "")


def quadrant_cases(data: LabData, arm: Arm, code: int, links: RunLinks, rows: Bools) -> Count:
    """The samples of a recorded quadrant that an arm is compared on, as their trajectories without an intervention."""
    counted = places_of(rows)
    if counted == {at for at in scored_places(data, arm) if data.quadrant[at] == code}:
        return Count(len(counted), links.list(quadrant=Quadrant.NAMES[code], beside=str(arm)) if counted else "")
    return Count(len(counted), named_list(links, [data.recorded[at] for at in counted]))
