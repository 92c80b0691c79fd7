"""Reading evidence: which of its values a piece shows, by comparing pixels, or that one cannot tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotation.imaging.crops import Picture
from evaluation.agents.matching import SMALLEST, Place, best_places, colour_score, grey, resized
from evaluation.agents.sample import AgentSample, Piece
from evaluation.agents.views import View

FOUND = 0.6
"""Correlation from which a piece counts as being in a view at all."""
CLEAR = 30.0
"""How clearly two values must differ to be told apart: the gap of their correlations over the pixels in which the
values differ, times the number of those pixels as seen. A gap of 0.5 is clear on 100 pixels and not on 40.

Set together with ``views.ACUITY`` on the pictures of seed 7, so that it parts the whole picture (at most 24 there) from
crops of the evidence (at least 43); it then held on seeds 8 and 21 without a change."""
_DIFFERS = 0.25
_HOPELESS = 0.35


@dataclass(frozen=True)
class Reading:
    """The value that fits best in a view, how well any fits (-1..1), and how clearly better it is than the second best
    (pixels, see ``CLEAR``)."""

    value: str
    score: float
    clearness: float
    place: Place

    @property
    def found(self) -> bool:
        return self.score >= FOUND

    @property
    def clear(self) -> bool:
        return self.found and self.clearness >= CLEAR


@lru_cache(maxsize=128)
def read(view: View, piece: Piece) -> Reading | None:
    """The best reading of ``piece`` in ``view``; None when it is too small there or does not fit inside.

    Every value is searched for everywhere in the view; at the best place all values are compared. Views and pieces
    are told apart by identity, and recent readings are remembered.
    """
    patches = {value: resized(patch, view.scale) for value, patch in piece.values.items()}
    height, width = next(iter(patches.values())).shape[:2]
    if min(height, width) < SMALLEST or height > view.pixels.shape[0] or width > view.pixels.shape[1]:
        return None
    place = _search(view, patches)
    return _compare(view, patches, place) if place else None


def _search(view: View, patches: Mapping[str, Picture]) -> Place | None:
    """Where any of the values fits best."""
    found = [place for patch in patches.values() for place in best_places(view.field.scores(grey(patch)), 1, 1)]
    best = max(found, key=lambda place: place.score, default=None)
    return best if best and best.score > _HOPELESS else None


def _compare(view: View, patches: Mapping[str, Picture], place: Place) -> Reading:
    """All values at the place and one pixel around it, on the pixels in which they differ."""
    height, width = next(iter(patches.values())).shape[:2]
    stack = np.stack(list(patches.values())).astype(np.int16)
    spread = (stack.max(axis=0) - stack.min(axis=0)).max(axis=2)
    differs = spread > _DIFFERS * spread.max()
    best = dict.fromkeys(patches, (-1.0, 0, 0))
    inks = {value: patch[differs] for value, patch in patches.items()}
    for y in range(max(0, place.y - 1), min(view.pixels.shape[0] - height, place.y + 1) + 1):
        for x in range(max(0, place.x - 1), min(view.pixels.shape[1] - width, place.x + 1) + 1):
            seen = view.pixels[y : y + height, x : x + width][differs]
            for value, ink in inks.items():
                best[value] = max(best[value], (colour_score(seen, ink), y, x))
    order = sorted(best, key=lambda value: (-best[value][0], value))
    _, top, left = best[order[0]]
    whole = colour_score(view.pixels[top : top + height, left : left + width], patches[order[0]])
    gap = best[order[0]][0] - best[order[1]][0]
    return Reading(order[0], whole, gap * int(differs.sum()), Place(left, top, whole))


def clearest(views: Iterable[View], piece: Piece) -> tuple[Reading, View] | None:
    """The clear reading with the greatest clearness over several views; None when no view gives one."""
    readings = [(reading, view) for view in views if (reading := read(view, piece)) and reading.clear]
    return max(readings, key=lambda pair: pair[0].clearness, default=None)


def answer_of(sample: AgentSample, values: Sequence[str]) -> str:
    """The letter (or, for an open question, the text) that follows from the values read; "" when it is no option."""
    text = (sample.answers or {}).get(tuple(values), "")
    if not sample.options:
        return text
    return next((letter for letter, option in sample.options.items() if option == text), "")


def possible_answers(sample: AgentSample) -> list[str]:
    """What a guess is drawn from: the letters, or the distinct answers an open question could have."""
    return sorted(sample.options) if sample.options else sorted(set((sample.answers or {}).values()))
