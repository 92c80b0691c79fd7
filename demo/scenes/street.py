"""A street of houses with shops, by day or at dusk. Evidence: plates, hours, a clock, a timetable, a poster, birds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from demo.scenes.canvas import HEIGHT, WIDTH, Canvas, Stop, dark, light, mix
from demo.scenes.evidence import EvidenceSet, Scene
from demo.scenes.street_evidence import place_evidence

GROUND = 1640


@dataclass(frozen=True)
class Mood:
    """The hour: the sky from top to bottom, the tint on everything, its share, and the share of lit windows."""

    sky: tuple[Stop, ...]
    tint: str
    shade: float
    lit: float


MOODS: Mapping[str, Mood] = {
    "day": Mood(((0, "#79a8d2"), (0.55, "#b5d2e4"), (0.78, "#e9ebe2"), (1, "#f3ead6")), "#8fa5b5", 0.0, 0.05),
    "dusk": Mood(((0, "#22325a"), (0.35, "#5b5f8c"), (0.62, "#c08a8c"), (0.8, "#f0c394")), "#372f52", 0.3, 0.5),
}
WALLS = ("#b5654a", "#d9b38c", "#8c9a8e", "#c98f6b", "#6f7f95", "#e0cfae", "#a4574d")
FRONTS = ("#27323c", "#4a2530", "#2d4038", "#203347", "#41392d", "#3c2c2a", "#2b3f4c")
NAMES = ("CYCLE WORKS", "Café Miro", "BAKERY", "Optician", "Record Shop", "TAILOR", "Tea House")
AWNINGS = (("#b5443c", "#f0e6d6"), ("#2f6f6a", "#efe9d8"), ("#c98b2c", "#f4ead2"), ("#3f5a86", "#ece7da"))
HOUSE = 560


def draw_street(name: str, seed: int, mood: str) -> Scene:
    """The street ``name`` in a mood of ``MOODS``: seven houses, what stands before them, and its evidence."""
    c, air = Canvas(f"{name}:{seed}"), MOODS[mood]
    _sky(c, air)
    _skyline(c, air)
    walls, fronts, names = list(WALLS), list(FRONTS), list(NAMES)
    for row in (walls, fronts, names):
        c.rng.shuffle(row)
    for k in range(7):
        _house(
            c,
            air,
            -40 + HOUSE * k,
            mix(walls[k], air.tint, air.shade),
            mix(fronts[k], air.tint, air.shade / 2),
            names[k],
        )
    _pavement(c, air)
    for x in (250, 1390, 2500, 3720):
        _lamp(c, air, x)
    for x in (560, 2230, 3480):
        _tree(c, air, x)
    _people(c, air)
    _bicycle(c, 1150)
    _van(c, air, 2560)
    _wire(c)
    evidence = EvidenceSet(c)
    place_evidence(evidence, dusk=mood == "dusk")
    return Scene(name, "street", c.markup(), 0.18 if mood == "day" else 0.4, evidence.parts)


def _sky(c: Canvas, air: Mood) -> None:
    c.rect(0, 0, WIDTH, 1100, c.gradient(air.sky))
    c.glow(3200, 560, 800, "#fff0cf", 0.6)
    for _ in range(9):
        x, y, w = c.rng.randint(0, WIDTH), c.rng.randint(40, 520), c.rng.randint(200, 460)
        for k in range(6):
            c.ellipse(
                x + c.rng.randint(-w, w),
                y + c.rng.randint(-18, 18),
                w * c.rng.uniform(0.4, 0.8),
                16 + 7 * (k % 3),
                "#ffffff",
                0.10,
            )


def _skyline(c: Canvas, air: Mood) -> None:
    for depth, low in ((0.72, 620), (0.5, 440)):
        colour, x = mix(air.sky[2][1], air.tint, 1 - depth), -60
        while x < WIDTH:
            w, top = c.rng.randint(120, 300), low + c.rng.randint(-140, 160)
            c.rect(x, top, w, 1100 - top, colour)
            if c.rng.random() < 0.3:
                c.path(f"M{x + w / 2 - 40} {top} l40 -150 l40 150 z", colour)
            x += w + c.rng.randint(-20, 20)


def _house(c: Canvas, air: Mood, x: int, wall: str, front: str, name: str) -> None:
    top = c.rng.randrange(250, 520, 30)
    c.rect(x, top, HOUSE, GROUND - top, c.gradient([(0, light(wall, 0.12)), (1, dark(wall, 0.14))]))
    for _ in range(90):
        bx, by = x + c.rng.randint(0, HOUSE - 44), c.rng.randint(top + 10, GROUND - 450)
        c.rect(bx, by, 40, 13, dark(wall, 0.5) if c.rng.random() < 0.5 else light(wall, 0.5), 2, 0.13)
    c.rng.choice((_flat_roof, _gable, _mansard))(c, air, x, top, wall)
    columns = c.rng.choice((3, 3, 4))
    style, y = c.rng.random(), top + 90
    while y < GROUND - 640:
        for k in range(columns):
            _window(c, air, x + HOUSE * (k + 0.5) / columns, y, wall, style)
        y += 290
    c.rect(x, GROUND - 470, HOUSE, 20, light(wall, 0.3))
    c.rect(x, GROUND - 450, HOUSE, 7, dark(wall, 0.4))
    _shop(c, air, x, front, name)
    c.rect(x - 5, top, 10, GROUND - top, "#000000", 0, 0.14)


def _flat_roof(c: Canvas, air: Mood, x: int, top: int, wall: str) -> None:
    c.rect(x - 6, top - 46, HOUSE + 12, 26, light(wall, 0.22))
    c.rect(x, top - 20, HOUSE, 26, dark(wall, 0.3))
    for k in range(14):
        c.rect(x + 14 + k * 40, top - 18, 20, 26, light(wall, 0.12))
    _chimney(c, air, x + 90, top - 46, wall)


def _gable(c: Canvas, air: Mood, x: int, top: int, wall: str) -> None:
    tiles = mix("#7a4a3e", air.tint, air.shade)
    _chimney(c, air, x + HOUSE - 150, top - 90, wall)
    c.path(
        f"M{x - 12} {top} L{x + HOUSE / 2} {top - 210} L{x + HOUSE + 12} {top} z",
        c.gradient([(0, light(tiles, 0.15)), (1, dark(tiles, 0.2))]),
    )
    for k in range(1, 7):
        half = (HOUSE / 2 + 12) * k / 7
        c.line(x + HOUSE / 2 - half, top - 210 + 30 * k, x + HOUSE / 2 + half, top - 210 + 30 * k, "#000000", 3, 0.14)
    c.circle(x + HOUSE / 2, top - 78, 34, light(wall, 0.4))
    c.circle(x + HOUSE / 2, top - 78, 25, "#ffdf9a" if air.lit > 0.2 else "#4d6478")


def _mansard(c: Canvas, air: Mood, x: int, top: int, wall: str) -> None:
    slate = mix("#4c5563", air.tint, air.shade)
    _chimney(c, air, x + 70, top - 150, wall)
    c.path(
        f"M{x - 6} {top} l46 -160 h{HOUSE - 80} l46 160 z", c.gradient([(0, light(slate, 0.2)), (1, dark(slate, 0.15))])
    )
    for k in range(3):
        wx = x + HOUSE * (k + 0.5) / 3
        c.rect(wx - 46, top - 132, 92, 128, light(wall, 0.3))
        c.path(f"M{wx - 58} {top - 128} l58 -42 l58 42 z", light(wall, 0.15))
        c.rect(wx - 32, top - 116, 64, 104, _pane(c, air, 0.9))
    c.rect(x - 8, top - 8, HOUSE + 16, 16, light(wall, 0.25))


def _chimney(c: Canvas, air: Mood, x: float, base: int, wall: str) -> None:
    brick = mix("#8a5546", air.tint, air.shade)
    c.rect(x, base - 110, 76, 190, c.gradient([(0, light(brick, 0.1)), (1, dark(brick, 0.25))], across=True))
    c.rect(x - 8, base - 122, 92, 20, dark(wall, 0.25))
    for k in range(2):
        c.rect(x + 10 + 34 * k, base - 156, 22, 36, "#a9694f", 4)


def _pane(c: Canvas, air: Mood, bias: float = 1) -> str:
    if c.rng.random() < air.lit * bias:
        return c.gradient([(0, "#ffe6ae"), (1, "#f0b062")])
    return c.gradient(
        [(0, mix("#41566e", str(air.sky[0][1]), 0.45)), (1, mix("#25333f", str(air.sky[-1][1]), 0.22))], diagonal=True
    )


def _window(c: Canvas, air: Mood, x: float, y: float, wall: str, style: float) -> None:
    w, h, frame = 96, 186, light(wall, 0.38)
    c.rect(x - w / 2 - 14, y - 14, w + 28, h + 32, frame, 4)
    if style < 0.35:
        c.ellipse(x, y - 4, w / 2 + 14, 40, frame)
    c.rect(x - w / 2, y, w, h, _pane(c, air))
    if c.rng.random() < 0.55:
        for side in (-1, 1):
            c.path(
                f"M{x + side * w / 2} {y} q{-side * 8} {h * 0.6} {-side * 6} {h} h{side * 6} z", "#f4efe4", opacity=0.55
            )
            c.path(
                f"M{x + side * w / 2} {y} h{-side * 38} q{side * 10} {h * 0.5} {side * 34} {h * 0.62} z",
                "#f4efe4",
                opacity=0.5,
            )
    c.line(x, y, x, y + h, frame, 7)
    c.line(x - w / 2, y + h * 0.42, x + w / 2, y + h * 0.42, frame, 6)
    c.rect(x - w / 2 - 24, y + h + 14, w + 48, 15, light(wall, 0.25), 3)
    if style > 0.7:
        _shutters(c, x, y, dark(mix(wall, "#35544f", 0.7), 0.1))
    elif c.rng.random() < 0.3:
        _flower_box(c, air, x - w / 2, y + h, w)


def _shutters(c: Canvas, x: float, y: float, paint: str) -> None:
    for middle in (x - 82, x + 82):
        c.rect(middle - 20, y - 8, 40, 202, paint, 3)
        for k in range(9):
            c.line(middle - 14, y + 8 + k * 21, middle + 14, y + 8 + k * 21, dark(paint, 0.3), 4)


def _flower_box(c: Canvas, air: Mood, x: float, y: float, w: float) -> None:
    c.rect(x - 10, y - 6, w + 20, 26, mix("#8a5a3f", air.tint, air.shade), 4)
    for k in range(13):
        colour = c.rng.choice(("#5d7f4e", "#6e8f57", "#b84d5e", "#d98a4a", "#4d6b45"))
        top, r = y - 10 - c.rng.randint(0, 14), c.rng.randint(9, 15)
        c.circle(x + 8 * k, top, r, mix(colour, air.tint, air.shade))


def _shop(c: Canvas, air: Mood, x: int, front: str, name: str) -> None:
    top = GROUND - 430
    c.rect(x + 14, top, HOUSE - 28, 430, c.gradient([(0, light(front, 0.08)), (1, dark(front, 0.25))]))
    c.rect(x + 14, top, HOUSE - 28, 84, light(front, 0.07))
    c.line(x + 26, top + 10, x + HOUSE - 26, top + 10, light(front, 0.3), 2)
    c.text(x + HOUSE / 2, top + 60, name, 52, "#f1e4c4", weight=700, spacing=5)
    glow = (
        c.gradient([(0, "#ffe3a8"), (1, "#cf9150")])
        if air.lit > 0.2
        else c.gradient([(0, "#71899b"), (1, "#33424e")], diagonal=True)
    )
    c.rect(x + 36, top + 118, 300, 252, dark(front, 0.4))
    c.rect(x + 42, top + 124, 288, 240, glow)
    for k in range(7):
        tall = c.rng.randint(36, 112)
        colour = c.rng.choice(("#7d4a3a", "#556b5a", "#a9824c", "#42506a", "#8f6b75", "#d8c7a0"))
        c.rect(x + 50 + k * 40, top + 364 - tall, 33, tall, colour, 5, 0.85)
    c.path(f"M{x + 42} {top + 250} l110 -126 h60 l-170 196 z", "#ffffff", opacity=0.10)
    c.rect(x + 396, top + 112, 128, 318, dark(front, 0.35))
    c.rect(x + 412, top + 130, 96, 150, glow)
    c.rect(x + 412, top + 304, 96, 106, dark(front, 0.15), 3)
    c.circle(x + 506, top + 300, 7, "#d8b25a")
    pair, n = c.rng.choice(AWNINGS), 12
    step = (HOUSE - 20) / n
    for k in range(n):
        colour = mix(pair[k % 2], air.tint, air.shade * 0.8)
        c.path(f"M{x + 10 + k * step:.1f} {top + 84} h{step:.1f} v58 q{-step / 2:.1f} 24 {-step:.1f} 0 z", colour)
    c.rect(x + 10, top + 84, HOUSE - 20, 12, "#000000", 0, 0.18)


def _pavement(c: Canvas, air: Mood) -> None:
    def tint(colour: str) -> str:
        return mix(colour, air.tint, air.shade)

    c.rect(0, GROUND, WIDTH, 140, c.gradient([(0, tint("#a8a195")), (1, tint("#c2bcb0"))]))
    for q in range(-60, WIDTH + 160, 160):
        c.line(q, GROUND, q - 46, GROUND + 128, tint("#8f897e"), 3)
    c.line(0, GROUND + 58, WIDTH, GROUND + 58, tint("#8f897e"), 3)
    c.rect(0, GROUND + 128, WIDTH, 16, tint("#ddd7ca"))
    c.rect(0, GROUND + 144, WIDTH, HEIGHT - GROUND - 144, c.gradient([(0, tint("#5a5d64")), (1, tint("#36383e"))]))
    for q in range(60, WIDTH, 400):
        c.path(f"M{q} {GROUND + 352} h210 l-14 20 h-210 z", tint("#e8e2cf"), opacity=0.85)
    for _ in range(160):
        c.ellipse(
            c.rng.randint(0, WIDTH), c.rng.randint(GROUND + 160, HEIGHT), c.rng.randint(20, 120), 3, "#000000", 0.07
        )
    if air.lit > 0.2:
        for k in range(7):
            c.ellipse(140 + HOUSE * k, GROUND + 80, 260, 64, c.radial([(0, "#ffd890", 0.42), (1, "#ffd890", 0)]))


def _lamp(c: Canvas, air: Mood, x: int) -> None:
    iron = "#22272c"
    c.rect(x - 9, 960, 18, 800, c.gradient([(0, light(iron, 0.15)), (1, iron)], across=True))
    c.rect(x - 20, 1690, 40, 76, iron, 6)
    c.path(f"M{x} 970 q0 -70 70 -70 h30", "none", iron, 13)
    c.path(f"M{x + 70} 902 h74 l-14 40 h-46 z", iron)
    c.ellipse(x + 107, 946, 24, 15, "#fff1c6" if air.lit > 0.2 else "#e4e6e2")
    if air.lit > 0.2:
        c.glow(x + 107, 946, 330, "#ffdc96", 0.6)


def _tree(c: Canvas, air: Mood, x: int) -> None:
    c.ellipse(x, 1772, 150, 18, "#000000", 0.25)
    c.path(f"M{x - 17} 1768 q8 -190 -6 -330 h46 q-12 150 -4 330 z", mix("#4a3a2f", air.tint, air.shade))
    for k, leaf in enumerate(("#37523a", "#4d6b45", "#5f7f4d", "#7d9a5c")):
        for _ in range(34 - 5 * k):
            a, d = c.rng.uniform(0, 2 * math.pi), min(abs(c.rng.gauss(0, 88 - 9 * k)), 150 - 14 * k)
            size = c.rng.randint(26, 60) - 7 * k
            c.circle(
                x + 5 - 16 * k + math.cos(a) * d,
                1330 - 24 * k + math.sin(a) * d * 0.95,
                size,
                mix(leaf, air.tint, air.shade),
                0.93,
            )


def _people(c: Canvas, air: Mood) -> None:
    coats = ("#30405a", "#7d3f3f", "#4d5f4a", "#8a7452", "#2b2b33", "#5d4a66", "#a5663f")
    for x in (110, 180, 700, 1020, 1640, 2040, 2110, 3400, 3590):
        coat, skin = (
            mix(c.rng.choice(coats), air.tint, air.shade / 2),
            mix(c.rng.choice(("#c99b7a", "#8d5f45", "#e2b996")), air.tint, air.shade / 2),
        )
        y, tall = c.rng.randint(1688, 1704), c.rng.uniform(0.9, 1.05)
        with c.group(x, y, scale=tall):
            c.ellipse(6, 62, 46, 8, "#000000", 0.28)
            c.path("M-16 -30 L-20 58 h16 L0 -20 L10 58 h16 L18 -30 z", dark(coat, 0.45))
            c.path("M-26 -110 q26 -22 52 0 l10 100 q-36 14 -72 0 z", coat)
            c.path("M-24 -104 l-16 84 M24 -104 l16 80", "none", dark(coat, 0.18), 13)
            c.circle(0, -140, 21, skin)
            c.path(
                "M-22 -142 q0 -26 22 -26 q22 0 22 26 q-20 -16 -44 0 z",
                c.rng.choice(("#3a2a20", "#222222", "#6e4a2a", "#8c8578")),
            )


def _bicycle(c: Canvas, x: int) -> None:
    for wheel in (x, x + 190):
        c.ring(wheel, 1716, 58, "#16191c", 8)
        c.ring(wheel, 1716, 50, "#8b9093", 2)
        for k in range(8):
            c.polar(wheel, 1716, 22.5 * k, -50, 50, "#8b9093", 1.4)
    c.path(
        f"M{x} 1716 L{x + 62} 1632 H{x + 148} L{x + 94} 1716 Z"
        f" M{x + 62} 1632 L{x + 94} 1716 M{x + 148} 1632 L{x + 190} 1716",
        "none",
        "#9c3a33",
        9,
    )
    c.path(f"M{x + 56} 1616 h34 M{x + 72} 1616 l-8 20 M{x + 142} 1598 l8 36 M{x + 118} 1598 h44", "none", "#1d2124", 9)


def _van(c: Canvas, air: Mood, x: int) -> None:
    paint = mix("#ece7db", air.tint, air.shade * 0.9)
    c.ellipse(x + 400, 2010, 470, 34, "#000000", 0.4)
    c.path(
        f"M{x} 1970 v-330 q0 -44 44 -44 h556 q54 0 84 50 l92 146 q22 12 22 44 v134 z",
        c.gradient([(0, light(paint, 0.25)), (0.6, paint), (1, dark(paint, 0.25))]),
    )
    c.path(
        f"M{x + 604} 1630 h28 q36 0 58 36 l70 116 h-156 z", c.gradient([(0, "#7f97a8"), (1, "#33475a")], diagonal=True)
    )
    c.rect(x, 1886, 798, 22, dark(paint, 0.25))
    c.line(x + 574, 1610, x + 574, 1960, dark(paint, 0.25), 4)
    c.line(x + 290, 1610, x + 290, 1880, dark(paint, 0.12), 3)
    c.rect(x + 590, 1806, 44, 10, dark(paint, 0.5), 5)
    c.rect(x + 772, 1840, 26, 44, "#ffe9b0", 8)
    for wheel in (x + 160, x + 640):
        c.circle(wheel, 1966, 98, dark(paint, 0.7))
        c.circle(wheel, 1970, 82, "#1b1c1f")
        c.circle(wheel, 1970, 46, c.gradient([(0, "#c4c8ca"), (1, "#75797b")]))
        for k in range(5):
            c.circle(wheel + 26 * math.sin(k * 1.257), 1970 - 26 * math.cos(k * 1.257), 7, "#44484a")
    c.text(x + 280, 1718, "HOLT & SONS", 64, "#7a2f2a", weight=700, spacing=3)
    c.text(x + 280, 1764, "joinery and repairs", 36, "#7a2f2a", italic=True)


def _wire(c: Canvas) -> None:
    c.path("M0 560 Q960 690 1920 610 T3840 570", "none", "#1d2228", 4, 0.75)
    c.path("M0 590 Q960 730 1920 640 T3840 610", "none", "#1d2228", 3, 0.6)
