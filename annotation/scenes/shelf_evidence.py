"""The evidence of the shelves: tags and labels of named products."""

from __future__ import annotations

from collections.abc import Callable

from annotation.scenes.canvas import Canvas
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import Line, bars, plate, price_tag, stripes

TAG_WIDTH, TAG_HEIGHT = 108, 54
PLUM = ("4.29", "4.79", "5.49", "6.15")
OLIVE = ("6.95", "7.15", "7.49", "8.29")
COFFEE = ("8.50", "8.80", "9.50", "9.80")
COCOA = ("3.20", "3.50", "3.80", "4.10")
BEST_BEFORE = ("09/27", "12/28", "05/29", "11/26")
STARS = ("2", "3", "4", "5")
SUGAR = {"A": (92, 60, 44, 58), "B": (58, 92, 60, 44), "C": (44, 58, 92, 60), "D": (60, 44, 58, 92)}
RIBBON = ("green, white, red", "red, white, green", "white, green, red", "green, red, white")
LOT = ("LOT 8163", "LOT 2794", "LOT 5036", "LOT 7418")
ARROW = ("left", "right", "up", "down")


def place_evidence(evidence: EvidenceSet, warm: bool, base: Callable[[int], int]) -> None:
    """Puts every part at its place; ``base`` gives the top of a row's board."""
    edge = "#c0392f" if warm else "#2f5d9e"
    tags = (
        ("plum", 1, 2310 if warm else 1130, "PLUM JAM", "340 g", PLUM, edge),
        ("olive", 3, 860 if warm else 2760, "OLIVE OIL", "750 ml", OLIVE, edge),
        ("coffee", 2, 3020 if warm else 420, "COFFEE", "500 g", COFFEE, "#e6b422"),
        ("cocoa", 0, 1480 if warm else 3240, "COCOA", "250 g", COCOA, "#3f8a4f"),
    )
    for name, row, x, product, amount, values, colour in tags:
        top = base(row) + 10
        box = (x, top, x + TAG_WIDTH, top + TAG_HEIGHT)
        evidence.add(name, box, values, price_tag(box, product, amount, colour))
    x, y = (1700, base(2) - 48) if warm else (2050, base(1) - 48)
    box = (x, y, x + 76, y + 46)
    evidence.add("best_before", box, BEST_BEFORE, plate(box, "#efe9da", "#2a2622", _best_before))
    x, y = (520, base(1) - 36) if warm else (3300, base(3) - 36)
    box = (x, y, x + 92, y + 34)
    evidence.add("stars", box, STARS, _stars(box))
    x, y = (3180, base(4) - 86) if warm else (1500, base(2) - 86)
    box = (x, y, x + 92, y + 84)
    evidence.add("sugar", box, tuple(SUGAR), bars(box, "#f4eedd", "#2c2a26", "SUGAR g", SUGAR, "ABCD"))
    x, y = (1240, base(4) - 32) if warm else (640, base(4) - 32)
    box = (x, y, x + 68, y + 30)
    evidence.add("ribbon", box, RIBBON, stripes(box, "#d8cdb4"))
    x, y = (2560, base(0) - 28) if warm else (1860, base(0) - 28)
    box = (x, y, x + 96, y + 26)
    evidence.add("lot", box, LOT, _faint_print(box))
    x, y = (3560, base(2) + 14) if warm else (3420, base(1) + 14)
    box = (x, y, x + 66, y + 48)
    evidence.add("arrow", box, ARROW, _arrow(box))


def _best_before(value: str) -> list[Line]:
    return [Line("best before", 18, 11), Line(value, 38, 18, 700)]


def _stars(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#2c3a33")
        c.text(x1 + 7, y1 + 13, "rated by readers", 9.5, "#efe8d2", "start")
        for k in range(5):
            x, y = x1 + 14 + 16 * k, y1 + 23
            fill = "#f2c84b" if k < int(value) else "#55645c"
            c.path(f"M{x} {y - 7} l2 5 5 0 -4 4 2 5 -5 -3 -5 3 2 -5 -4 -4 5 0 z", fill)

    return draw


def _faint_print(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#cfc8b6")
        c.text((x1 + x2) / 2, y2 - 7, value, 18, "#a89f8a", weight=700, spacing=1)
        for k in range(7):
            c.line(x1 + 4 + 14 * k, y1 + 3, x1 + 12 + 14 * k, y2 - 3, "#bdb5a1", 1.5)

    return draw


def _arrow(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box
    turns = {"up": 0, "right": 90, "down": 180, "left": 270}

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#e9e3d2")
        c.text((x1 + x2) / 2, y1 + 14, "REFILLS", 11, "#2a2622", weight=700)
        with c.group((x1 + x2) / 2, y1 + 31, turns[value]):
            c.path("M0 -13 l9 11 h-5 v14 h-8 v-14 h-5 z", "#b3392f")

    return draw
