"""The evidence of the street: what is small enough there that one has to walk up to it."""

from __future__ import annotations

from annotation.scenes.canvas import Canvas, dark
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import Line, bars, clock, letters_of, plate, stripes

FLOORS = ("1st floor", "2nd floor", "3rd floor", "4th floor")
CLOSING = ("12:30", "14:00", "16:45", "18:15")
TIMES = ("4:35", "5:20", "7:05", "8:50")
EVERY = ("every 9 min", "every 12 min", "every 25 min", "every 40 min")
PHONES = ("0417 226 83", "0417 228 63", "0471 226 38", "0417 268 23")
BOTTLES = ("5", "6", "7", "8")
CAT = ("first", "second", "third", "fourth")
SHOWS = {"Mon": (90, 55, 40, 60), "Tue": (55, 90, 60, 40), "Wed": (40, 60, 90, 55), "Thu": (60, 40, 55, 90)}
FLAG = ("red, white, blue", "blue, white, red", "white, red, blue", "red, blue, white")
PLATES = ("KT 47 RHB", "KT 41 RHB", "KT 47 BHR", "TK 47 RHB")


def place_evidence(evidence: EvidenceSet, dusk: bool) -> None:
    """Puts every part at its place. Boxes hold nothing but the part."""
    brass, glass = ("#b99f63", "#caa764") if dusk else ("#d9c58a", "#e8ddbf")
    box = (858, 1372, 914, 1438)
    evidence.add("doctor", box, FLOORS, plate(box, brass, "#2e2716", _doctor))
    box = (1978, 1372, 2034, 1442)
    evidence.add("hours", box, CLOSING, plate(box, glass, "#2b2620", _hours))
    box = (1594, 1114, 1686, 1206)
    evidence.add("clock", box, TIMES, clock(1640, 1160, 40, "#4a4136" if dusk else "#6d5c48"))
    _bus_pole(evidence, 3254)
    box = (3220, 1262, 3316, 1312)
    evidence.add("bus", box, EVERY, plate(box, "#1d5a4c", "#f2efe2", _bus))
    box = (2650, 1826, 2790, 1858)
    evidence.add("phone", box, PHONES, letters_of(box, "#b7b0b5" if dusk else "#e2ddd0", "#4a3a33", 24, 400))
    box = (2566, 1914, 2650, 1938)
    evidence.add("number", box, PLATES, letters_of(box, "#e8e4d2", "#1f2326", 17))
    box = (1440, 1640, 1556, 1696)
    evidence.add("bottles", box, BOTTLES, _crate(box))
    box = (2612, 1344, 2706, 1426)
    evidence.add("poster", box, tuple(SHOWS), bars(box, "#efe6d0", "#2c2a26", "VISITORS", SHOWS, "MTWT"))
    evidence.canvas.line(474, 1140, 474, 1260, "#3a3f45", 7)
    box = (478, 1146, 538, 1184)
    evidence.add("flag", box, FLAG, stripes(box, "#2a2e33"))
    box = (148, 1420, 268, 1466)
    evidence.add("cat", box, CAT, _cat(box))


def _doctor(value: str) -> list[Line]:
    return [Line("Dr I. Holt", 20, 11, 700), Line(value, 38, 11), Line("please ring", 56, 10)]


def _hours(value: str) -> list[Line]:
    return [Line("OPEN", 18, 12, 700), Line("Mon–Fri 7:00", 35, 9), Line("to", 47, 10), Line(value, 64, 17, 700)]


def _bus(value: str) -> list[Line]:
    return [Line("7  Quay – Mill Rd", 20, 12, 700), Line(value, 41, 15, 700)]


def _bus_pole(evidence: EvidenceSet, x: int) -> None:
    c = evidence.canvas
    c.rect(x + 8, 1190, 12, 580, "#2a3138")
    c.rect(x - 40, 1184, 108, 134, "#17493e", 10)
    c.text(x + 14, 1246, "7", 54, "#f2efe2", weight=700)


def _crate(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#3a2c22")
        for k in range(int(value)):
            x = x1 + 14 + k * 12.5
            c.rect(x - 4.5, y1 + 18, 9, 34, "#eceae0", 3)
            c.rect(x - 2.5, y1 + 8, 5, 12, "#eceae0", 2)
            c.rect(x - 3, y1 + 5, 6, 4, "#b7463c", 1)
        for k in range(2):
            c.rect(x1, y1 + 30 + 14 * k, x2 - x1, 9, "#a8794c")
        for x in (x1, x2 - 8):
            c.rect(x, y1 + 4, 8, y2 - y1 - 4, "#8a5f3a")

    return draw


def _cat(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#6a5340")
        c.rect(x1, y2 - 6, x2 - x1, 6, dark("#8a5a3f", 0.3))
        at, x = CAT.index(value), x1 + 10
        for k in range(5):
            if k == at:
                c.ellipse(x + 8, y2 - 14, 8, 10, "#d08a45")
                c.circle(x + 8, y2 - 27, 6, "#d08a45")
                c.path(f"M{x + 3} {y2 - 30} l1 -8 l4 5 l4 -5 l1 8 z", "#d08a45")
            else:
                c.path(f"M{x} {y2 - 20} h16 l-3 15 h-10 z", "#b0573a")
                c.circle(x + 8, y2 - 26, 8, "#5d8a58")
            x += 21

    return draw
