"""Data sets as Parquet: what goes out comes back alike; shards, pictures and foreign columns are read."""

from __future__ import annotations

import base64
import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from annotation.exporters import EXPORTERS
from annotation.importers import detect_format
from annotation.importers.interface import ImportProblem, Position, Progress, ReadOptions
from annotation.importers.parquet import read
from annotation.importers.parquet_rows import ParquetStream
from annotation.schema import Issue, SampleRecord
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.interface import ReadOptions as RunOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.table import read as read_runs
from evaluation.schema import Trajectory
from tests.evaluation.records import samples

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def written(path: Path, rows: list[dict[str, Any]], **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, **options)
    return path


def found(path: Path, **options: Any) -> tuple[list[SampleRecord], list[Issue]]:
    items = list(read(path, ReadOptions(**options)))
    return [i for i in items if isinstance(i, SampleRecord)], [i for i in items if isinstance(i, Issue)]


def test_what_goes_out_comes_back_alike(tmp_path: Path) -> None:
    odd = replace(samples()[0], id="odd", facets={"category": (1, "a"), "tier": (2.5,), "split": ("dev",)})
    given = [*samples(), odd]
    path = tmp_path / "out.parquet"
    with path.open("wb") as out:
        assert EXPORTERS["parquet"].write_to(out, given) == 5
    records, issues = found(path)
    assert issues == []
    assert [replace(record, file="", line=None) for record in records] == given
    assert detect_format(path)[0].importer == "parquet"


def test_a_folder_of_shards_is_read_in_order_and_the_split_is_a_facet(tmp_path: Path) -> None:
    row = {"question": "Which?", "options": ["red", "blue"], "answer": "blue", "bbox": [[1.0, 2.0, 3.0, 4.0]]}
    for split, shard in (("test", 0), ("train", 1), ("train", 0)):
        name = f"data/{split}-0000{shard}-of-00002.parquet"
        written(tmp_path / "set" / name, [{"id": f"{split}{shard}{n}", **row} for n in range(2)])
    records, _ = found(tmp_path / "set")
    assert [record.id for record in records] == ["test00", "test01", "train00", "train01", "train10", "train11"]
    assert [record.facets["split"] for record in records[:3]] == [("test",), ("test",), ("train",)]
    assert (records[0].content.answers, records[0].content.gold_boxes[0].as_list()) == (("B",), [1, 2, 3, 4])
    archive = tmp_path / "set.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for file in sorted((tmp_path / "set").rglob("*.parquet")):
            out.write(file, file.relative_to(tmp_path / "set").as_posix())
    assert [record.id for record in found(archive)[0]] == [record.id for record in records]


@pytest.mark.parametrize(
    "image", [{"bytes": PNG, "path": "x.png"}, PNG, [{"bytes": PNG, "path": None}]], ids=["struct", "bytes", "list"]
)
def test_a_picture_in_a_cell_comes_with_its_sample(tmp_path: Path, image: Any) -> None:
    (record,), issues = found(written(tmp_path / "a.parquet", [{"question": "q", "answer": "a", "image": image}]))
    assert record.image == "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert (record.id, issues) == ("a:1", [])


@pytest.mark.parametrize(
    ("image", "name", "rules"),
    [({"bytes": None, "path": "x.png"}, "x.png", []), ("y.png", "y.png", []),
     ({"bytes": b"no picture", "path": "z.gif"}, "z.gif", ["no-picture"]), (b"", None, ["no-picture"])],
)  # fmt: skip
def test_a_picture_that_is_not_in_the_cell_is_known_by_name(
    tmp_path: Path, image: Any, name: str | None, rules: list[str]
) -> None:
    (record,), issues = found(written(tmp_path / "a.parquet", [{"question": "q", "answer": "a", "image": image}]))
    assert (record.image, [issue.rule for issue in issues]) == (name, rules)


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    rows = [{"id": str(n), "question": "q", "answer": "a"} for n in range(2100)]
    path = written(tmp_path / "a.parquet", rows, row_group_size=300)
    items = list(read(path, ReadOptions()))
    stop = next(n for n, item in enumerate(items) if isinstance(item, Progress))
    at = items[stop].position
    rest = found(path, start=Position(at.member, at.offset, at.line))[0]
    assert [r.id for r in [*(i for i in items[:stop] if isinstance(i, SampleRecord)), *rest]] == [r["id"] for r in rows]


def test_runs_in_parquet_are_a_table(tmp_path: Path) -> None:
    row = {"id": "mug", "prediction": "B", "crops": [[1, 2, 3, 4]], "image": {"bytes": PNG, "path": "m.png"}}
    path = written(tmp_path / "runs.parquet", [row])
    assert detect_runs(path)[0].importer == "table"
    (one,) = (i for i in read_runs(path, RunOptions(), MemoryIndex([SampleKey("mug")])) if isinstance(i, Trajectory))
    assert (one.answer, one.steps[0].bbox, one.extra) == ("B", (1, 2, 3, 4), {})


@pytest.mark.parametrize("damage", ["cut", "words", "empty"])
def test_what_is_no_parquet_is_said(tmp_path: Path, damage: str) -> None:
    path = written(tmp_path / "a.parquet", [{"question": "q"}])
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[:-9], "words": b"question\n", "empty": b""}[damage])
    with pytest.raises(ImportProblem, match=r"not a readable Parquet file|is empty"):
        detect_format(path)


def test_a_row_group_beyond_the_limit_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.parquet", [{"question": "q" * 5000}])
    monkeypatch.setattr("annotation.importers.parquet_rows.GROUP_BYTES", 100)
    with pytest.raises(ImportProblem, match="has a row group of"):
        list(ParquetStream(path))


def test_without_the_library_the_message_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotation.exporters.interface import MissingLibrary

    path = written(tmp_path / "a.parquet", [{"question": "q"}])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportProblem, match=r"pip install '\.\[parquet\]'"):
        detect_format(path)
    with pytest.raises(MissingLibrary, match=r"pip install '\.\[parquet\]'"):
        EXPORTERS["parquet"].write_to(io.BytesIO(), [])


def test_the_name_of_a_column_is_kept_as_a_database_can_store_it(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [{"question": "Which?", "answer": "a", "no\x00te": "kept", "\x00more": 1}])
    (record,), issues = found(path)
    assert record.extra == {"note": "kept", "more": 1}
    assert issues == []
