"""Shelves of a shop, warm wood or cool steel. Evidence: price tags, a best-before card, a chart, ribbons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from demo.scenes.canvas import HEIGHT, WIDTH, Canvas, dark, light, mix
from demo.scenes.evidence import EvidenceSet, Pixels, Scene
from demo.scenes.shelf_evidence import TAG_HEIGHT, TAG_WIDTH, place_evidence

ROWS = 5
PITCH = HEIGHT // ROWS
BOARD = 74


@dataclass(frozen=True)
class Look:
    wall: str
    board: str
    packs: tuple[str, ...]


LOOKS: Mapping[str, Look] = {
    "pantry": Look(
        "#5a4636", "#a87f55", ("#c2513f", "#e3a23c", "#3f7f76", "#f0e4c8", "#5b6fa3", "#8a5a83", "#7da05a", "#33404f")
    ),
    "cool": Look(
        "#c3cdd3", "#8e9499", ("#2f6f8f", "#e2725b", "#f4d35e", "#445566", "#9fbfa8", "#b8b8d1", "#eeeae0", "#7b3f4c")
    ),
}
BRANDS = ("ORLA", "Pemba", "NORD", "Kestrel", "Vell", "MIRA", "Tarn", "Osso", "Lumen", "Brio", "Hale", "Quince")
KINDS = (
    "oat & honey",
    "green tea",
    "sea salt",
    "black beans",
    "tomato",
    "rye crisps",
    "lentils",
    "cocoa 70 %",
    "barley",
    "pears",
)
EDGES = ("#c0392f", "#2f5d9e", "#3f8a4f", "#e6b422")


@dataclass(frozen=True)
class Pack:
    """How one facing of a product is drawn: size, colors, words."""

    w: int
    h: int
    colour: str
    brand: str
    words: str

    @property
    def ink(self) -> str:
        return "#f8f2e2" if sum(int(self.colour[i : i + 2], 16) for i in (1, 3, 5)) < 430 else "#2a2622"


def draw_shelf(name: str, seed: int, look: str) -> Scene:
    """The shelves ``name`` in one of ``LOOKS``: five boards of products with tags below, and the evidence."""
    c, style = Canvas(f"{name}:{seed}"), LOOKS[look]
    c.rect(0, 0, WIDTH, HEIGHT, dark(style.wall, 0.1))
    for x in range(0, WIDTH, 120):
        c.rect(x, 0, 3, HEIGHT, "#000000", 0, 0.10)
    for row in range(ROWS):
        base = PITCH * (row + 1) - BOARD
        c.rect(0, base - PITCH + BOARD, WIDTH, 90, c.gradient([(0, "#000000", 0.45), (1, "#000000", 0)]))
        c.rect(0, base - 60, WIDTH, 60, c.gradient([(0, "#000000", 0), (1, "#000000", 0.25)]))
        _row(c, style, base)
        _board(c, style, base)
    for x in (640, 1920, 3200):
        c.glow(x, -40, 760, "#fff4d6", 0.30)
    evidence = EvidenceSet(c)
    place_evidence(evidence, warm=look == "pantry", base=lambda row: PITCH * (row + 1) - BOARD)
    _tags(c, [part.box for part in evidence.parts.values()])
    return Scene(name, "shelf", c.markup(), 0.3, evidence.parts)


def _board(c: Canvas, style: Look, base: int) -> None:
    c.rect(
        0,
        base,
        WIDTH,
        BOARD,
        c.gradient([(0, light(style.board, 0.18)), (0.2, style.board), (1, dark(style.board, 0.3))]),
    )
    c.rect(0, base, WIDTH, 6, light(style.board, 0.42))
    for _ in range(16):
        y, x = base + c.rng.randint(12, BOARD - 8), c.rng.randint(0, WIDTH)
        c.line(x, y, x + c.rng.randint(200, 700), y + c.rng.randint(-3, 3), dark(style.board, 0.35), 2, 0.3)


def _row(c: Canvas, style: Look, base: int) -> None:
    x, last = 24, -1
    shapes: tuple[Callable[[Canvas, float, float, Pack], None], ...] = (_box, _bottle, _jar, _tin, _pouch)
    sizes = ((140, 270), (94, 312), (122, 180), (126, 156), (152, 238))
    while x < WIDTH - 130:
        kind = c.rng.choice([k for k in range(5) if k != last])
        w, h = sizes[kind]
        if kind == 0:
            w, h = c.rng.randrange(124, 190, 6), c.rng.randrange(210, 310, 10)
        pack = Pack(w, h, c.rng.choice(style.packs), c.rng.choice(BRANDS), c.rng.choice(KINDS))
        for _ in range(c.rng.randint(2, 5)):
            if x + w > WIDTH - 20:
                break
            c.ellipse(x + w / 2, base + 1, w * 0.56, 9, "#000000", 0.3)
            shapes[kind](c, x, base - h, pack)
            x += w + 5
        x, last = x + c.rng.randint(6, 34), kind


def _side(c: Canvas, colour: str) -> str:
    return c.gradient(
        [(0, dark(colour, 0.3)), (0.22, light(colour, 0.16)), (0.65, colour), (1, dark(colour, 0.36))], across=True
    )


def _box(c: Canvas, x: float, y: float, p: Pack) -> None:
    c.rect(
        x,
        y,
        p.w,
        p.h,
        c.gradient([(0, light(p.colour, 0.12)), (0.9, p.colour), (1, dark(p.colour, 0.3))], diagonal=True),
        5,
    )
    c.rect(x + p.w - 12, y + 3, 10, p.h - 6, "#000000", 3, 0.14)
    c.text(x + p.w / 2, y + p.h * 0.19, p.brand, p.w / 4.4, p.ink, weight=700)
    c.rect(x + 10, y + p.h * 0.27, p.w - 24, p.h * 0.3, light(p.colour, 0.78), 4)
    c.text(x + p.w / 2, y + p.h * 0.44, p.words, p.w / 8, dark(p.colour, 0.6))
    c.circle(x + p.w * 0.5, y + p.h * 0.77, p.w * 0.19, light(p.colour, 0.35))
    c.circle(x + p.w * 0.44, y + p.h * 0.75, p.w * 0.11, mix(p.colour, "#f3c86a", 0.7))
    c.circle(x + p.w * 0.58, y + p.h * 0.79, p.w * 0.09, mix(p.colour, "#6a8f4e", 0.7))


def _bottle(c: Canvas, x: float, y: float, p: Pack) -> None:
    w, h = p.w, p.h
    shoulder, side = f"{w * 0.34:.1f}", h - 146
    c.path(
        f"M{x + w * 0.36:.1f} {y} h{w * 0.28:.1f} v74 q0 34 {shoulder} 62 v{side} q0 10 -10 10 h{22 - w}"
        f" q-10 0 -10 -10 v-{side} q{shoulder} -28 {shoulder} -62 z",
        _side(c, p.colour),
    )
    c.rect(x + w * 0.33, y - 4, w * 0.34, 32, dark(p.colour, 0.5), 5)
    c.rect(x + 3, y + h * 0.52, w - 6, h * 0.3, "#f4eedd")
    c.rect(x + 3, y + h * 0.52, w - 6, 7, dark(p.colour, 0.2))
    c.text(x + w / 2, y + h * 0.645, p.brand, 23, "#2a2622", weight=700)
    c.text(x + w / 2, y + h * 0.73, p.words, 14, "#4a443c")
    c.rect(x + w * 0.2, y + h * 0.46, 7, h * 0.48, "#ffffff", 4, 0.28)


def _jar(c: Canvas, x: float, y: float, p: Pack) -> None:
    c.rect(x, y + 26, p.w, p.h - 26, _side(c, p.colour), 20)
    c.rect(x + 8, y, p.w - 16, 36, c.gradient([(0, "#e8c874"), (1, "#a97f34")]), 6)
    for k in range(12):
        c.line(x + 14 + k * 8.4, y + 6, x + 14 + k * 8.4, y + 30, "#7d5c22", 1.5, 0.5)
    c.rect(x + 6, y + 66, p.w - 12, 78, "#f6f0e0", 3)
    c.text(x + p.w / 2, y + 100, p.brand, 26, "#2a2622", weight=700)
    c.text(x + p.w / 2, y + 126, p.words, 14.5, "#4a443c")
    c.rect(x + 14, y + 44, 7, p.h - 60, "#ffffff", 4, 0.3)


def _tin(c: Canvas, x: float, y: float, p: Pack) -> None:
    c.rect(x, y, p.w, p.h, _side(c, p.colour), 8)
    for top in (y, y + p.h - 13):
        c.rect(x, top, p.w, 13, c.gradient([(0, "#8d9296"), (0.3, "#eef0f1"), (1, "#84898d")], across=True), 4)
    c.text(x + p.w / 2, y + 74, p.brand, 31, p.ink, weight=700)
    c.text(x + p.w / 2, y + 106, p.words, 16, p.ink)


def _pouch(c: Canvas, x: float, y: float, p: Pack) -> None:
    c.path(f"M{x + 7} {y} h{p.w - 14} l7 {p.h - 8} q-{p.w / 2} 14 -{p.w} 0 z", _side(c, p.colour))
    c.line(x + 9, y + 22, x + p.w - 9, y + 22, dark(p.colour, 0.35), 4)
    c.text(x + p.w / 2, y + 92, p.brand, 36, p.ink, weight=700)
    c.text(x + p.w / 2, y + 126, p.words, 18, p.ink)
    c.ellipse(x + p.w / 2, y + 180, 44, 30, light(p.colour, 0.4))
    c.ellipse(x + p.w / 2 - 8, y + 176, 24, 16, mix(p.colour, "#f3c86a", 0.65))


def _tags(c: Canvas, taken: list[Pixels]) -> None:
    """The tags nobody asks about: same make, other products, clear of what is ``taken``."""
    for row in range(ROWS):
        top, x = PITCH * (row + 1) - BOARD + 10, 60 + c.rng.randint(0, 60)
        while x < WIDTH - 120:
            if any(x1 - 130 < x < x2 + 20 and y1 - 4 <= top <= y2 for x1, y1, x2, y2 in taken):
                x += 40
                continue
            price = f"{c.rng.randint(1, 8)}.{c.rng.choice(('29', '49', '79', '95', '99', '15'))}"
            c.rect(x, top, TAG_WIDTH, TAG_HEIGHT, "#fbf7ea")
            c.rect(x, top, TAG_WIDTH, 5, c.rng.choice(EDGES))
            c.text(x + 6, top + 17, c.rng.choice(KINDS).upper(), 11, "#1f1d1a", "start", 700)
            c.text(x + 6, top + TAG_HEIGHT - 8, price, TAG_HEIGHT * 0.46, "#1f1d1a", "start", 700)
            c.text(x + TAG_WIDTH - 6, top + TAG_HEIGHT - 20, f"{c.rng.randint(10, 90) * 10} g", 9, "#1f1d1a", "end")
            x += c.rng.randint(240, 420)
