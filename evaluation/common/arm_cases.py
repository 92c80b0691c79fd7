"""The cases behind the number of an arm: as many trajectories as samples that it counts."""

from __future__ import annotations

import numpy as np

from evaluation.common.arms import LabData
from evaluation.common.links import Count, RunLinks, named_list
from evaluation.metrics.columns import Bools
from evaluation.runner.arms.catalogue import Arm


def cases(data: LabData, arm: Arm, links: RunLinks, rows: Bools | None = None) -> Count:
    """The samples that an arm is compared on, with the list of one draw of each: their first draws where there are no
    others, else named ones; of too many to name, their trajectories without an intervention. ``rows``: (n,) other
    samples that the number counts."""
    sham = data.sham
    known = data.arms[arm].known if rows is None else rows
    counted = places_of(known & sham.known if sham is not None and rows is None else known)
    firsts = {at for at, outcomes in data.rows[arm].items() if any(one.seed == 0 for one in outcomes)}
    if firsts == counted and arm not in data.elsewhere:
        return Count(len(counted), links.list(condition=str(arm), rollout=0))
    of = {at: sorted(data.rows[arm].get(at, ()), key=lambda one: one.seed)[:1] for at in counted}
    pks = [one.trajectory for outcomes in of.values() for one in outcomes]
    named = named_list(links, pks, condition=str(arm)) if len(pks) == len(counted) else ""
    if not named and counted and counted == scored_places(data, arm) and arm not in data.elsewhere:
        named = links.list(beside=str(arm))
    return Count(len(counted), named)


def places_of(rows: Bools) -> set[int]:
    return set(np.flatnonzero(rows).tolist())


def scored_places(data: LabData, arm: Arm) -> set[int]:
    """The samples on which the arm has a scored draw."""
    return {at for at, outcomes in data.rows[arm].items() if any(one.scored for one in outcomes)}
