"""The evidence of the street: what is small enough there that one has to walk up to it."""

from __future__ import annotations

from annotation.scenes.canvas import Canvas, dark
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import INK, WOVEN, Line, bars, clock, counted, letters_of, plate, weave

FLOORS = ("1st floor", "2nd floor", "3rd floor", "4th floor")
CLOSING = ("12:30", "14:00", "16:45", "18:15")
TIMES = ("4:35", "5:20", "7:05", "8:50")
EVERY = ("every 9 min", "every 12 min", "every 25 min", "every 40 min")
PHONES = ("0417 226 83", "0417 228 63", "0471 226 38", "0417 268 23")
BOTTLES = ("5", "6", "7", "8")
ORDER = (4, 9, 1, 6, 11, 2, 7, 0, 5, 10, 3, 8)
BASIL = ("first", "second", "third", "fourth")
SHOWS = {"Monday": "Tu Mo We Th", "Tuesday": "We Tu Th Mo", "Wednesday": "Th We Mo Tu", "Thursday": "Mo Th Tu We"}
PLATES = ("KT 47 RHB", "KT 41 RHB", "KT 47 BHR", "TK 47 RHB")


def place_evidence(evidence: EvidenceSet, dusk: bool) -> None:
    """Puts every part at its place. Boxes hold nothing but the part."""
    brass, glass = ("#a8925c", "#b59a66") if dusk else ("#bfae7a", "#c4b898")
    box = (858, 1372, 918, 1436)
    evidence.add("doctor", box, FLOORS, plate(box, brass, INK, _doctor))
    box = (1978, 1372, 2038, 1440)
    evidence.add("hours", box, CLOSING, plate(box, glass, INK, _hours))
    box = (1608, 1128, 1672, 1192)
    evidence.canvas.rect(1628, 1100, 24, 40, "#2f3337", 4)
    evidence.add("clock", box, TIMES, clock(1640, 1160, 26, "#4a4136" if dusk else "#6d5c48"))
    _bus_pole(evidence, 3254)
    box = (3222, 1264, 3314, 1308)
    evidence.add("bus", box, EVERY, plate(box, "#3d6b5e", "#d5d6c8", _bus))
    box = (2672, 1830, 2768, 1854)
    evidence.add("phone", box, PHONES, letters_of(box, "#a19a9f" if dusk else "#c6c1b3", "#4a3a33", 14))
    box = (2566, 1914, 2650, 1938)
    evidence.add("number", box, PLATES, letters_of(box, "#c5c1b1", "#3a3c3e", 14))
    c = evidence.canvas
    c.rect(1430, 1648, 80, 46, "#8a5f3a", 3)
    box = (1437, 1654, 1503, 1682)
    evidence.add("bottles", box, BOTTLES, counted(box, "#6d5a48", 6, 2, ORDER, ground="#51432f"))
    box = (2612, 1348, 2690, 1420)
    evidence.add("poster", box, tuple(SHOWS), bars(box, "VISITORS", SHOWS))
    c.line(474, 1140, 474, 1260, "#3a3f45", 7)
    box = (478, 1146, 538, 1184)
    evidence.add("flag", box, tuple(WOVEN), weave(box, "#6d6f6e"))
    box = (140, 1424, 268, 1464)
    evidence.add("basil", box, BASIL, _herbs(box))


def _doctor(value: str) -> list[Line]:
    return [Line("Dr I. Holt", 20, 11, 700), Line(value, 38, 12), Line("please ring", 55, 10)]


def _hours(value: str) -> list[Line]:
    return [Line("OPEN", 17, 12, 700), Line("Mon–Fri 7:00", 33, 9), Line("to", 45, 10), Line(value, 60, 13)]


def _bus(value: str) -> list[Line]:
    return [Line("7  Quay – Mill Rd", 18, 11, 700), Line(value, 35, 12)]


def _bus_pole(evidence: EvidenceSet, x: int) -> None:
    c = evidence.canvas
    c.rect(x + 8, 1190, 12, 580, "#2a3138")
    c.rect(x - 40, 1184, 108, 134, "#17493e", 10)
    c.text(x + 14, 1246, "7", 54, "#f2efe2", weight=700)


def _herbs(box: Pixels) -> Drawing:
    """Four pots with their names; the value says where the basil stands."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#7a6350")
        c.rect(x1, y2 - 5, x2 - x1, 5, dark("#8a5a3f", 0.3))
        names = ["mint", "sage", "dill"]
        names.insert(BASIL.index(value), "basil")
        for k, name in enumerate(names):
            x = x1 + 4 + 31 * k
            for leaf in (5, 13, 21):
                c.circle(x + leaf, y1 + 10, 7, ("#6a8a5c", "#5f7f58", "#7b9766", "#55754e")[k])
            c.path(f"M{x} {y1 + 14} h27 l-3 22 h-21 z", "#d0a583")
            c.text(x + 13.5, y1 + 28, name, 11, "#3a2216")

    return draw
