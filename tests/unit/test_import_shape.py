"""A file that no format claims: what its top level is, and what would make it readable."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from annotation.importers import shape
from annotation.importers.shape import AS_ROWS, AS_TABLE, ONE_LIST, shape_of

RECORDS = {f"a{n}": {"asked": "What?", "said": "B"} for n in range(1000)}
ROWS = list(RECORDS.values())


@pytest.mark.parametrize(
    ("content", "words", "advice"),
    [
        (json.dumps(RECORDS), ["object", "1,000 records by id", "“a0”", "asked, said"], "as a list"),
        (json.dumps({"payload": ROWS, "more": ROWS[:3]}), ["“payload” (1,000)", "“more” (3)"], ONE_LIST),
        (json.dumps(ROWS), ["a list of 1,000 objects", "asked, said"], AS_TABLE),
        (json.dumps([[1, 2], [3, 4]]), ["a list of 2 values"], AS_ROWS),
        ("[]", ["an empty list"], AS_ROWS),
        ('{"version": 2}', ["one object without records"], AS_ROWS),
        ("{}", ["one object without records"], AS_ROWS),
        ("\n".join(map(json.dumps, ROWS[:3])), ["JSON lines", "asked, said"], AS_TABLE),
        ("Just words.", ["text that is not JSON"], AS_ROWS),
        ("\0\1\2" * 9, ["binary data"], AS_ROWS),
    ],
)
def test_the_top_level_is_named_with_what_would_make_it_readable(
    tmp_path: Path, content: str, words: list[str], advice: str
) -> None:
    """D7.19"""
    (path := tmp_path / "file.json").write_text(content)
    found = shape_of(path)
    assert [word for word in words if word not in found.words] == []
    assert advice in found.advice


def test_what_the_advice_asks_for_is_readable_and_a_zip_is_judged_by_its_file(tmp_path: Path) -> None:
    (path := tmp_path / "file.json").write_text(json.dumps(RECORDS))
    assert '[{"id": "a0", …}, …]' in shape_of(path).advice
    path.write_text(json.dumps([{"id": key, **row} for key, row in RECORDS.items()]))
    assert shape_of(path).advice == AS_TABLE
    with zipfile.ZipFile(zipped := tmp_path / "file.zip", "w") as archive:
        archive.writestr("inner.json", json.dumps(RECORDS))
    assert "1,000 records by id" in shape_of(zipped).words


def test_of_a_long_file_the_beginning_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape, "CHUNK", 500)
    monkeypatch.setattr(shape, "MOST_READ", 2000)
    (path := tmp_path / "file.json").write_text(json.dumps(RECORDS))
    assert "at least" in shape_of(path).words


def test_a_damaged_file_has_a_shape(tmp_path: Path) -> None:
    (path := tmp_path / "file.zip").write_bytes(b"PK\x03\x04 broken")
    assert shape_of(path).words
