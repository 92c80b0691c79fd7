"""Runs on matched pairs as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from evaluation.compare.read.sides import ORIGIN, SideDifference


@dataclass(frozen=True, slots=True)
class SideRow:
    """A run with the addresses of its trajectories on each side."""

    found: SideDifference
    real: str
    generated: str


def side_rows(slug: str, found: Sequence[SideDifference]) -> list[SideRow]:
    """The rows in the order of the runs."""
    address = reverse("evaluation:trajectories", args=[slug])

    def at(one: SideDifference, side: str) -> str:
        return f"{address}?{urlencode({'run': one.run.pk, f'facet.{ORIGIN}': side})}"

    return [SideRow(one, at(one, "real"), at(one, "generated")) for one in found]
