"""The tool bank of a benchmark: the names of each tool, and the segment it belongs to. Pure.

Plans keep the names they were written with; the bank maps these names to current tools. Renaming or merging tools
therefore changes only the bank, and no submitted revision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.schema import said

LONGEST_NAME = 255
WORD = re.compile(r"\w+")


class ToolState(StrEnum):
    """The state of a tool: proposed by an annotator, then accepted, merged into another tool, or rejected."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    MERGED = "merged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool of the bank. ``aliases`` are its other names, including those of tools merged into it."""

    name: str
    state: ToolState = ToolState.ACCEPTED
    segment: str = ""
    aliases: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Bank:
    """The tools of a benchmark by each of their names; a merged tool is found as the one it was merged into."""

    tools: tuple[KnownTool, ...] = ()
    _by_key: Mapping[str, KnownTool] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = {key_of(name): tool for tool in self.tools for name in (tool.name, *tool.aliases)}
        object.__setattr__(self, "_by_key", names)

    @property
    def kept(self) -> Iterator[KnownTool]:
        """The tools that are not rejected."""
        return (tool for tool in self.tools if tool.state is not ToolState.REFUSED)

    def find(self, name: str) -> KnownTool | None:
        """Return the tool with this name, regardless of case and spaces."""
        return self._by_key.get(key_of(name))

    def named_in(self, text: str) -> list[str]:
        """Return the names (including aliases) that occur in the text as whole words, regardless of case, in the order
        of the bank. A rejected tool has none.
        """
        words = f" {_words(text)} "
        names = (name for tool in self.kept for name in (tool.name, *tool.aliases))
        return [name for name in names if _words(name) and f" {_words(name)} " in words]


def _words(text: str) -> str:
    return " ".join(WORD.findall(said(text)))


def key_of(name: str) -> str:
    """Return a key that is equal for spellings of one name: the name normalized as in docs/metrics.md#matching, cut to
    the stored length.
    """
    return said(name)[:LONGEST_NAME]


def distinct(names: Iterable[str]) -> dict[str, str]:
    """Return names by their key, each once in its first spelling, without blank ones."""
    found: dict[str, str] = {}
    for name in names:
        if key := key_of(name):
            found.setdefault(key, " ".join(name.split())[:LONGEST_NAME])
    return found
