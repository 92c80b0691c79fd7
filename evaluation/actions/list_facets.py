"""The facets of a list of trajectories: for each of its terms, how many there would be with each value of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from evaluation.actions.list_shown import DATA
from evaluation.actions.read_list import TrajectoryList
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.failures import FAILURES

MOST_CALLS = 8
"""From so many calls on they share a value."""
ANSWERS = {1: "yes", 0: "no", 2: "undecided", -1: "none"}
"""By the codes of the column ``correct``."""
AREAS = ("..0.05%", "0.05%..0.2%", "0.2%..1%", "1%..")
"""Ranges of the share of the picture that is evidence; a share on a border is in both."""


def facet_counts(found: TrajectoryList) -> dict[str, dict[str, int]]:
    """Of each term the list can be narrowed by, the values there are, each as a term writes it, with its count; in the
    order of pages. Each counts the list without its own term. One query, for tags."""
    return {
        "run": {str(pk): n for pk, n in _by_count(found.counted("run", "run"))},
        "quadrant": _quadrants(found),
        "failure": {FAILURES[code]: n for code, n in _by_count(found.counted("failure", "failure")) if code >= 0},
        "correct": _coded(found.counted("correct", "correct"), ANSWERS),
        "area": {value: n for value, n in found.counted_by_area(AREAS) if n},
        "calls": _calls(found),
        "outcome": _coded(found.counted("outcome", "outcome"), dict(enumerate(Outcome.NAMES))),
        "condition": _conditions(found),
        "tag": {name: n for name, n in found.counted_by_tag() if n},
        **{f"{DATA}{name}": dict(found.counted_by_facet(name)) for name in found.facet_values},
    }


def _by_count(counts: Mapping[int, int]) -> list[tuple[int, int]]:
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def _coded(counts: Mapping[int, int], names: Mapping[int, str]) -> dict[str, int]:
    return {name: counts[code] for code, name in names.items() if counts.get(code)}


def _quadrants(found: TrajectoryList) -> dict[str, int]:
    return _coded(found.counted("quadrant", "quadrant"), dict(enumerate(Quadrant.NAMES)) | {Quadrant.OUTSIDE: "none"})


def _calls(found: TrajectoryList) -> dict[str, int]:
    counts: Counter[int] = Counter()
    for calls, n in found.counted("calls", "calls").items():
        if calls >= 0:
            counts[min(calls, MOST_CALLS)] += n
    return {f"{calls}+" if calls == MOST_CALLS else str(calls): n for calls, n in sorted(counts.items())}


def _conditions(found: TrajectoryList) -> dict[str, int]:
    counts = found.counted_by_condition()
    return {name: n for name, n in sorted(counts.items(), key=lambda row: (row[0] != "none", row[0])) if n}
