"""Reading evidence: which of its values a piece shows, by comparing pixels, or that one cannot tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotation.imaging.crops import Picture
from demo.agents.matching import SMALLEST, Floats, Place, best_places, colour_score, grey, resized
from demo.agents.sample import AgentSample, Piece
from demo.agents.views import View

FOUND = 0.6
"""Correlation from which a piece counts as being in a view at all."""
CLEAR = 15.0
"""How far what is seen must lie from the middle between two values, towards one of them, to tell them apart.

A distance over all pixels and channels, in steps of 0 to 255, and never counted as more than the values are from that
middle: a template that lies half a pixel off moves a reading further than that."""
_HOPELESS = 0.35
_FAINTEST = 0.2


@dataclass(frozen=True)
class Reading:
    """The value that fits best in a view, how well it fits (-1..1), and how clearly better than the second best
    (0 or more, see ``CLEAR``)."""

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

    The mean of the values is searched for everywhere in the view; at the best place all values are compared. Views and
    pieces are distinguished by identity, and recent readings are remembered.
    """
    patches = {value: resized(patch, view.scale) for value, patch in piece.values.items()}
    height, width = next(iter(patches.values())).shape[:2]
    if min(height, width) < SMALLEST or height > view.pixels.shape[0] or width > view.pixels.shape[1]:
        return None
    mean = np.asarray(np.mean([grey(patch) for patch in patches.values()], axis=0), dtype=np.float32)
    place = next((p for p in best_places(view.field.scores(mean), 1, 1) if p.score > _HOPELESS), None)
    return _compare(view, patches, place) if place else None


def _compare(view: View, patches: Mapping[str, Picture], place: Place) -> Reading:
    """All values at the place and one pixel around it: the nearest, and how much nearer than the next.

    Before that, brightness and contrast of what is seen are matched to the mean of the values.
    """
    looks = {value: patch.astype(np.float32) for value, patch in patches.items()}
    mean = np.asarray(np.mean(list(looks.values()), axis=0), dtype=np.float32)
    height, width = mean.shape[:2]
    best: tuple[float, int, int, dict[str, float]] | None = None
    for y in range(max(0, place.y - 1), min(view.pixels.shape[0] - height, place.y + 1) + 1):
        for x in range(max(0, place.x - 1), min(view.pixels.shape[1] - width, place.x + 1) + 1):
            seen = _matched(view.pixels[y : y + height, x : x + width], mean)
            away = {value: float(((seen - look) ** 2).sum()) for value, look in looks.items()}
            nearest = min(away.values())
            if best is None or nearest < best[0]:
                best = (nearest, y, x, away)
    assert best is not None
    _, top, left, away = best
    first, second = sorted(away, key=lambda value: (away[value], value))[:2]
    apart = float(np.linalg.norm(looks[first] - looks[second]))
    clearness = min((away[second] - away[first]) / (2 * apart), apart / 2) if apart else 0.0
    score = colour_score(view.pixels[top : top + height, left : left + width], patches[first])
    return Reading(first, score, clearness, Place(left, top, score))


def _matched(seen: Picture, mean: Floats) -> Floats:
    """``seen`` with gain and offset undone: the ones of the least-squares line from ``mean`` to it.

    A gain below ``_FAINTEST`` counts as that, so that noise is not blown up.
    """
    values = seen.astype(np.float32)
    centred = mean - mean.mean()
    gain = float((centred * values).sum() / max(float((centred**2).sum()), 1.0))
    return np.asarray((values - values.mean()) / max(gain, _FAINTEST) + mean.mean(), dtype=np.float32)


def clearest(views: Iterable[View], piece: Piece, least: float = FOUND) -> tuple[Reading, View] | None:
    """The clear reading with the greatest clearness over several views; None when no view gives one.

    ``least`` is the correlation it needs, more than ``FOUND`` where other pieces look much like this one.
    """
    readings = [(reading, view) for view in views if (reading := read(view, piece)) and reading.clear]
    readings = [(reading, view) for reading, view in readings if reading.score >= least]
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
