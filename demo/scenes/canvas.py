"""A pen for SVG: shapes, gradients and text in pixels of a 3840 x 2160 picture, collected as markup."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape

WIDTH, HEIGHT = 3840, 2160
FAMILY = "Source Sans Pro"

Stop = tuple[float, str] | tuple[float, str, float]


def mix(a: str, b: str, share: float) -> str:
    """The color ``share`` (0..1) of the way from ``a`` to ``b``; all ``#rrggbb``."""
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(p + (q - p) * share):02x}" for p, q in pairs)


def light(colour: str, share: float) -> str:
    return mix(colour, "#ffffff", share)


def dark(colour: str, share: float) -> str:
    return mix(colour, "#000000", share)


def luma(colour: str) -> float:
    """The brightness of ``#rrggbb``, 0 to 255, weighted as in JPEG."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def number(value: float) -> str:
    """A coordinate with at most one decimal, so that the markup is short and the same everywhere."""
    return f"{value:.1f}".removesuffix(".0")


class Canvas:
    """Collects markup. ``prefix`` keeps gradient names of different canvases apart; ``rng`` is the scene's own dice."""

    def __init__(self, seed: str | int = 0, prefix: str = "s") -> None:
        self.rng = random.Random(seed)
        self._prefix = prefix
        self._body: list[str] = []
        self._defs: list[str] = []
        self._flat = False

    def rect(self, x: float, y: float, w: float, h: float, fill: str, r: float = 0, opacity: float = 1) -> None:
        size = f'x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
        self._body.append(f'<rect {size} rx="{number(r)}" fill="{self._paint(fill)}"{_opacity(opacity)}/>')

    def circle(self, x: float, y: float, r: float, fill: str, opacity: float = 1) -> None:
        place = f'cx="{number(x)}" cy="{number(y)}" r="{number(r)}"'
        self._body.append(f'<circle {place} fill="{self._paint(fill)}"{_opacity(opacity)}/>')

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: str, opacity: float = 1) -> None:
        place = f'cx="{number(x)}" cy="{number(y)}" rx="{number(rx)}" ry="{number(ry)}"'
        self._body.append(f'<ellipse {place} fill="{self._paint(fill)}"{_opacity(opacity)}/>')

    def ring(self, x: float, y: float, r: float, stroke: str, width: float) -> None:
        place = f'cx="{number(x)}" cy="{number(y)}" r="{number(r)}"'
        self._body.append(
            f'<circle {place} fill="none" stroke="{self._paint(stroke)}" stroke-width="{number(width)}"/>'
        )

    def path(self, d: str, fill: str = "none", stroke: str = "none", width: float = 0, opacity: float = 1) -> None:
        line = f' stroke="{self._paint(stroke)}" stroke-width="{number(width)}" stroke-linecap="round"' if width else ""
        self._body.append(f'<path d="{d}" fill="{self._paint(fill)}"{line}{_opacity(opacity)}/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, width: float, opacity: float = 1) -> None:
        self.path(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", "none", stroke, width, opacity)

    def polar(self, x: float, y: float, degrees: float, start: float, end: float, stroke: str, width: float) -> None:
        """A straight line from radius ``start`` to ``end``; 0 degrees is up, clockwise."""
        s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
        self.line(x + s * start, y - c * start, x + s * end, y - c * end, stroke, width)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        fill: str,
        anchor: str = "middle",
        weight: int = 400,
        spacing: float = 0,
        italic: bool = False,
    ) -> None:
        style = f' letter-spacing="{number(spacing)}"' if spacing else ""
        style += ' font-style="italic"' if italic else ""
        self._body.append(
            f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" fill="{fill}" text-anchor="{anchor}"'
            f' font-family="{FAMILY}" font-weight="{weight}"{style}>{escape(words)}</text>'
        )

    def gradient(self, stops: Sequence[Stop], across: bool = False, diagonal: bool = False) -> str:
        """A linear gradient as a fill, from the top down unless ``across`` or ``diagonal``."""
        x2, y2 = (1, 1) if diagonal else (1, 0) if across else (0, 1)
        return self._define("linearGradient", f'x1="0" y1="0" x2="{x2}" y2="{y2}"', stops)

    def radial(self, stops: Sequence[Stop]) -> str:
        return self._define("radialGradient", "", stops)

    def glow(self, x: float, y: float, r: float, colour: str, strength: float) -> None:
        """Light (or, with a dark color, shade) that fades out towards radius ``r``."""
        self.circle(x, y, r, self.radial([(0, colour, strength), (0.45, colour, strength * 0.4), (1, colour, 0)]))

    def shadow(self, x: float, y: float, w: float, h: float, reach: float = 24, strength: float = 0.4) -> None:
        """A soft shadow beyond the right and lower edges, as fading strips: a blur filter costs ten times as much."""
        stops: list[Stop] = [(0, "#000000", strength), (0.4, "#000000", strength * 0.35), (1, "#000000", 0)]
        self.rect(x + w, y + reach, reach, h - reach, self.gradient(stops, across=True))
        self.rect(x + reach, y + h, w - reach, reach, self.gradient(stops))
        corner = self._define("radialGradient", 'cx="0" cy="0" r="1"', stops)
        self.path(f"M{number(x + w)} {number(y + h)} h{reach} a{reach} {reach} 0 0 1 -{reach} {reach} z", corner)

    @contextmanager
    def group(self, x: float = 0, y: float = 0, turn: float = 0, scale: float = 1) -> Iterator[None]:
        """Moves, turns (degrees, clockwise) and scales what is drawn inside."""
        turned = f" rotate({number(turn)})" if turn else ""
        scaled = f" scale({scale:g})" if scale != 1 else ""
        self._body.append(f'<g transform="translate({number(x)} {number(y)}){turned}{scaled}">')
        yield
        self._body.append("</g>")

    @contextmanager
    def silhouette(self, x: float, y: float, opacity: float) -> Iterator[None]:
        """What is drawn inside becomes one flat black shape: the shadow of a thing that hangs before a wall."""
        self._body.append(f'<g transform="translate({number(x)} {number(y)})" opacity="{opacity:g}">')
        self._flat = True
        yield
        self._flat = False
        self._body.append("</g>")

    def markup(self, view: tuple[float, float, float, float] = (0, 0, WIDTH, HEIGHT)) -> str:
        """The SVG document that shows ``view`` (x1, y1, x2, y2) at one image pixel per unit."""
        x1, y1, x2, y2 = view
        w, h = number(x2 - x1), number(y2 - y1)
        inside = f"<defs>{''.join(self._defs)}</defs>{''.join(self._body)}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}"'
            f' viewBox="{number(x1)} {number(y1)} {w} {h}">{inside}</svg>'
        )

    def _paint(self, colour: str) -> str:
        return "#000000" if self._flat and colour != "none" else colour

    def _define(self, kind: str, place: str, stops: Sequence[Stop]) -> str:
        name = f"{self._prefix}{len(self._defs)}"
        marks = "".join(
            f'<stop offset="{s[0]:g}" stop-color="{s[1]}" stop-opacity="{s[2] if len(s) == 3 else 1:g}"/>'
            for s in stops
        )
        self._defs.append(f'<{kind} id="{name}" {place}>{marks}</{kind}>')
        return f"url(#{name})"


def _opacity(value: float) -> str:
    return "" if value == 1 else f' opacity="{value:g}"'
