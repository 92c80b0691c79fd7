"""What a list of trajectories holds, for tests that follow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.models import Benchmark
from evaluation.models import Run, Trajectory
from evaluation.store.trajectory_list import TrajectoryList


def pks_in(benchmark: Benchmark, terms: Mapping[str, str], person: Any = None) -> list[int]:
    """The numbers of the trajectories under these terms, in the order of the list."""
    return list(TrajectoryList(benchmark, list(Run.objects.of(benchmark)), terms, person).pks.tolist())


def first_in(benchmark: Benchmark, terms: Mapping[str, str], person: Any = None) -> Trajectory:
    """The trajectory that the list begins with."""
    return Trajectory.objects.get(pk=pks_in(benchmark, terms, person)[0])
