"""Reading evidence: which of its values a piece shows, by comparing pixels, or that one cannot tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotation.imaging.crops import Picture
from annotation.scenes.printing import GRAIN
from evaluation.agents.matching import EXPLAINS, SMALLEST, Place, best_places, colour_score, grey, resized
from evaluation.agents.sample import AgentSample, Piece
from evaluation.agents.views import View

CLEAR = math.log(1000)
"""The log of the odds from which a value counts as read: a thousand to one against the second best."""


@dataclass(frozen=True)
class Reading:
    """The value that fits best in a view, how well it fits (-1..1), and how clearly better than the second best.

    ``clearness`` is the log of the likelihood ratio of the two for noise of unknown strength:
    n/2 ln((1 - s²) / (1 - r²)) with the correlations r and s over the pixels in which the values differ, and n a
    quarter of those pixels, since what is resampled is alike in neighbours.
    """

    value: str
    score: float
    clearness: float
    place: Place

    @property
    def found(self) -> bool:
        return self.score >= EXPLAINS

    @property
    def clear(self) -> bool:
        return self.found and self.clearness >= CLEAR


@lru_cache(maxsize=128)
def read(view: View, piece: Piece) -> Reading | None:
    """The best reading of ``piece`` in ``view``; None when it is too small there or does not fit inside.

    The mean of the values is searched for everywhere in the view; at the best place all values are compared. Views and
    pieces are told apart by identity, and recent readings are remembered.
    """
    patches = {value: resized(patch, view.scale) for value, patch in piece.values.items()}
    height, width = next(iter(patches.values())).shape[:2]
    if min(height, width) < SMALLEST or height > view.pixels.shape[0] or width > view.pixels.shape[1]:
        return None
    mean = np.mean([grey(patch) for patch in patches.values()], axis=0)
    place = next(iter(best_places(view.field.scores(np.asarray(mean, dtype=np.float32)), 1, 1)), None)
    return _compare(view, patches, place) if place else None


def _compare(view: View, patches: Mapping[str, Picture], place: Place) -> Reading:
    """All values at the place and one pixel around it, on the pixels in which they differ by more than grain."""
    height, width = next(iter(patches.values())).shape[:2]
    stack = np.stack(list(patches.values())).astype(np.int16)
    differs = (stack.max(axis=0) - stack.min(axis=0)).max(axis=2) > GRAIN
    if not differs.any():
        return Reading(next(iter(patches)), place.score, 0.0, place)
    best = dict.fromkeys(patches, (0.0, place.y, place.x))
    for y in range(max(0, place.y - 1), min(view.pixels.shape[0] - height, place.y + 1) + 1):
        for x in range(max(0, place.x - 1), min(view.pixels.shape[1] - width, place.x + 1) + 1):
            seen = view.pixels[y : y + height, x : x + width][differs]
            for value, patch in patches.items():
                best[value] = max(best[value], (colour_score(seen, patch[differs]), y, x))
    first, second = sorted(best, key=lambda value: (-best[value][0], value))[:2]
    (r, top, left), s = best[first], best[second][0]
    whole = colour_score(view.pixels[top : top + height, left : left + width], patches[first])
    clearness = int(differs.sum()) / 8 * math.log(_unexplained(s) / _unexplained(r))
    return Reading(first, whole, clearness, Place(left, top, whole))


def _unexplained(correlation: float) -> float:
    """The share of the variance that a correlation leaves; grain always leaves a thousandth."""
    return max(1e-3, 1 - correlation * correlation)


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
