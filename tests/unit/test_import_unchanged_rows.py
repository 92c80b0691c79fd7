"""Rows that are stored as they stand come as ``Unchanged``; what a digest is made of, and what has none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation.importers.reading import RawRow
from evaluation.importers import rows, unchanged_rows
from evaluation.importers.deepeyes import read as read_deepeyes
from evaluation.importers.interface import Progress, ReadOptions, RunSummary, Unchanged, UnchangedRowDetector
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.native import read
from evaluation.importers.unchanged_rows import Stored
from evaluation.schema import Issue, Judgement, Trajectory

INDEX = MemoryIndex([SampleKey("door"), SampleKey("gate")])
ROW = {"model": "m", "sample_id": "door", "answer": "B"}
NOTED = {"model": "m", "sample_id": "gate", "steps": [{"tool": "zoom", "bbox": [9, 9, 1, 1]}]}
VERDICT = {"model": "m", "sample_id": "door", "kind": "answer", "verdict": None}
STORED = Stored("m", "", "door", 0, "none", True, 3, 7)


def nothing(digests: Sequence[bytes]) -> dict[bytes, Stored]:
    return {}


def everything(digests: Sequence[bytes]) -> dict[bytes, Stored]:
    return dict.fromkeys(digests, STORED)


def written(folder: Path, *given: dict[str, Any], name: str = "trajectories.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in given))
    return path


def row(text: bytes = b"{}", key: str = "trajectories", file: str = "a.jsonl", line: int = 1) -> RawRow:
    return RawRow(key, file, line, text, 99)


def test_the_same_row_has_the_same_digest_wherever_it_stands_in_its_file() -> None:
    one, other = UnchangedRowDetector(nothing, "native", "1"), UnchangedRowDetector(nothing, "native", "1")
    assert one.digest(row(line=1)) == other.digest(row(line=5))
    assert len(one.digest(row())) == unchanged_rows.SIZE


@pytest.mark.parametrize("changed", [{"text": b"{ }"}, {"key": ""}, {"file": "b.jsonl"}, {"file": "a.jsonl\0"}])
def test_another_text_list_or_file_is_another_row(changed: dict[str, Any]) -> None:
    known = UnchangedRowDetector(nothing, "native")
    assert known.digest(row(**changed)) != known.digest(row())


def test_what_a_row_depends_on_is_part_of_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        UnchangedRowDetector(nothing, *about).digest(row()) for about in (["a", "b"], ["ab"], ["a"], ["a", "b", ""])
    }
    monkeypatch.setattr(unchanged_rows, "_code", lambda: "other code")
    found.add(UnchangedRowDetector(nothing, "a", "b").digest(row()))
    assert len(found) == 5


@pytest.mark.parametrize(
    "changed",
    [
        SampleKey("other", "p.jpg", "Why?", {"A": "x"}, (4, 3)),
        SampleKey("one", "q.jpg", "Why?", {"A": "x"}, (4, 3)),
        SampleKey("one", "p.jpg", "How?", {"A": "x"}, (4, 3)),
        SampleKey("one", "p.jpg", "Why?", {"A": "y"}, (4, 3)),
        SampleKey("one", "p.jpg", "Why?", {"A": "x"}, (4, 4)),
        SampleKey("one", "p.jpg", "Why?", {"A": "x"}, None),
    ],
)
def test_samples_that_join_rows_otherwise_have_another_digest(changed: SampleKey) -> None:
    one, two = SampleKey("one", "p.jpg", "Why?", {"A": "x"}, (4, 3)), SampleKey("two")
    assert MemoryIndex([one, two]).digest() == MemoryIndex([two, one]).digest()
    assert MemoryIndex([changed, two]).digest() != MemoryIndex([one, two]).digest()


def test_only_a_row_without_any_issue_has_a_digest(tmp_path: Path) -> None:
    path = written(tmp_path, ROW, NOTED, {**ROW, "answer": "nul \0"})
    items = list(read(path, ReadOptions(), INDEX, UnchangedRowDetector(nothing)))
    assert [bool(item.row_digest) for item in items if isinstance(item, Trajectory)] == [True, False, False]
    assert [item.rule for item in items if isinstance(item, Issue)] == ["box-empty", "nul-characters"]


def test_without_a_recogniser_rows_have_no_digest(tmp_path: Path) -> None:
    [record] = [item for item in read(written(tmp_path, ROW), ReadOptions(), INDEX) if isinstance(item, Trajectory)]
    assert record.row_digest == b""


@pytest.mark.parametrize("reader", [read, read_deepeyes])
def test_a_stored_row_is_not_even_decoded(tmp_path: Path, reader: Any) -> None:
    path = tmp_path / "trajectories.jsonl"
    path.write_bytes(b"this is no JSON\n\nnor this\n")
    items = list(reader(path, ReadOptions(), INDEX, UnchangedRowDetector(everything)))
    assert items[:2] == [Unchanged(STORED, path.name, 1), Unchanged(STORED, path.name, 3)]
    assert items[-1] == RunSummary(trajectories=2, failed=2)


def test_other_records_come_between_the_stored_ones_in_their_order(tmp_path: Path) -> None:
    path = written(tmp_path, ROW, VERDICT, ROW, name="rows.jsonl")
    first = UnchangedRowDetector(nothing).digest(RawRow("", path.name, 1, json.dumps(ROW).encode(), 0))
    items = list(read(path, ReadOptions(), INDEX, UnchangedRowDetector(lambda digests: {first: STORED})))
    assert [type(item) for item in items[:3]] == [Unchanged, Judgement, Unchanged]


def test_rows_are_asked_for_in_chunks_that_end_with_a_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def find(digests: Sequence[bytes]) -> dict[bytes, Stored]:
        asked.append(len(digests))
        return {}

    monkeypatch.setattr(rows, "PROGRESS_EVERY", 3)
    path = written(tmp_path, *[ROW] * 7)
    items = list(read(path, ReadOptions(), INDEX, UnchangedRowDetector(find)))
    assert asked == [3, 3, 1]
    assert [item.line for item in items if isinstance(item, Progress)] == [3, 6, 7]
    monkeypatch.setattr(rows, "CHUNK_BYTES", 2 * len(json.dumps(ROW)))
    items = list(read(path, ReadOptions(), INDEX, UnchangedRowDetector(find)))
    assert [item.line for item in items if isinstance(item, Progress)] == [2, 4, 6, 7]
