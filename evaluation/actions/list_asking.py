"""The table of trajectories as a query asks it, for one person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from evaluation.actions.list_fields import KEPT, found_in, having
from evaluation.actions.list_selection import Selected
from evaluation.actions.list_table import ListTable
from evaluation.actions.list_values import NAMED
from evaluation.metrics.columns import Bools, Ints
from evaluation.models import FailureLabel, Run, Tagging, Trajectory
from evaluation.query.fields import FIELDS
from evaluation.query.syntax import DEFINED, UNDEFINED, Term, Text
from evaluation.querysets_query import condition_of, visible_tags
from evaluation.querysets_words import WHERE, Holding, holding

EVERY = Q()


class Asking:
    """A table as one person asks it: with what only the database knows, and corrected failures in place of rules'."""

    def __init__(self, table: ListTable, runs: Sequence[Run], person: Any) -> None:
        self._table, self._person = table, person
        self.conditions, self.by_sample = table.conditions, table.by_sample
        self.runs = run_names(runs)
        self._failures: NDArray[Any] | None = None
        self._said: Ints = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    def column(self, name: str) -> NDArray[Any]:
        if name != "failure":
            return self._table.column(name)
        if self._failures is None:
            self._failures = self._corrected(self._table.column(name))
        return self._failures

    @property
    def evaluated(self) -> Bools:
        return self._table.standing.mask

    def failures_of(self, found: Selected, *, alone: bool = False) -> dict[int, int]:
        """How many of these have each failure: as the rules say, but for those of which people said otherwise."""
        rules, said = self._table.column("failure"), self.column("failure")
        counts = self._table.counts(found, "failure", alone=alone)
        here = self._said[found.mask[self._said]]
        changed = Counter(counts)
        changed.subtract(rules[here].tolist())
        changed.update(said[here].tolist())
        return {code: n for code, n in changed.items() if n}

    def places(self, pks: Collection[int] | Ints) -> Ints:
        return self._table.places(pks)

    def facet(self, name: str, value: str) -> Bools:
        values = self._table.sample_table.facets.get(name)
        if values is None:
            return np.full(len(self), value == "none")
        return self.by_sample.spread(values.samples_with(value, self.by_sample.samples))

    def ask(self, node: Term | Text) -> Bools:
        """From the table where it knows, else one query for the numbers of those that meet it; words from the index of
        each run."""
        name = FIELDS[node.field].name if isinstance(node, Term) else ""
        if name in WHERE:
            return self._holding(holding(self._table.benchmark, name, node.value))
        if not isinstance(node, Term):
            return self._asked(node)
        if name == "tag":
            return self._tagged(node.value)
        ask = partial(self._answered, name, node)
        return self._table.answered(node, ask) if name in KEPT else ask()

    def _answered(self, name: str, term: Term) -> Bools:
        if name in NAMED:
            return having(self._table, name, term.value, partial(self._asked, term))
        found = found_in(self._table, name, term)
        return self._asked(term) if found is None else found

    def _asked(self, node: Term | Text, only: Q = EVERY) -> Bools:
        benchmark = self._table.benchmark
        found = Trajectory.objects.of(benchmark).filter(only, condition_of(node, self._person, benchmark)).order_by()
        met = np.zeros(len(self), np.bool_)
        pks = found.values_list("pk", flat=True).iterator(chunk_size=20_000)
        met[self.places(np.fromiter(pks, np.int64))] = True
        return met

    def _tagged(self, value: str) -> Bools:
        """Few trajectories have a tag: those without are the others."""
        tags = visible_tags(self._person).filter(benchmark=self._table.benchmark)
        tags = tags if value in (DEFINED, UNDEFINED) else tags.filter(name=value)
        met = np.zeros(len(self), np.bool_)
        pks = Tagging.objects.filter(tag__in=tags).values_list("trajectory", flat=True)
        met[self.places(np.fromiter(pks.iterator(chunk_size=20_000), np.int64))] = True
        return ~met if value == UNDEFINED else met

    def _holding(self, texts: Holding) -> Bools:
        asked = np.zeros(self.by_sample.samples, np.bool_)
        asked[self._table.sample_table.ranks(texts.samples)] = True
        met = self.by_sample.spread(asked)
        met[self.places(texts.trajectories)] = True
        return met

    def _corrected(self, rules: NDArray[Any]) -> NDArray[Any]:
        labels = FailureLabel.objects.filter(current=True, benchmark=self._table.benchmark)
        said = dict(labels.values_list("trajectory_id", "failure"))
        if not said:
            return rules
        corrected = rules.copy()
        self._said = self.places(said)
        pks = self._table.column("pk")[self._said].tolist()
        corrected[self._said] = [said[pk] for pk in pks]
        return corrected


def run_names(runs: Sequence[Run]) -> Mapping[str, Collection[int]]:
    """The numbers of runs by each name they go by: number, model, model and setting."""
    found: dict[str, set[int]] = {}
    for run in runs:
        for name in (str(run.pk), run.model.name, str(run)):
            found.setdefault(name, set()).add(run.pk)
    return found
