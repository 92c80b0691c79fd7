"""The tool bank as CSV: a line for each tool. Reading a written file gives the same bank."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.spreadsheets import guarded, unguarded
from annotation.tool_bank import LONGEST_NAME, ToolState, distinct, key_of
from annotation.tool_bank.segments import SEGMENTS

COLUMNS = ("name", "aliases", "segment", "segment_title", "state", "merged_into", "reason")
BETWEEN = ";"
MOST_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class BankRow:
    """One line: a tool with its other names. ``line`` counts from 1, the heading included."""

    name: str
    aliases: tuple[str, ...] = ()
    segment: str = ""
    state: ToolState = ToolState.ACCEPTED
    merged_into: str = ""
    reason: str = ""
    line: int = 0


class BadTable(ValueError):
    """The file is not a tool bank; ``problems`` gives the position and the solution, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems[:3]))
        self.problems = list(problems)


def written(rows: Iterable[BankRow]) -> str:
    """Return the bank as text. A name that a spreadsheet would run as a formula gets a leading apostrophe."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for row in rows:
        aliases = f"{BETWEEN} ".join(row.aliases)
        cells = (row.name, aliases, row.segment, SEGMENTS.get(row.segment, ""), row.state, row.merged_into, row.reason)
        table.writerow(map(guarded, cells))
    return out.getvalue()


def read(data: bytes) -> list[BankRow]:
    """Return the rows of a file: ``name`` is required, the other columns of ``COLUMNS`` are optional, others are
    ignored.

    Raises ``BadTable`` with all problems: nothing is guessed, and no line is skipped.
    """
    try:
        table = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), restval="", strict=True)
        heads = [(head or "").strip().casefold() for head in table.fieldnames or ()]
        table.fieldnames = heads
        lines = [(table.line_num, line) for line in table]
    except UnicodeDecodeError as error:
        raise BadTable([f"The file is not UTF-8 (byte {error.start}). Save it as CSV in UTF-8."]) from error
    except csv.Error as error:
        raise BadTable([f"The file cannot be read as CSV: {error}."]) from error
    if "name" not in heads:
        raise BadTable(["Line 1: the column “name” is missing. The heading needs name, aliases and segment."])
    if len(lines) > MOST_ROWS:
        raise BadTable([f"The file has {len(lines)} lines (limit: {MOST_ROWS})."])
    rows = [_row(number, {name: _plain(line.get(name)) for name in COLUMNS}) for number, line in lines]
    problems = [problem for row in rows for problem in _wrong(row)] + list(_said_twice(rows))
    if problems:
        raise BadTable(problems)
    return [_known(row) for row in rows]


def row_from(data: Mapping[str, Any], line: int) -> BankRow:
    """Return one row of the list ``bank`` of a native file, an object with the keys of ``BankRow``. Raises
    ``BadTable``.
    """
    given = {name: data.get(name) or "" for name in COLUMNS}
    aliases = given.pop("aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(text, str) for text in (*aliases, *given.values())):
        raise BadTable([f"Line {line}: aliases must be a list of texts, and every other value a text."])
    cells = {name: " ".join(text.split()) for name, text in given.items()}
    row = _row(line, {**cells, "aliases": BETWEEN.join(aliases)})
    if problems := list(_wrong(row)):
        raise BadTable(problems)
    others = distinct(aliases)
    others.pop(key_of(row["name"]), None)
    return replace(_known(row), aliases=tuple(others.values()))


def _plain(cell: str | None) -> str:
    return unguarded(" ".join((cell or "").split()))


def _row(line: int, cells: dict[str, str]) -> dict[str, str]:
    return cells | {"line": str(line), "state": cells["state"].casefold() or ToolState.ACCEPTED}


def _known(row: dict[str, str]) -> BankRow:
    others = distinct(row["aliases"].split(BETWEEN))
    others.pop(key_of(row["name"]), None)
    return BankRow(
        row["name"], tuple(others.values()), row["segment"], ToolState(row["state"]), row["merged_into"],
        row["reason"], int(row["line"]),
    )  # fmt: skip


def _wrong(row: dict[str, str]) -> Iterator[str]:
    where = f"Line {row['line']}"
    if not row["name"]:
        yield f"{where}: the tool has no name. Enter one, or remove the line."
    if any(len(name) > LONGEST_NAME for name in (row["name"], *row["aliases"].split(BETWEEN))):
        yield f"{where}: a name is longer than {LONGEST_NAME} characters. Shorten it."
    if row["segment"] and row["segment"] not in SEGMENTS:
        yield f"{where}: {row['segment'][:40]} is not a segment. Write its two digits, such as 27, or leave it empty."
    if row["state"] not in list(ToolState):
        yield f"{where}: {row['state'][:40]} is not a state. Write {', '.join(ToolState)}, or leave it empty."
    if (row["state"] == ToolState.MERGED) != bool(row["merged_into"]):
        yield f"{where}: merged_into is required for a merged tool and only for it. It names the other tool."
    if row["state"] == ToolState.REFUSED and not row["reason"]:
        yield f"{where}: {row['name']} is rejected without a reason. Enter one; annotators read it."


def _said_twice(rows: Sequence[dict[str, str]]) -> Iterator[str]:
    first: dict[str, str] = {}
    for row in rows:
        for key, name in distinct([row["name"], *row["aliases"].split(BETWEEN)]).items():
            if first.setdefault(key, row["line"]) != row["line"]:
                yield f"Line {row['line']}: {name} is also in line {first[key]}. A name can belong to only one tool."
