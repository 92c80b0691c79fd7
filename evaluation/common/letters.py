"""The letters of runs, the same on every page of their benchmark: see ``Run.number``. They stay when runs go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evaluation.models import Run


def letters_of(benchmark: Any) -> dict[int, str]:
    """Return the letter of every run of the benchmark, scored or not, by primary key. One query."""
    return letters_among(Run.objects.filter(benchmark=benchmark).only("number").order_by())


def letters_among(runs: Iterable[Run]) -> dict[int, str]:
    """The same of these runs."""
    return {run.pk: run.letter for run in runs}
