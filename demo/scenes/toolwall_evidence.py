"""The evidence around the tools: a job card, a drill stand, a calliper scale, a drawer label, a thread sample."""

from __future__ import annotations

from demo.scenes.canvas import Canvas, dark
from demo.scenes.evidence import Drawing, EvidenceSet, Pixels
from demo.scenes.parts import Line, fine, mark, open_ring, plate, threads, worn

SCREWS = ("M5 × 60", "M6 × 60", "M8 × 60", "M9 × 60")
DRILLS = ("4", "5", "6", "7")
STAND = (4, 1, 7, 0, 6, 2, 8, 3, 5)
DEPTH = ("25 mm", "26 mm", "28 mm", "29 mm")
DRAWER = ("rivets 3.5", "rivets 3.6", "rivets 3.8", "rivets 3.9")
BAND = ("red, green, blue", "green, red, blue", "blue, green, red", "green, blue, red")
OPEN = ("top", "right", "bottom", "left")


def place_evidence(evidence: EvidenceSet, back: str, mirrored: bool) -> None:
    """Puts every part on the bench or on the strip above it; ``mirrored`` swaps the sides."""
    c = evidence.canvas

    def left(x: int, width: int) -> int:
        return 3840 - x - width if mirrored else x

    x = left(1560, 330)
    c.shadow(x, 1780, 330, 220, 22)
    c.rect(x, 1780, 330, 220, "#2e3d46", 12)
    c.rect(x + 14, 1794, 302, 192, "#3c4f5a", 8)
    c.text(x + 165, 1856, "today", 46, "#dfe7ea", italic=True)
    box = (x + 110, 1900, x + 220, 1950)
    evidence.add("screws", box, SCREWS, plate(box, "#3c4f5a", "#dfe7ea", _job))
    x = left(2240, 156)
    c.rect(x - 14, 1846, 184, 60, "#6b4a2f", 6)
    box = (x, 1790, x + 156, 1850)
    evidence.add("drills", box, DRILLS, _drills(box))
    x = left(2500, 132)
    box = (x, 1900, x + 132, 1946)
    evidence.add("depth", box, DEPTH, _calliper(box))
    x = left(1160, 120)
    c.rect(x - 60, 1990, 240, 110, dark(back, 0.45), 8)
    c.circle(x + 60, 2072, 13, "#d8b25a")
    box = (x, 2012, x + 120, 2040)
    evidence.add("drawer", box, DRAWER, worn(box, "#d8d2c0"))
    x = left(2050, 62)
    box = (x, 2004, x + 62, 2036)
    evidence.add("band", box, BAND, threads(box, "#6f6459"))
    x = left(3420, 110)
    c.rect(x - 90, 1986, 290, 54, "#4c7a5a", 8)
    box = (x, 1996, x + 110, 2030)
    evidence.add("ring", box, OPEN, _level(box))


def _job(value: str) -> list[Line]:
    return [Line("hinge, 4 screws", 19, 13, 700), Line(value, 38)]


def _drills(box: Pixels) -> Drawing:
    """Nine drills in a stand with a number below each; the value is how many bear the mark."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#6d5138")
        for k, place in enumerate(STAND):
            x, tall = x1 + 14 + 16 * place, 38 - 2 * place
            c.rect(x - 2.5, y2 - 17 - tall, 5, tall, "#aeb5b9")
            for groove in (9, 20):
                c.line(x - 2.5, y2 - 17 - groove, x + 2.5, y2 - 22 - groove, "#596064", 1.2)
            mark(c, x, y2 - 8, k < int(value), "#6d5138")

    return draw


def _calliper(box: Pixels) -> Drawing:
    """A sliding scale, 4 pixels to the millimetre; the mark on the slide points at the number in fine print.

    Its other strokes are all alike: where every fifth was longer, the mark would show a multiple of five.
    """
    (x1, y1, x2, y2), back = box, "#cfd4d7"

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, back)
        for k in range(31):
            x = x1 + 6 + 4 * k
            c.line(x, y1 + 28, x, y1 + 28 - (14 if k == 14 else 7), "#5c6063", 1)
        x = x1 + 62
        fine(c, x, y1 + 11, value, back)
        c.path(f"M{x} {y1 + 29} l5 8 h-10 z", "#b8342b")
        c.rect(x - 20, y1 + 37, 40, 7, "#8b9398", 2)

    return draw


def _level(box: Pixels) -> Drawing:
    """A small level whose window has a ring in the middle."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#2f4a38")
        c.rect(x1 + 5, y1 + 5, x2 - x1 - 10, y2 - y1 - 10, "#cfe08a", 11)
        for x in (x1 + 42, x1 + 68):
            c.line(x, y1 + 5, x, y2 - 5, "#26382c", 2)
        open_ring(c, x1 + 55, (y1 + y2) / 2, value, "#cfe08a")

    return draw
