"""The bank of hand tools: what each is called, what it is for, how large it hangs on a wall, and how it is drawn.

A tool is drawn from (0, 0) to (width, height) and fills at most 0.7 % of the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from demo.scenes.canvas import Canvas, dark, light


@dataclass(frozen=True)
class HandTool:
    """``work`` is the kind of work it does: one of the verbs of ``WORK``."""

    name: str
    work: str
    width: int
    height: int
    drawing: Callable[[Canvas], None]


WORK = ("measure", "mark", "hold", "cut", "drill", "drive", "tighten", "smooth", "paint")
"""The kinds of work, in the order in which a workshop does them."""


def _steel(c: Canvas, across: bool = True) -> str:
    return c.gradient([(0, "#eef1f2"), (0.5, "#9fa7ac"), (1, "#d3d8db")], across=across)


def _grip(c: Canvas, colour: str) -> str:
    return c.gradient([(0, dark(colour, 0.25)), (0.35, light(colour, 0.22)), (1, dark(colour, 0.35))], across=True)


def _hammer(c: Canvas) -> None:
    c.rect(72, 50, 34, 290, _grip(c, "#b67f45"), 14)
    c.path("M18 20 h108 q34 2 34 34 l-24 10 q-8 -12 -30 -12 h-88 z", _steel(c, False))
    c.rect(4, 12, 30, 50, _steel(c, False), 6)


def _mallet(c: Canvas) -> None:
    c.rect(76, 90, 30, 240, _grip(c, "#c79a63"), 12)
    c.rect(6, 8, 170, 96, c.gradient([(0, "#4a4d50"), (1, "#222426")]), 16)
    c.rect(6, 8, 22, 96, "#5d6164", 10)
    c.rect(154, 8, 22, 96, "#5d6164", 10)


def _screwdriver(c: Canvas, colour: str, tip: str) -> None:
    c.rect(10, 4, 44, 130, _grip(c, colour), 18)
    for k in range(3):
        c.rect(17 + 12 * k, 24, 5, 92, dark(colour, 0.35), 3)
    c.rect(25, 130, 14, 160, _steel(c))
    c.path(tip, "#7e868b")


def _flat_driver(c: Canvas) -> None:
    _screwdriver(c, "#c33b32", "M25 288 h14 l6 28 v16 h-26 v-16 z")


def _cross_driver(c: Canvas) -> None:
    _screwdriver(c, "#2c62a0", "M25 288 h14 v22 l-7 24 l-7 -24 z")


def _wrench(c: Canvas) -> None:
    c.path(
        "M18 8 l12 40 h30 l12 -40 q26 40 4 78 l-16 20 v160 a42 42 0 1 1 -30 0 v-160 l-16 -20 q-22 -38 4 -78 z",
        _steel(c),
    )
    c.circle(45, 304, 20, "#5d6468")


def _adjustable(c: Canvas) -> None:
    c.path("M20 4 h62 l14 44 h-34 v36 h40 l-22 40 l-8 210 q-20 14 -40 0 l-8 -210 l-20 -50 z", _steel(c))
    c.rect(42, 92, 34, 24, "#6d757a", 4)
    c.ring(50, 312, 9, "#596064", 5)


def _pliers_shape(c: Canvas, colour: str, jaw: str) -> None:
    c.path(jaw, _steel(c))
    for side in (-1, 1):
        c.path(f"M{75 + side * 8} 132 q{side * 60} 60 {side * 48} 180", "none", colour, 27)
        c.path(f"M{75 + side * 6} 140 q{side * 50} 60 {side * 40} 160", "none", light(colour, 0.3), 5)
    c.circle(75, 122, 16, "#6e757a")


def _pliers(c: Canvas) -> None:
    _pliers_shape(c, "#b83a32", "M65 128 q-34 -60 -8 -124 l18 10 l18 -10 q26 64 -8 124 z")


def _cutters(c: Canvas) -> None:
    _pliers_shape(c, "#3c7a55", "M60 128 q-44 -40 -28 -84 q24 -8 43 14 q19 -22 43 -14 q16 44 -28 84 z")


def _hand_saw(c: Canvas) -> None:
    c.path("M96 26 H414 L394 92 H96 z", _steel(c, False))
    c.path("M96 92 " + "l5 10 l5 -10 " * 29, "#8b9398")
    c.path("M4 14 h106 v100 h-72 q-42 -34 -34 -100 z M34 40 v38 h46 v-38 z", "#9c5b34")
    for x, y in ((96, 30), (96, 96)):
        c.circle(x, y, 6, "#e0c16a")


def _hacksaw(c: Canvas) -> None:
    c.path("M96 100 V22 H404 V104", "none", "#5a6f82", 13)
    c.rect(92, 98, 318, 8, "#b9bfc3")
    c.path("M8 60 q46 -26 90 10 v44 q-50 30 -90 2 z M32 74 q24 -10 44 4 v22 q-24 12 -44 2 z", "#c46a2c")


def _tape(c: Canvas) -> None:
    c.rect(4, 4, 160, 150, c.gradient([(0, "#f0c648"), (1, "#c3951f")]), 34)
    c.circle(82, 78, 52, "#2b2e31")
    c.ring(82, 78, 44, "#e0b22f", 3)
    c.text(82, 90, "5 m", 34, "#f0c648", weight=700)
    c.rect(150, 132, 84, 16, "#f6ecbb")
    for k in range(8):
        c.line(156 + k * 10, 132, 156 + k * 10, 141, "#40351c", 2)
    c.rect(230, 130, 8, 30, "#9aa1a5")


def _level(c: Canvas) -> None:
    c.rect(0, 0, 520, 74, c.gradient([(0, "#d95a41"), (1, "#a83621")]), 8)
    c.rect(12, 14, 496, 46, dark("#c2452f", 0.12), 4)
    for x in (216, 40, 436):
        c.rect(x, 18, 84 if x == 216 else 40, 38, "#d6f27a", 14)
        c.ellipse(x + (38 if x == 216 else 20), 35, 14 if x == 216 else 9, 9, "#f4ffd0")
    for x in (242, 272):
        c.line(x, 18, x, 56, "#333333", 3)


def _square(c: Canvas) -> None:
    c.rect(0, 0, 46, 210, _grip(c, "#8a5433"), 4)
    c.rect(44, 4, 196, 40, _steel(c, False))
    for k in range(18):
        c.line(54 + 10 * k, 44, 54 + 10 * k, 44 - (16 if k % 5 == 0 else 9), "#333333", 1.6)
    for k in range(3):
        c.circle(22, 40 + 65 * k, 6, "#e0c16a")


def _pencil(c: Canvas) -> None:
    c.rect(4, 24, 20, 160, c.gradient([(0, "#b3282b"), (0.5, "#e0524a"), (1, "#8d1f22")], across=True))
    c.path("M4 184 h20 l-10 40 z", "#e2cca0")
    c.path("M11 210 h6 l-3 14 z", "#26282a")
    c.rect(4, 4, 20, 22, "#e9e4d6", 4)


def _awl(c: Canvas) -> None:
    c.path("M8 10 q18 -14 36 0 q8 40 -8 84 h-20 q-16 -44 -8 -84 z", _grip(c, "#a9743d"))
    c.path("M22 94 h8 l-4 130 z", "#8b9398")


def _hex_key(c: Canvas) -> None:
    c.path("M14 8 V176 Q14 196 34 196 H88", "none", "#3c4145", 15)
    c.path("M12 10 V176", "none", "#7c858a", 4)


def _chisel(c: Canvas) -> None:
    c.rect(8, 4, 42, 120, _grip(c, "#d8a13a"), 16)
    c.rect(8, 4, 42, 16, "#8b9398", 6)
    c.rect(20, 122, 18, 40, "#9aa1a5")
    c.path("M12 160 h34 v130 l-34 30 z", _steel(c))


def _drill(c: Canvas) -> None:
    c.path("M36 8 h30 v50 h-30 z", _grip(c, "#a9743d"))
    c.rect(45, 56, 12, 60, "#5a6064")
    c.ring(51, 160, 40, "#b83a32", 15)
    c.circle(51, 160, 14, "#8b9398")
    c.path("M51 160 L128 196", "none", "#5a6064", 11)
    c.rect(120, 176, 24, 54, _grip(c, "#a9743d"), 10)
    c.path("M36 204 h30 l-5 44 h-20 z", "#6e757a")
    c.path("M46 248 h10 v62 l-5 12 l-5 -12 z", "#3f4549")


def _clamp(c: Canvas) -> None:
    c.rect(12, 4, 18, 330, _steel(c))
    c.path("M4 10 h110 v32 h-60 q-10 20 -50 20 z", "#34393d")
    c.path("M4 196 h110 v30 h-110 z", "#34393d")
    c.rect(86, 120, 14, 150, "#8b9398")
    c.rect(72, 266, 42, 62, _grip(c, "#c46a2c"), 12)
    c.rect(74, 106, 38, 14, "#26282a", 3)


def _file(c: Canvas) -> None:
    c.rect(8, 4, 36, 104, _grip(c, "#c46a2c"), 14)
    c.path("M8 108 h36 v210 l-8 18 h-20 l-8 -18 z", "#7d858a")
    for k in range(20):
        c.line(10, 124 + 10 * k, 42, 114 + 10 * k, "#596064", 2)


def _block(c: Canvas) -> None:
    c.rect(0, 26, 200, 84, c.gradient([(0, "#d3a86c"), (1, "#a97b42")]), 10)
    c.rect(0, 96, 200, 26, "#7b4a34", 4)
    c.rect(70, 4, 60, 34, "#b88a50", 14)


def _brush(c: Canvas) -> None:
    c.path("M38 4 q16 -4 24 6 l8 130 h-40 l4 -130 z", _grip(c, "#2f6f6a"))
    c.circle(49, 22, 6, "#efe9dc")
    c.rect(12, 138, 76, 56, c.gradient([(0, "#dfe3e5"), (0.5, "#9aa1a5"), (1, "#c9ced1")]))
    c.path("M12 194 h76 l-6 96 q-32 12 -64 0 z", c.gradient([(0, "#5a4330"), (1, "#8c6a48")]))
    for k in range(8):
        c.line(18 + 9 * k, 198, 20 + 8.4 * k, 286, "#3f2f21", 1.6, 0.7)


def _knife(c: Canvas) -> None:
    c.path("M8 60 q2 -40 30 -52 l30 54 v240 q-30 14 -60 0 z", _grip(c, "#e0b22f"))
    c.path("M10 58 l24 -54 l34 58 z", "#d7dcdf")
    c.rect(30, 110, 14, 70, "#3a3d40", 6)


def _putty(c: Canvas) -> None:
    c.rect(44, 4, 36, 124, _grip(c, "#33373b"), 14)
    c.path("M46 126 h32 l40 160 h-112 z", _steel(c))


TOOLS: Mapping[str, HandTool] = {
    tool.name: tool
    for tool in (
        HandTool("tape measure", "measure", 240, 162, _tape),
        HandTool("spirit level", "measure", 520, 74, _level),
        HandTool("try square", "measure", 242, 212, _square),
        HandTool("pencil", "mark", 28, 228, _pencil),
        HandTool("awl", "mark", 52, 228, _awl),
        HandTool("clamp", "hold", 118, 338, _clamp),
        HandTool("pliers", "hold", 150, 330, _pliers),
        HandTool("hand saw", "cut", 418, 120, _hand_saw),
        HandTool("hacksaw", "cut", 418, 126, _hacksaw),
        HandTool("utility knife", "cut", 76, 312, _knife),
        HandTool("side cutters", "cut", 150, 330, _cutters),
        HandTool("hand drill", "drill", 148, 326, _drill),
        HandTool("hammer", "drive", 162, 344, _hammer),
        HandTool("mallet", "drive", 182, 312, _mallet),
        HandTool("flat screwdriver", "drive", 64, 336, _flat_driver),
        HandTool("cross screwdriver", "drive", 64, 336, _cross_driver),
        HandTool("combination wrench", "tighten", 92, 340, _wrench),
        HandTool("adjustable wrench", "tighten", 104, 340, _adjustable),
        HandTool("hex key", "tighten", 98, 208, _hex_key),
        HandTool("chisel", "smooth", 58, 324, _chisel),
        HandTool("file", "smooth", 52, 340, _file),
        HandTool("sanding block", "smooth", 202, 126, _block),
        HandTool("paint brush", "paint", 100, 300, _brush),
        HandTool("putty knife", "paint", 124, 292, _putty),
    )
}
"""Every tool that can hang on a wall, by name."""


MARKS: Mapping[str, tuple[str, str, str, str]] = {
    "hammer": ("500 g", "600 g", "800 g", "900 g"),
    "cross screwdriver": ("80 mm", "50 mm", "60 mm", "90 mm"),
    "hand drill": ("6 mm", "5 mm", "8 mm", "9 mm"),
    "side cutters": ("600 V", "500 V", "800 V", "900 V"),
    "hand saw": ("8 tpi", "5 tpi", "6 tpi", "9 tpi"),
    "hacksaw": ("18 tpi", "15 tpi", "16 tpi", "19 tpi"),
    "clamp": ("36 cm", "38 cm", "26 cm", "28 cm"),
    "file": ("No. 6", "No. 5", "No. 8", "No. 9"),
    "sanding block": ("P80", "P50", "P60", "P90"),
    "hex key": ("M8", "M5", "M6", "M9"),
    "awl": ("2.5 mm", "2.6 mm", "2.8 mm", "2.9 mm"),
    "mallet": ("60 mm", "50 mm", "80 mm", "90 mm"),
    "utility knife": ("0.6 mm", "0.5 mm", "0.8 mm", "0.9 mm"),
    "paint brush": ("No. 8", "No. 5", "No. 6", "No. 9"),
}
"""What tells tools of one kind apart: size, rating, teeth per inch, grit. Plans ask for the first of each.

Those of a kind differ in one digit, and 5, 6, 8 and 9 look alike from afar.
"""


def kind_of(name: str) -> str:
    """The kind of a tool as it is called on a wall: its name without the letter of one of several alike."""
    return name if name in TOOLS else name.rpartition(" ")[0]


def tool_patch(name: str, back: str) -> str:
    """The SVG of one tool alone on a wall of color ``back``. Raises ``KeyError`` on a name that is not in the bank."""
    tool = TOOLS[name]
    c = Canvas(prefix="t")
    c.rect(0, 0, tool.width, tool.height, back)
    tool.drawing(c)
    return c.markup((0, 0, tool.width, tool.height))


def draw_tool(c: Canvas, name: str, x: int, y: int) -> None:
    """The tool at a place on the wall, with its hook and a shade behind it."""
    tool = TOOLS[name]
    with c.silhouette(x + 13, y + 18, 0.22):
        tool.drawing(c)
    with c.group(x, y):
        tool.drawing(c)
