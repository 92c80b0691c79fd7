"""The evidence of the notice boards: one small part on each card that is asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from demo.scenes.canvas import Canvas
from demo.scenes.evidence import Drawing, Pixels
from demo.scenes.parts import bars, letters_of, marks, open_ring, threads, worn

Make = Callable[[Pixels, str], Drawing]
"""A drawing for a box on paper of a color."""


@dataclass(frozen=True)
class Card:
    """A card by its title, which is read from afar. ``size``: width and height of its evidence."""

    title: str
    paper: str
    size: tuple[int, int]
    values: tuple[str, ...]
    drawing: Make


THREADS = ("red, green, blue", "green, red, blue", "blue, green, red", "green, blue, red")
DAYS = ("day B", "day D", "day P", "day R")
STAMPS = ((16, 18), (52, 18), (88, 18), (124, 18), (34, 50), (70, 50), (106, 50), (142, 50))


def _open(box: Pixels, back: str) -> Drawing:
    (x1, y1, x2, y2), ground = box, "#e9e3d2"

    def draw(c: Canvas, value: str) -> None:
        c.rect(x1, y1, x2 - x1, y2 - y1, ground)
        c.text((x1 + x2) / 2, y1 + 17, "ENTRY", 14, "#2a2622", weight=700)
        open_ring(c, (x1 + x2) / 2, y1 + 33, value, ground)

    return draw


def _print(back: str, box: Pixels, paper: str) -> Drawing:
    return letters_of(box, back)


def _stamped(box: Pixels, paper: str) -> Drawing:
    return marks(box, "#e4d8bd", "#c8b58d", STAMPS, radius=8)


def _tides(box: Pixels, paper: str) -> Drawing:
    return bars(box, "#eef2f4", "#26303a", "TIDE m", DAYS)


CARDS: Mapping[str, Card] = {
    "concert": Card("CONCERT", "#f3e4c6", (120, 30), ("seat 56", "seat 58", "seat 65", "seat 85"),
                    partial(_print, "#efe3c9")),
    "dentist": Card("DENTIST", "#e6edf0", (120, 30), ("15:30", "16:30", "18:30", "19:30"), partial(_print, "#eef4f6")),
    "parcel": Card("PARCEL SLIP", "#f6efc9", (128, 30), ("code 3806", "code 3860", "code 3608", "code 3680"),
                   partial(_print, "#f3ecc2")),
    "library": Card("LIBRARY", "#e9efd9", (116, 30), ("05/28", "06/28", "08/28", "09/28"), partial(_print, "#e4ebd2")),
    "adult": Card("POOL, ADULTS", "#dfe9f2", (108, 30), ("5.60", "6.50", "8.50", "9.50"), partial(_print, "#d9e5f0")),
    "child": Card("POOL, CHILDREN", "#dfe9f2", (108, 30), ("2.30", "2.50", "3.20", "3.50"), partial(_print, "#d9e5f0")),
    "raffle": Card("RAFFLE", "#f0dfe0", (124, 30), ("No 6058", "No 6085", "No 8056", "No 8065"), worn),
    "coffee": Card("COFFEE CARD", "#efe6d2", (160, 68), ("3", "4", "5", "6"), _stamped),
    "tides": Card("TIDE TABLE", "#e6edf0", (120, 96), DAYS, _tides),
    "scarf": Card("SCARF FOUND", "#f4efe0", (64, 46), THREADS, lambda box, paper: threads(box, "#8b8578")),
    "maze": Card("MAZE DAY", "#e9efd9", (70, 52), ("top", "right", "bottom", "left"), _open),
    "boat": Card("BOAT HIRE", "#dfe9f2", (118, 30), ("15 min", "16 min", "18 min", "19 min"),
                 partial(_print, "#dbe6ef")),
}  # fmt: skip
"""What a board can be asked about, by the name of its evidence."""
