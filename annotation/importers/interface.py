"""What every importer takes and gives: a path and options in; typed records, issues and progress out.

``read`` of an importer is a generator. It raises ``ImportProblem`` when nothing can be read at all; anything smaller
is an ``Issue`` and the next row follows. After everything before a position has been yielded comes a ``Progress``: a
saver that stores it may start again from there (``ReadOptions.start``) and sees neither a gap nor a row twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.importers.column_mapping import ColumnMapping
from annotation.schema import Issue, SampleRecord
from annotation.tool_bank.table import BankRow

PROGRESS_EVERY = 1000
"""Rows after which, at the latest, a ``Progress`` comes."""


class ImportProblem(Exception):
    """A file cannot be imported at all. The text says what is wrong, with what, and what to do; it is for people."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two rows: the member file, its byte offset (unpacked) and the number of the line before it."""

    member: str = ""
    offset: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything up to here has been yielded. ``bytes_read`` of ``bytes_total`` counts all members, unpacked."""

    member: str
    offset: int
    line: int
    bytes_read: int
    bytes_total: int

    @property
    def position(self) -> Position:
        return Position(self.member, self.offset, self.line)


@dataclass(frozen=True, slots=True)
class Settings:
    """The ``settings`` of a native file, unchecked: names and values for ``MetricSettings.from_mapping``."""

    values: Mapping[str, Any]
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Detection:
    """How surely a file is of one format: 0 (is not) to 1 (is), with one line of text per reason."""

    importer: str
    confidence: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """``images``: the folder image names are relative to, None = the folder of the file; used by the saver, which
    reads the images. ``toolchains``: a second file whose toolchains are joined by content (VTC-Bench).
    ``mapping``: which column of a table is what, None = as the names of the columns suggest; ``coordinates``: the space
    of its boxes, ``pixel``, ``norm1``, ``norm1000`` or ``WxH``. ``start``: where to go on."""

    images: Path | None = None
    toolchains: Path | None = None
    mapping: ColumnMapping | None = None
    coordinates: str = ""
    start: Position = field(default_factory=Position)


Read = Iterator[SampleRecord | BankRow | Settings | Issue | Progress]


@dataclass(frozen=True, slots=True)
class Importer:
    """One row of ``IMPORTERS``. ``detect(head, name)`` sees the first bytes of a file (of a folder or zip: of its
    most telling member) and its name."""

    name: str
    title: str
    detect: Callable[[bytes, str], Detection]
    read: Callable[[Path, ReadOptions], Read]
