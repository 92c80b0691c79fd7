"""The trajectories under some terms, counted in several ways at the same moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.metrics.columns import Outcome
from evaluation.store.snapshot import Snapshot
from evaluation.store.terms import query_of

_NEVER_HIDDEN = {
    "all": "TRUE",
    "scored": "scored",
    "failed": "failed",
    "unanswered": "unanswered",
    "unread": "unread",
    "undecided": "undecided",
    "unusable": "unusable_crops > 0",
    "outside": "scored AND quadrant IS NULL",
    "with_evidence": "evidence",
    "counted": "counted",
}
"""Counts that every page of a run shows, by name: each is a field of queries."""


class Selection:
    """What a list under these terms of an address shows; unknown names are omitted of account. Without a condition or
    rollout among them: the trajectories metrics are made of."""

    def __init__(self, snapshot: Snapshot, terms: Mapping[str, str]) -> None:
        self.snapshot = snapshot
        self.where = snapshot.conditions.listed(query_of(terms))

    @property
    def total(self) -> int:
        [(found,)] = self.snapshot.ask(f"SELECT count(*) FROM rows WHERE {self.where}")
        return int(found)

    def how_many(self, lists: Sequence[Mapping[str, object]]) -> list[int]:
        """How many of these meet the terms of each list as well."""
        conditions = self.snapshot.conditions
        each = [conditions.holds(query_of({name: str(value) for name, value in terms.items()})) for terms in lists]
        counts = ", ".join(f"count(*) FILTER (WHERE {one})" for one in each)
        [found] = self.snapshot.ask(f"SELECT {counts} FROM rows WHERE {self.where}")
        return list(found)

    def never_hidden(self) -> dict[str, int]:
        """Counts that every page of a run shows (docs/metrics.md#never-hidden)."""
        counts = ", ".join(f"count(*) FILTER (WHERE {one})" for one in _NEVER_HIDDEN.values())
        [found] = self.snapshot.ask(f"SELECT {counts} FROM rows WHERE {self.where}")
        return dict(zip(_NEVER_HIDDEN, found, strict=True))

    def by_calls(self) -> dict[int, int]:
        """How many of those that are scored made so many calls."""
        return dict(
            self.snapshot.ask(f"SELECT calls, count(*) FROM rows WHERE {self.where} AND scored GROUP BY 1 ORDER BY 1")
        )

    def plan_outcomes_by(self, facet: str) -> dict[str, list[int]]:
        """How often each of the five outcomes of a plan, by value of a facet of their samples, in order."""
        rows = self.snapshot.ask(
            "SELECT value, outcome, count(*) FROM rows JOIN facets USING (sample) "
            f"WHERE {self.where} AND outcome IS NOT NULL AND name = {self.snapshot.conditions.arg(facet)} GROUP BY 1, 2"
        )
        counted: dict[str, list[int]] = {}
        for value, outcome, n in rows:
            counted.setdefault(value, [0] * len(Outcome.NAMES))[Outcome.NAMES.index(outcome)] = n
        return dict(sorted(counted.items()))

    def on(self, samples: Iterable[int]) -> str:
        """The condition to be on one of these samples."""
        self.snapshot.register("meant", {"sample": np.fromiter(samples, np.int64)})
        return "sample IN (SELECT sample FROM meant)"

    def rows(self, columns: Sequence[str], *, where: str = "TRUE", order: str = "pk") -> list[tuple[Any, ...]]:
        """Columns of ``rows`` and ``samples``, of these or of those among them that meet ``where``."""
        return self.snapshot.ask(
            f"SELECT {', '.join(columns)} FROM rows JOIN samples USING (sample) "
            f"WHERE {self.where} AND {where} ORDER BY {order}"
        )
