"""The evidence of the panel: the smallest instruments on it."""

from __future__ import annotations

from collections.abc import Callable

from annotation.scenes.canvas import Canvas
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import Line, gauge, gauge_box, lamps, letters_of, plate, stripes

BOILER = ("6.0", "7.5", "9.0", "10.5")
CONDENSER = ("3.0", "4.0", "5.0", "6.0")
INLET = ("40", "50", "60", "70")
OUTLET = ("80", "90", "100", "110")
LIT = ("9", "10", "11", "12")
HOURS = ("04817 h", "04871 h", "08417 h", "04187 h")
DUE = ("06/27", "09/27", "12/28", "04/29")
TREND = ("L1", "L2", "L3", "L4")
SELECTOR = ("off", "manual", "auto", "test")
WIRES = ("red, blue, green", "blue, green, red", "green, red, blue", "red, green, blue")
SERIAL = ("SN 30865", "SN 36085", "SN 38065", "SN 30685")
ORDER = (3, 14, 7, 0, 11, 18, 5, 9, 16, 2, 12, 6, 19, 1, 10, 4, 13, 8, 17, 15)


def place_evidence(
    evidence: EvidenceSet, back: str, corner: Callable[[int, int], tuple[int, int]], mirrored: bool
) -> None:
    """Puts every part into the lower half of its cell; ``mirrored`` swaps the sides."""

    def at(i: int, j: int, dx: int, dy: int) -> tuple[int, int]:
        x, y = corner(5 - i if mirrored else i, j)
        return x + dx, y + dy

    for name, i, dx, label, unit, top, values in (
        ("boiler", 1, 190, "BOILER", "bar", 12, BOILER),
        ("condenser", 1, 440, "COND", "bar", 8, CONDENSER),
        ("inlet", 4, 190, "INLET", "°C", 120, INLET),
        ("outlet", 4, 440, "OUTLET", "°C", 160, OUTLET),
    ):
        x, y = at(i, 1, dx, 370)
        evidence.add(name, gauge_box(x, y, 48), values, gauge(x, y, 48, back, label, unit, top))
    x, y = at(2, 2, 240, 330)
    box = (x, y, x + 150, y + 110)
    evidence.add("lamps", box, LIT, lamps(box, "#20262a", 5, 4, "#57e08a", ORDER, 6))
    x, y = at(0, 3, 200, 360)
    box = (x, y, x + 108, y + 30)
    evidence.add("hours", box, HOURS, letters_of(box, "#10191a", "#8df0b0", 20, 700, 1))
    x, y = at(5, 2, 300, 350)
    box = (x, y, x + 84, y + 62)
    evidence.add("checked", box, DUE, plate(box, "#f2d65c", "#26241c", _checked, 3))
    x, y = at(3, 0, 260, 330)
    box = (x, y, x + 92, y + 68)
    evidence.add("trend", box, TREND, _trend(box))
    x, y = at(4, 3, 200, 350)
    box = (x, y, x + 92, y + 86)
    evidence.add("selector", box, SELECTOR, _selector(box, back))
    x, y = at(1, 3, 360, 360)
    box = (x, y, x + 64, y + 40)
    evidence.add("wires", box, WIRES, stripes(box, "#17191b", upright=False))
    x, y = at(3, 3, 230, 380)
    box = (x, y, x + 110, y + 28)
    evidence.add("serial", box, SERIAL, _worn(box))


def _checked(value: str) -> list[Line]:
    return [Line("CHECKED", 18, 12, 700), Line("by K.L., next", 33, 11), Line(value, 54, 18, 700)]


def _trend(box: Pixels) -> Drawing:
    """Four lines of one colour over time; the value names the one that ends highest."""
    x1, y1, x2, y2 = box
    ink = "#8df0b0"

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#0e1514")
        for k in range(4):
            c.line(x1 + 6, y1 + 9 + k * 16, x2 - 6, y1 + 9 + k * 16, "#22302c", 1)
        first = TREND.index(value)
        ends = {(first + k) % 4: y1 + 12 + k * 14 for k in range(4)}
        for k in range(4):
            start, end = y1 + 24 + k * 8, ends[k]
            middle = (start + end) / 2 + (6 if k % 2 else -6)
            c.path(f"M{x1 + 6} {start} Q{x1 + 34} {middle:.0f} {x2 - 22} {end}", "none", ink, 1.2)
            c.text(x2 - 19, end + 4, TREND[k], 11, ink, "start", 700)

    return draw


def _selector(box: Pixels, back: str) -> Drawing:
    x1, y1, x2, y2 = box
    x, y = (x1 + x2) // 2, (y1 + y2) // 2 + 6

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        for words, dx, dy in (("OFF", -34, -22), ("MAN", 34, -22), ("AUT", 34, 34), ("TEST", -32, 34)):
            c.text(x + dx, y + dy, words, 10, "#ece7d8", weight=700)
        c.circle(x, y, 20, "#15181a")
        c.circle(x, y, 16, "#4a5053")
        c.polar(x, y, {"off": -50, "manual": 50, "auto": 130, "test": -130}[value], 0, 17, "#f2efe6", 3.5)

    return draw


def _worn(box: Pixels) -> Drawing:
    """Engraved print that has nearly gone."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#6b7370")
        c.text((x1 + x2) / 2, y2 - 8, value, 19, "#87908c", weight=700, spacing=1)
        for k in range(9):
            c.line(x1 + 3 + 12 * k, y2 - 3, x1 + 10 + 12 * k, y1 + 3, "#767e7b", 1.5)

    return draw
