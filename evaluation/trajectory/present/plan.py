"""A tool plan compared with its prediction: matching, extra and missing names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.common.trajectory.read import TrajectoryDetail
from evaluation.metrics.matching import UNMATCHED, TargetNames, match, normalise, normalised_map
from evaluation.metrics.plans import OUTCOMES, has_order, query_of


@dataclass(frozen=True, slots=True)
class Said:
    """One predicted name: the target it matched ("" for none), and that target's step."""

    name: str
    target: str
    step: int | None
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """One target with its step; ``found``: a predicted name matched it."""

    name: str
    step: int | None
    found: bool


@dataclass(frozen=True)
class Prediction:
    """A predicted list against what was wanted. ``said`` None: there is no prediction, so it is not evaluated."""

    said: list[Said] | None
    wanted: list[Wanted]
    scores: tuple[float, float, float] | None


@dataclass(frozen=True)
class PlanTable:
    ordered: bool
    distractors: tuple[str, ...]
    plan: Prediction
    recognition: Prediction
    outcome: str
    meaning: str


def plan_of(detail: TrajectoryDetail) -> PlanTable | None:
    """None for a sample that asks for no plan."""
    plan, columns, scores, settings = detail.record.content.plan, detail.loaded.columns, detail.scores, detail.settings
    if not plan.targets:
        return None
    query = query_of(plan)
    outcome, meaning = OUTCOMES.get(int(scores.plan_outcome[0]), ("", ""))
    fuzzy = settings.recognition_match == "fuzzy"
    collapse = settings.plan_repeats == "collapse"
    written = {normalise(name): name for name in [*plan.distractors, *(target.tool for target in plan.targets)]}
    steps = dict(zip(query.targets.names, query.steps, strict=True)) if has_order(plan) else {}
    planned = _prediction(
        columns.plan[0], columns.plan_map[0], query.targets, written, steps, scores.selection_prf[0], collapse=collapse
    )
    seen = _prediction(
        columns.recognition[0],
        columns.recognition_map[0],
        query.scene,
        written,
        {},
        scores.recognition_prf[0],
        fuzzy=fuzzy,
    )
    return PlanTable(has_order(plan), plan.distractors, planned, seen, outcome, meaning)


def _prediction(
    names: Sequence[str] | None,
    judge: Mapping[str, str | None],
    targets: TargetNames,
    written: Mapping[str, str],
    steps: Mapping[str, int],
    scores: Any,
    *,
    fuzzy: bool = False,
    collapse: bool = False,
) -> Prediction:
    """The names of a prediction as the metrics match them; under ``collapse`` a repeated name is dropped first."""
    kept = [name for name in names or () if normalise(name)]
    plain = [normalise(name) for name in kept]
    counted = list(dict.fromkeys(plain)) if collapse else plain
    places = match(counted, targets, normalised_map(judge), fuzzy=fuzzy)
    found = {place for place in places if place != UNMATCHED}
    rest = iter(places)
    said, before = [], set[str]()
    for name, norm in zip(kept, plain, strict=True):
        if collapse and norm in before:
            said.append(Said(name, "", None, dropped=True))
            continue
        before.add(norm)
        place = next(rest)
        target = "" if place == UNMATCHED else targets.names[place]
        said.append(Said(name, written.get(target, target), steps.get(target)))
    wanted = [Wanted(written[name], steps.get(name), place in found) for place, name in enumerate(targets.names)]
    numbers = tuple(float(value) for value in scores)
    return Prediction(None if names is None else said, wanted, numbers if numbers[0] == numbers[0] else None)  # type: ignore[arg-type]
