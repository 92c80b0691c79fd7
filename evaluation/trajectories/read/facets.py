"""The facets of a list of trajectories: for each of its terms, how many there would be with each value of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evaluation.common.shown import DATA
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.failures import ORDER
from evaluation.store.trajectory_list import MOST_CALLS, TrajectoryList

ANSWERS = ("yes", "no", "undecided", "none")
AREAS = ("..0.05%", "0.05%..0.2%", "0.2%..1%", "1%..")
"""Ranges of the share of the image that is evidence; a share on a border is in both."""


def facet_counts(found: TrajectoryList) -> dict[str, dict[str, int]]:
    """Count the values of each term that can narrow the list, in the order of pages. Each value is written as in a
    term. Each term counts the list without itself. One query, for tags."""
    calls = found.counts["calls"]
    return {
        "run": _by_count(found.counts["run"], int),
        "quadrant": _in_order(found.counts["quadrant"], (*Quadrant.NAMES, "none")),
        "failure": _by_count(found.counts["failure"], ORDER.index),
        "correct": _in_order(found.counts["correct"], ANSWERS),
        "area": {value: n for value, n in found.counted_by_area(AREAS) if n},
        "calls": {
            f"{value}+" if value == MOST_CALLS else str(value): calls[str(value)] for value in sorted(map(int, calls))
        },
        "outcome": _in_order(found.counts["outcome"], Outcome.NAMES),
        "condition": _conditions(found),
        "tag": {name: n for name, n in found.counted_by_tag() if n},
        **{f"{DATA}{name}": dict(found.counted_by_facet(name)) for name in found.facet_values},
    }


def _by_count(counts: Mapping[str, int], place: Callable[[str], int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda row: (-row[1], place(row[0]))))


def _in_order(counts: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name: counts[name] for name in names if counts.get(name)}


def _conditions(found: TrajectoryList) -> dict[str, int]:
    counts = found.counted_by_condition()
    return {name: n for name, n in sorted(counts.items(), key=lambda row: (row[0] != "none", row[0])) if n}
