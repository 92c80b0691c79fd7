"""The facets at the side of the list of trajectories: names, counts and addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from evaluation.actions.read_list import TrajectoryList
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.failures import FAILURES
from evaluation.models import Run

MOST_VALUES = 12
MOST_CALLS = 8
"""From so many calls on they share a line."""
ANSWERS = {
    1: ("yes", "right"),
    0: ("no", "wrong"),
    2: ("undecided", "undecided"),
    -1: ("none", "nothing to be right"),
}
"""By the codes of the column ``correct``."""
AREAS = {"..0.05%": "under 0.05 %", "0.05%..0.2%": "0.05 – 0.2 %", "0.2%..1%": "0.2 – 1 %", "1%..": "over 1 %"}
"""Ranges of the share of the picture that is evidence; a share on a border is in both."""
FAILURE_WORDS = tuple(name.replace("_", " ") for name in FAILURES)
OUTCOMES = ("exact match", "extra only", "missing only", "substitute", "out of order")
CONDITIONS = {"none": "none", "text": "mistakes in the text", "visual": "noise crops", "placebo": "placebo crops"}

Terms = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One line of ``ui/_facet.html``. The line that is on leads to the list without it."""

    label: str
    count: int
    href: str
    current: bool
    quadrant: str = ""


@dataclass(frozen=True, slots=True)
class Facet:
    title: str
    values: Sequence[FacetValue]

    @property
    def largest(self) -> int:
        return max((value.count for value in self.values), default=0)


def facets(found: TrajectoryList, terms: Terms, runs: Iterable[Run]) -> list[Facet]:
    """All facets that have something to tell apart. Each counts the list without its own term. One query, for tags."""
    made = [
        _runs(found, terms, runs),
        _quadrants(found, terms),
        _failures(found, terms),
        _answers(found, terms),
        _areas(found, terms),
        _calls(found, terms),
        _outcomes(found, terms),
        _conditions(found, terms),
        _tags(found, terms),
        *(_facet(name.capitalize(), f"facet.{name}", terms, _twice(found.counted_by_facet(name)))
          for name in found.facet_values),
    ]  # fmt: skip
    return [facet for facet in made if len(facet.values) > 1 or any(value.current for value in facet.values)]


def address(terms: Terms, **changes: str) -> str:
    """The list with terms changed; "" takes one away. Facets of the data are given by ``**{"facet.x": ...}``."""
    kept = {name: value for name, value in {**terms, **changes}.items() if value}
    return f"?{urlencode(kept)}"


def _facet(title: str, name: str, terms: Terms, rows: Iterable[tuple[str, str, int]], chosen: str = "") -> Facet:
    """``rows``: label, value of the term, count. A value that is on stays in sight with nothing left, as ``chosen``."""
    on = terms.get(name)
    values = [
        FacetValue(label, n, address(terms, **{name: "" if value == on else value}), value == on)
        for label, value, n in rows
    ]
    if on and not any(value.current for value in values):
        values.append(FacetValue(chosen or on, 0, address(terms, **{name: ""}), current=True))
    shown = [value for place, value in enumerate(values) if place < MOST_VALUES or value.current]
    return Facet(title if len(shown) == len(values) else f"{title} ({len(shown)} of {len(values)})", shown)


def _twice(rows: Iterable[tuple[str, int]]) -> Iterable[tuple[str, str, int]]:
    """A value is its own label."""
    return ((value, value, n) for value, n in rows)


def _by_count(counts: Mapping[int, int]) -> list[tuple[int, int]]:
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def _runs(found: TrajectoryList, terms: Terms, runs: Iterable[Run]) -> Facet:
    names = {str(run.pk): str(run) for run in runs}
    rows = [(names.get(str(pk), ""), str(pk), n) for pk, n in _by_count(found.counted("run", "run"))]
    return _facet("Run", "run", terms, rows, names.get(terms.get("run", ""), ""))


def _quadrants(found: TrajectoryList, terms: Terms) -> Facet:
    counts = found.counted("quadrant", "quadrant")
    chosen = terms.get("quadrant")
    values = [
        FacetValue(
            name, counts.get(code, 0), address(terms, quadrant="" if name == chosen else name), name == chosen, name
        )
        for code, name in enumerate(Quadrant.NAMES)
        if counts.get(code) or name == chosen
    ]
    if counts.get(Quadrant.OUTSIDE) or chosen == "none":
        on = chosen == "none"
        outside = address(terms, quadrant="" if on else "none")
        values.append(FacetValue("not placed", counts.get(Quadrant.OUTSIDE, 0), outside, current=on))
    return Facet("Quadrant", values)


def _failures(found: TrajectoryList, terms: Terms) -> Facet:
    counts = found.counted("failure", "failure")
    rows = [(FAILURE_WORDS[code], FAILURES[code], n) for code, n in _by_count(counts) if code >= 0]
    chosen = terms.get("failure", "")
    return _facet("Why", "failure", terms, rows, chosen.replace("_", " "))


def _answers(found: TrajectoryList, terms: Terms) -> Facet:
    counts = found.counted("correct", "correct")
    rows = [(label, value, counts[code]) for code, (value, label) in ANSWERS.items() if counts.get(code)]
    return _facet("Answer", "correct", terms, rows, dict(ANSWERS.values()).get(terms.get("correct", ""), ""))


def _areas(found: TrajectoryList, terms: Terms) -> Facet:
    rows = [(AREAS[value], value, n) for value, n in found.counted_by_area(tuple(AREAS)) if n]
    return _facet("Evidence area", "area", terms, rows, AREAS.get(terms.get("area", ""), ""))


def _calls(found: TrajectoryList, terms: Terms) -> Facet:
    counts: Counter[int] = Counter()
    for calls, n in found.counted("calls", "calls").items():
        if calls >= 0:
            counts[min(calls, MOST_CALLS)] += n
    named = [(f"{calls}+" if calls == MOST_CALLS else str(calls), n) for calls, n in sorted(counts.items())]
    return _facet("Calls", "calls", terms, _twice(named))


def _outcomes(found: TrajectoryList, terms: Terms) -> Facet:
    counts = found.counted("outcome", "outcome")
    rows = [(OUTCOMES[code], name, counts[code]) for code, name in enumerate(Outcome.NAMES) if counts.get(code)]
    return _facet("Tool plan", "outcome", terms, rows)


def _tags(found: TrajectoryList, terms: Terms) -> Facet:
    return _facet("Tags", "tag", terms, _twice(row for row in found.counted_by_tag() if row[1]))


def _conditions(found: TrajectoryList, terms: Terms) -> Facet:
    """Without a term the list is that of no condition, each sample once; further rollouts are left out there."""
    others = {key: value for key, value in terms.items() if key not in {"condition", "flip"}}
    chosen = terms.get("condition", "none")
    counts = {chosen: 0} | found.counted_by_condition()
    values = [
        FacetValue(
            CONDITIONS.get(name, name), n, address(others, condition="" if name == "none" else name), name == chosen
        )
        for name, n in sorted(counts.items(), key=lambda row: (row[0] != "none", row[0]))
        if n or name == terms.get("condition")
    ]
    return Facet("Condition", values)
