"""Agreement of people on failures: with the rules, and with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement import MISSING, Agreement, agree
from annotation.common.access import known_to
from annotation.models import Benchmark
from evaluation.metrics.columns import cluster_codes
from evaluation.metrics.failures import FAILURES, NO_FAILURE
from evaluation.models import FailureLabel, Run
from evaluation.models.querysets.live import of_shown
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot

MOST_PAIRS = 10
"""Pairs of people shown: those with the most trajectories of both."""


@dataclass(frozen=True)
class FailureAgreement:
    """Agreement of two sources on failures, including "no failure".

    ``same``: number of equal failures; ``terms``: the list of the trajectories that have both."""

    names: tuple[str, str]
    found: Agreement
    same: int
    terms: Mapping[str, str]

    @property
    def n(self) -> int:
        return self.found.raw.n


def read_failure_agreement(benchmark: Benchmark, user: Any) -> list[FailureAgreement]:
    """Compare the failures in force (the latest by people) with the rule. For people who may see names, also compare
    each pair of people by their latest failures.

    Only trajectories that metrics use are compared, as in lists. People see earlier failures, so they are not
    independent. Empty if people set no failures.
    """
    said = (
        FailureLabel.objects.filter(of_shown("trajectory__"), benchmark=benchmark)
        .order_by("pk")
        .select_related("person")
    )
    by: dict[int, dict[int, int]] = {}
    names: dict[int, str] = {}
    in_force: dict[int, int] = {}
    for label in said:
        if label.person is not None:
            names[label.person.pk] = str(label.person)
            by.setdefault(label.person.pk, {})[label.trajectory_id] = _code(label.failure)
        if label.current:
            in_force[label.trajectory_id] = _code(label.failure)
    if not in_force:
        return []
    snapshot = Snapshot(benchmark, list(Run.objects.of(benchmark)))
    taken = Selection(snapshot, {"failure_by": "any"}).rows(("pk", "scored", "rule", "cluster"))
    pks = [row[0] for row in taken]
    rules = {pk: len(FAILURES) if rule is None else FAILURES.index(rule) for pk, scored, rule, _ in taken if scored}
    cluster = cluster_codes((row[3], "", None, "") for row in taken)
    found = [_agreement(("people", "rule"), pks, in_force, rules, cluster, {"failure_by": "any", "scored": "yes"})]
    named = sorted(by, key=lambda pk: names[pk]) if known_to(user, benchmark).marks else []
    for a, b in combinations(named, 2):
        terms = {"failure_by": f"{a},{b}"}
        found.append(_agreement((names[a], names[b]), pks, by[a], by[b], cluster, terms))
    first, pairs = found[0], [one for one in found[1:] if one.n]
    return [first, *sorted(pairs, key=lambda one: -one.n)[:MOST_PAIRS]]


def _code(failure: int) -> int:
    """ "No failure" is something to say as well."""
    return len(FAILURES) if failure == NO_FAILURE else failure


def _agreement(
    names: tuple[str, str],
    pks: Sequence[int],
    first: Mapping[int, int],
    second: Mapping[int, int],
    cluster: np.ndarray[tuple[int], np.dtype[np.int64]],
    terms: Mapping[str, str],
) -> FailureAgreement:
    a, b = (np.array([of.get(pk, MISSING) for pk in pks], np.int64) for of in (first, second))
    found = agree(a, b, len(FAILURES) + 1, cluster)
    return FailureAgreement(names, found, sum(row[at] for at, row in enumerate(found.table)), terms)
