"""The effect of calling tools for the page of a comparison: counts with their lists, and the net effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.compare.present.links import Count, PairLinks
from evaluation.compare.read.runs import RunComparison
from evaluation.metrics.calling import CallingEffect

COUNTS = ("n", "benefit", "harm", "needless", "futile", "uncalled", "unmet")


@dataclass(frozen=True)
class ShownCalling:
    """``without``, ``tools``: letters of the runs. ``counts``: by name, each with its list."""

    found: CallingEffect
    without: str
    tools: str
    counts: Mapping[str, Count]


def shown_calling(found: RunComparison, links: PairLinks, letters: Mapping[int, str]) -> ShownCalling | None:
    """None where not just one of the first two runs made calls."""
    if found.calling is None:
        return None
    bare, tools, effect = found.calling
    counts = {name: links.calling(name, getattr(effect, name), bare.pk, tools.pk) for name in COUNTS}
    return ShownCalling(effect, letters[bare.pk], letters[tools.pk], counts)
