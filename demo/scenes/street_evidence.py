"""The evidence of the street: what is small enough there that one has to walk up to it."""

from __future__ import annotations

from demo.scenes.canvas import Canvas, dark
from demo.scenes.evidence import Drawing, EvidenceSet, Pixels
from demo.scenes.parts import Line, bars, clock, letters_of, mark, plate, threads

ROOMS = ("room 10", "room 15", "room 16", "room 19")
CLOSING = ("15:50", "16:50", "18:50", "19:50")
TIMES_SHOWN = ("15:48", "16:48", "18:48", "19:48")
EVERY = ("every 15 min", "every 16 min", "every 18 min", "every 19 min")
PHONES = ("0495 680 59", "0495 608 59", "0495 860 59", "0495 806 59")
BOTTLES = ("3", "4", "5", "6")
CRATE = (3, 6, 0, 4, 1, 7, 2, 5)
POTS = ("first", "second", "third", "fourth")
STALLS = ("stall B", "stall D", "stall N", "stall R")
FLAG = ("red, green, blue", "green, red, blue", "blue, green, red", "green, blue, red")
PLATES = ("KT 46 RBH", "KT 48 RBH", "KT 46 RDH", "KT 48 RDH")


def place_evidence(evidence: EvidenceSet, dusk: bool) -> None:
    """Puts every part at its place. Boxes hold nothing but the part."""
    brass, glass = ("#b99f63", "#caa764") if dusk else ("#d9c58a", "#e8ddbf")
    box = (858, 1372, 914, 1438)
    evidence.add("doctor", box, ROOMS, plate(box, brass, "#2e2716", _doctor))
    box = (1978, 1372, 2034, 1442)
    evidence.add("hours", box, CLOSING, plate(box, glass, "#2b2620", _hours))
    box = (1594, 1114, 1686, 1206)
    evidence.add("clock", box, TIMES_SHOWN, clock(1640, 1160, 40, "#4a4136" if dusk else "#6d5c48"))
    _bus_pole(evidence, 3254)
    box = (3220, 1262, 3316, 1312)
    evidence.add("bus", box, EVERY, plate(box, "#1d5a4c", "#f2efe2", _bus))
    box = (2650, 1826, 2790, 1858)
    evidence.add("phone", box, PHONES, letters_of(box, "#b7b0b5" if dusk else "#e2ddd0"))
    box = (2566, 1914, 2650, 1938)
    evidence.add("number", box, PLATES, letters_of(box, "#e8e4d2"))
    box = (1440, 1640, 1556, 1696)
    evidence.add("bottles", box, BOTTLES, _crate(box))
    box = (2612, 1344, 2706, 1426)
    evidence.add("poster", box, STALLS, bars(box, "#efe6d0", "#2c2a26", "VISITORS", STALLS))
    evidence.canvas.line(474, 1140, 474, 1260, "#3a3f45", 7)
    box = (478, 1146, 538, 1184)
    evidence.add("flag", box, FLAG, threads(box, "#6a6e73"))
    box = (148, 1420, 268, 1466)
    evidence.add("pots", box, POTS, _pots(box))


def _doctor(value: str) -> list[Line]:
    return [Line("Dr Holt", 20, 14, 700), Line(value, 38), Line("please ring", 56, 10)]


def _hours(value: str) -> list[Line]:
    return [Line("OPEN", 19, 15, 700), Line("Mon–Fri until", 36, 9), Line(value, 54)]


def _bus(value: str) -> list[Line]:
    return [Line("7  Quay – Mill Rd", 20, 12, 700), Line(value, 40)]


def _bus_pole(evidence: EvidenceSet, x: int) -> None:
    c = evidence.canvas
    c.rect(x + 8, 1190, 12, 580, "#2a3138")
    c.rect(x - 40, 1184, 108, 134, "#17493e", 10)
    c.text(x + 14, 1246, "7", 54, "#f2efe2", weight=700)


def _crate(box: Pixels) -> Drawing:
    """Eight bottles in a crate with a label on each; the value is how many bear the mark."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#3a2c22")
        for k, place in enumerate(CRATE):
            x = x1 + 12 + place * 13.1
            c.rect(x - 5.5, y1 + 4, 11, 50, "#d5d2c4", 4)
            mark(c, x, y1 + 13, k < int(value), "#d5d2c4")
        for k in range(2):
            c.rect(x1, y1 + 26 + 16 * k, x2 - x1, 10, "#a8794c")
        for x in (x1, x2 - 5):
            c.rect(x, y1 + 4, 5, y2 - y1 - 4, "#8a5f3a")

    return draw


def _pots(box: Pixels) -> Drawing:
    """Five plants in pots; the one at the value's place bears the mark."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#6a5340")
        c.rect(x1, y2 - 6, x2 - x1, 6, dark("#8a5a3f", 0.3))
        for k in range(5):
            x = x1 + 18 + 21 * k
            c.circle(x, y2 - 31, 8, "#5d8a58")
            c.path(f"M{x - 9} {y2 - 25} h18 l-3 20 h-12 z", "#b0573a")
            mark(c, x, y2 - 16, k == POTS.index(value), "#b0573a")

    return draw
