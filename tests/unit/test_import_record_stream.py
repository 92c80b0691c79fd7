"""The records of every shape of JSON, as rows: records by id, lists under keys, columns, files of their own."""

from __future__ import annotations

import json
import random
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.importers.decoding import RowDecoder
from annotation.importers.interface import ImportProblem, Position
from annotation.importers.reading import RawRow
from annotation.importers.record_stream import RecordStream
from annotation.importers.scanning import ArrayScanner
from annotation.schema import Issue


def read(path: Path, **options: Any) -> tuple[list[Any], list[Issue]]:
    decoder, rows, issues = RowDecoder(), [], []
    for row in RecordStream(path, **options):
        if isinstance(row, RawRow):
            value, found = decoder.decode_any(row)
            issues += found
            rows.append(value)
        else:
            issues.append(row)
    return rows, issues


def written(folder: Path, value: object, name: str = "run.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


A, B = {"pred": "B", "n": 1}, {"pred": "A"}
SHAPES = [
    ("objects by id", {"17": A, "18": B}, [{"key": "17", **A}, {"key": "18", **B}]),
    ("texts by id", {"17": "B. cup", "18": "A"}, [{"key": "17", "value": "B. cup"}, {"key": "18", "value": "A"}]),
    ("an id with signs", {'a"1é': A, "a\\2": {}}, [{"key": 'a"1é', **A}, {"key": "a\\2"}]),
    ("under a key", {"all": {"v1": A, "v2": B}, "model": "m"}, [{"key": "v1", **A}, {"key": "v2", **B}]),
    ("beside what is said of all", {"model": "m", "v1": A, "v2": B}, [{"key": "v1", **A}, {"key": "v2", **B}]),
    ("a list under a key", {"meta": {"k": 1}, "tags": ["x"], "dev": [A, B]}, [A, B]),
    ("two lists", {"dev": [A], "test": [B]}, [{"list": "dev", **A}, {"list": "test", **B}]),
    ("one level down", {"r": {"dev": [A], "test": [B]}}, [{"list": "r / dev", **A}, {"list": "r / test", **B}]),
    ("lists by id", {"v1": [A], "v2": [B, B]}, [{"list": "v1", **A}, {"list": "v2", **B}, {"list": "v2", **B}]),
    ("columns", {"id": {"0": 7, "1": 8}, "pred": {"0": "B", "1": ""}}, [{"id": 7, "pred": "B"}, {"id": 8, "pred": ""}]),
    ("named rows", {"pred": {"v1": "B"}, "n": {"v1": 1}}, [{"key": "v1", "pred": "B", "n": 1}]),
    ("lists as columns", {"id": [7, 8], "box": [[1, 2], []]}, [{"id": 7, "box": [1, 2]}, {"id": 8, "box": []}]),
    ("split", {"columns": ["id", "pred"], "index": [0, 1], "data": [[7, "B"], [8, "A"]]},
     [{"id": 7, "pred": "B"}, {"id": 8, "pred": "A"}]),
    ("split, named", {"columns": ["pred"], "index": ["v1"], "data": [["B"]]}, [{"key": "v1", "pred": "B"}]),
    ("a list", [A, B], [A, B]),
    ("one record", {"question": "?", "options": ["a"]}, [{"question": "?", "options": ["a"]}]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "rows"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES])
@pytest.mark.parametrize("indent", [None, 1])
def test_each_shape_gives_its_records_as_rows(tmp_path: Path, value: Any, rows: list[Any], indent: int | None) -> None:
    assert read(written(tmp_path, json.dumps(value, indent=indent))) == (rows, [])


@pytest.mark.parametrize("value", [row[1] for row in SHAPES], ids=[row[0] for row in SHAPES])
def test_reading_goes_on_behind_any_row(tmp_path: Path, value: Any) -> None:
    path = written(tmp_path, value)
    stream = RecordStream(path)
    places: list[tuple[Position, int]] = []
    for row in stream:
        places.append((stream.progress().position, len(places) + 1))
        assert isinstance(row, RawRow)
    whole = [row.text for row in RecordStream(path) if isinstance(row, RawRow)]
    for place, done in places:
        assert [row.text for row in RecordStream(path, place) if isinstance(row, RawRow)] == whole[done:]


def test_of_several_lists_one_is_read(tmp_path: Path) -> None:
    assert read(written(tmp_path, {"dev": [A], "test": [B, B]}), only="test")[0] == [{"list": "test", **B}] * 2


def test_files_of_their_own_say_where_they_lie(tmp_path: Path) -> None:
    with zipfile.ZipFile(path := tmp_path / "run.zip", "w") as archive:
        archive.writestr("run1/val_17/output.json", json.dumps(A))
        archive.writestr("run1/val_18/output.json", json.dumps(B))
        archive.writestr("run1/_notes.json", "{}")
        archive.writestr("19.jsonl", json.dumps(B))
    places = [{"file": "19"}, *({"file": "output", "folder": f"val_{n}", "folder 2": "run1"} for n in (17, 18))]
    rows = [place | one for place, one in zip(places, (B, A, B), strict=True)]
    assert sorted(read(path)[0], key=str) == sorted(rows, key=str)


DAMAGED = [
    ('{"v1": {"n": 1},\n"v2": {"n": [1},\n"v3": {"n": 3},\n"v4": {"n": 4}}', ["v1", "v3", "v4"], ["not-json"]),
    ('{"v1": {"pred": "B"}, "v2": "B", "v3": ["A"], "v4": {}}', ["v1", "v4"], ["other-kind-of-record"] * 2),
    ('{"v1": "B", "v2": {"pred": "A"}, "v3": "C"}', ["v1", "v3"], ["other-kind-of-record"]),
    ('{"v1": "B", "v2" "A", "v3": "C"}', ["v1", "v3"], ["not-json"]),
    ('{"v1": {"pred": "B"}, "v2": {"pr', ["v1"], ["cut-off"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "keys", "rules"), DAMAGED)
def test_damage_stays_where_it_is(tmp_path: Path, text: str, keys: list[str], rules: list[str]) -> None:
    rows, issues = read(written(tmp_path, text))
    assert [row["key"] for row in rows if row] == keys
    assert [issue.rule for issue in issues] == rules


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"id": [1, 2], "pred": ["A", "B"], "late": ["C"]}, "different lengths"),
        ('{"id": {"0": 1, "1": 2}, "pred": {"0": "A", "1"', "cut off at line 1"),
    ],
)
def test_columns_that_do_not_fit_together_give_no_row(tmp_path: Path, value: Any, words: str) -> None:
    with pytest.raises(ImportProblem, match=words):
        read(written(tmp_path, value))


def test_columns_that_name_different_rows_end_there(tmp_path: Path) -> None:
    rows, issues = read(written(tmp_path, {"id": {"0": 1, "1": 2, "2": 3}, "pred": {"0": "A", "2": "B"}}))
    assert (rows, [issue.rule for issue in issues]) == ([{"id": 1, "pred": "A"}], ["columns-apart"])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=6), values, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]))
def test_the_scanner_finds_scalars_too(value: dict[str, Any], size: int, indent: int | None) -> None:
    data = json.dumps(value, indent=indent).encode()
    scanner = ArrayScanner(1 << 20, enter=lambda path, bracket: False, scalars=True)
    found = [element for i in range(0, len(data), size) for element in scanner.feed(data[i : i + size])]
    assert {element.key: json.loads(element.text or b"") for element in found} == value
    assert not scanner.open
    assert not any(element.broken for element in found)


def pieces(kind: str, count: int) -> Iterator[str]:
    """A document of ``count`` records, piece by piece."""
    text = "".join(random.Random(5).choices("abcdef", k=400))
    if kind == "columns":
        for name in ("id", "pred"):
            yield ("{" if name == "id" else ", ") + json.dumps(name) + ': {"0": 0'
            yield from (f', "{n}": "{text}"' for n in range(1, count))
            yield "}"
        yield "}"
        return
    yield "{"
    for n in range(count):
        value = json.dumps(text) if kind == "texts" else json.dumps({"pred": text})
        yield f'{", " if n else ""}"v{n}": {value}'
    yield "}"


@pytest.mark.parametrize("kind", ["objects", "texts", "columns"])
@pytest.mark.endurance
def test_memory_does_not_grow_with_the_file(tmp_path: Path, kind: str) -> None:
    peaks = []
    for count in (3_000, 9_000):
        path = tmp_path / f"{count}.json"
        with path.open("w") as file:
            file.writelines(pieces(kind, count))
        tracemalloc.start()
        assert sum(1 for _ in RecordStream(path)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.3
