"""The data card of a benchmark: what it holds, who made it, under which licence; as sections, and as Markdown."""

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
        """The rows, each cell with the head of its column, for a page that is too narrow for columns."""
        return [list(zip(self.heads, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class CardSection:
    """A part of the card: pairs of name and value, tables, or a sentence where there is nothing."""

    title: str
    pairs: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class DataCard:
    """Everything the card says, in its order; values are texts already."""

    title: str
    description: str
    state: str
    sections: list[CardSection] = field(default_factory=list)


def as_markdown(card: DataCard) -> str:
    """The card as Markdown. Texts of people stand as they are: none of their signs is markup."""
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
    """One line of plain text: what Markdown or HTML would read as markup is preceded by a backslash."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
