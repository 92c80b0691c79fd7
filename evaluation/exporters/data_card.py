"""The data card of a benchmark: its content, its authors and its license; as sections, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&])")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under their heads."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def labelled(self) -> list[list[tuple[str, str]]]:
        """The rows, each cell with the head of its column, for pages that are too narrow for columns."""
        return [list(zip(self.heads, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class CardSection:
    """A part of the card: pairs of name and value, tables, or a sentence if it is empty."""

    title: str
    pairs: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class DataCard:
    """The full content of the card, in order; values are already texts."""

    title: str
    description: str
    state: str
    sections: list[CardSection] = field(default_factory=list)


def as_markdown(card: DataCard) -> str:
    """Return the card as Markdown. Texts of people are escaped, so that none of their characters is markup."""
    return "\n".join(_lines(card)) + "\n"


def _lines(card: DataCard) -> Iterator[str]:
    yield f"# {escaped(card.title)}"
    for paragraph in (*card.description.splitlines(), card.state):
        if paragraph.strip():
            yield from ("", escaped(paragraph))
    for section in card.sections:
        yield from ("", f"## {escaped(section.title)}")
        if section.text:
            yield from ("", escaped(section.text))
        if section.pairs:
            yield ""
            yield from (f"- {escaped(name)}: {escaped(value)}" for name, value in section.pairs)
        for table in section.tables:
            yield ""
            yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    for cells in (table.heads, tuple("---" for _ in table.heads), *table.rows):
        yield "| " + " | ".join(cell if cell == "---" else escaped(cell) for cell in cells) + " |"


def escaped(text: str) -> str:
    """Return one line of plain text, with a backslash before each character that Markdown or HTML would
    read as markup.
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
