"""Drawings of evidence that several scenes share. Each fills its whole box, so that its rendering needs no scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.scenes.canvas import Canvas, dark, light
from annotation.scenes.evidence import Drawing, Pixels

COLOURS: Mapping[str, str] = {
    "red": "#c0392f",
    "blue": "#2f5d9e",
    "green": "#3f8a4f",
    "yellow": "#e6b422",
    "white": "#f2efe6",
    "black": "#26282b",
}


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
        c.rect(x1 + 1, y1 + 1, x2 - x1 - 2, y2 - y1 - 2, c.gradient([(0, light(back, 0.18)), (1, dark(back, 0.06))]), r)
        for line in lines(value):
            place = (x1 + x2) / 2, y1 + line.base
            c.text(*place, line.words, line.size, line.colour or ink, weight=line.weight)

    return draw


def price_tag(
    box: Pixels, product: str, amount: str, edge: str, back: str = "#fbf7ea", ink: str = "#1f1d1a"
) -> Drawing:
    """A shelf tag: the product in small print, the price, the amount, a coloured edge."""
    x1, y1, x2, y2 = box
    w, h = x2 - x1, y2 - y1

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, w, h, back)
        c.rect(x1, y1, w, 5, edge)
        c.text(x1 + 6, y1 + 17, product, 11, ink, "start", 700)
        c.text(x1 + 6, y1 + h - 8, value, h * 0.46, ink, "start", 700)
        c.text(x2 - 6, y1 + h - 20, amount, 9, ink, "end")
        c.text(x2 - 6, y1 + h - 9, "per pack", 7.5, ink, "end")

    return draw


def gauge(x: int, y: int, r: int, back: str, label: str, unit: str, top: float, radius_share: float = 0.93) -> Drawing:
    """A round gauge from 0 to ``top`` over 270 degrees with its label below; the value is the reading."""

    def draw(c: Canvas, value: str) -> None:
        c.rect(x - r - 8, y - r - 8, 2 * r + 16, 2 * r + 44, back)
        c.circle(x, y, r + 6, "#1b1e20")
        c.circle(x, y, r, c.gradient([(0, "#fdfaf0"), (1, "#dcd7c6")]))
        for q in range(41):
            major = q % 5 == 0
            turn, inner = -135 + 270 * q / 40, r * (0.76 if major else 0.84)
            c.polar(
                x, y, turn, inner, r * radius_share, "#b3282b" if q > 34 else "#26282a", r * (0.035 if major else 0.018)
            )
        for text, dx, dy in (("0", -0.42, 0.56), (f"{top / 2:g}", 0, -0.48), (f"{top:g}", 0.42, 0.56)):
            c.text(x + r * dx, y + r * dy, text, r * 0.2, "#26282a", weight=700)
        c.text(x, y + r * 0.36, unit, r * 0.17, "#55585a")
        turn = -135 + 270 * float(value) / top
        c.polar(x, y, turn + 180, 0, r * 0.2, "#a82420", r * 0.045)
        c.polar(x, y, turn, 0, r * 0.8, "#a82420", r * 0.045)
        c.circle(x, y, r * 0.09, "#26282a")
        c.text(x, y + r + 27, label, 20, "#ece7d8", weight=700, spacing=2)

    return draw


def gauge_box(x: int, y: int, r: int) -> Pixels:
    return (x - r - 8, y - r - 8, x + r + 8, y + r + 36)


def clock(x: int, y: int, r: int, back: str) -> Drawing:
    """A clock face without numerals; the value is ``h:mm``."""

    def draw(c: Canvas, value: str) -> None:
        hours, minutes = (int(v) for v in value.split(":"))
        c.rect(x - r - 6, y - r - 6, 2 * r + 12, 2 * r + 12, back)
        c.circle(x, y, r + 5, "#23272b")
        c.circle(x, y, r, c.gradient([(0, "#fbf6e6"), (1, "#e4dcc6")]))
        for q in range(12):
            c.polar(x, y, 30 * q, r * 0.8, r * 0.92, "#26282a", r * (0.07 if q % 3 == 0 else 0.035))
        c.polar(x, y, 30 * (hours % 12) + minutes / 2, -r * 0.1, r * 0.5, "#1d1f21", r * 0.08)
        c.polar(x, y, 6 * minutes, -r * 0.12, r * 0.76, "#1d1f21", r * 0.05)
        c.circle(x, y, r * 0.07, "#1d1f21")

    return draw


def lamps(box: Pixels, back: str, columns: int, rows: int, lit: str, order: tuple[int, ...], r: float = 7) -> Drawing:
    """A field of small lamps; the value is how many are lit, in the given order of places."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        on = set(order[: int(value)])
        for k in range(columns * rows):
            x = x1 + (x2 - x1) * (k % columns + 0.5) / columns
            y = y1 + (y2 - y1) * (k // columns + 0.5) / rows
            if k in on:
                c.circle(x, y, r * 2, lit, 0.25)
            c.circle(x, y, r + 2.5, "#0f1112")
            c.circle(x, y, r, lit if k in on else "#454b49")
            c.circle(x - r * 0.3, y - r * 0.3, r * 0.28, "#ffffff", 0.7 if k in on else 0.25)

    return draw


def bars(box: Pixels, back: str, ink: str, title: str, heights: Mapping[str, tuple[int, ...]], names: str) -> Drawing:
    """A tiny bar chart with a title; the value names one of ``heights`` (percent of the plot, one for each letter)."""
    x1, y1, x2, y2 = box
    w, h = x2 - x1, y2 - y1

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, w, h, back)
        c.text(x1 + w / 2, y1 + 15, title, 12, ink, weight=700)
        step = (w - 16) / len(names)
        for k, percent in enumerate(heights[value]):
            x, tall = x1 + 8 + step * k, (h - 40) * percent / 100
            c.rect(
                x + step * 0.18, y2 - 17 - tall, step * 0.64, tall, ("#c65b3c", "#2f7f86", "#d7a233", "#5f6fa8")[k % 4]
            )
            c.text(x + step / 2, y2 - 5, names[k], 11, ink, weight=700)
        c.line(x1 + 6, y2 - 17, x2 - 6, y2 - 17, ink, 1.5)

    return draw


def stripes(box: Pixels, back: str, upright: bool = True) -> Drawing:
    """Stripes of equal width; the value lists their colours in order, as in ``red, white, blue``."""
    x1, y1, x2, y2 = box
    w, h = x2 - x1, y2 - y1

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, w, h, back)
        names = value.split(", ")
        for k, name in enumerate(names):
            part = (w - 8) / len(names) if upright else (h - 8) / len(names)
            if upright:
                c.rect(x1 + 4 + part * k, y1 + 4, part, h - 8, COLOURS[name])
            else:
                c.rect(x1 + 4, y1 + 4 + part * k, w - 8, part, COLOURS[name])

    return draw


def letters_of(box: Pixels, back: str, ink: str, size: float, weight: int = 700, spacing: float = 0) -> Drawing:
    """One line of print across the box: a number plate, a display, a label tape."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        c.text((x1 + x2) / 2, (y1 + y2) / 2 + size * 0.34, value, size, ink, weight=weight, spacing=spacing)

    return draw
