"""The share of gold covered after each call, as a small step chart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from evaluation.common.trajectory.read import TrajectoryDetail
from webapp.common.drawing import format_number

WIDTH, HEIGHT = 178, 76
LEFT, RIGHT, TOP, BOTTOM = 12, 4, 6, 16


@dataclass(frozen=True, slots=True)
class Point:
    """A point where the line rises: its position in the drawing, the turn and the share from there on."""

    x: str
    y: str
    turn: int
    share: float


@dataclass(frozen=True, slots=True)
class CoverageChart:
    """``line``: the path of the step line. ``ticks``: (x, turn) along the foot."""

    line: str
    rises: list[Point]
    ticks: list[tuple[str, int]]


def coverage_chart(detail: TrajectoryDetail) -> CoverageChart | None:
    """None where coverage is undefined: no gold, no size, or no call."""
    shares = [(position + 1, turn.covered) for position, turn in sorted(detail.turns.items())]
    known = [(turn, share) for turn, share in shares if share is not None]
    if not known:
        return None
    last = known[-1][0]

    def across(turn: int) -> str:
        return format_number(LEFT + (WIDTH - LEFT - RIGHT) * turn / (last + 1))

    def up(share: float) -> str:
        return format_number(TOP + (HEIGHT - TOP - BOTTOM) * (1 - share))

    path, rises, before = [f"M{across(0)} {up(0)}"], [], 0.0
    for turn, share in known:
        if share > before:
            path.append(f"H{across(turn)}V{up(share)}")
            rises.append(Point(across(turn), up(share), turn, share))
            before = share
    path.append(f"H{across(last + 1)}")
    every = next(step for step in _round_steps() if last < 7 * step)
    ticks = [(across(turn), turn) for turn in range(0, last + 1, every)]
    return CoverageChart("".join(path), rises, ticks)


def _round_steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 …"""
    return (digit * 10**power for power in count() for digit in (1, 2, 5))
