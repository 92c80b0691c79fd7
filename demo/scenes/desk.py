"""A desk from above: papers, notebook, keyboard, mug, telephone, receipt. Evidence: the small print on them."""

from __future__ import annotations

from collections.abc import Mapping

from demo.scenes.canvas import HEIGHT, WIDTH, Canvas, dark, light
from demo.scenes.desk_evidence import place_evidence
from demo.scenes.evidence import EvidenceSet, Scene

LOOKS: Mapping[str, tuple[str, str]] = {"oak": ("#b98d60", "#2f6670"), "slate": ("#454f58", "#b0563f")}
"""Name of a look: color of the top, color of the mug."""
GOODS = ("pencils HB", "ruler 30 cm", "tape", "ink blue", "folder A4", "stamps", "clips", "notebook", "rubber", "chalk")


def draw_desk(name: str, seed: int, look: str) -> Scene:
    """The desk ``name`` with a top of ``LOOKS``, and the evidence."""
    c, (top, mug) = Canvas(f"{name}:{seed}"), LOOKS[look]
    _top(c, top, grained=look == "oak")
    with c.group(150, 250, -5):
        _letter(c, 880, 1210)
    with c.group(250, 180, 2.5):
        _letter(c, 880, 1200)
    with c.group(1440, 150, 1.5):
        _notebook(c)
    with c.group(1400, 1330, -2):
        _keyboard(c)
    _mug(c, 3010, 470, mug)
    _receipt(c, 2860, 960)
    _phone(c, 3390, 180)
    _coins_and_clips(c)
    for turn, x, y, colour in ((62, 1150, 1390, "#b8443b"), (70, 1290, 1360, "#2d5a88"), (-24, 2290, 1160, "#33373b")):
        with c.group(x, y, turn):
            _pencil(c, colour)
    _plant(c, 150, 1900)
    _ruler(c)
    c.glow(900, 120, 1100, "#fff3d6", 0.3)
    evidence = EvidenceSet(c)
    place_evidence(evidence)
    return Scene(name, "desk", c.markup(), 0.36, evidence.parts)


def _top(c: Canvas, top: str, grained: bool) -> None:
    c.rect(0, 0, WIDTH, HEIGHT, c.gradient([(0, light(top, 0.12)), (1, dark(top, 0.2))], diagonal=True))
    if not grained:
        for _ in range(1200):
            c.circle(c.rng.randint(0, WIDTH), c.rng.randint(0, HEIGHT), c.rng.uniform(1, 2.6), light(top, 0.3), 0.35)
        return
    for k in range(1, 5):
        c.line(0, 432 * k, WIDTH, 432 * k, dark(top, 0.5), 4, 0.55)
        c.line(0, 432 * k + 4, WIDTH, 432 * k + 4, light(top, 0.4), 2, 0.4)
    for _ in range(130):
        y, bend = c.rng.randint(0, HEIGHT), c.rng.randint(-26, 26)
        c.path(
            f"M0 {y} C900 {y + bend} 2600 {y - bend} {WIDTH} {y + bend // 2}",
            "none",
            dark(top, 0.4),
            c.rng.uniform(1, 4),
            0.28,
        )


def _letter(c: Canvas, w: int, h: int) -> None:
    c.shadow(0, 0, w, h, 34)
    c.rect(0, 0, w, h, c.gradient([(0, "#fdfbf4"), (1, "#ece7da")], diagonal=True), 3)
    c.rect(70, 80, 210, 22, "#54565a", 3)
    c.rect(70, 116, 150, 11, "#a3a29e", 3)
    y = 210
    while y < h - 90:
        if c.rng.random() < 0.86:
            c.rect(70, y, c.rng.uniform(0.5, 0.84) * w, 10, "#8f8e8a", 5, 0.6)
        y += 34


def _notebook(c: Canvas) -> None:
    c.shadow(0, 0, 1100, 770, 40)
    c.rect(0, 0, 1100, 770, "#25323e", 20)
    for x, stops in (
        (16, [(0.0, "#f7efdd"), (0.93, "#f0e6d0"), (1.0, "#c9bc9f")]),
        (552, [(0.0, "#c9bc9f"), (0.07, "#f0e6d0"), (1.0, "#f7efdd")]),
    ):
        c.rect(x, 14, 532, 742, c.gradient(stops, across=True), 6)
        for q in range(17):
            c.line(x + 36, 84 + q * 38, x + 496, 84 + q * 38, "#c5d0d8", 2)
    for q in range(12):
        _scribble(c, 62, 76 + q * 38, c.rng.randint(250, 460))
    for q in range(5):
        _scribble(c, 600, 76 + q * 38, c.rng.randint(220, 440))
    c.path("M640 360 q90 -90 180 0 t180 0 M640 360 v200 M640 560 h380", "none", "#34506e", 4)
    for k in range(4):
        c.circle(690 + 90 * k, 500 - c.rng.randint(0, 110), 9, "#a8443b")
    c.path("M860 0 h34 v846 l-17 -24 -17 24 z", "#a8443b")


def _scribble(c: Canvas, x: float, y: float, end: float) -> None:
    d, start = f"M{x} {y}", x
    while x - start < end:
        w = c.rng.randint(14, 40)
        d += f" q{w / 4:.1f} -{c.rng.randint(10, 22)} {w / 2:.1f} 0 t{w / 2:.1f} 0"
        x += w
        if c.rng.random() < 0.3:
            x += 16
            d += f" m16 {c.rng.randint(-2, 2)}"
    c.path(d, "none", "#34506e", 3.4)


def _keyboard(c: Canvas) -> None:
    c.shadow(0, 0, 1290, 460, 34)
    c.rect(0, 0, 1290, 460, c.gradient([(0, "#e6e7e8"), (1, "#c3c5c7")]), 28)
    rows = ("1234567890-=⌫", "QWERTYUIOP[]", "ASDFGHJKL;'", "ZXCVBNM,./")
    for row, keys in enumerate(rows):
        for k, key in enumerate(keys):
            accent = (row, k) == (2, 10)
            x, y = 32 + row * 34 + k * 94, 30 + row * 84
            c.rect(x, y + 4, 82, 72, "#a7aaad", 12)
            c.rect(x, y, 82, 72, "#e07a4f" if accent else c.gradient([(0, "#fdfdfc"), (1, "#eeeeec")]), 12)
            c.text(x + 41, y + 46, key if key != "⌫" else "", 26, "#6b6d70")
    c.rect(330, 370, 560, 66, "#a7aaad", 12)
    c.rect(330, 366, 560, 66, "#f6f6f4", 12)


def _mug(c: Canvas, x: int, y: int, glaze: str) -> None:
    c.ellipse(x + 34, y + 50, 236, 226, "#000000", 0.25)
    c.circle(x, y, 300, light(glaze, 0.62))
    c.circle(x, y, 280, c.gradient([(0, light(glaze, 0.78)), (1, light(glaze, 0.5))]))
    c.rect(x + 170, y - 42, 170, 84, dark(glaze, 0.15), 40)
    c.circle(x, y, 212, c.gradient([(0, light(glaze, 0.3)), (1, dark(glaze, 0.25))]))
    c.circle(x, y, 182, dark(glaze, 0.45))
    c.circle(x, y, 176, c.gradient([(0, "#2c1a10"), (1, "#5a3a25")]))
    c.path(f"M{x - 110} {y - 60} q60 -80 150 -66 q-96 16 -126 84 z", "#8c6344", opacity=0.55)
    for k in range(3):
        c.ring(x - 60 + 50 * k, y + 70 - 26 * k, 9 - 2 * k, "#8c6344", 3)


def _receipt(c: Canvas, x: int, y: int) -> None:
    c.shadow(x, y, 340, 780, 26)
    c.rect(x, y, 340, 780, c.gradient([(0, "#fdfcf7"), (1, "#eceae2")]))
    teeth = "".join("l10 -12 l10 12 " for _ in range(17))
    c.path(f"M{x} {y + 780} {teeth} v10 h-340 z", "#eceae2")
    c.text(x + 170, y + 62, "MILL ROAD STATIONERS", 24, "#222222", weight=700)
    c.text(x + 170, y + 90, "thank you for coming by", 17, "#666666", italic=True)
    for q in range(11):
        c.text(x + 26, y + 140 + q * 37, c.rng.choice(GOODS), 20, "#333333", "start")
        c.text(x + 314, y + 140 + q * 37, f"{c.rng.uniform(0.5, 9):.2f}", 20, "#333333", "end")
    c.path(f"M{x + 26} {y + 560} h288", "none", "#333333", 2)
    for k in range(46):
        c.rect(x + 60 + k * 4.8, y + 690, c.rng.choice((1.5, 2.5, 3.5)), 58, "#222222")


def _phone(c: Canvas, x: int, y: int) -> None:
    c.shadow(x + 10, y, 330, 700, 34)
    c.rect(x, y, 346, 700, "#15171a", 50)
    c.rect(x + 14, y + 14, 318, 672, c.gradient([(0, "#27385c"), (0.6, "#6d5c7e"), (1, "#c0816f")]), 38)
    c.rect(x + 118, y + 28, 110, 26, "#0b0c0e", 13)
    c.text(x + 173, y + 184, "17:26", 96, "#ffffff")
    c.text(x + 173, y + 226, "Thursday 14 May", 25, "#ece9f4")
    for q in range(3):
        c.rect(x + 34, y + 424 + q * 78, 278, 66, "#ffffff", 16, 0.2)
        c.rect(x + 46, y + 438 + q * 78, 38, 38, ("#e6b422", "#57a06a", "#5d8ac4")[q], 10)
    c.text(x + 96, y + 464, "Imre: left door, ring twice", 17, "#ffffff", "start")
    c.text(x + 96, y + 620, "Rain from 18:00", 17, "#ffffff", "start")


def _coins_and_clips(c: Canvas) -> None:
    for x, y, turn in ((2660, 1180, 20), (2740, 1230, -50), (2610, 1270, 80)):
        with c.group(x, y, turn):
            c.path("M0 0 h60 a14 14 0 0 1 0 28 h-70 a10 10 0 0 1 0 -20 h58", "none", "#8f969b", 5)
    for x, y, r in ((3420, 1010, 44), (3510, 1060, 38), (3450, 1130, 30)):
        c.circle(x + 5, y + 8, r, "#000000", 0.3)
        c.circle(x, y, r, c.gradient([(0, "#e3c98a"), (1, "#a8873f")]))
        c.ring(x, y, r * 0.8, "#8d6f30", 2)
        c.text(x, y + r * 0.3, c.rng.choice(("1", "2", "5")), r * 0.9, "#7a5f28", weight=700)


def _pencil(c: Canvas, colour: str) -> None:
    c.rect(8, 30, 560, 12, "#000000", 6, 0.22)
    c.rect(0, 0, 560, 11, light(colour, 0.25))
    c.rect(0, 11, 560, 11, colour)
    c.rect(0, 22, 560, 10, dark(colour, 0.25))
    c.path("M560 0 l70 16 l-70 16 z", "#e0cba2")
    c.path("M608 11 l22 5 l-22 5 z", "#2a2826")
    c.rect(-30, 0, 32, 32, "#b9bec1")
    c.rect(-64, 0, 36, 32, "#d98f8f", 8)


def _plant(c: Canvas, x: int, y: int) -> None:
    for k in range(22):
        a = 360 * k / 22 + c.rng.randint(-14, 14)
        leaf = c.rng.choice(("#4c7350", "#5d8a58", "#3d6147", "#6f9a63"))
        reach = c.rng.randint(240, 400)
        with c.group(x, y, a):
            c.path(f"M0 0 q{reach * 0.5:.0f} -74 {reach} 0 q{-reach * 0.5:.0f} 74 {-reach} 0 z", leaf)
            c.line(10, 0, reach - 30, 0, dark(leaf, 0.3), 4, 0.7)
    c.circle(x, y, 46, "#3d6147")


def _ruler(c: Canvas) -> None:
    x, y, w = 620, 1960, 1900
    c.shadow(x, y, w, 124, 20)
    c.rect(x, y, w, 124, c.gradient([(0, "#f3e2a4"), (1, "#d9bf72")]), 6)
    for q in range(94):
        tall = 50 if q % 10 == 0 else 38 if q % 5 == 0 else 26
        c.line(x + 20 + q * 20, y, x + 20 + q * 20, y + tall, "#40351c", 2.4)
        if q % 10 == 0:
            c.text(x + 26 + q * 20, y + 88, str(q // 10), 32, "#40351c", "start")
    c.text(x + w - 40, y + 108, "cm", 26, "#40351c", "end", italic=True)
