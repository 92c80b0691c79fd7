"""The evidence of the shelves: tags and labels of named products."""

from __future__ import annotations

from collections.abc import Callable

from annotation.scenes.canvas import Canvas
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import INK, PAPER, WOVEN, Line, bars, plate, price_tag, weave

TAG_WIDTH, TAG_HEIGHT = 96, 42
PLUM = ("4.29", "4.79", "5.49", "6.15")
OLIVE = ("6.95", "7.15", "7.49", "8.29")
COFFEE = ("8.50", "8.80", "9.50", "9.80")
COCOA = ("3.20", "3.50", "3.80", "4.10")
BEST_BEFORE = ("09/27", "12/28", "05/29", "11/26")
STARS = ("2", "3", "4", "5")
SUGAR = {"A": "B A C D", "B": "C B D A", "C": "D C A B", "D": "A D B C"}
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
    box = (x, y, x + 72, y + 40)
    evidence.add("best_before", box, BEST_BEFORE, plate(box, PAPER, INK, _best_before))
    x, y = (520, base(1) - 36) if warm else (3300, base(3) - 36)
    box = (x, y, x + 84, y + 34)
    evidence.add("stars", box, STARS, _stars(box))
    x, y = (3180, base(4) - 76) if warm else (1500, base(2) - 76)
    box = (x, y, x + 80, y + 74)
    evidence.add("sugar", box, tuple(SUGAR), bars(box, "SUGAR g", SUGAR))
    x, y = (1240, base(4) - 36) if warm else (640, base(4) - 36)
    box = (x, y, x + 52, y + 34)
    evidence.add("ribbon", box, tuple(WOVEN), weave(box, PAPER))
    x, y = (2560, base(0) - 28) if warm else (1860, base(0) - 28)
    box = (x, y, x + 84, y + 26)
    evidence.add("lot", box, LOT, _faint_print(box))
    x, y = (3560, base(2) + 14) if warm else (3420, base(1) + 14)
    box = (x, y, x + 60, y + 40)
    evidence.add("arrow", box, ARROW, _arrow(box))


def _best_before(value: str) -> list[Line]:
    return [Line("best before", 16, 11), Line(value, 32, 13)]


def _stars(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#4b5a52")
        c.text((x1 + x2) / 2, y1 + 13, "rated by readers", 9.5, "#c9c7b4")
        for k in range(5):
            x, y = x1 + 14 + 14 * k, y1 + 24
            d = f"M{x} {y - 6} l1.8 4.2 4.4 .3 -3.4 2.8 1.2 4.4 -4 -2.5 -4 2.5 1.2 -4.4 -3.4 -2.8 4.4 -.3 z"
            c.path(d, "#d2b04a" if k < int(value) else "#3a4640", "#3a4640" if k < int(value) else "#c2a450", 1)

    return draw


def _faint_print(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#bfb7a4")
        c.text((x1 + x2) / 2, y2 - 8, value, 13, "#6f6653", spacing=1)
        for k in range(6):
            c.line(x1 + 4 + 14 * k, y1 + 3, x1 + 12 + 14 * k, y2 - 3, "#b0a893", 1.5)

    return draw


def _arrow(box: Pixels) -> Drawing:
    """A strip of many small chevrons."""
    x1, y1, x2, y2 = box
    turns = {"up": 0, "right": 90, "down": 180, "left": 270}

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, PAPER)
        c.text((x1 + x2) / 2, y1 + 13, "REFILLS", 11, INK, weight=700)
        for k in range(12):
            with c.group(x1 + 15 + 6 * (k % 6), y1 + 22 + 8 * (k // 6), turns[value]):
                c.path("M-2 1.2 L0 -1.2 L2 1.2", "none", "#8a4a42", 1.1)

    return draw
