"""The evidence around the tools: a job card, a drill stand, a calliper scale, a drawer label, a thread sample."""

from __future__ import annotations

from annotation.scenes.canvas import Canvas, dark, light
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import Line, letters_of, plate, stripes

SCREWS = ("M3 × 20", "M4 × 35", "M5 × 16", "M6 × 48")
DRILLS = ("6", "7", "8", "9")
DEPTH = ("21 mm", "23 mm", "26 mm", "28 mm")
DRAWER = ("rivets 3.2", "rivets 3.8", "rivets 4.2", "rivets 4.8")
BAND = ("red, white, black", "white, black, red", "black, red, white", "red, black, white")
BUBBLE = ("far left", "left", "right", "far right")


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
    evidence.add("drawer", box, DRAWER, letters_of(box, "#d8d2c0", "#a9a390", 19))
    x = left(2050, 62)
    box = (x, 2004, x + 62, 2036)
    evidence.add("band", box, BAND, stripes(box, "#4a3a2a"))
    x = left(3420, 110)
    c.rect(x - 90, 1986, 290, 54, "#4c7a5a", 8)
    box = (x, 1996, x + 110, 2030)
    evidence.add("bubble", box, BUBBLE, _bubble(box))


def _job(value: str) -> list[Line]:
    return [Line("hinge, 4 screws", 19, 12), Line(value, 42, 21, 700)]


def _drills(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#4d3926")
        for k in range(9):
            x, tall = x1 + 14 + 16 * k, 44 - 2 * k
            c.circle(x, y2 - 5, 4.5, "#1f1710")
            if k < int(value):
                c.rect(x - 2.5, y2 - 5 - tall, 5, tall, "#aeb5b9")
                c.line(x - 2.5, y2 - 14, x + 2.5, y2 - 20, "#596064", 1.2)
                c.line(x - 2.5, y2 - 26, x + 2.5, y2 - 32, "#596064", 1.2)

    return draw


def _calliper(box: Pixels) -> Drawing:
    """A sliding scale, 3 pixels to the millimetre, from 10 mm; the mark on the slide points at the value."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#cfd4d7")
        for k in range(31):
            x = x1 + 8 + 4 * k
            c.line(x, y1 + 26, x, y1 + 26 - (14 if k % 10 == 0 else 10 if k % 5 == 0 else 6), "#26282a", 1)
            if k % 10 == 0:
                c.text(x + (4 if k < 30 else -4), y1 + 11, str(k + 10), 9.5, "#26282a")
        x = x1 + 8 + 4 * (int(value.split()[0]) - 10)
        c.path(f"M{x} {y1 + 27} l6 9 h-12 z", "#b8342b")
        c.rect(x - 20, y1 + 36, 40, 8, "#8b9398", 2)

    return draw


def _bubble(box: Pixels) -> Drawing:
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#2f4a38")
        c.rect(x1 + 5, y1 + 5, x2 - x1 - 10, y2 - y1 - 10, c.gradient([(0, "#eafaa0"), (1, "#a9c94e")]), 11)
        for x in (x1 + 42, x1 + 68):
            c.line(x, y1 + 5, x, y2 - 5, "#26382c", 2)
        x = x1 + (20, 34, 76, 90)[BUBBLE.index(value)]
        c.ellipse(x, (y1 + y2) / 2, 9, 7, "#6d8a3a")
        c.ellipse(x, (y1 + y2) / 2, 7.5, 5.5, light("#d9f08a", 0.5))

    return draw
