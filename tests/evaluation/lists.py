"""What a list of trajectories holds, for tests that follow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, QueryDict

from annotation.models import Benchmark
from evaluation.common.terms import terms_of
from evaluation.models import Run, Trajectory
from evaluation.store.list_file import write_list
from evaluation.store.snapshot import Snapshot
from evaluation.store.trajectory_list import TrajectoryList


def pks_in(benchmark: Benchmark, terms: Mapping[str, str], person: Any = None) -> list[int]:
    """The numbers of the trajectories under these terms, in the order of the list."""
    return list(TrajectoryList(benchmark, list(Run.objects.of(benchmark)), terms, person).pks.tolist())


def first_in(benchmark: Benchmark, terms: Mapping[str, str], person: Any = None) -> Trajectory:
    """The trajectory that the list begins with."""
    return Trajectory.objects.get(pk=pks_in(benchmark, terms, person)[0])


class Lists:
    """How many trajectories the lists hold that a person comes to by links, none of which is drawn.

    All of one benchmark are of the same moment: they share what is made for a request."""

    def __init__(self, person: Any) -> None:
        self._person = person
        self._snapshots: dict[str, Snapshot] = {}

    def count(self, slug: str, query: str) -> int:
        """``query``: of the address, behind the "?"."""
        if slug not in self._snapshots:
            benchmark = Benchmark.objects.get(slug=slug)
            self._snapshots[slug] = Snapshot(benchmark, list(Run.objects.of(benchmark)), self._person)
        request, snapshot = HttpRequest(), self._snapshots[slug]
        request.GET = QueryDict(query)
        return TrajectoryList(snapshot.benchmark, snapshot.runs, terms_of(request), self._person, snapshot).total


def write_long_list(benchmark, monkeypatch):
    """Write the list file of a benchmark, as of one with many runs."""
    monkeypatch.setattr("evaluation.store.list_file.FEWEST_RUNS", 1)
    monkeypatch.setattr("evaluation.store.list_file.SMALL_BYTES", 0)
    write_list(benchmark)
