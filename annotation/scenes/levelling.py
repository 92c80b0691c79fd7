"""Making what a shrunken picture keeps of a piece of evidence the same, whatever value it shows.

Small print does not simply vanish when a picture is shrunk: its grey remains, and differs from word to word enough to
tell four known words apart. Evidence is therefore printed as the vanishing optotypes of eye charts are: what a view of
``VIEW`` pixels could hold is taken out of the difference between two values, and only the fine strokes are left. A
blurred mixture of all values stays behind them, as of a worn print.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from annotation.imaging.crops import fitted
from annotation.scenes.canvas import HEIGHT, WIDTH

Floats = NDArray[np.float64]

VIEW = fitted(WIDTH, HEIGHT, 1024)
"""Width and height of the whole picture as a model is handed it."""
NOTHING = 0.005
"""A pattern of which a shrink lets less than this share through counts as gone: 200 levels leave one."""


def _triangle(t: Floats) -> Floats:
    return np.asarray(np.clip(1 - np.abs(t), 0, None))


def _cubic(t: Floats) -> Floats:
    t = np.abs(t)
    near, far = (1.5 * t - 2.5) * t * t + 1, ((-0.5 * t + 2.5) * t - 4) * t + 2
    return np.where(t < 1, near, np.where(t < 2, far, 0))


def _lanczos(t: Floats) -> Floats:
    return np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0)


KERNELS: Mapping[str, Callable[[Floats], Floats]] = {"bilinear": _triangle, "bicubic": _cubic, "lanczos": _lanczos}


@cache
def shrinking(kind: str, before: int, after: int) -> Floats:
    """The matrix (after, before) that shrinks a line of pixels: ``area`` means, or a kernel of ``KERNELS`` as wide as
    the shrink asks for, as Pillow and PyTorch do it."""
    step = before / after
    if kind == "area":
        edges, ends = np.arange(before), np.arange(after)[:, None] * step
        return np.asarray(np.clip(np.minimum(edges + 1, ends + step) - np.maximum(edges, ends), 0, 1) / step)
    middles = (np.arange(after)[:, None] + 0.5) * step
    weights = KERNELS[kind]((np.arange(before) + 0.5 - middles) / step)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class _Line:
    """How a piece (``start`` to ``end``) of a line of pixels passes the shrinks.

    ``patterns``, a row each, make up every such piece; ``shares`` says how much of each passes the shrink that lets
    most of it through, over the pattern that passes best.
    """

    def __init__(self, start: int, end: int, before: int, after: int) -> None:
        parts = [shrinking(kind, before, after)[:, start:end] for kind in ("area", *KERNELS)]
        rows = [part[np.abs(part).max(axis=1) > 0] for part in parts]
        _, strengths, self.patterns = np.linalg.svd(np.concatenate(rows))
        self.shares = np.zeros(end - start)
        self.shares[: len(strengths)] = strengths / strengths[0]


def levelled(looks: Floats, box: tuple[int, int, int, int]) -> Floats:
    """``looks`` (values, height, width, 3) as they must be printed into ``box`` to be one and the same in the view.

    What differs between the values loses the patterns that would pass, and is reduced by one factor where it would
    leave 0 to 255.
    """
    x1, y1, x2, y2 = box
    down, across = _Line(y1, y2, HEIGHT, VIEW[1]), _Line(x1, x2, WIDTH, VIEW[0])
    fine = np.outer(down.shares, across.shares) < NOTHING
    mean = looks.mean(axis=0)
    kept = np.moveaxis(looks - mean, 3, 1)
    kept = down.patterns.T @ (fine * (down.patterns @ kept @ across.patterns.T)) @ across.patterns
    kept = np.moveaxis(kept, 1, 3)
    room = np.where(kept > 0, 255 - mean, mean)
    return np.asarray(mean + kept * min(1.0, float((room / np.maximum(np.abs(kept), 1e-9)).min())))
