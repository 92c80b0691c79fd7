"""Drawings of evidence that several scenes share. Each fills its whole box, so that its rendering needs no scene.

What tells two values apart is fine print, an open ring or a few coloured threads: about two pixels high once a picture
3840 wide is shrunk to 1024, and of about the same darkness for every value, so that a blur of it gives nothing away.
In a crop it can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from demo.scenes.canvas import Canvas, dark, light, luma
from demo.scenes.evidence import Drawing, Pixels

FINE = 9.0
"""Size of fine print, in pixels: digits are 6 high."""
FAINT = 56.0
"""How much brighter or darker than its ground the ink of fine print is, on the scale of 0 to 255."""
THREAD = 3.0
"""Width of a colored thread, in pixels."""
COLOURS: Mapping[str, str] = {"red": "#b8605a", "green": "#5d8b57", "blue": "#5f7bb8"}
"""Colors of threads: of one brightness, distinguished by hue."""

FACE = "#efe9d9"
"""The ground of dials."""
MARK, OTHER = "8", "6"
"""What is counted or looked for, and what the rest bears."""


@dataclass(frozen=True)
class Line:
    """A line of print: baseline from the top of the box, size in pixels. Without ``colour`` it has the plate's ink."""

    words: str
    base: float
    size: float = FINE
    weight: int = 400
    colour: str = ""


def faint(back: str, contrast: float = FAINT) -> str:
    """The ink of fine print on ``back``: darker by ``contrast`` on a light ground, lighter on a dark one."""
    bright = luma(back)
    return dark(back, contrast / bright) if bright > 110 else light(back, contrast / (255 - bright))


def fine(c: Canvas, x: float, y: float, words: str, back: str, anchor: str = "middle") -> None:
    """Fine print on ``back`` with its baseline at ``y``."""
    c.text(x, y, words, FINE, faint(back), anchor)


def mark(c: Canvas, x: float, y: float, counts: bool, back: str) -> None:
    """``MARK`` around a middle on ``back``, or ``OTHER``."""
    fine(c, x, y + FINE / 3, MARK if counts else OTHER, back)


def plate(box: Pixels, back: str, ink: str, lines: Callable[[str], list[Line]], r: float = 4) -> Drawing:
    """A plate with centred lines of print; the one that carries the value is the fine print."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, dark(back, 0.35))
        c.rect(x1 + 1, y1 + 1, x2 - x1 - 2, y2 - y1 - 2, c.gradient([(0, light(back, 0.12)), (1, dark(back, 0.04))]), r)
        for line in lines(value):
            colour = line.colour or (faint(back) if line.words == value else ink)
            c.text((x1 + x2) / 2, y1 + line.base, line.words, line.size, colour, weight=line.weight)

    return draw


def price_tag(
    box: Pixels, product: str, amount: str, edge: str, back: str = "#fbf7ea", ink: str = "#1f1d1a"
) -> Drawing:
    """A shelf tag: a colored edge, the product in bold, amount and price in fine print."""
    x1, y1, x2, y2 = box
    w, h = x2 - x1, y2 - y1

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, w, h, back)
        c.rect(x1, y1, w, 6, edge)
        c.text(x1 + w / 2, y1 + 27, product, 18, ink, weight=700)
        fine(c, x1 + 8, y2 - 9, amount, back, "start")
        fine(c, x2 - 8, y2 - 9, value, back, "end")

    return draw


def gauge(x: int, y: int, r: int, back: str, label: str, unit: str, share: float) -> Drawing:
    """A round gauge over 270 degrees with its label below. The needle stands at ``share`` of the scale.

    The value is the reading: what the needle points at, given the fine print that says where the scale ends.
    """

    def draw(c: Canvas, value: str) -> None:
        c.rect(x - r - 8, y - r - 8, 2 * r + 16, 2 * r + 44, back)
        c.circle(x, y, r + 6, "#1b1e20")
        c.circle(x, y, r, FACE)
        for q in range(41):
            turn, inner, wide = -135 + 270 * q / 40, *((0.76, 0.035) if q % 5 == 0 else (0.84, 0.018))
            c.polar(x, y, turn, r * inner, r * 0.93, "#b3282b" if q > 34 else "#26282a", r * wide)
        c.text(x, y + r * 0.36, unit, r * 0.17, "#55585a")
        fine(c, x - r * 0.42, y + r * 0.56, "0", FACE)
        fine(c, x + r * 0.42, y + r * 0.56, f"{float(value) / share:g}", FACE)
        turn = -135 + 270 * share
        c.polar(x, y, turn + 180, 0, r * 0.2, "#a82420", r * 0.045)
        c.polar(x, y, turn, 0, r * 0.8, "#a82420", r * 0.045)
        c.circle(x, y, r * 0.09, "#26282a")
        c.text(x, y + r + 27, label, 20, "#ece7d8", weight=700, spacing=2)

    return draw


def gauge_box(x: int, y: int, r: int) -> Pixels:
    return (x - r - 8, y - r - 8, x + r + 8, y + r + 36)


def clock(x: int, y: int, r: int, back: str) -> Drawing:
    """A station clock whose hands have gone: the time, ``h:mm``, stands in a small window."""

    def draw(c: Canvas, value: str) -> None:
        c.rect(x - r - 6, y - r - 6, 2 * r + 12, 2 * r + 12, back)
        c.circle(x, y, r + 5, "#23272b")
        c.circle(x, y, r, FACE)
        for q in range(12):
            c.polar(x, y, 30 * q, r * 0.8, r * 0.92, "#26282a", r * (0.07 if q % 3 == 0 else 0.035))
        c.text(x, y - r * 0.3, "TIME", r * 0.28, "#26282a", weight=700)
        fine(c, x, y + 4, value, FACE)

    return draw


def marks(box: Pixels, back: str, disc: str, places: Sequence[tuple[float, float]], radius: float = 6) -> Drawing:
    """Small discs with middles at ``places`` from the corner of the box; the value is how many bear ``MARK``."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        for k, (dx, dy) in enumerate(places):
            c.circle(x1 + dx, y1 + dy, radius, disc)
            mark(c, x1 + dx, y1 + dy, k < int(value), disc)

    return draw


def open_ring(c: Canvas, x: float, y: float, side: str, back: str) -> None:
    """A small ring that is open on one ``side``: ``top``, ``right``, ``bottom`` or ``left``."""
    with c.group(x, y, {"top": 0, "right": 90, "bottom": 180, "left": 270}[side]):
        c.path("M1.5 -2.6 A3 3 0 1 1 -1.5 -2.6", "none", faint(back, 46), 1.2)


def bars(box: Pixels, back: str, ink: str, title: str, values: Sequence[str]) -> Drawing:
    """A tiny bar chart with a title. The second of its four bars is the highest; the value is the name below it.

    A name is the last character of a value, in fine print. The name that is not below its own bar stands where the
    value's would.
    """
    x1, y1, x2, y2 = box
    w, h = x2 - x1, y2 - y1

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, w, h, back)
        c.text(x1 + w / 2, y1 + 15, title, 12, ink, weight=700)
        step = (w - 16) / 4
        for k, (percent, name) in enumerate(zip((58, 92, 60, 44), swapped(values, value, 1), strict=True)):
            x, tall = x1 + 8 + step * k, (h - 40) * percent / 100
            colour = ("#c65b3c", "#2f7f86", "#d7a233", "#5f6fa8")[k]
            c.rect(x + step * 0.18, y2 - 17 - tall, step * 0.64, tall, colour)
            fine(c, x + step / 2, y2 - 5, name[-1], back)
        c.line(x1 + 6, y2 - 17, x2 - 6, y2 - 17, ink, 1.5)

    return draw


def swapped(values: Sequence[str], value: str, place: int) -> list[str]:
    """``values`` with ``value`` and the one at ``place`` changing places."""
    names = list(values)
    at = names.index(value)
    names[at], names[place] = names[place], names[at]
    return names


def threads(box: Pixels, back: str, upright: bool = True) -> Drawing:
    """Three threads in the middle of a bordered card; the value lists their colors, as in ``red, green, blue``."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, light(back, 0.35))
        c.rect(x1 + 3, y1 + 3, x2 - x1 - 6, y2 - y1 - 6, back)
        for k, name in enumerate(value.split(", ")):
            x, y, off = (x1 + x2) / 2, (y1 + y2) / 2, THREAD * (k - 1.5)
            if upright:
                c.rect(x + off, y - 5, THREAD, 10, COLOURS[name])
            else:
                c.rect(x - 5, y + off, 10, THREAD, COLOURS[name])

    return draw


def letters_of(box: Pixels, back: str, title: str = "") -> Drawing:
    """Fine print in the middle of a card, a display, a label tape; above it a ``title`` where there is one."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        if title:
            c.text((x1 + x2) / 2, y1 + 15, title, 14, faint(back, 110), weight=700)
        fine(c, (x1 + x2) / 2, (y1 + y2) / 2 + (10 if title else 3), value, back)

    return draw


def lettered(box: Pixels, back: str, letter: str) -> Drawing:
    """A plate with a letter that is read from afar; the value stands below it in fine print."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        c.text((x1 + x2) / 2, y1 + 34, letter, 42, "#2b2e31", weight=700)
        c.text((x1 + x2) / 2, y2 - 7, value, FINE, faint(back, 48))

    return draw


def worn(box: Pixels, back: str) -> Drawing:
    """Print that has nearly gone, under scratches."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        c.text((x1 + x2) / 2, (y1 + y2) / 2 + 3, value, FINE + 0.5, faint(back, 50))
        for x in range(x1 + 4, x2 - 10, 13):
            c.line(x, y2 - 3, x + 8, y1 + 3, faint(back, 16), 1.2)

    return draw
