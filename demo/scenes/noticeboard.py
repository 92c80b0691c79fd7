"""A notice board with cards and slips. Evidence: fine print on the cards asked about, at places by the seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demo.scenes.canvas import HEIGHT, WIDTH, Canvas, dark, light
from demo.scenes.evidence import EvidenceSet, Scene
from demo.scenes.noticeboard_evidence import CARDS, Card

COLUMNS, ROWS = 7, 4
FRAME = 90
CELL_W, CELL_H = (WIDTH - 2 * FRAME) // COLUMNS, (HEIGHT - 2 * FRAME) // ROWS
CARD_W, CARD_H = 400, 330
PAPERS = ("#f4efe0", "#e6edf0", "#f3e4c6", "#e9efd9", "#f0dfe0", "#ffffff")
PINS = ("#c0392f", "#2f5d9e", "#3f8a4f", "#d9a021")
NOTICES = (
    "CHOIR",
    "LOST CAT",
    "YOGA",
    "BIKE SALE",
    "FLAT SHARE",
    "MARKET",
    "CHESS",
    "TUTOR",
    "BAND",
    "MINUTES",
    "HIKING",
)


@dataclass(frozen=True)
class Look:
    ground: str
    frame: str
    grain: str


LOOKS: Mapping[str, Look] = {
    "cork": Look("#b98b5c", "#6d4a2c", "#8a6238"),
    "felt": Look("#4f6b58", "#3a3f42", "#43604c"),
    "linen": Look("#a9a596", "#8a6f4a", "#8f8b7c"),
    "steel": Look("#8d969c", "#2f3438", "#7d868c"),
}


def draw_notice_board(name: str, seed: int, look: str, asked: Sequence[str]) -> Scene:
    """The board ``name`` on a ground of ``LOOKS``: a card in every cell, those ``asked`` about (keys of ``CARDS``) in
    cells that the seed chooses. Raises ``KeyError`` for a card that there is not."""
    c, style = Canvas(f"{name}:{seed}"), LOOKS[look]
    _ground(c, style)
    cells = [(i, j) for j in range(ROWS) for i in range(COLUMNS)]
    c.rng.shuffle(cells)
    evidence = EvidenceSet(c)
    for key, cell in zip(asked, cells, strict=False):
        _asked(evidence, key, CARDS[key], *_corner(c, cell))
    for cell in cells[len(asked) :]:
        _notice(c, *_corner(c, cell))
    for x in (800, 2900):
        c.glow(x, -160, 900, "#fff3d8", 0.22)
    return Scene(name, "notice board", c.markup(), 0.3, evidence.parts)


def _ground(c: Canvas, style: Look) -> None:
    c.rect(0, 0, WIDTH, HEIGHT, dark(style.frame, 0.2))
    c.rect(14, 14, WIDTH - 28, HEIGHT - 28, c.gradient([(0, light(style.frame, 0.18)), (1, style.frame)]), 10)
    inside = FRAME - 30
    c.rect(inside, inside, WIDTH - 2 * inside, HEIGHT - 2 * inside, style.ground)
    for _ in range(900):
        x, y = c.rng.uniform(inside, WIDTH - inside), c.rng.uniform(inside, HEIGHT - inside)
        c.ellipse(x, y, c.rng.uniform(2, 7), c.rng.uniform(1, 4), style.grain, 0.5)
    c.rect(inside, inside, WIDTH - 2 * inside, 46, c.gradient([(0, "#000000", 0.35), (1, "#000000", 0)]))


def _corner(c: Canvas, cell: tuple[int, int]) -> tuple[int, int]:
    """The upper left corner of the card in a cell, a little off its middle."""
    x, y = FRAME + cell[0] * CELL_W + (CELL_W - CARD_W) // 2, FRAME + cell[1] * CELL_H + (CELL_H - CARD_H) // 2
    return x + c.rng.randint(-40, 40), y + c.rng.randint(-44, 44)


def _asked(evidence: EvidenceSet, key: str, card: Card, x: int, y: int) -> None:
    c = evidence.canvas
    _card(c, x, y, card.paper, card.title)
    _lines(c, x + 34, y + 104, CARD_W - 68, 2, dark(card.paper, 0.28))
    width, height = card.size
    left, top = x + c.rng.randint(34, CARD_W - 34 - width), y + c.rng.randint(168, CARD_H - 26 - height)
    box = (left, top, left + width, top + height)
    evidence.add(key, box, card.values, card.drawing(box, card.paper))


def _notice(c: Canvas, x: int, y: int) -> None:
    paper = c.rng.choice(PAPERS)
    _card(c, x, y, paper, f"{c.rng.choice(NOTICES)} {c.rng.randint(2, 39)}")
    if c.rng.random() < 0.35:
        colour = c.rng.choice(PINS)
        c.rect(x + 34, y + 104, CARD_W - 68, 150, c.gradient([(0, light(colour, 0.55)), (1, dark(colour, 0.1))]), 4)
        c.circle(x + c.rng.randint(110, CARD_W - 110), y + 180, 46, light(colour, 0.75))
        _lines(c, x + 34, y + 276, CARD_W - 68, 1, dark(paper, 0.28))
    else:
        _lines(c, x + 34, y + 108, CARD_W - 68, c.rng.randint(4, 6), dark(paper, 0.28))


def _card(c: Canvas, x: int, y: int, paper: str, title: str) -> None:
    c.shadow(x, y, CARD_W, CARD_H, 22)
    c.rect(x, y, CARD_W, CARD_H, c.gradient([(0, light(paper, 0.3)), (1, dark(paper, 0.06))]), 5)
    c.text(x + CARD_W / 2, y + 74, title, 38, "#2b2d2f", weight=700, spacing=1)
    colour = c.rng.choice(PINS)
    c.circle(x + CARD_W / 2 + 4, y + 20, 13, "#000000", 0.3)
    c.circle(x + CARD_W / 2, y + 15, 12, c.gradient([(0, light(colour, 0.4)), (1, dark(colour, 0.25))]))


def _lines(c: Canvas, x: float, y: float, width: float, count: int, colour: str) -> None:
    """Writing that nobody can read: words as strokes."""
    for row in range(count):
        at = x
        while at < x + width - 60:
            word = c.rng.randint(22, 74)
            c.rect(at, y + 30 * row, min(word, x + width - at), 7, colour, 3, 0.7)
            at += word + 14
