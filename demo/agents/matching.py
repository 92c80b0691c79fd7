"""Finding a known appearance in what is seen, by normalised correlation. No OpenCV: numbers in, numbers out.

The normalised correlation of two pictures is 1 when they are equal up to brightness and contrast, 0 when unrelated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.imaging.crops import Picture, scaled

Floats = NDArray[np.float32]

SMALLEST = 4
"""A template with fewer seen pixels than this on a side is not searched for: nothing can be made out."""
_FLAT = 4.0


@dataclass(frozen=True)
class Place:
    """Where a template fits best: left and top in seen pixels, and the correlation there (-1..1)."""

    x: int
    y: int
    score: float


def grey(picture: Picture) -> Floats:
    """The mean of the channels as ``float32``."""
    return picture.mean(axis=2, dtype=np.float32) if picture.ndim == 3 else picture.astype(np.float32)


def resized(picture: Picture, scale: float) -> Picture:
    """``picture`` with both sides times ``scale``, at least one pixel."""
    height, width = picture.shape[:2]
    return scaled(picture, max(1, round(width * scale)), max(1, round(height * scale)))


class Field:
    """What is searched: its spectrum and running sums are made once for many templates."""

    def __init__(self, seen: Picture) -> None:
        values = grey(seen)
        self.values = values - values.mean()
        self.shape = values.shape
        self._size = (_smooth(values.shape[0]), _smooth(values.shape[1]))
        self._spectrum = np.fft.rfft2(self.values, self._size)
        self._sums = _running(self.values)
        self._squares = _running(self.values**2)

    def scores(self, template: Floats) -> Floats:
        """The correlation at every place where the whole ``template`` fits: (H - h + 1, W - w + 1).

        0 where what is seen is flat. An empty array when the template is larger than the field.
        """
        h, w = template.shape
        rows, columns = self.shape[0] - h + 1, self.shape[1] - w + 1
        if rows < 1 or columns < 1:
            return np.zeros((0, 0), np.float32)
        pattern = template - template.mean()
        flipped = np.conj(np.fft.rfft2(pattern, self._size))
        product = np.fft.irfft2(self._spectrum * flipped, self._size)[:rows, :columns]
        count = h * w
        spread = _window(self._squares, h, w) - _window(self._sums, h, w) ** 2 / count
        size = np.sqrt(np.maximum(spread, 0) * float((pattern**2).sum()))
        enough = (spread > _FLAT * count) & (size > 0)
        return np.where(enough, product / np.where(enough, size, 1), 0).astype(np.float32)


def best_places(scores: Floats, count: int, apart: int) -> list[Place]:
    """The ``count`` highest places, none within ``apart`` pixels of a higher one."""
    left = scores.copy()
    places: list[Place] = []
    while left.size and len(places) < count:
        y, x = divmod(int(left.argmax()), left.shape[1])
        if left[y, x] <= 0:
            break
        places.append(Place(x, y, float(left[y, x])))
        left[max(0, y - apart) : y + apart + 1, max(0, x - apart) : x + apart + 1] = 0
    return places


def colour_score(seen: Picture, template: Picture) -> float:
    """The normalized correlation of two RGB images of one size over all channels together; 0 when one is flat."""
    a, b = seen.astype(np.float32).ravel(), template.astype(np.float32).ravel()
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > _FLAT else 0.0


def _running(values: Floats) -> NDArray[np.float64]:
    padded = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    padded[1:, 1:] = values.cumsum(0, dtype=np.float64).cumsum(1)
    return padded


def _window(sums: NDArray[np.float64], h: int, w: int) -> NDArray[np.float64]:
    return sums[h:, w:] - sums[:-h, w:] - sums[h:, :-w] + sums[:-h, :-w]


def _smooth(length: int) -> int:
    """The next length with no prime factor above 5: its Fourier transform is fast."""
    while True:
        rest = length
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return length
        length += 1
