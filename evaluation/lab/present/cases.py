"""The cases behind a number of the lab: as many trajectories as samples that it counts."""

from __future__ import annotations

from collections.abc import Collection

from evaluation.common.arm_cases import places_of, scored_places
from evaluation.common.arms import LabData
from evaluation.common.links import Count, RunLinks, named_list
from evaluation.lab.read import Found
from evaluation.metrics.columns import Bools, Quadrant
from evaluation.models import Run
from evaluation.runner.arms.catalogue import SHAM, Arm


def recorded_cases(run: Run, found: Found, samples: Collection[int]) -> Count:
    """Return samples with the list of their trajectories without an intervention, if the lab has all of them."""
    data, sham = found.data, Arm(SHAM, "", found.data.estimand)
    counted = {at for at, sample in enumerate(data.samples) if sample in samples}
    if len(counted) != len(samples):
        return Count(len(samples))
    if counted and counted == scored_places(data, sham):
        return Count(len(counted), RunLinks.of(run).list(beside=str(sham)))
    return Count(len(counted), named_list(run.benchmark, [data.recorded[at] for at in counted]))


def quadrant_cases(data: LabData, arm: Arm, code: int, links: RunLinks, rows: Bools) -> Count:
    """Return the samples of a quadrant that an arm is compared on, as their trajectories without an intervention."""
    counted = places_of(rows)
    if counted == {at for at in scored_places(data, arm) if data.quadrant[at] == code}:
        return Count(len(counted), links.list(quadrant=Quadrant.NAMES[code], beside=str(arm)) if counted else "")
    return Count(len(counted), named_list(links, [data.recorded[at] for at in counted]))
