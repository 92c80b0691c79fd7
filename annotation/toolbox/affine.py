"""Plane maps from the pixels of a tool's output to the pixels of its input, so that what is found can be traced back.

Coordinates are continuous: pixel i covers i to i + 1, the image spans 0 to its width. A map is
``x' = a x + b y + c``, ``y' = d x + e y + f``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from annotation.schema import Box


@dataclass(frozen=True, slots=True)
class Affine:
    """The 2 × 3 matrix ``[[a, b, c], [d, e, f]]``; without arguments the map that changes nothing."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 0.0
    e: float = 1.0
    f: float = 0.0

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.b * y + self.c, self.d * x + self.e * y + self.f

    def box(self, box: Box) -> Box:
        """The upright box around the four mapped corners; exact unless the map turns by other than quarter turns."""
        corners = [self.point(x, y) for x in (box.x1, box.x2) for y in (box.y1, box.y2)]
        xs, ys = zip(*corners, strict=True)
        return Box(min(xs), min(ys), max(xs), max(ys))

    @property
    def scale(self) -> float:
        """The length of one output pixel in input pixels: the square root of the change of area."""
        return math.sqrt(abs(self.a * self.e - self.b * self.d))

    def after(self, first: Affine) -> Affine:
        """The map that does ``first`` and then this one."""
        c, f = self.point(first.c, first.f)
        return Affine(
            self.a * first.a + self.b * first.d,
            self.a * first.b + self.b * first.e,
            c,
            self.d * first.a + self.e * first.d,
            self.d * first.b + self.e * first.e,
            f,
        )

    def inverse(self) -> Affine:
        """The way back. Raises ``ZeroDivisionError`` for a map that flattens the plane; no tool makes one."""
        det = self.a * self.e - self.b * self.d
        a, b, d, e = self.e / det, -self.b / det, -self.d / det, self.a / det
        return Affine(a, b, -(a * self.c + b * self.f), d, e, -(d * self.c + e * self.f))

    def rows(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        return (self.a, self.b, self.c), (self.d, self.e, self.f)


IDENTITY = Affine()


def shift(x: float, y: float) -> Affine:
    return Affine(c=x, f=y)


def scaling(x: float, y: float) -> Affine:
    return Affine(a=x, e=y)


def clockwise(degrees: float) -> Affine:
    """A turn about (0, 0) that looks clockwise on the screen, where y points down."""
    turn = math.radians(degrees)
    return Affine(math.cos(turn), -math.sin(turn), 0, math.sin(turn), math.cos(turn), 0)
