"""Counts of the trajectories under some terms, all at the same moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.metrics.columns import Outcome
from evaluation.store.snapshot import Snapshot
from evaluation.store.terms import query_of

IMAGE_REPLACED = "no_grounding = 'image_replaced'"
"""The trajectories without grounding because their image was replaced."""
_NEVER_HIDDEN = {
    "all": "TRUE",
    "scored": "scored",
    "failed": "failed",
    "unanswered": "unanswered",
    "unread": "unread",
    "undecided": "undecided",
    "unusable": "unusable_crops > 0",
    "outside": "scored AND quadrant IS NULL",
    "image_replaced": IMAGE_REPLACED,
    "with_evidence": "evidence",
    "counted": "counted",
}
"""Counts on every page of a run: name -> field of queries."""


class Selection:
    """The trajectories of a list under these terms of an address. Unknown names are ignored.

    Without a condition or rollout among them: the trajectories that metrics use."""

    def __init__(self, snapshot: Snapshot, terms: Mapping[str, str]) -> None:
        self.snapshot = snapshot
        self.where = snapshot.conditions.listed(query_of(terms))

    @property
    def total(self) -> int:
        [(found,)] = self.snapshot.ask(f"SELECT count(*) FROM rows WHERE {self.where}")
        return int(found)

    def how_many(self, lists: Sequence[Mapping[str, object]]) -> list[int]:
        """The number of these trajectories that also meet the terms of each list."""
        conditions = self.snapshot.conditions
        each = [conditions.holds(query_of({name: str(value) for name, value in terms.items()})) for terms in lists]
        counts = ", ".join(f"count(*) FILTER (WHERE {one})" for one in each)
        [found] = self.snapshot.ask(f"SELECT {counts} FROM rows WHERE {self.where}")
        return list(found)

    def never_hidden(self) -> dict[str, int]:
        """Counts on every page of a run (docs/metrics.md#never-hidden)."""
        counts = ", ".join(f"count(*) FILTER (WHERE {one})" for one in _NEVER_HIDDEN.values())
        [found] = self.snapshot.ask(f"SELECT {counts} FROM rows WHERE {self.where}")
        return dict(zip(_NEVER_HIDDEN, found, strict=True))

    def by_calls(self) -> dict[int, int]:
        """The number of scored trajectories by number of calls."""
        return dict(
            self.snapshot.ask(f"SELECT calls, count(*) FROM rows WHERE {self.where} AND scored GROUP BY 1 ORDER BY 1")
        )

    def plan_outcomes_by(self, facet: str) -> dict[str, list[int]]:
        """The counts of the five plan outcomes, by value of a facet of the samples, in order."""
        rows = self.snapshot.ask(
            "SELECT value, outcome, count(*) FROM rows JOIN facets USING (sample) "
            f"WHERE {self.where} AND outcome IS NOT NULL AND name = {self.snapshot.conditions.arg(facet)} GROUP BY 1, 2"
        )
        counted: dict[str, list[int]] = {}
        for value, outcome, n in rows:
            counted.setdefault(value, [0] * len(Outcome.NAMES))[Outcome.NAMES.index(outcome)] = n
        return dict(sorted(counted.items()))

    def on(self, samples: Iterable[int]) -> str:
        """The condition that the sample is one of these."""
        self.snapshot.register("meant", {"sample": np.fromiter(samples, np.int64)})
        return "sample IN (SELECT sample FROM meant)"

    def rows(self, columns: Sequence[str], *, where: str = "TRUE", order: str = "pk") -> list[tuple[Any, ...]]:
        """Columns of ``rows`` and ``samples`` of these trajectories, or of those that meet ``where``."""
        return self.snapshot.ask(
            f"SELECT {', '.join(columns)} FROM rows JOIN samples USING (sample) "
            f"WHERE {self.where} AND {where} ORDER BY {order}"
        )
