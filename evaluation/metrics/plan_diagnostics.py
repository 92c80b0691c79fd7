"""The reasons why plans fail: recognized targets that were omitted, entries other than targets, correct order by
chance.

Source: docs/metrics.md#plan-diagnostics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial, nan, prod

import numpy as np

from evaluation.metrics.columns import Floats, Ints, RunColumns, SampleColumns
from evaluation.metrics.matching import UNMATCHED, TargetNames, candidate, match, normalised, normalised_map
from evaluation.metrics.plans import Query, different, queries_of
from evaluation.metrics.settings import MetricSettings

_NO_PICKS = (-1, -1, -1)


@dataclass(frozen=True)
class PlanErrors:
    """The missing and extra entries of n plans, as columns named as in ``ScoreColumns``."""

    plan_omitted: Ints
    plan_unrecognized: Ints
    plan_in_scene: Ints
    plan_repeated: Ints
    plan_hallucinated: Ints
    plan_chance: Floats


def missing_targets(predicted: Sequence[str], query: Query, judge: Mapping[str, str | None]) -> frozenset[int]:
    """The places of the targets that a plan of normalized names lacks."""
    return frozenset(range(len(query.targets.names))) - set(match(predicted, query.targets, judge))


def recognized_targets(
    listed: Sequence[str], query: Query, judge: Mapping[str, str | None], *, fuzzy: bool = False
) -> frozenset[int]:
    """The places of the targets that a list of recognized tools has, matched as in ``precision_recall_f1``."""
    places = match(tuple(dict.fromkeys(listed)), query.scene, judge, fuzzy=fuzzy)
    return frozenset(place for place in places if UNMATCHED < place < len(query.targets.names))


def spurious_picks(predicted: Sequence[str], query: Query, judge: Mapping[str, str | None]) -> tuple[int, int, int]:
    """The unmatched entries of a plan of normalized names: (in scene, repeats, hallucinated), 0 or more each.

    A repeat means a target that an earlier entry took. In scene: any other entry that means a distractor; an entry of
    the judge's mapping that is null is about targets only. Hallucinated: all others. Together they are the extra
    entries of the plan's outcome.

    Example: targets A, B, distractor C: "a, a, c, d" → (1, 1, 1).
    """
    distractors = TargetNames(query.scene.names[len(query.targets.names) :])
    named = {name: meant for name, meant in judge.items() if meant}
    counts = Counter(
        "repeat"
        if candidate(name, query.targets, judge) != UNMATCHED
        else "scene"
        if candidate(name, distractors, named) != UNMATCHED
        else "none"
        for name, place in zip(predicted, match(predicted, query.targets, judge), strict=True)
        if place == UNMATCHED
    )
    return counts["scene"], counts["repeat"], counts["none"]


def chance_of_disorder(steps: Sequence[int]) -> float:
    """The chance that all targets of a query in random order are out of order: e = 1 − Π_s m_s! / M!, 0..1.

    ``steps``: the step of each of its M targets, of which m_s are at step s. NaN without a target.
    Example: steps 1, 2, 2, 3 → 1 − 2/24 = .917; all at one step → 0.
    """
    if not steps:
        return nan
    return 1 - prod(map(factorial, Counter(steps).values())) / factorial(len(steps))


def plan_errors(samples: SampleColumns, run: RunColumns, settings: MetricSettings) -> PlanErrors:
    """Return the missing and extra entries of each plan of a run. −1 and NaN where undefined: all without a plan or
    without targets, ``plan_omitted`` and ``plan_unrecognized`` without a list of recognized tools, ``plan_chance`` with
    a target missing.

    ``plan_omitted``: missing targets that the list of the same trajectory has; ``plan_unrecognized``: the other missing
    ones. Names are prepared as for the outcome (``plan_repeats``) and for recognition (``recognition_match``).
    """
    codes, queries = queries_of(samples)
    query_code = codes[run.sample] if len(codes) else codes
    planned, plan_at = different(run.plan, run.plan_map, query_code)
    listed, list_at = different(run.recognition, run.recognition_map, query_code)
    missing: list[frozenset[int] | None] = []
    picks, chance = [], []
    for written, mapping, code in planned:
        names, judge, query = normalised(written), normalised_map(dict(mapping)), queries[code]
        names = tuple(dict.fromkeys(names)) if settings.plan_repeats == "collapse" else names
        known = bool(query.targets.names)
        lacks = missing_targets(names, query, judge)
        missing.append(lacks if known else None)
        picks.append(spurious_picks(names, query, judge) if known else _NO_PICKS)
        chance.append(nan if lacks else chance_of_disorder(query.steps))
    fuzzy = settings.recognition_match == "fuzzy"
    seen = [
        recognized_targets(normalised(names), queries[code], normalised_map(dict(mapping)), fuzzy=fuzzy)
        for names, mapping, code in listed
    ]
    missing.append(None)
    extra = np.array([*picks, _NO_PICKS], np.int64).reshape(-1, 3)[plan_at]
    lost = _omissions(missing, seen, plan_at, list_at)
    return PlanErrors(lost[:, 0], lost[:, 1], extra[:, 0], extra[:, 1], extra[:, 2], np.array([*chance, nan])[plan_at])


def _omissions(missing: Sequence[frozenset[int] | None], seen: Sequence[frozenset[int]], plan: Ints, at: Ints) -> Ints:
    """Return (n, 2) missing targets that were recognized, and those that were not; −1 without a plan or a list."""
    found = np.full((len(plan), 2), -1, np.int64)
    for row, (lacks, place) in enumerate(zip((missing[one] for one in plan.tolist()), at.tolist(), strict=True)):
        if lacks is not None and place >= 0:
            both = len(lacks & seen[place])
            found[row] = both, len(lacks) - both
    return found
