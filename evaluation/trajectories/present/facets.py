"""The facets at the side of the list of trajectories: names, counts and addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.utils.translation import gettext, gettext_lazy

from evaluation.common.code_words import condition_words
from evaluation.common.shown import DATA
from evaluation.glossary import failure_slug, outcome_slug, quadrant_slug
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.failures import LABELS as FAILURE_LABELS
from evaluation.models import Run
from evaluation.store.trajectory_list import TrajectoryList
from evaluation.trajectories.read import facets as list_facets
from evaluation.trajectories.read.facets import facet_counts
from webapp.common.translation import Text

MOST_VALUES = 12
ANSWERS = {
    "yes": gettext_lazy("correct"),
    "no": gettext_lazy("incorrect"),
    "undecided": gettext_lazy("undecided"),
    "none": gettext_lazy("no gold answer"),
}
AREAS: Mapping[str, Text] = dict(
    zip(
        list_facets.AREAS,
        (gettext_lazy("under 0.05%"), "0.05 – 0.2%", "0.2 – 1%", gettext_lazy("over 1%")),
        strict=True,
    )
)
OUTCOMES = (
    gettext_lazy("exact match"),
    gettext_lazy("extra only"),
    gettext_lazy("missing only"),
    gettext_lazy("substitute"),
    gettext_lazy("out of order"),
)
OUTCOME_WORDS = dict(zip(Outcome.NAMES, OUTCOMES, strict=True))
FAILURE_TERMS = {name: failure_slug(name) for name in FAILURE_LABELS}
ANSWER_TERMS = {"yes": "correct", "no": "incorrect", "undecided": "undecided"}
OUTCOME_TERMS = {name: outcome_slug(name) for name in OUTCOME_WORDS}
NOT_PLACED = gettext_lazy("no quadrant")
ALWAYS = ("run", "quadrant", "failure", "correct", "tag")
"""Facets that stay with a single value: it says what all of the list have in common."""

Terms = Mapping[str, str]
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One line of ``ui/_facet.html``. The line that is on leads to the list without it."""

    label: str
    count: int
    href: str
    current: bool
    quadrant: str = ""
    value: str = ""
    """Its value in the address."""
    term: str = ""
    """Its entry in the glossary, if there is one."""


@dataclass(frozen=True, slots=True)
class Facet:
    title: str
    values: Sequence[FacetValue]
    name: str = ""

    @property
    def largest(self) -> int:
        return max((value.count for value in self.values), default=0)


def facets(found: TrajectoryList, terms: Terms, runs: Iterable[Run]) -> list[Facet]:
    """All facets with more than one value, and always those that define the list. One query, for tags.

    Each facet counts the list without its own term."""
    counts = facet_counts(found)
    own = [name for name in counts if name.startswith(DATA)]
    failures = {name: gettext(label) for name, label in FAILURE_LABELS.items()}
    made = [
        _runs(counts, terms, runs),
        _quadrants(counts, terms),
        _explained(_worded(gettext("Failure"), "failure", counts, terms, failures), FAILURE_TERMS),
        _explained(_worded(gettext("Answer"), "correct", counts, terms, ANSWERS), ANSWER_TERMS),
        _worded(gettext("Evidence area"), "area", counts, terms, AREAS),
        _worded(gettext("Calls"), "calls", counts, terms, {}),
        _explained(_worded(gettext("Tool plan"), "outcome", counts, terms, OUTCOME_WORDS), OUTCOME_TERMS),
        _conditions(counts, terms),
        _worded(gettext("Tags"), "tag", counts, terms, {}),
        *(_worded(name.removeprefix(DATA).capitalize(), name, counts, terms, {}) for name in own),
    ]
    return [
        facet
        for facet in made
        if len(facet.values) > 1
        or any(value.current for value in facet.values)
        or (facet.values and facet.name in ALWAYS)
    ]


def tags_facet(found: TrajectoryList, terms: Terms) -> Facet:
    """That of tags alone, when a person tagged a trajectory of the list."""
    return _worded(gettext("Tags"), "tag", facet_counts(found), terms, {})


def address(terms: Terms, **changes: str) -> str:
    """The list with terms changed; "" removes one. Facets of the data are given by ``**{"facet.x": ...}``."""
    kept = {name: value for name, value in {**terms, **changes}.items() if value}
    return f"?{urlencode(kept)}"


def _facet(title: str, name: str, terms: Terms, rows: Iterable[tuple[str, str, int]], chosen: str = "") -> Facet:
    """``rows``: label, value of the term, count. A value that is on stays in sight with nothing left, as ``chosen``."""
    on = terms.get(name)
    values = [
        FacetValue(label, n, address(terms, **{name: "" if value == on else value}), value == on, value=value)
        for label, value, n in rows
    ]
    if on and not any(value.current for value in values):
        values.append(FacetValue(chosen or on, 0, address(terms, **{name: ""}), current=True, value=on))
    shown = [value for place, value in enumerate(values) if place < MOST_VALUES or value.current]
    counted = gettext("%(facet)s (%(shown)s of %(total)s)")
    counted %= {"facet": title, "shown": len(shown), "total": len(values)}
    return Facet(title if len(shown) == len(values) else counted, shown, name)


def _runs(counts: Counts, terms: Terms, runs: Iterable[Run]) -> Facet:
    names = {str(run.pk): str(run) for run in runs}
    rows = [(names.get(pk, ""), pk, n) for pk, n in counts["run"].items()]
    return _facet(gettext("Run"), "run", terms, rows, names.get(terms.get("run", ""), ""))


def _quadrants(counts: Counts, terms: Terms) -> Facet:
    found, chosen = counts["quadrant"], terms.get("quadrant")
    values = [
        FacetValue(
            str(NOT_PLACED) if name == "none" else name,
            found.get(name, 0),
            address(terms, quadrant="" if name == chosen else name),
            name == chosen,
            "" if name == "none" else name,
            term="grounding-population" if name == "none" else quadrant_slug(name),
        )
        for name in (*Quadrant.NAMES, "none")
        if found.get(name) or name == chosen
    ]
    return Facet(gettext("Quadrant"), values, "quadrant")


def _worded(title: str, name: str, counts: Counts, terms: Terms, words: Mapping[str, Text]) -> Facet:
    rows = [(str(words.get(value, value)), value, n) for value, n in counts[name].items()]
    return _facet(title, name, terms, rows, str(words.get(terms.get(name, ""), "")))


def _explained(facet: Facet, entries: Mapping[str, str]) -> Facet:
    """Add the glossary entries that explain the values of a facet."""
    return replace(facet, values=[replace(value, term=entries.get(value.value, "")) for value in facet.values])


def _conditions(counts: Counts, terms: Terms) -> Facet:
    """Return the facet of conditions. Without a term, the list has trajectories without an intervention, one per
    sample."""
    others = {key: value for key, value in terms.items() if key not in {"condition", "flip"}}
    chosen = terms.get("condition", "none")
    found = dict(counts["condition"])
    if terms.get("condition"):
        found.setdefault(chosen, 0)
    values = [
        FacetValue(
            condition_words(name),
            n,
            address(others, condition="" if name == "none" else name),
            name == chosen,
        )
        for name, n in sorted(found.items(), key=lambda row: (row[0] != "none", row[0]))
    ]
    return Facet(gettext("Condition"), values)
