"""The panel of a boiler house. Evidence: small gauges, lamps, displays, a trend, stickers, a selector, wire colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from demo.scenes.canvas import HEIGHT, WIDTH, Canvas, dark, light
from demo.scenes.evidence import EvidenceSet, Scene
from demo.scenes.panel_evidence import place_evidence

COLUMNS, ROWS = 6, 4
CELL_W, CELL_H = WIDTH // COLUMNS, HEIGHT // ROWS
LOOKS: Mapping[str, str] = {"green": "#54655e", "slate": "#4a5463"}
LABELS = ("PUMP", "VALVE", "FEED", "TANK", "FAN", "PRESS", "FLOW", "TEMP", "LEVEL")
RESERVED = frozenset({(1, 1), (4, 1), (2, 2), (0, 3), (5, 2), (3, 0), (4, 3), (1, 3), (3, 3)})
"""Cells (column, row) with room for evidence: their upper part is drawn, their lower part is left to it."""


@dataclass(frozen=True)
class Cell:
    x: float
    y: float
    w: float
    h: float


def draw_panel(name: str, seed: int, look: str) -> Scene:
    """The panel ``name`` in a color of ``LOOKS``: 24 plates of instruments, and the evidence."""
    c, base, mirrored = Canvas(f"{name}:{seed}"), LOOKS[look], look == "slate"
    c.rect(0, 0, WIDTH, HEIGHT, dark(base, 0.45))
    order = [(i, j) for j in range(ROWS) for i in range(COLUMNS)]
    kinds = [k % 5 for k in range(len(order))]
    c.rng.shuffle(kinds)
    drawings: tuple[Callable[[Canvas, Cell], None], ...] = (_dial, _two_dials, _display, _switches, _lamps)
    for (i, j), kind in zip(order, kinds, strict=True):
        cell = Cell(i * CELL_W + 14, j * CELL_H + 14, CELL_W - 28, CELL_H - 28)
        _plate(c, cell, base)
        if (COLUMNS - 1 - i if mirrored else i, j) in RESERVED:
            _slots(c, cell, base)
        else:
            drawings[kind](c, cell)
    for x in (900, 2900):
        c.glow(x, -120, 900, "#fff3d8", 0.28)
    evidence = EvidenceSet(c)
    place_evidence(evidence, light(base, 0.06), lambda i, j: (i * CELL_W, j * CELL_H), mirrored)
    return Scene(name, "panel", c.markup(), 0.34, evidence.parts)


def _plate(c: Canvas, p: Cell, base: str) -> None:
    c.rect(p.x + 5, p.y + 9, p.w, p.h, dark(base, 0.68), 16)
    c.rect(p.x, p.y, p.w, p.h, light(base, 0.22), 16)
    c.rect(p.x + 3, p.y + 3, p.w - 6, p.h - 6, c.gradient([(0, light(base, 0.14)), (1, dark(base, 0.12))]), 14)
    for x, y in (
        (p.x + 24, p.y + 24),
        (p.x + p.w - 24, p.y + 24),
        (p.x + 24, p.y + p.h - 24),
        (p.x + p.w - 24, p.y + p.h - 24),
    ):
        c.circle(x, y, 11, c.gradient([(0, "#dfe2de"), (1, "#7d817e")]))
        c.polar(x, y, c.rng.randint(0, 90), -7, 7, "#4c504d", 2.6)
    c.rect(p.x + p.w / 2 - 128, p.y + 20, 256, 44, "#1b1e20", 5)
    c.text(
        p.x + p.w / 2,
        p.y + 52,
        f"{c.rng.choice(LABELS)} {c.rng.randint(1, 9)}{c.rng.choice('ABC')}",
        28,
        "#ece7d8",
        weight=700,
        spacing=4,
    )


def _face(c: Canvas, x: float, y: float, r: float) -> None:
    c.circle(x + 5, y + 10, r + 20, "#000000", 0.28)
    c.circle(x, y, r + 17, c.gradient([(0, "#5a6064"), (1, "#15181a")]))
    c.circle(x, y, r + 6, "#121415")
    c.circle(x, y, r, c.gradient([(0, "#fdfaf0"), (1, "#dad5c3")]))
    red = c.rng.randint(28, 36)
    for q in range(41):
        major = q % 5 == 0
        colour = "#b3282b" if q > red else "#26282a"
        c.polar(x, y, -135 + 6.75 * q, r * (0.78 if major else 0.85), r * 0.93, colour, r * (0.03 if major else 0.016))
        if q % 10 == 0:
            a = math.radians(-135 + 6.75 * q)
            c.text(
                x + math.sin(a) * r * 0.6,
                y - math.cos(a) * r * 0.6 + r * 0.06,
                str(q // 10 * 4),
                r * 0.17,
                "#26282a",
                weight=700,
            )
    c.text(x, y + r * 0.46, c.rng.choice(("bar", "°C", "m³/h", "kPa")), r * 0.15, "#55585a")
    turn = -135 + 270 * c.rng.uniform(0.1, 0.8)
    c.polar(x + 3, y + 6, turn, -r * 0.2, r * 0.8, "#c9c3b0", r * 0.04)
    c.polar(x, y, turn, -r * 0.2, r * 0.8, "#a82420", r * 0.036)
    c.circle(x, y, r * 0.09, "#26282a")
    left, right, top, low, round_ = (
        f"{v:.0f}" for v in (x - r * 0.7, x + r * 0.7, y - r * 0.5, y - r * 0.35, r * 0.86)
    )
    c.path(
        f"M{left} {top} A{round_} {round_} 0 0 1 {right} {top} Q{x:.0f} {low} {left} {top} z",
        "#ffffff",
        opacity=0.25,
    )


def _dial(c: Canvas, p: Cell) -> None:
    _face(c, p.x + p.w / 2, p.y + p.h / 2 + 34, 176)


def _two_dials(c: Canvas, p: Cell) -> None:
    for share in (0.27, 0.73):
        _face(c, p.x + p.w * share, p.y + p.h / 2 - 6, 104)
    c.rect(p.x + 70, p.y + p.h - 118, p.w - 140, 70, "#0f1213", 8)
    c.text(
        p.x + p.w / 2,
        p.y + p.h - 68,
        f"{c.rng.randint(100, 999)}.{c.rng.randint(0, 9)}",
        44,
        "#ff8a5b",
        weight=700,
        spacing=6,
    )


def _display(c: Canvas, p: Cell) -> None:
    c.rect(p.x + 44, p.y + 88, p.w - 88, p.h - 134, "#23292a", 12)
    for q in range(4):
        y = p.y + 102 + q * 92
        c.rect(p.x + 60, y, p.w - 120, 78, c.gradient([(0, "#0c1411"), (1, "#16221c")]), 8)
        c.text(p.x + 82, y + 50, f"{c.rng.choice('PTFNL')}{q + 1}", 28, "#5c7a6a", "start")
        c.text(p.x + p.w - 82, y + 55, f"{c.rng.uniform(0, 400):.1f}", 50, "#8df0b0", "end", 700, 3)


def _switches(c: Canvas, p: Cell) -> None:
    for q in range(3):
        for row in range(2):
            x, y = p.x + p.w * (0.2 + 0.3 * q), p.y + 168 + row * 186
            c.circle(x + 4, y + 8, 66, "#000000", 0.3)
            c.circle(x, y, 62, "#15181a")
            c.circle(x, y, 50, c.gradient([(0, "#6a7073"), (1, "#26292b")]))
            c.polar(x, y, c.rng.choice((-40, 0, 40)), 4, 48, "#ece7d8", 11)
            c.text(x, y + 98, c.rng.choice(("OFF    ON", "I     II", "MAN   AUT")), 19, "#ece7d8")


def _lamps(c: Canvas, p: Cell) -> None:
    for q in range(4):
        for k in range(5):
            x, y = p.x + 92 + k * (p.w - 184) / 4, p.y + 132 + q * 92
            colour = c.rng.choice(("#454b49", "#454b49", "#454b49", "#57e08a", "#57e08a", "#ffb648", "#ff5a4d"))
            if colour != "#454b49":
                c.glow(x, y, 56, colour, 0.6)
            c.circle(x, y, 21, "#0f1112")
            c.circle(x, y, 15, colour)
            c.circle(x - 5, y - 5, 4, "#ffffff", 0.6)
            c.text(x, y + 45, f"{'ABCD'[q]}{k + 1}", 17, "#dcd7c8")


def _slots(c: Canvas, p: Cell, base: str) -> None:
    """A plate with cooling slots, fuses at the sides, and quiet ground between them for evidence."""
    for k in range(7):
        y = p.y + 92 + k * 20
        c.rect(p.x + 70, y, p.w - 140, 9, dark(base, 0.55), 5)
        c.rect(p.x + 70, y + 9, p.w - 140, 2, light(base, 0.3), 1)
    c.rect(p.x + 44, p.y + 250, p.w - 88, p.h - 296, light(base, 0.06), 10)
    c.rect(p.x + 44, p.y + 250, p.w - 88, 4, "#000000", 2, 0.3)
    for x in (p.x + 76, p.x + p.w - 76):
        for k in range(2):
            y = p.y + 312 + 92 * k
            c.circle(x + 3, y + 6, 25, "#000000", 0.3)
            c.circle(x, y, 24, c.gradient([(0, "#8b9093"), (1, "#33383b")]))
            c.circle(x, y, 15, "#1b1e20")
            c.polar(x, y, c.rng.choice((0, 45, 90)), -10, 10, "#9aa0a3", 4)
            c.text(x, y + 42, f"F{c.rng.randint(1, 40)}", 13, "#dcd7c8")
