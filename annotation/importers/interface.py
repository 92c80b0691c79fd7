"""The interface of importers: they receive a path and options, and yield typed records, issues and progress.

``read`` of an importer is a generator. It raises ``ImportProblem`` if nothing can be read at all; any smaller problem
is an ``Issue``, and the next row follows. A ``Progress`` follows when everything before a position has been yielded. A
saver that stores it may start again from there (``ReadOptions.start``) without gaps or repeated rows.
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
"""The maximum number of rows between two ``Progress`` items."""


class ImportProblem(Exception):
    """A file cannot be imported at all. The text is for people: it says what the problem is, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position between two rows: the member file, its byte offset (unpacked) and the number of the line before it."""

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
    """The confidence that a file is of one format, from 0 (is not) to 1 (is), with one line of text per reason."""

    importer: str
    confidence: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of a reader.

    ``images``: the folder that image names are relative to; None = the folder of the file. Used by the saver, which
    reads the images. ``toolchains``: a second file whose toolchains are joined by content (VTC-Bench). ``mapping``: the
    field that each column of a table is read as; None = as suggested by the names of the columns. ``coordinates``: the
    space of its boxes: ``pixel``, ``norm1``, ``norm1000`` or ``WxH``. ``polygons``:
    the task allows them, so that masks become polygons; otherwise masks become boxes. ``start``: the position to
    continue from.
    """

    images: Path | None = None
    toolchains: Path | None = None
    mapping: ColumnMapping | None = None
    coordinates: str = ""
    polygons: bool = True
    start: Position = field(default_factory=Position)


Read = Iterator[SampleRecord | BankRow | Settings | Issue | Progress]


@dataclass(frozen=True, slots=True)
class Importer:
    """One entry of ``IMPORTERS``. ``detect(head, name)`` receives the first bytes of a file (of a folder or zip: of its
    most informative member) and its name.
    """

    name: str
    title: str
    detect: Callable[[bytes, str], Detection]
    read: Callable[[Path, ReadOptions], Read]
