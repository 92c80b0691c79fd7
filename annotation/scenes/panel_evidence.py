"""The evidence of the panel: the smallest instruments on it."""

from __future__ import annotations

from collections.abc import Callable

from annotation.scenes.canvas import Canvas
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import INK, WOVEN, Line, counted, gauge, gauge_box, letters_of, marks, plate, weave

BOILER = ("6.0", "7.5", "9.0", "10.5")
CONDENSER = ("3.0", "4.0", "5.0", "6.0")
INLET = ("40", "50", "60", "70")
OUTLET = ("80", "90", "100", "110")
LIT = ("9", "10", "11", "12")
HOURS = ("04817 h", "04871 h", "08417 h", "04187 h")
DUE = ("06/27", "09/27", "12/28", "04/29")
TREND = {"L1": "L3 L1 L4 L2", "L2": "L4 L2 L1 L3", "L3": "L1 L3 L2 L4", "L4": "L2 L4 L3 L1"}
SELECTOR = ("off", "manual", "auto", "test")
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
        x, y = at(i, 1, dx, 380)
        evidence.add(name, gauge_box(x, y, 30), values, gauge(x, y, 30, back, label, unit, top))
    x, y = at(2, 2, 270, 350)
    box = (x, y, x + 66, y + 52)
    evidence.add("lamps", box, LIT, counted(box, "#565f5f", 5, 4, ORDER, "#a6efbf", "#39403d"))
    x, y = at(0, 3, 210, 364)
    box = (x, y, x + 84, y + 26)
    evidence.add("hours", box, HOURS, letters_of(box, "#43504b", "#a9cfb6", 14, spacing=1))
    x, y = at(5, 2, 300, 350)
    box = (x, y, x + 80, y + 56)
    evidence.add("checked", box, DUE, plate(box, "#bfa956", INK, _checked, 3))
    x, y = at(3, 0, 260, 340)
    box = (x, y, x + 88, y + 66)
    evidence.add("trend", box, tuple(TREND), _trend(box))
    x, y = at(4, 3, 210, 360)
    box = (x, y, x + 76, y + 64)
    evidence.add("selector", box, SELECTOR, _selector(box, back))
    x, y = at(1, 3, 360, 364)
    box = (x, y, x + 60, y + 32)
    evidence.add("wires", box, tuple(WOVEN), weave(box, "#4f4d49"))
    x, y = at(3, 3, 240, 384)
    box = (x, y, x + 84, y + 26)
    evidence.add("serial", box, SERIAL, _worn(box))


def _checked(value: str) -> list[Line]:
    return [Line("CHECKED", 17, 12, 700), Line("by K.L., next", 31, 11), Line(value, 48, 13)]


def _trend(box: Pixels) -> Drawing:
    """Four lines of one colour over time, named where they end; the value is the name of the second, the highest."""
    x1, y1, x2, y2 = box
    ink = "#b4d3c0"

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#4a5853")
        for k in range(4):
            c.line(x1 + 6, y1 + 9 + k * 16, x2 - 6, y1 + 9 + k * 16, "#55645e", 1)
        for k, (name, row) in enumerate(zip(TREND[value].split(), (2, 0, 3, 1), strict=True)):
            start, end = y1 + 24 + k * 8, y1 + 12 + row * 14
            middle = (start + end) / 2 + (6 if k % 2 else -6)
            c.path(f"M{x1 + 6} {start} Q{x1 + 34} {middle:.0f} {x2 - 22} {end}", "none", ink, 1.2)
            c.text(x2 - 19, end + 4, name, 11, ink, "start")

    return draw


def _selector(box: Pixels, back: str) -> Drawing:
    """Four positions with a mark each; the one that is set is filled."""
    x1, y1, x2, y2 = box
    x, y = (x1 + x2) // 2, (y1 + y2) // 2

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        for words, dx, dy in zip(("OFF", "MAN", "AUT", "TEST"), (-25, 25, 25, -25), (-20, -20, 27, 27), strict=True):
            c.text(x + dx, y + dy, words, 10, "#d8d3c6", weight=700)
        c.circle(x, y, 17, "#2b2f31")
        c.circle(x, y, 15, "#5a6063")
        places = ((x - 7, y - 7), (x + 7, y - 7), (x + 7, y + 7), (x - 7, y + 7))
        marks(c, places, (SELECTOR.index(value),), "#dfe0d6", "#3d4245")

    return draw


def _worn(box: Pixels) -> Drawing:
    """Engraved print that has nearly gone."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#6b7370")
        c.text((x1 + x2) / 2, y2 - 8, value, 13, "#c4ccc8", spacing=1)
        for k in range(7):
            c.line(x1 + 3 + 12 * k, y2 - 3, x1 + 10 + 12 * k, y1 + 3, "#767e7b", 1.5)

    return draw
