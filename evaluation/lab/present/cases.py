"""The cases behind a number of the lab: as many trajectories as samples that it counts."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from evaluation.common.arms import LabData
from evaluation.common.links import Count, RunLinks, named_list
from evaluation.lab.read import Found
from evaluation.metrics.columns import Bools
from evaluation.models import Run
from evaluation.runner.arms.catalogue import Arm


def recorded_cases(run: Run, found: Found, samples: Collection[int]) -> Count:
    """Return samples with the list of their trajectories without an intervention, if the lab has all of them."""
    rows = zip(found.data.samples, found.data.recorded, strict=True)
    pks = [trajectory for sample, trajectory in rows if sample in samples]
    return Count(len(samples), named_list(run.benchmark, pks) if len(pks) == len(samples) else "")


def cases(data: LabData, arm: Arm, links: RunLinks, rows: Bools | None = None) -> Count:
    """Return the samples that an arm is compared on, with the list of one draw of each: the first draws if there are no
    others, else named ones. ``rows``: other samples that the number counts.
    """
    sham = data.sham
    known = data.arms[arm].known if rows is None else rows
    counted = set(np.flatnonzero(known & sham.known if sham is not None else known).tolist())
    firsts = {at for at, outcomes in data.rows[arm].items() if any(one.seed == 0 for one in outcomes)}
    if firsts == counted:
        return Count(len(counted), links.list(condition=str(arm), rollout=0))
    of = {at: sorted(data.rows[arm].get(at, ()), key=lambda one: one.seed)[:1] for at in counted}
    pks = [one.trajectory for outcomes in of.values() for one in outcomes]
    return Count(len(counted), named_list(links, pks, condition=str(arm)))
