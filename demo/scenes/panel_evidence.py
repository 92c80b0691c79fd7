"""The evidence of the panel: the smallest instruments on it."""

from __future__ import annotations

from collections.abc import Callable

from demo.scenes.canvas import Canvas
from demo.scenes.evidence import Drawing, EvidenceSet, Pixels
from demo.scenes.parts import (
    Line,
    fine,
    gauge,
    gauge_box,
    letters_of,
    marks,
    plate,
    swapped,
    threads,
    worn,
)

BOILER = ("6.0", "6.4", "7.2", "7.6")
CONDENSER = ("3.0", "3.6", "4.8", "5.4")
INLET = ("20", "24", "32", "36")
OUTLET = ("90", "96", "108", "114")
MARKED = ("9", "10", "11", "12")
HOURS = ("05869 h", "05896 h", "05968 h", "05986 h")
DUE = ("05/28", "06/28", "08/28", "09/28")
TREND = ("L5", "L6", "L8", "L9")
PROGRAMME = ("P5", "P6", "P8", "P9")
WIRES = ("red, green, blue", "green, red, blue", "blue, green, red", "green, blue, red")
SERIAL = ("SN 30865", "SN 36085", "SN 38065", "SN 30685")
ORDER = (3, 14, 7, 0, 11, 18, 5, 9, 16, 2, 12, 6, 19, 1, 10, 4, 13, 8, 17, 15)
BUTTONS = tuple((15 + 30 * (k % 5), 14 + 27.5 * (k // 5)) for k in ORDER)


def place_evidence(
    evidence: EvidenceSet, back: str, corner: Callable[[int, int], tuple[int, int]], mirrored: bool
) -> None:
    """Puts every part into the lower half of its cell; ``mirrored`` swaps the sides."""

    def at(i: int, j: int, dx: int, dy: int) -> tuple[int, int]:
        x, y = corner(5 - i if mirrored else i, j)
        return x + dx, y + dy

    for name, i, dx, label, unit, share, values in (
        ("boiler", 1, 190, "BOILER", "bar", 0.4, BOILER),
        ("condenser", 1, 440, "COND", "bar", 0.6, CONDENSER),
        ("inlet", 4, 190, "INLET", "°C", 0.4, INLET),
        ("outlet", 4, 440, "OUTLET", "°C", 0.6, OUTLET),
    ):
        x, y = at(i, 1, dx, 370)
        evidence.add(name, gauge_box(x, y, 48), values, gauge(x, y, 48, back, label, unit, share))
    x, y = at(2, 2, 240, 330)
    box = (x, y, x + 150, y + 110)
    evidence.add("buttons", box, MARKED, marks(box, "#20262a", "#4a5356", BUTTONS, radius=7))
    x, y = at(0, 3, 200, 360)
    box = (x, y, x + 108, y + 30)
    evidence.add("hours", box, HOURS, letters_of(box, "#1d2a2a"))
    x, y = at(5, 2, 300, 350)
    box = (x, y, x + 84, y + 62)
    evidence.add("checked", box, DUE, plate(box, "#f2d65c", "#26241c", _checked, 3))
    x, y = at(3, 0, 260, 330)
    box = (x, y, x + 92, y + 68)
    evidence.add("trend", box, TREND, _trend(box))
    x, y = at(4, 3, 200, 350)
    box = (x, y, x + 92, y + 86)
    evidence.add("selector", box, PROGRAMME, _selector(box, back))
    x, y = at(1, 3, 360, 360)
    box = (x, y, x + 64, y + 40)
    evidence.add("wires", box, WIRES, threads(box, "#5d6266", upright=False))
    x, y = at(3, 3, 230, 380)
    box = (x, y, x + 110, y + 28)
    evidence.add("serial", box, SERIAL, worn(box, "#6b7370"))


def _checked(value: str) -> list[Line]:
    return [Line("CHECKED", 18, 13, 700), Line("by K.L., next", 34, 11), Line(value, 52)]


def _trend(box: Pixels) -> Drawing:
    """Four lines of one color over time; the value is the name at the one that ends highest."""
    x1, y1, x2, y2 = box
    ink, back = "#8df0b0", "#0e1514"

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        for k in range(4):
            c.line(x1 + 6, y1 + 9 + k * 16, x2 - 22, y1 + 9 + k * 16, "#22302c", 1)
        for k, name in enumerate(swapped(TREND, value, 2)):
            start, end = y1 + 24 + k * 8, y1 + 12 + 14 * ((k + 2) % 4)
            middle = (start + end) / 2 + (6 if k % 2 else -6)
            c.path(f"M{x1 + 6} {start} Q{x1 + 34} {middle:.0f} {x2 - 22} {end}", "none", ink, 1.2)
            fine(c, x2 - 19, end + 4, name, back, "start")

    return draw


def _selector(box: Pixels, back: str) -> Drawing:
    """A knob that points to the upper right; the value is the programme printed there."""
    x1, y1, x2, y2 = box
    x, y = (x1 + x2) // 2, (y1 + y2) // 2 + 6
    places = ((-34, -22), (34, -22), (34, 34), (-32, 34))

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        for name, (dx, dy) in zip(swapped(PROGRAMME, value, 1), places, strict=True):
            fine(c, x + dx, y + dy, name, back)
        c.circle(x, y, 20, "#15181a")
        c.circle(x, y, 16, "#4a5053")
        c.polar(x, y, 50, 0, 17, "#f2efe6", 3.5)

    return draw
