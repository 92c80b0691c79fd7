"""The evidence of the desk: small print, a length under a pin, a chart, a dial, stamps."""

from __future__ import annotations

from demo.scenes.canvas import Canvas, dark
from demo.scenes.evidence import Drawing, EvidenceSet, Pixels
from demo.scenes.parts import bars, fine, letters_of, marks, threads, worn

TILL = ("till 06 · 15:58", "till 08 · 15:58", "till 06 · 18:58", "till 08 · 18:58")
TOTAL = ("46.58", "46.85", "48.56", "48.65")
CASH = ("50.00", "60.00", "80.00", "90.00")
HINGE = ("50 mm", "56 mm", "58 mm", "59 mm")
LOCKER = ("locker 56", "locker 58", "locker 65", "locker 85")
WIRE = ("15 mm", "16 mm", "18 mm", "19 mm")
WEEK = ("week 5", "week 6", "week 8", "week 9")
SCREWS = ("5", "6", "7", "8")
HEADS = ((24, 40), (72, 14), (114, 40), (40, 14), (86, 42), (14, 16), (50, 42), (100, 14), (64, 28))
BEARING = ("050°", "056°", "058°", "059°")
BOOKMARK = ("red, green, blue", "green, red, blue", "blue, green, red", "green, blue, red")
PENCILLED = ("room 6B", "room 8B", "room 6D", "room 8D")


def place_evidence(evidence: EvidenceSet) -> None:
    """Puts every part at its place, with what it lies on."""
    box = (2950, 1612, 3110, 1638)
    evidence.add("till", box, TILL, letters_of(box, "#f0eee6"))
    box = (3070, 1536, 3180, 1564)
    evidence.add("total", box, TOTAL, _amount(box, "TOTAL"))
    box = (2880, 1536, 2990, 1564)
    evidence.add("cash", box, CASH, _amount(box, "CASH"))
    _note(evidence.canvas, 1130, 1020, "#f6e27a", ("call Imre", "re: hinge"))
    box = (1150, 1186, 1262, 1216)
    evidence.add("hinge", box, HINGE, letters_of(box, "#f1dc72"))
    box = (3486, 694, 3672, 726)
    evidence.add("locker", box, LOCKER, _notification(box))
    box = (1476, 1962, 1600, 2010)
    evidence.add("wire", box, WIRE, _measured(box))
    box = (300, 1180, 420, 1276)
    evidence.add("week", box, WEEK, bars(box, "#f1ede2", "#2c2a26", "SALES", WEEK))
    box = (3500, 1520, 3628, 1576)
    evidence.add("heads", box, SCREWS, marks(box, "#e9e1cc", "#c9ced2", HEADS, radius=6.5))
    box = (3300, 1860, 3380, 1940)
    _compass_case(evidence.canvas, 3340, 1900)
    evidence.add("bearing", box, BEARING, _compass(box))
    box = (2302, 908, 2350, 962)
    evidence.add("bookmark", box, BOOKMARK, threads(box, "#6f5a50", upright=False))
    _note(evidence.canvas, 3480, 1230, "#f2b5c0", ("Thu 14:20", "bring keys"))
    box = (3500, 1398, 3612, 1428)
    evidence.add("pencilled", box, PENCILLED, worn(box, "#eeafbb"))


def _note(c: Canvas, x: int, y: int, colour: str, lines: tuple[str, ...]) -> None:
    c.shadow(x, y, 250, 250, 22)
    c.rect(x, y, 250, 250, c.gradient([(0, colour), (1, dark(colour, 0.07))]))
    for k, words in enumerate(lines):
        c.text(x + 24, y + 66 + k * 54, words, 40, "#33302a", "start", italic=True)


def _amount(box: Pixels, label: str) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#f2f0e9")
        c.text(x1 + 4, y2 - 8, label, 13, "#111111", "start", 700)
        fine(c, x2 - 8, y2 - 9, value, "#f2f0e9", "end")

    return draw


def _notification(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#a38599")
        c.text(x1 + 4, y2 - 11, "Parcel", 20, "#ffffff", "start")
        fine(c, x2 - 10, y2 - 12, value, "#a38599", "end")

    return draw


def _measured(box: Pixels) -> Drawing:
    """A piece of wire on a fine scale from 0; the scale says in fine print what it reads where the wire ends.

    Its strokes are all alike: where some were longer, the length could be counted without the print.
    """
    (x1, y1, x2, y2), back = box, "#ecd890"

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        first = x1 + 4
        for k in range(47):
            c.line(first + 2.5 * k, y1, first + 2.5 * k, y1 + 15, "#40351c", 0.8)
        fine(c, first + 2, y1 + 33, "0", back, "start")
        fine(c, first + 80, y1 + 33, value, back)
        c.line(first, y1 + 40, first + 80, y1 + 40, "#8d4a2c", 5)
        c.line(first, y1 + 38.5, first + 80, y1 + 38.5, "#d98a5a", 1.5)

    return draw


def _compass_case(c: Canvas, x: int, y: int) -> None:
    c.circle(x + 10, y + 16, 84, "#000000", 0.3)
    c.circle(x, y, 80, c.gradient([(0, "#e3c98a"), (1, "#8d6f30")]))
    c.circle(x, y, 62, "#f3eedd")
    c.ring(x, y, 70, "#6d5524", 3)


def _compass(box: Pixels) -> Drawing:
    """A compass; a window says in fine print where its needle points."""
    x1, y1, x2, y2 = box
    x, y = (x1 + x2) // 2, (y1 + y2) // 2

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#f3eedd")
        for words, dx, dy in (("N", 0, -27), ("S", 0, 38), ("W", -32, 4), ("E", 32, 4)):
            c.text(x + dx, y + dy, words, 13, "#2c2a26", weight=700)
        c.polar(x, y, 56, -22, 0, "#8f969b", 4)
        c.polar(x, y, 56, 0, 22, "#b8342b", 4)
        fine(c, x, y + 21, value, "#f3eedd")
        c.circle(x, y, 3.5, "#2c2a26")

    return draw
