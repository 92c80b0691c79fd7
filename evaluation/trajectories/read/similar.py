"""Similar trajectories, as the terms of a list that people can read, widen and share."""

from __future__ import annotations

from typing import Any

from evaluation.common.crops import region_terms
from evaluation.query.numbers import bounds
from evaluation.query.syntax import Term
from evaluation.store.snapshot import Snapshot
from evaluation.store.trajectory_list import MOST_CALLS
from evaluation.trajectories.read.facets import AREAS

_YES_NO = ("no", "yes")


def similar_trajectories(trajectory: Any, failure: str, threshold: float, snapshot: Snapshot) -> dict[str, str]:
    """The terms of the list of those with the same failure (without one: quadrant; outside of them: verdict), kind of
    crop, number of calls and size of evidence, in any run; none for an unscored trajectory.

    ``failure``: the one in force, "" for none. ``threshold``: of IoA, for the kinds of crops. The list contains the
    trajectory itself if metrics use its rollout.
    """
    score = trajectory.score
    if score is None:
        return {}
    terms = {} if trajectory.condition == "none" else {"condition": str(trajectory.condition)}
    terms["failure"] = failure or "none"
    if not failure and score.quadrant:
        terms["quadrant"] = score.quadrant
    elif not failure:
        terms |= {"quadrant": "none", "correct": _verdict(score)}
    terms |= region_terms(snapshot, trajectory, threshold) or _no_region(score)
    terms["calls"] = f"{MOST_CALLS}+" if score.calls >= MOST_CALLS else str(score.calls)
    return terms | _area(trajectory.sample.evidence_share)


def _verdict(score: Any) -> str:
    if score.undecided:
        return "undecided"
    return "none" if score.correct is None else "yes" if score.correct else "no"


def _no_region(score: Any) -> dict[str, str]:
    """Outside the grounding population, or without a single crop."""
    terms = {"zoomed": _YES_NO[score.invoked], "population": _YES_NO[score.in_population]}
    return terms | ({"ioa": "none"} if score.in_population and score.ioa is None else {})


def _area(share: float | None) -> dict[str, str]:
    if share is None:
        return {"area": "none"}
    return {"area": next(one for one in AREAS if (wanted := bounds(Term("area", ":", one))).low < share < wanted.high)}
