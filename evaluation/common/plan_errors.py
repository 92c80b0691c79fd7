"""The numbers of missing targets and extra entries in the plans of runs, with the lists behind each number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.common.access import known_to
from evaluation.common.links import Count, RunLinks
from evaluation.store.slices import counts_by_run
from evaluation.store.snapshot import Snapshot
from evaluation.store.terms import query_of

OCCLUDED = "occluded"
"""The tag by which people say that a missing target is hard to see."""
ERRORS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "omitted": ("plan_omitted", {"omitted": "1+"}),
    "unrecognized": ("plan_unrecognized", {"unrecognized": "1+"}),
    "occluded": ("plan_unrecognized", {"unrecognized": "1+", "tag": OCCLUDED}),
    "in_scene": ("plan_in_scene", {"in_scene": "1+"}),
    "repeated": ("plan_repeated", {"repeated": "1+"}),
    "hallucinated": ("plan_hallucinated", {"hallucinated": "1+"}),
}
"""The column that counts each error in a plan, and the terms of the list of plans that have it."""
POPULATIONS: Mapping[str, Mapping[str, str]] = {
    "planned": {"planned": "yes"},
    "lacking": {"omitted": "any", "missing": "1+"},
    "adding": {"extra": "1+"},
    "complete": {"planned": "yes", "missing": "0"},
    "disordered": {"outcome": "out_of_order"},
    "both": {"f1_difference": "any"},
}
"""Plans that numbers are about, and the terms of their lists: those with a list of recognized tools that lack a target;
those with an extra entry; those with all targets; of these, those out of order; queries with both lists."""


@dataclass(frozen=True, slots=True)
class Errors:
    """``n`` entries or targets in ``plans`` plans."""

    n: int
    plans: int


@dataclass(frozen=True)
class PlanCounts:
    """Of one run: ``errors`` by name of ``ERRORS``, "occluded" only for people who see tags; trajectories by name of
    ``POPULATIONS``."""

    errors: Mapping[str, Errors]
    populations: Mapping[str, int]

    @property
    def missing(self) -> int:
        """Missing targets of queries with both lists."""
        return self.errors["omitted"].n + self.errors["unrecognized"].n

    @property
    def extra(self) -> int:
        return sum(self.errors[name].n for name in ("in_scene", "repeated", "hallucinated"))

    def population(self, name: str, links: RunLinks) -> Count:
        return links.count(self.populations[name], **POPULATIONS[name])

    def plans(self, name: str, links: RunLinks) -> Count:
        """The plans that have an error, with their list."""
        return links.count(self.errors[name].plans, **ERRORS[name][1])


def plan_counts(snapshot: Snapshot, terms: Mapping[str, str] | None = None) -> dict[int, PlanCounts]:
    """By run, of those with a scored plan, on all samples or under ``terms``. One statement."""
    conditions, person = snapshot.conditions, snapshot.person
    marks = person is None or known_to(person, snapshot.benchmark).marks
    names = [name for name in ERRORS if marks or name != "occluded"]
    listed = {name: conditions.holds(query_of(ERRORS[name][1])) for name in names}
    among = {name: conditions.holds(query_of(one)) for name, one in POPULATIONS.items()}
    sums = {f"{name}_sum": (ERRORS[name][0], listed[name]) for name in names}
    where = conditions.listed(query_of({**(terms or {}), "planned": "yes"}))
    found = counts_by_run(snapshot, where, {**listed, **among}, sums)
    return {
        run: PlanCounts(
            {name: Errors(counts[f"{name}_sum"], counts[name]) for name in names},
            {name: counts[name] for name in POPULATIONS},
        )
        for run, counts in sorted(found.items())
    }
