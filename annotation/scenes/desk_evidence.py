"""The evidence of the desk: small print, a length under a pin, a chart, a dial, stamps."""

from __future__ import annotations

from annotation.scenes.canvas import Canvas, dark
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import INK, WOVEN, bars, counted, letters_of, marks, weave

TILL = ("till 04 · 17:26", "till 02 · 15:58", "till 07 · 11:43", "till 09 · 13:07")
TOTAL = ("41.35", "47.80", "36.15", "28.90")
CASH = ("50.00", "62.50", "75.00")
HINGE = ("24 mm", "38 mm", "51 mm", "67 mm")
LOCKER = ("locker 13", "locker 27", "locker 58", "locker 64")
WIRE = ("12 mm", "14 mm", "16 mm", "18 mm")
QUARTER = {"Q1": "2 1 3 4", "Q2": "3 2 4 1", "Q3": "4 3 1 2", "Q4": "1 4 2 3"}
PINS = ("6", "7", "8", "9")
BEARING = ("north-east", "south-east", "south-west", "north-west")
ORDER = (9, 2, 7, 4, 0, 11, 6, 1, 8, 3, 10, 5)
PENCILLED = ("room 6B", "room 2F", "room 9K", "room 4H")


def place_evidence(evidence: EvidenceSet) -> None:
    """Puts every part at its place, with what it lies on."""
    c = evidence.canvas
    box = (2964, 1612, 3096, 1636)
    evidence.add("till", box, TILL, letters_of(box, "#cbc8be", "#4c4a45", 13))
    box = (3070, 1536, 3166, 1560)
    evidence.add("total", box, TOTAL, _amount(box, "TOTAL"))
    box = (2894, 1536, 2990, 1560)
    evidence.add("cash", box, CASH, _amount(box, "CASH"))
    _note(c, 1130, 1020, "#d8c46c", ("call Imre", "re: hinge"))
    box = (1156, 1190, 1236, 1214)
    evidence.add("hinge", box, HINGE, letters_of(box, "#cdb964", "#4a4636", 14))
    box = (3486, 694, 3642, 720)
    evidence.add("locker", box, LOCKER, _notification(box))
    box = (1480, 1960, 1600, 1996)
    evidence.add("wire", box, WIRE, _measured(box))
    box = (300, 1180, 380, 1260)
    evidence.add("quarter", box, tuple(QUARTER), bars(box, "SALES", QUARTER))
    c.rect(3494, 1514, 80, 46, "#a3987e", 4)
    box = (3500, 1520, 3568, 1554)
    evidence.add("pins", box, PINS, counted(box, "#bdb39b", 6, 2, ORDER, "#7c2f2a", "#cfc7b3"))
    box = (3308, 1868, 3372, 1932)
    _compass_case(c, 3340, 1900)
    evidence.add("bearing", box, BEARING, _compass(box))
    box = (2302, 908, 2350, 962)
    evidence.add("bookmark", box, tuple(WOVEN), weave(box, "#8a3f38"))
    _note(c, 3480, 1230, "#d9a3ac", ("Thu 14:20", "bring keys"))
    box = (3506, 1402, 3586, 1426)
    evidence.add("pencilled", box, PENCILLED, letters_of(box, "#cc959f", "#80525b", 14))


def _note(c: Canvas, x: int, y: int, colour: str, lines: tuple[str, ...]) -> None:
    c.shadow(x, y, 250, 250, 22)
    c.rect(x, y, 250, 250, c.gradient([(0, colour), (1, dark(colour, 0.07))]))
    for k, words in enumerate(lines):
        c.text(x + 24, y + 66 + k * 54, words, 40, "#33302a", "start", italic=True)


def _amount(box: Pixels, label: str) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#cbc8be")
        c.text(x1 + 4, y2 - 7, label, 13, "#33312d", "start", 700)
        c.text(x2 - 6, y2 - 7, value, 14, "#3d3b36", "end")

    return draw


def _notification(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#8f7285")
        c.text(x1 + 4, y2 - 8, "Parcel ·", 17, "#e6dfe4", "start")
        c.text(x1 + 66, y2 - 8, value, 14, "#dcd3da", "start")

    return draw


def _measured(box: Pixels) -> Drawing:
    """A piece of wire on a fine scale, 5 pixels to the millimetre; its end is bent up to the scale."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#d0bd7c")
        first = x1 + 4
        for k in range(23):
            tall = 14 if k % 10 == 0 else 11 if k % 5 == 0 else 7
            c.line(first + 5 * k, y1, first + 5 * k, y1 + tall, "#5f5233", 0.9)
        end = first + 5 * int(value.split()[0])
        c.path(f"M{first} {y1 + 17} V{y2 - 8} H{end} V{y1 + 17}", "none", "#7d4027", 1.4)

    return draw


def _compass_case(c: Canvas, x: int, y: int) -> None:
    c.circle(x + 10, y + 16, 66, "#000000", 0.3)
    c.circle(x, y, 63, c.gradient([(0, "#e3c98a"), (1, "#8d6f30")]))
    c.circle(x, y, 48, "#cfc8b4")
    c.ring(x, y, 55, "#6d5524", 3)


def _compass(box: Pixels) -> Drawing:
    """A compass card with a mark between its letters; the one that is set is filled."""
    x1, y1, x2, y2 = box
    x, y = (x1 + x2) // 2, (y1 + y2) // 2

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#cfc8b4")
        for words, dx, dy in (("N", 0, -20), ("S", 0, 29), ("W", -25, 4), ("E", 25, 4)):
            c.text(x + dx, y + dy, words, 12, INK, weight=700)
        c.path(f"M{x - 3} {y} L{x} {y - 15} L{x + 3} {y} z", "#a8443f")
        c.path(f"M{x - 3} {y} L{x} {y + 15} L{x + 3} {y} z", "#7f868b")
        places = ((x + 13, y - 13), (x + 13, y + 13), (x - 13, y + 13), (x - 13, y - 13))
        marks(c, places, (BEARING.index(value),), "#7c2f2a", "#d4cdb9")

    return draw
