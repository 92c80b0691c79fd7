"""The facets at the side of the list of trajectories: names, counts and addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.models import Run
from evaluation.querysets import TrajectoryQuerySet

MOST_VALUES = 12
MOST_CALLS = 8
"""From so many calls on they share a line."""
ANSWERS = {True: ("yes", "right"), False: ("no", "wrong"), None: ("undecided", "undecided")}
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


def facets(found: TrajectoryQuerySet, terms: Terms, runs: Iterable[Run]) -> list[Facet]:
    """All facets that have something to tell apart. Each counts the list without its own term.

    One query for each fixed facet, one for all facets of the data and one more for each of them that is on.
    """
    made = [
        _runs(found, terms, runs),
        _quadrants(found, terms),
        _answers(found, terms),
        _calls(found, terms),
        _outcomes(found, terms),
        _conditions(found, terms),
        *_of_samples(found, terms),
    ]
    return [facet for facet in made if len(facet.values) > 1 or any(value.current for value in facet.values)]


def address(terms: Terms, **changes: str) -> str:
    """The list with terms changed; "" takes one away. Facets of the data are given by ``**{"facet.x": ...}``."""
    kept = {name: value for name, value in {**terms, **changes}.items() if value}
    return f"?{urlencode(kept)}"


def _counts(found: TrajectoryQuerySet, terms: Terms, name: str, path: str = "") -> list[tuple[Any, int]]:
    """The list without the term ``name``, counted by ``path``."""
    others = {key: value for key, value in terms.items() if key != name}
    return [(value, n) for value, n in found.listed(others).counted_by(path or name)]


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


def _runs(found: TrajectoryQuerySet, terms: Terms, runs: Iterable[Run]) -> Facet:
    names = {str(run.pk): str(run) for run in runs}
    rows = [(names.get(str(pk), ""), str(pk), n) for pk, n in _counts(found, terms, "run")]
    return _facet("Run", "run", terms, rows, names.get(terms.get("run", ""), ""))


def _quadrants(found: TrajectoryQuerySet, terms: Terms) -> Facet:
    counts = dict(_counts(found, terms, "quadrant", "score__quadrant"))
    chosen = terms.get("quadrant")
    values = [
        FacetValue(
            name, counts.get(code, 0), address(terms, quadrant="" if name == chosen else name), name == chosen, name
        )
        for code, name in enumerate(Quadrant.NAMES)
        if counts.get(code) or name == chosen
    ]
    if counts.get(Quadrant.OUTSIDE) and "population" not in terms:
        outside = address(terms, quadrant="", population="no")
        values.append(FacetValue("not placed", counts[Quadrant.OUTSIDE], outside, current=False))
    return Facet("Quadrant", values)


def _answers(found: TrajectoryQuerySet, terms: Terms) -> Facet:
    counts = dict(_counts(found, terms, "correct", "score__correct"))
    rows = [(label, value, counts[code]) for code, (value, label) in ANSWERS.items() if counts.get(code)]
    return _facet("Answer", "correct", terms, rows, dict(ANSWERS.values()).get(terms.get("correct", ""), ""))


def _calls(found: TrajectoryQuerySet, terms: Terms) -> Facet:
    counts: Counter[int] = Counter()
    for calls, n in _counts(found, terms, "calls", "score__calls"):
        if calls is not None:
            counts[min(calls, MOST_CALLS)] += n
    named = [(f"{calls}+" if calls == MOST_CALLS else str(calls), n) for calls, n in sorted(counts.items())]
    return _facet("Calls", "calls", terms, [(name, name, n) for name, n in named])


def _outcomes(found: TrajectoryQuerySet, terms: Terms) -> Facet:
    counts = dict(_counts(found, terms, "outcome", "score__plan_outcome"))
    rows = [(OUTCOMES[code], name, counts[code]) for code, name in enumerate(Outcome.NAMES) if counts.get(code)]
    return _facet("Tool plan", "outcome", terms, rows)


def _conditions(found: TrajectoryQuerySet, terms: Terms) -> Facet:
    """Without a term the list is that of no condition, each sample once; further rollouts are left out there."""
    others = {key: value for key, value in terms.items() if key not in {"condition", "flip"}}
    counts: dict[str, int] = dict(found.narrowed(others).counted_by("condition"))
    counts["none"] = found.listed(others).count()
    chosen = terms.get("condition", "none")
    counts.setdefault(chosen, 0)
    values = [
        FacetValue(
            CONDITIONS.get(name, name), n, address(others, condition="" if name == "none" else name), name == chosen
        )
        for name, n in sorted(counts.items(), key=lambda row: (row[0] != "none", row[0]))
        if n or name == terms.get("condition")
    ]
    return Facet("Condition", values)


def _of_samples(found: TrajectoryQuerySet, terms: Terms) -> list[Facet]:
    paths = ("sample__facets__name", "sample__facets__value")
    rows: dict[str, list[tuple[str, str, int]]] = {}
    for name, value, n in found.listed(terms).counted_by(*paths):
        if name is not None and f"facet.{name}" not in terms:
            rows.setdefault(name, []).append((value, value, n))
    for term in [term for term in terms if term.startswith("facet.")]:
        name = term.removeprefix("facet.")
        others = {key: value for key, value in terms.items() if key != term}
        counted = found.listed(others).counted_by(*paths)
        rows[name] = [(value, value, n) for found_name, value, n in counted if found_name == name]
    return [_facet(name.capitalize(), f"facet.{name}", terms, rows[name]) for name in sorted(rows)]
