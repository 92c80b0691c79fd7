"""The letter of a run, the same on every page of its benchmark: its place in the order in which runs came.

A new run never changes the letter of another one; a deleted run does, of those that came after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase
from typing import Any

from evaluation.models import Run


def letters_of(benchmark: Any) -> dict[int, str]:
    """By primary key of every run of the benchmark, scored or not. One query."""
    return letters_among(Run.objects.of(benchmark).values_list("pk", flat=True))


def letters_among(runs: Iterable[int]) -> dict[int, str]:
    """The same, of the primary keys of every run of a benchmark."""
    return {run: _letter(number) for number, run in enumerate(sorted(runs), 1)}


def _letter(number: int) -> str:
    """1 is A, 26 is Z, 27 is AA."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = ascii_uppercase[rest] + text
    return text
