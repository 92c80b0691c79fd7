"""The accepted reference toolchains of a sample, and the one that the runs are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.content.chains.read import further_chains
from annotation.schema import ToolCall
from evaluation.metrics.many_chains import distances_to
from evaluation.metrics.references import GOLD_CHAIN


@dataclass(frozen=True, slots=True)
class Reference:
    """One accepted toolchain. ``place``: 0 for the gold's, 1, 2, ... in order of acceptance; ``distances``: edits of
    each run's calls to it; ``shown``: the table is aligned with it.
    """

    place: int
    words: str
    calls: Sequence[ToolCall]
    distances: Sequence[int]
    shown: bool = False

    @property
    def edits(self) -> int:
        """The edits of all runs together."""
        return sum(self.distances)


def references_on(
    sample: Any, gold: Sequence[ToolCall], chains: Sequence[Sequence[str]], chosen: str
) -> list[Reference]:
    """Return all of them, the gold's first. ``shown`` is the ``chosen`` place, or else the one with the fewest edits to
    all runs together, the earliest if there are several. One query.
    """
    known = [(GOLD_CHAIN, gettext("the reference"), gold)] if gold else []
    for place, chain in enumerate(further_chains(sample), GOLD_CHAIN + 1):
        message = gettext("accepted by %(name)s: %(note)s") if chain.note else gettext("accepted by %(name)s")
        known.append((place, message % {"name": chain.by, "note": chain.note}, chain.calls))
    distances = distances_to([[call.tool for call in calls] for _, _, calls in known], chains)
    closest = min(range(len(known)), key=lambda at: sum(distances[at]), default=0)
    places = [str(place) for place, _, _ in known]
    shown = places.index(chosen) if chosen in places else closest
    return [Reference(*one, distances[at], at == shown) for at, one in enumerate(known)]


def nearest(references: Sequence[Reference], run: int) -> Reference | None:
    """Return the accepted toolchain with the fewest edits to one run's calls; None if the shown one is
    equally close.
    """
    shown = next((one for one in references if one.shown), None)
    found = min(references, key=lambda one: one.distances[run], default=None)
    if shown is None or found is None or found.distances[run] == shown.distances[run]:
        return None
    return found
