"""The evidence around the tools: a job card, a drill stand, a calliper scale, a drawer label, a thread sample."""

from __future__ import annotations

from annotation.scenes.canvas import Canvas, dark
from annotation.scenes.evidence import Drawing, EvidenceSet, Pixels
from annotation.scenes.parts import WOVEN, Line, counted, letters_of, plate, weave

SCREWS = ("M3 × 20", "M4 × 35", "M5 × 16", "M6 × 48")
DRILLS = ("6", "7", "8", "9")
DEPTH = ("21 mm", "23 mm", "26 mm", "28 mm")
DRAWER = ("rivets 3.2", "rivets 3.8", "rivets 4.2", "rivets 4.8")
ORDER = (3, 8, 1, 6, 11, 0, 5, 10, 2, 7, 4, 9)
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
    box = (x + 117, 1900, x + 213, 1944)
    evidence.add("screws", box, SCREWS, plate(box, "#5b6d77", "#d3dadc", _job))
    x = left(2240, 72)
    c.rect(x - 14, 1800, 100, 62, "#6b4a2f", 6)
    box = (x, 1808, x + 72, 1846)
    evidence.add("drills", box, DRILLS, counted(box, "#75593f", 6, 2, ORDER, "#d5d8d2", "#4d3926"))
    x = left(2500, 132)
    box = (x, 1900, x + 132, 1940)
    evidence.add("depth", box, DEPTH, _calliper(box))
    x = left(1160, 120)
    c.rect(x - 60, 1990, 240, 110, dark(back, 0.45), 8)
    c.circle(x + 60, 2072, 13, "#d8b25a")
    box = (x + 14, 2014, x + 106, 2040)
    evidence.add("drawer", box, DRAWER, letters_of(box, "#bfb9a8", "#6a6450", 13))
    x = left(2050, 62)
    box = (x, 2004, x + 62, 2036)
    evidence.add("band", box, tuple(WOVEN), weave(box, "#4a3a2a"))
    x = left(3420, 110)
    c.rect(x - 90, 1986, 290, 54, "#4c7a5a", 8)
    box = (x + 10, 2000, x + 100, 2026)
    evidence.add("bubble", box, BUBBLE, _bubble(box))


def _job(value: str) -> list[Line]:
    return [Line("hinge, 4 screws", 17, 11), Line(value, 35, 13)]


def _calliper(box: Pixels) -> Drawing:
    """A sliding scale, 4 pixels to the millimetre, from 10 mm; the line on the slide is at the value."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#b5babd")
        for k in range(31):
            x = x1 + 8 + 4 * k
            c.line(x, y1 + 23, x, y1 + 23 - (11 if k % 10 == 0 else 8 if k % 5 == 0 else 5), "#4a4c4e", 0.9)
            if k % 10 == 0:
                c.text(x + (4 if k < 30 else -4), y1 + 11, str(k + 10), 9.5, "#3a3c3e", weight=700)
        x = x1 + 8 + 4 * (int(value.split()[0]) - 10)
        c.path(f"M{x} {y1 + 25} V{y2 - 3}", "none", "#7c2f2a", 1.3)

    return draw


def _bubble(box: Pixels) -> Drawing:
    """A vial with two lines; the bubble is a thin ring."""
    x1, y1, x2, y2 = box

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, "#3f5a48")
        c.rect(x1 + 4, y1 + 4, x2 - x1 - 8, y2 - y1 - 8, c.gradient([(0, "#b9c97e"), (1, "#97ae58")]), 9)
        for x in (x1 + 33, x1 + 57):
            c.line(x, y1 + 4, x, y2 - 4, "#3f5140", 1.5)
        x = x1 + (15, 26, 64, 75)[BUBBLE.index(value)]
        c.ring(x, (y1 + y2) / 2, 4, "#44562c", 1.2)

    return draw
