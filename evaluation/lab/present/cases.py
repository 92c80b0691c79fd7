"""The cases behind a number of the lab: as many trajectories as samples that it counts."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

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


def cases(data: LabData, arm: Arm, links: RunLinks, rows: Bools | None = None) -> Count:
    """The samples that an arm is compared on, with the list of one draw of each: their first draws where there are no
    others, else named ones; of too many to name, their trajectories without an intervention. ``rows``: (n,) other
    samples that the number counts."""
    sham = data.sham
    known = data.arms[arm].known if rows is None else rows
    counted = _places(known & sham.known if sham is not None and rows is None else known)
    firsts = {at for at, outcomes in data.rows[arm].items() if any(one.seed == 0 for one in outcomes)}
    if firsts == counted and arm not in data.elsewhere:
        return Count(len(counted), links.list(condition=str(arm), rollout=0))
    of = {at: sorted(data.rows[arm].get(at, ()), key=lambda one: one.seed)[:1] for at in counted}
    pks = [one.trajectory for outcomes in of.values() for one in outcomes]
    named = named_list(links, pks, condition=str(arm)) if len(pks) == len(counted) else ""
    if not named and counted and counted == _scored(data, arm):
        named = links.list(beside=str(arm))
    return Count(len(counted), named)


def quadrant_cases(data: LabData, arm: Arm, code: int, links: RunLinks, rows: Bools) -> Count:
    """The samples of a recorded quadrant that an arm is compared on, as their trajectories without an intervention."""
    counted = _places(rows)
    if counted == {at for at in _scored(data, arm) if data.quadrant[at] == code}:
        return Count(len(counted), links.list(quadrant=Quadrant.NAMES[code], beside=str(arm)) if counted else "")
    return Count(len(counted), named_list(links, [data.recorded[at] for at in counted]))


def _places(rows: Bools) -> set[int]:
    return set(np.flatnonzero(rows).tolist())


def _scored(data: LabData, arm: Arm) -> set[int]:
    """The samples on which the arm has a scored draw."""
    return {at for at, outcomes in data.rows[arm].items() if any(one.scored for one in outcomes)}
