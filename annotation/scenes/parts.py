"""Drawings of evidence that several scenes share. Each fills its whole box, so that its rendering needs no scene.

What differs between the values is drawn with strokes of one or two pixels, in tones that leave room above and below:
only that survives ``levelling``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.scenes.canvas import Canvas, dark, light
from annotation.scenes.evidence import Drawing, Pixels

WOVEN: Mapping[str, tuple[str, str]] = {
    "red and teal": ("#9d6864", "#639195"),
    "blue and gold": ("#6071a3", "#99885f"),
    "black and white": ("#606060", "#a0a0a0"),
    "purple and green": ("#8a649a", "#729068"),
}
"""Pairs of colours that mix to much the same from afar."""
PAPER, INK = "#cdc5b0", "#3a342c"


@dataclass(frozen=True)
class Line:
    """A line of small print: baseline from the top of the box, size in pixels."""

    words: str
    base: float
    size: float
    weight: int = 400
    colour: str = ""


def plate(box: Pixels, back: str, ink: str, lines: Callable[[str], list[Line]], r: float = 4) -> Drawing:
    """A plate with centred lines of print, one of which carries the value."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, dark(back, 0.35))
        c.rect(x1 + 1, y1 + 1, x2 - x1 - 2, y2 - y1 - 2, c.gradient([(0, light(back, 0.1)), (1, dark(back, 0.06))]), r)
        for line in lines(value):
            place = (x1 + x2) / 2, y1 + line.base
            c.text(*place, line.words, line.size, line.colour or ink, weight=line.weight)

    return draw


def price_tag(box: Pixels, product: str, amount: str, edge: str) -> Drawing:
    """A shelf tag: a coloured edge, the product, the price and the amount in small print."""

    def draw(c: Canvas, value: str) -> None:
        draw_tag(c, box, product, value, amount, edge)

    return draw


def draw_tag(c: Canvas, box: Pixels, product: str, price: str, amount: str, edge: str) -> None:
    x1, y1, x2, y2 = box
    c.rect(x1, y1, x2 - x1, y2 - y1, PAPER)
    c.rect(x1, y1, x2 - x1, 5, edge)
    c.text(x1 + 6, y1 + 19, product, 12, INK, "start", 700)
    c.text(x1 + 6, y2 - 6, price, 13, INK, "start")
    c.text(x2 - 6, y2 - 6, amount, 10, INK, "end")


def gauge(x: int, y: int, r: int, back: str, label: str, unit: str, top: float) -> Drawing:
    """A round gauge from 0 to ``top`` over 270 degrees with its label below; the value is the reading."""

    def draw(c: Canvas, value: str) -> None:
        x1, y1, x2, y2 = gauge_box(x, y, r)
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        c.circle(x, y, r + 5, "#2b2f31")
        c.circle(x, y, r, c.gradient([(0, "#cfcabb"), (1, "#bdb7a6")]))
        for q in range(41):
            major = q % 5 == 0
            turn, inner = -135 + 270 * q / 40, r * (0.76 if major else 0.84)
            c.polar(x, y, turn, inner, r * 0.93, "#a8443f" if q > 34 else "#4a4a46", 1.2 if major else 0.7)
        for text, dx, dy in (("0", -0.42, 0.6), (f"{top / 2:g}", 0, -0.46), (f"{top:g}", 0.42, 0.6)):
            c.text(x + r * dx, y + r * dy, text, r * 0.24, "#4a4a46", weight=700)
        c.text(x, y + r * 0.38, unit, r * 0.22, "#66665f")
        c.polar(x, y, -135 + 270 * float(value) / top, -r * 0.2, r * 0.82, "#7c2f2a", 1.4)
        c.circle(x, y, r * 0.07, "#3a3a38")
        c.text(x, y2 - 6, label, 15, "#d8d3c6", weight=700, spacing=1)

    return draw


def gauge_box(x: int, y: int, r: int) -> Pixels:
    return (x - r - 8, y - r - 8, x + r + 8, y + r + 26)


def clock(x: int, y: int, r: int, back: str) -> Drawing:
    """A clock face without numerals; the value is ``h:mm``."""

    def draw(c: Canvas, value: str) -> None:
        hours, minutes = (int(v) for v in value.split(":"))
        c.rect(x - r - 6, y - r - 6, 2 * r + 12, 2 * r + 12, back)
        c.circle(x, y, r + 4, "#2f3337")
        c.circle(x, y, r, c.gradient([(0, "#cdc6b4"), (1, "#bdb5a2")]))
        for q in range(12):
            c.polar(x, y, 30 * q, r * 0.8, r * 0.92, "#3a3a38", 2 if q % 3 == 0 else 1.2)
        c.polar(x, y, 30 * (hours % 12) + minutes / 2, -r * 0.1, r * 0.48, "#3a3a38", 1.6)
        c.polar(x, y, 6 * minutes, -r * 0.12, r * 0.78, "#3a3a38", 1.3)
        c.circle(x, y, r * 0.07, "#3a3a38")

    return draw


def marks(c: Canvas, places: Iterable[tuple[float, float]], filled: Collection[int], ink: str, ground: str) -> None:
    """A dot at every place that is ``filled``, a ring of just as much ink at every other."""
    for k, (x, y) in enumerate(places):
        c.circle(x, y, 3.8, ground)
        if k in filled:
            c.circle(x, y, 1.4, ink)
        else:
            c.ring(x, y, 2.2, ink, 0.45)


def counted(
    box: Pixels, back: str, columns: int, rows: int, order: Sequence[int], ink: str = "#d8d9c8", ground: str = "#4b514d"
) -> Drawing:
    """A field of lamps, caps or pins: dots where something is, rings where nothing is. The value says how many dots
    there are, in the given order of places."""
    x1, y1, x2, y2 = box
    wide, tall = (x2 - x1) / columns, (y2 - y1) / rows
    places = [(x1 + wide * (k % columns + 0.5), y1 + tall * (k // columns + 0.5)) for k in range(columns * rows)]

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        marks(c, places, order[: int(value)], ink, ground)

    return draw


def bars(box: Pixels, title: str, names: Mapping[str, str]) -> Drawing:
    """A tiny bar chart with a title; the value says which of ``names`` stand below the bars, of which the second is
    the highest."""
    x1, y1, x2, y2 = box
    w, h = x2 - x1, y2 - y1

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, w, h, PAPER)
        c.text(x1 + w / 2, y1 + 14, title, 12, INK, weight=700)
        step = (w - 12) / 4
        for k, percent in enumerate((62, 92, 50, 74)):
            x, tall = x1 + 6 + step * k, (h - 38) * percent / 100
            colour = ("#a8604a", "#4a8086", "#b0913f", "#6f78a8")[k]
            c.rect(x + step * 0.2, y2 - 17 - tall, step * 0.6, tall, colour)
            c.text(x + step / 2, y2 - 5, names[value].split()[k], 11, "#5a5348")
        c.line(x1 + 6, y2 - 17, x2 - 6, y2 - 17, INK, 1.5)

    return draw


def weave(box: Pixels, back: str) -> Drawing:
    """A band in plain weave of threads two pixels wide, in two colours; the value is one of ``WOVEN``."""
    x1, y1, x2, y2 = box
    left, top, right, low = (x1 + x2) // 2 - 16, (y1 + y2) // 2 - 8, (x1 + x2) // 2 + 16, (y1 + y2) // 2 + 8

    def draw(c: Canvas, value: str) -> None:
        over, under = WOVEN[value]
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        c.rect(left, top, right - left, low - top, under)
        for row, y in enumerate(range(top, low, 2)):
            for x in range(left + 2 * (row % 2), right, 4):
                c.rect(x, y, 2, 2, over)

    return draw


def letters_of(box: Pixels, back: str, ink: str, size: float, weight: int = 400, spacing: float = 0) -> Drawing:
    """One line of print across the box: a number plate, a display, a label tape."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        c.text((x1 + x2) / 2, (y1 + y2) / 2 + size * 0.34, value, size, ink, weight=weight, spacing=spacing)

    return draw
