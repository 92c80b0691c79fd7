"""What a bench gives: rows of a measured value, its target, and the limit it is held against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measurement. ``most``: the target is the most it may be, else the least. ``limit``: what the machine or the
    database needs for the same bytes, rows or queries without us, or other words on how far there is to go."""

    bench: str
    name: str
    measured: float
    unit: str
    target: float
    most: bool = True
    limit: str = ""

    @property
    def ratio(self) -> float:
        """How much of the target was used or reached; the value itself where nothing at all is wanted."""
        return self.measured / self.target if self.target else self.measured

    @property
    def met(self) -> bool:
        return self.measured <= self.target if self.most else self.measured >= self.target


@dataclass(frozen=True)
class Skipped:
    """A measurement that could not be made here, and why."""

    bench: str
    name: str
    reason: str


HEADER = ("measured of", "value", "target", "ratio", "met", "limit")


def table(rows: Iterable[Row | Skipped]) -> str:
    """The rows as a Markdown table, columns aligned."""
    lines = [HEADER, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    ruled = [lines[0], tuple("-" * width for width in widths), *lines[1:]]
    return "\n".join(f"| {' | '.join(c.ljust(w) for c, w in zip(line, widths, strict=True))} |" for line in ruled)


def _cells(row: Row | Skipped) -> Sequence[str]:
    name = f"{row.bench}: {row.name}"
    if isinstance(row, Skipped):
        return name, "not measured", "", "", "", row.reason
    target = f"{'≤' if row.most else '≥'} {_number(row.target)} {row.unit}"
    measured = f"{_number(row.measured)} {row.unit}"
    return name, measured, target, f"{row.ratio:.2f}", "yes" if row.met else "no", row.limit


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
