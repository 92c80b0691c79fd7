"""Each invalid value of a file is refused with its table, line and field, by an import and by an update."""

from __future__ import annotations

import zipfile
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import Benchmark
from annotation.portable.read.discussion import new_discussion
from annotation.portable.read.gold_changes import changes
from annotation.portable.read.preview import preview_of
from annotation.portable.read.update import plan_update
from annotation.portable.write import InvalidProject, opened
from annotation.portable.write.update import store_new_images, update_from
from annotation.project_file import InvalidFileError, Reader, Writer
from evaluation.exports.write import import_project
from tests.annotation.portable.files import exported, forged
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


_FILE: list[bytes] = []


@pytest.fixture
def file(kitchen: Benchmark, tmp_path: Path) -> Path:
    """The kitchen, written once."""
    path = tmp_path / "file"
    if _FILE:
        path.write_bytes(_FILE[0])
    else:
        _FILE.append(exported(kitchen, path).read_bytes())
    return path


def with_value(file: Path, table: str, field: str, value: Any, at: int = -1) -> tuple[Path, str]:
    """The file with the value in the last row of a table that has one there, or in row ``at`` of these, and how a
    message names its place."""
    with Reader(file) as found:
        filled = [line.number for line in found.lines(table) if line.row.get(field) is not None]
        number = filled[at] if filled else found.tables[table]

    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows[number - 1] = rows[number - 1] | {field: value}
        return rows

    return forged(file, table, change), f"tables/{table}.jsonl, line {number}: {field} "


INVALID: dict[str, tuple[str, str, Any]] = {
    "a time as a number": ("sample", "created_at", 5),
    "a time that is none": ("revision", "created_at", "yesterday"),
    "a time without a zone": ("revision", "created_at", "2026-01-01T00:00:00"),
    "a time before the first year": ("comment", "created_at", "0001-01-01T00:00:00+23:00"),
    "a number as a text": ("sample", "width", "100"),
    "a number with a fraction": ("sample", "width", 1.5),
    "a number that is true": ("revision", "number", True),
    "a negative number": ("sample", "height", -1),
    "a number that no column takes": ("revision", "number", 10**30),
    "a small number that is large": ("goldbox", "position", 40_000),
    "an endless number": ("goldbox", "x1", 10**400),
    "a text as a number": ("revision", "question", 7),
    "a text with a zero byte": ("comment", "text", "a\0b"),
    "half a surrogate pair": ("sample", "image_name", "\ud800"),
    "a text that is too long": ("sample", "key", "x" * 300),
    "a text that is missing": ("sample", "key", None),
    "a truth as a text": ("benchmark", "marks_open", "yes"),
    "a state that is unknown": ("sample", "state", "done"),
    "a decision that is unknown": ("review", "decision", "maybe"),
    "a kind as a list": ("annotation", "kind", ["own"]),
    "a list as an object": ("revision", "options", ["A"]),
    "an object as a list": ("revision", "answers", {"A": "B"}),
    "a list of numbers": ("review", "reasons", [1]),
    "JSON with a zero byte": ("revision", "facets", {"a": ["\0"]}),
    "a schema that is none": ("benchmarkschema", "content", {"answer": 1}),
    "a reference to no row": ("gold", "revision", 999),
    "a reference to row 0": ("revision", "annotation", 0),
    "a reference as a text": ("annotation", "sample", "1"),
    "a reference as a list": ("review", "revision", [1]),
    "a reference that is true": ("sample", "image", True),
    "a reference to no person": ("annotation", "author", 99),
    "a reference to no comment": ("comment", "parent", 99),
    "a reference that is missing": ("goldbox", "revision", None),
    "sources of another form": ("revision", "provenance", {"answer": 1}),
    "a uid that is none": ("person", "uid", "ana"),
    "a name as a number": ("person", "name", 7),
    "an address as a list": ("person", "email", ["ana@example.org"]),
    "an image that is not there": ("image", "sha256", "0" * 64),
}


@pytest.mark.parametrize("what", INVALID)
def test_an_import_names_the_place_of_an_invalid_value(file: Path, lea: User, what: str) -> None:
    wrong, place = with_value(file, *INVALID[what])
    with pytest.raises(InvalidProject) as refused:
        import_project(actor=lea, path=wrong, slug="copy")
    assert str(refused.value).startswith(place)
    assert not Benchmark.objects.filter(slug="copy").exists()


COMPARED = {
    "a time that is none", "a time without a zone", "a time before the first year", "a text with a zero byte",
    "a text that is missing", "a reference to no row", "a reference to row 0", "a reference as a text",
    "a reference as a list", "a reference that is true", "a reference to no comment", "a uid that is none",
    "an address as a list", "an image that is not there",
}  # fmt: skip
"""Values that the comparison with a benchmark reads. An update reads the others when it adds their rows."""


@pytest.mark.parametrize("what", sorted(COMPARED))
def test_a_comparison_names_the_place_of_an_invalid_value(file: Path, kitchen: Benchmark, what: str) -> None:
    wrong, place = with_value(file, *INVALID[what])
    with pytest.raises(InvalidProject) as refused, opened(wrong) as found:
        new_discussion(kitchen, found, plan_update(kitchen, found))
    assert str(refused.value).startswith(place)


@pytest.mark.parametrize("what", INVALID)
def test_an_update_names_the_place_of_an_invalid_value_or_does_not_read_it(
    file: Path, lea: User, kitchen: Benchmark, what: str
) -> None:
    """Of a benchmark without samples, reviews and comments, to which the update adds all of the file."""
    wrong, place = with_value(file, *INVALID[what], at=0)
    made = create_benchmark(actor=lea, slug="empty")
    Benchmark.objects.filter(pk=kitchen.pk).update(uid=uuid4())
    Benchmark.objects.filter(pk=made.pk).update(uid=kitchen.uid)
    made.refresh_from_db()
    refused = pytest.raises(InvalidProject) if what not in NOT_ADDED else nullcontext()
    with refused as caught, opened(wrong) as found:
        plan = plan_update(made, found)
        images = store_new_images(actor=lea, benchmark=made, file=found, plan=plan)
        update_from(actor=lea, benchmark=made, file=found, choices={}, images=images)
    if caught is not None:
        assert str(caught.value).startswith(place)


NOT_ADDED = {
    "a time as a number", "a time before the first year", "a text with a zero byte", "a truth as a text",
    "a schema that is none", "sources of another form",
}  # fmt: skip
"""Values that an update does not read: settings, the schema, when a sample was made, and rows of work without gold."""


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [("sample", "key", 5), ("sample", "image", 99), ("gold", "revision", [1]), ("goldbox", "revision", "1")],
)
def test_a_diff_names_the_place_of_an_invalid_value(file: Path, table: str, field: str, value: Any) -> None:
    wrong, place = with_value(file, table, field, value)
    with Reader(file) as first, Reader(wrong) as second, pytest.raises(InvalidFileError) as refused:
        changes(first, second)
    assert str(refused.value).startswith(place)


def test_a_number_that_no_json_has_is_named(file: Path, lea: User) -> None:
    wrong, _ = with_value(file, "goldbox", "x1", float("nan"))
    with pytest.raises(InvalidProject, match=r"^tables/goldbox.jsonl, line \d+: this is no JSON"):
        import_project(actor=lea, path=wrong, slug="copy")


def test_rows_that_contradict_each_other_are_named(file: Path, lea: User) -> None:
    wrong = forged(file, "goldbox", lambda rows: [row | {"x2": row["x1"]} for row in rows])
    with pytest.raises(InvalidProject, match=r"^tables/goldbox.jsonl, lines 1 to \d+: "):
        import_project(actor=lea, path=wrong, slug="copy")


def test_two_samples_of_one_id_are_named(file: Path, kitchen: Benchmark) -> None:
    wrong, place = with_value(file, "sample", "key", "mug-0")
    with pytest.raises(InvalidProject) as refused, opened(wrong) as found:
        plan_update(kitchen, found)
    assert str(refused.value) == f"{place}is that of the sample in line 1."


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_bytes_of_a_member_that_are_damaged_are_named(file: Path, lea: User, method: int) -> None:
    """Not only its checksum is wrong: it can't be unpacked."""
    name = "tables/revision.jsonl" if method == zipfile.ZIP_DEFLATED else zipfile.ZipFile(file).namelist()[-2]
    with zipfile.ZipFile(file) as found:
        info = found.getinfo(name)
    assert info.compress_type == method
    data = bytearray(file.read_bytes())
    begins = info.header_offset + 30 + len(name) + 20
    for at in range(begins + 5, begins + min(60, info.compress_size)):
        data[at] ^= 0xFF
    file.write_bytes(bytes(data))
    with pytest.raises(InvalidProject, match="is damaged"):
        import_project(actor=lea, path=file, slug="copy")


@pytest.mark.parametrize("about", [{"left_out": 5}, {"left_out": {"a": 1}}, {"version": [1]}])
def test_a_manifest_with_invalid_values_is_read_or_refused(file: Path, lea: User, about: dict[str, Any]) -> None:
    wrong = file.with_suffix(".wrong")
    with Reader(file) as old, wrong.open("wb") as stream:
        new = Writer(stream)
        for table in old.tables:
            new.table(table, old.rows(table))
        for member in old.images.values():
            new.image(member.removeprefix("images/"), BytesIO(b"".join(old.pieces(member))))
        new.close({**old.manifest.about, **about})
    with opened(wrong) as found:
        preview_of(found)
    if "version" in about:
        with pytest.raises(InvalidProject, match="version"):
            import_project(actor=lea, path=wrong, slug="copy")
