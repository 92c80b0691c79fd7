"""Tables that another part of the product adds to a portable file: annotation knows no runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

Rows = Iterable[Mapping[str, Any]]


class Further(Protocol):
    """What a file has besides the benchmark. ``name``: as the list of what is left out calls it."""

    name: str

    def people(self) -> Collection[int]:
        """The accounts that rows name."""

    def tables(self, people: Mapping[int, int]) -> Iterable[tuple[str, Rows]]:
        """Each table with its rows, in the order of the file. ``people``: the number of each account in the file."""
