"""What the leaderboard draws: cells, rows, an axis."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluation.actions.board_rows import BoardRow
from evaluation.actions.read_published import PublishedRow
from webapp.common.wording import NOT_AVAILABLE, percent

STAR = format_html('<span class="ast" title="{}">*</span>', "p below .05, exact McNemar")


@dataclass(frozen=True)
class Cell:
    """One number: its text, what it rests on (in the hover text), and the list it counts, where there is one."""

    text: str
    title: str = ""
    href: str = ""
    count: int | None = None
    classes: str = ""
    star: bool = False
    value: float | None = None
    low: float | None = None
    high: float | None = None

    def markup(self) -> SafeString:
        """The text, a link where it counts trajectories, with the star of a small p.

        Here and not in a template: an include for each number takes most of the page's time.
        """
        star = STAR if self.star else ""
        if self.href:
            return format_html('<a href="{}" data-count="{}">{}</a>{}', self.href, self.count, self.text, star)
        if self.text == NOT_AVAILABLE:
            return format_html('<span class="faint">{}</span>', self.text)
        return format_html("{}{}", self.text, star)

    __html__ = markup


@dataclass(frozen=True)
class ShownRow:
    """One row as drawn. ``hidden_counts``: what must never be hidden, in words, each with its list."""

    row: BoardRow
    letter: str
    href: str
    n: Cell
    accuracy: Cell
    grounded: Cell
    quadrants: list[Cell]
    cells: list[Cell]
    hidden_counts: list[Cell]
    gained: Cell | None = None
    lost: Cell | None = None
    is_reference: bool = False

    def table_cells(self) -> SafeString:
        """The plain columns; what a number rests on is in its hover text."""
        found = ((cell.classes, cell.title, cell) for cell in self.cells)
        return format_html_join("\n", '<td class="num {}" title="{}">{}</td>', found)

    def quadrant_numbers(self) -> SafeString:
        return format_html_join("", '<span title="{}">{}</span>', ((cell.title, cell) for cell in self.quadrants))


@dataclass(frozen=True)
class Axis:
    low: float
    high: float

    @property
    def words(self) -> str:
        return f"{percent(self.low, 0)}–{percent(self.high, 0)}"


@dataclass(frozen=True)
class ShownPublished:
    row: PublishedRow
    accuracy: Cell
    grounded: Cell
    quadrants: list[Cell]
    cells: list[Cell] = field(default_factory=list)
