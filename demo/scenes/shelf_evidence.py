"""The evidence of the shelves: tags and labels of named products."""

from __future__ import annotations

from collections.abc import Callable

from demo.scenes.canvas import Canvas
from demo.scenes.evidence import Drawing, EvidenceSet, Pixels
from demo.scenes.parts import Line, bars, marks, open_ring, plate, price_tag, threads, worn

TAG_WIDTH, TAG_HEIGHT = 108, 54
PLUM = ("4.50", "4.56", "4.58", "4.59")
OLIVE = ("5.95", "6.95", "8.95", "9.95")
COFFEE = ("8.50", "8.60", "8.80", "8.90")
COCOA = ("3.50", "3.60", "3.80", "3.90")
BEST_BEFORE = ("05/28", "06/28", "08/28", "09/28")
STARS = ("3", "4", "5", "6")
RATED = ((34, 23), (70, 23), (10, 23), (46, 23), (82, 23), (22, 23), (58, 23))
SUGAR = ("product B", "product D", "product N", "product R")
RIBBON = ("red, green, blue", "green, red, blue", "blue, green, red", "green, blue, red")
LOT = ("LOT 8506", "LOT 8560", "LOT 8605", "LOT 8650")
OPEN = ("top", "right", "bottom", "left")


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
    evidence.add("sugar", box, SUGAR, bars(box, "#f4eedd", "#2c2a26", "SUGAR g", SUGAR))
    x, y = (1240, base(4) - 32) if warm else (640, base(4) - 32)
    box = (x, y, x + 68, y + 30)
    evidence.add("ribbon", box, RIBBON, threads(box, "#8d8474"))
    x, y = (2560, base(0) - 28) if warm else (1860, base(0) - 28)
    box = (x, y, x + 96, y + 26)
    evidence.add("lot", box, LOT, worn(box, "#cfc8b6"))
    x, y = (3560, base(2) + 14) if warm else (3420, base(1) + 14)
    box = (x, y, x + 66, y + 48)
    evidence.add("ring", box, OPEN, _refills(box))


def _best_before(value: str) -> list[Line]:
    return [Line("best before", 18, 12, 700), Line(value, 36)]


def _stars(box: Pixels) -> Drawing:
    x1, y1, x2, _ = box
    numbered = marks(box, "#2c3a33", "#55645c", RATED, radius=5)

    def draw(c: Canvas, value: str) -> None:
        numbered(c, value)
        c.text((x1 + x2) / 2, y1 + 13, "rated by readers", 11, "#efe8d2")

    return draw


def _refills(box: Pixels) -> Drawing:
    (x1, y1, x2, y2), back = box, "#e9e3d2"

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        c.text((x1 + x2) / 2, y1 + 17, "REFILLS", 14, "#2a2622", weight=700)
        open_ring(c, (x1 + x2) / 2, y1 + 33, value, back)

    return draw
