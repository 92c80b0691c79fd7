"""The samples of a chosen cell as a strip, and one of them as a frame for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.content.records import record_of
from annotation.schema import SampleContent
from evaluation.common.frame import Frame, PictureProblem, frame_of, gold_corners, picture_problem
from evaluation.common.sides import Side, sides_of
from evaluation.common.trajectory.answer import gold_words
from evaluation.compare.present.links import Asked
from evaluation.models import Run

STRIP = 12
"""Images in the strip, the chosen one among them."""


@dataclass(frozen=True)
class Tile:
    key: str
    href: str
    frame: Frame | None
    gold: Sequence[Sequence[float]]
    on: bool


@dataclass(frozen=True)
class Chosen:
    """The sample in view: ``place`` of ``total`` in its cell, with its neighbors' addresses."""

    sample: Any
    content: SampleContent
    gold_words: str
    frame: Frame | None
    problem: PictureProblem | None
    gold: Sequence[Sequence[float]]
    sides: Sequence[Side]
    tiles: Sequence[Tile]
    place: int
    total: int
    before: str
    after: str


def chosen(
    benchmark: Any, runs: Sequence[Run], cell: Sequence[int], asked: Asked, letters: Mapping[int, str]
) -> Chosen | None:
    """Return the sample in the address, else the first of the cell; None if the cell is empty."""
    if not cell:
        return None
    wanted = benchmark.samples.filter(key=asked.sample).values_list("pk", flat=True).first() if asked.sample else None
    at = cell.index(wanted) if wanted in cell else 0
    start = max(0, min(at - STRIP // 2, len(cell) - STRIP))
    window = cell[start : start + STRIP]
    rows = benchmark.samples.with_gold().in_bulk(window)
    sample, content = rows[cell[at]], record_of(rows[cell[at]]).content
    keys = {pk: row.key for pk, row in rows.items()}
    slug = benchmark.slug
    return Chosen(
        sample=sample,
        content=content,
        gold_words=gold_words(content.answers, content.options),
        frame=frame_of(slug, sample),
        problem=picture_problem(sample),
        gold=gold_corners(sample),
        sides=sides_of(slug, runs, sample, content, letters),
        tiles=[_tile(slug, rows[pk], asked, on=pk == cell[at]) for pk in window],
        place=at + 1,
        total=len(cell),
        before=asked.address(sample=keys[cell[at - 1]]) if at > start else "",
        after=asked.address(sample=keys[cell[at + 1]]) if at + 1 < start + len(window) else "",
    )


def _tile(slug: str, sample: Any, asked: Asked, *, on: bool) -> Tile:
    return Tile(sample.key, asked.address(sample=sample.key), frame_of(slug, sample), gold_corners(sample), on)
