"""The evidence of the desk: small print, a length under a pin, a chart, a dial, stamps."""

from __future__ import annotations

from annotation.scenes.canvas import Canvas, dark
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import bars, letters_of, stripes

TILL = ("till 04 · 17:26", "till 02 · 15:58", "till 07 · 11:43", "till 09 · 13:07")
TOTAL = ("41.35", "47.80", "36.15", "28.90")
CASH = ("50.00", "62.50", "75.00")
HINGE = ("24 mm", "38 mm", "51 mm", "67 mm")
LOCKER = ("locker 13", "locker 27", "locker 58", "locker 64")
WIRE = ("12 mm", "14 mm", "16 mm", "18 mm")
QUARTER = {"Q1": (92, 60, 44, 58), "Q2": (58, 92, 60, 44), "Q3": (44, 58, 92, 60), "Q4": (60, 44, 58, 92)}
PINS = ("6", "7", "8", "9")
BEARING = ("north-east", "south-east", "south-west", "north-west")
BOOKMARK = ("yellow, blue, red", "blue, red, yellow", "red, yellow, blue", "yellow, red, blue")
PENCILLED = ("room 6B", "room 2F", "room 9K", "room 4H")


def place_evidence(evidence: EvidenceSet) -> None:
    """Puts every part at its place, with what it lies on."""
    box = (2950, 1612, 3110, 1638)
    evidence.add("till", box, TILL, letters_of(box, "#f0eee6", "#555555", 17, 400))
    box = (3070, 1536, 3180, 1564)
    evidence.add("total", box, TOTAL, _amount(box, "TOTAL"))
    box = (2880, 1536, 2990, 1564)
    evidence.add("cash", box, CASH, _amount(box, "CASH"))
    _note(evidence.canvas, 1130, 1020, "#f6e27a", ("call Imre", "re: hinge"))
    box = (1150, 1186, 1262, 1216)
    evidence.add("hinge", box, HINGE, letters_of(box, "#f1dc72", "#4a4636", 23, 400))
    box = (3486, 694, 3672, 726)
    evidence.add("locker", box, LOCKER, _notification(box))
    box = (1476, 1962, 1600, 2010)
    evidence.add("wire", box, WIRE, _measured(box))
    box = (300, 1180, 420, 1276)
    evidence.add("quarter", box, tuple(QUARTER), bars(box, "#f1ede2", "#2c2a26", "SALES", QUARTER, "1234"))
    box = (3500, 1520, 3628, 1576)
    evidence.add("pins", box, PINS, _pins(box))
    box = (3300, 1860, 3380, 1940)
    _compass_case(evidence.canvas, 3340, 1900)
    evidence.add("bearing", box, BEARING, _compass(box))
    box = (2302, 908, 2350, 962)
    evidence.add("bookmark", box, BOOKMARK, stripes(box, "#7d2f28", upright=False))
    _note(evidence.canvas, 3480, 1230, "#f2b5c0", ("Thu 14:20", "bring keys"))
    box = (3500, 1398, 3612, 1428)
    evidence.add("pencilled", box, PENCILLED, letters_of(box, "#eeafbb", "#c4808f", 21, 700))


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
        c.text(x2 - 4, y2 - 8, value, 22, "#111111", "end", 700)

    return draw


def _notification(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#a38599")
        c.text(x1 + 4, y2 - 11, f"Parcel · {value}", 20, "#ffffff", "start")

    return draw


def _measured(box: Pixels) -> Drawing:
    """A piece of wire on a fine scale: 5 pixels are 1 mm."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#ecd890")
        first = x1 + 4
        for k in range(24):
            tall = 22 if k % 5 == 0 else 13
            c.line(first + 5 * k, y1, first + 5 * k, y1 + tall, "#40351c", 1.2)
        length = 5 * int(value.split()[0])
        c.line(first, y1 + 32, first + length, y1 + 32, "#8d4a2c", 5)
        c.line(first, y1 + 30.5, first + length, y1 + 30.5, "#d98a5a", 1.5)

    return draw


def _pins(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box
    places = ((14, 16), (40, 12), (70, 18), (100, 12), (24, 40), (54, 38), (86, 42), (114, 36), (58, 22))

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#d9cfb6")
        c.rect(x1 + 2, y1 + 2, x2 - x1 - 4, y2 - y1 - 4, "#e9e1cc", 6)
        for dx, dy in places[: int(value)]:
            c.line(x1 + dx, y1 + dy, x1 + dx + 7, y1 + dy + 9, "#8f969b", 1.6)
            c.circle(x1 + dx, y1 + dy, 4.5, "#c0392f")
            c.circle(x1 + dx - 1.4, y1 + dy - 1.4, 1.4, "#ffffff", 0.8)

    return draw


def _compass_case(c: Canvas, x: int, y: int) -> None:
    c.circle(x + 10, y + 16, 84, "#000000", 0.3)
    c.circle(x, y, 80, c.gradient([(0, "#e3c98a"), (1, "#8d6f30")]))
    c.circle(x, y, 62, "#f3eedd")
    c.ring(x, y, 70, "#6d5524", 3)


def _compass(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box
    x, y = (x1 + x2) // 2, (y1 + y2) // 2

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#f3eedd")
        for words, dx, dy in (("N", 0, -27), ("S", 0, 36), ("W", -32, 4), ("E", 32, 4)):
            c.text(x + dx, y + dy, words, 13, "#2c2a26", weight=700)
        turn = 45 + 90 * BEARING.index(value)
        c.polar(x, y, turn, -22, 0, "#8f969b", 4)
        c.polar(x, y, turn, 0, 22, "#b8342b", 4)
        c.circle(x, y, 3.5, "#2c2a26")

    return draw
