"""The tool bank of a benchmark: what a tool is called, what else it is called, and the segment it belongs to. Pure.

Plans keep the words they were written with; the bank says which tool those words mean today. Renaming or merging tools
therefore changes the bank alone, and no submitted revision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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
    """A tool of the bank. ``aliases`` are its other names, those of tools merged into it among them."""

    name: str
    state: ToolState = ToolState.ACCEPTED
    segment: str = ""
    aliases: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Bank:
    """The tools of a benchmark by every name they have; a merged tool is found as the one it was merged into."""

    tools: tuple[KnownTool, ...] = ()
    _by_key: Mapping[str, KnownTool] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = {key_of(name): tool for tool in self.tools for name in (tool.name, *tool.aliases)}
        object.__setattr__(self, "_by_key", names)

    def find(self, name: str) -> KnownTool | None:
        """The tool that this name means, whatever its case and spaces."""
        return self._by_key.get(key_of(name))

    def named_in(self, text: str) -> list[str]:
        """The names, aliases among them, that stand in the text as whole words, whatever their case; in the order of
        the bank."""
        words = f" {_words(text)} "
        names = (name for tool in self.tools for name in (tool.name, *tool.aliases))
        return [name for name in names if _words(name) and f" {_words(name)} " in words]


def _words(text: str) -> str:
    return " ".join(WORD.findall(said(text)))


def key_of(name: str) -> str:
    """What two spellings of one name have in common: the name as docs/metrics.md#matching normalizes it, as far as it
    is kept."""
    return said(name)[:LONGEST_NAME]


def distinct(names: Iterable[str]) -> dict[str, str]:
    """Names by their key, each once as it is first written, blank ones omitted."""
    found: dict[str, str] = {}
    for name in names:
        if key := key_of(name):
            found.setdefault(key, " ".join(name.split())[:LONGEST_NAME])
    return found
