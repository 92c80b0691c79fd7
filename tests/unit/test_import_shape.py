"""A file that no format claims: what its top level is, and what would make it readable."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from annotation.importers import shapes
from annotation.importers.shapes import AS_ROWS, AS_TABLE, CHOOSE, WITH_IDS, shape_of

RECORDS = {f"a{n}": {"asked": "What?", "said": "B"} for n in range(1000)}
ROWS = list(RECORDS.values())


@pytest.mark.parametrize(
    ("content", "words", "advice"),
    [
        (json.dumps(RECORDS), ["object of 1,000 records by id (“a0”, “a1”, …)", "values have asked, said"], AS_TABLE),
        (json.dumps({"payload": ROWS, "more": ROWS[:3]}), ["“payload” (1,000)", "“more” (3)"], CHOOSE),
        (json.dumps({"all": {"dev": ROWS}}), ["“all / dev” (1,000)", "asked, said"], AS_TABLE),
        (json.dumps({"all": RECORDS, "model": "m"}), ["1,000 records by id under “all”"], AS_TABLE),
        (json.dumps({f"v{n}": "B" for n in range(3)}), ["3 records by id", "texts or numbers"], AS_TABLE),
        (json.dumps({"id": {"0": 1}, "pred": {"0": "B"}}), ["column by column", "id, pred"], AS_TABLE),
        (json.dumps(ROWS), ["a list of 1,000 objects", "asked, said"], AS_TABLE),
        (json.dumps(["B", "A. cup"]), ["a list of 2 texts", 'first: "B"'], WITH_IDS),
        (json.dumps([[1, 2], [3, 4]]), ["a list of 2 lists"], AS_ROWS),
        ("[]", ["an empty list"], AS_ROWS),
        ('{"version": 2}', ["one JSON object with the fields version"], AS_ROWS),
        ("{}", ["an empty object"], AS_ROWS),
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


def test_a_zip_is_judged_by_its_file_and_several_files_together(tmp_path: Path) -> None:
    with zipfile.ZipFile(zipped := tmp_path / "file.zip", "w") as archive:
        archive.writestr("inner.json", json.dumps(RECORDS))
    assert "1,000 records by id" in shape_of(zipped).words
    with zipfile.ZipFile(zipped, "a") as archive:
        archive.writestr("run1/val_17/output.json", json.dumps({"said": "B", "asked": "?"}))
    assert "2 files of records" in shape_of(zipped).words


def test_a_file_that_breaks_off_says_in_which_line(tmp_path: Path) -> None:
    (path := tmp_path / "file.json").write_text(json.dumps(RECORDS, indent=1)[:-100])
    found = shape_of(path)
    assert "records by id" in found.words
    assert f"cut off at line {found.cut_at:,}" in found.sentences
    assert 3900 < found.cut_at < 4002


def test_of_a_long_file_the_beginning_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "CHUNK", 500)
    monkeypatch.setattr(shapes, "MOST_READ", 2000)
    (path := tmp_path / "file.json").write_text(json.dumps(RECORDS))
    assert "at least" in shape_of(path).words


def test_a_damaged_file_has_a_shape(tmp_path: Path) -> None:
    (path := tmp_path / "file.zip").write_bytes(b"PK\x03\x04 broken")
    assert shape_of(path).words
