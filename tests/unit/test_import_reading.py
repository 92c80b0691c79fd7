"""Raw rows out of files that are damaged, hostile or huge."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.importers.decoding import RowDecoder
from annotation.importers.interface import ImportProblem, Position
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.scanning import ArrayScanner
from annotation.importers.sources import Limits, member_names
from annotation.schema import Issue

KEYS = ("samples", "settings")


def decoded(path: Path, **options: Any) -> tuple[list[dict[str, Any]], list[Issue]]:
    """The objects and the issues of a file."""
    objects: list[dict[str, Any]] = []
    issues: list[Issue] = []
    decoder = RowDecoder()
    for row in RowStream(path, KEYS, **options):
        if isinstance(row, Issue):
            issues.append(row)
            continue
        value, found = decoder.decode(row)
        issues += found
        if value is not None:
            objects.append(value)
    return objects, issues


def written(tmp_path: Path, content: bytes, name: str = "samples.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


DAMAGED = [
    # what, content of a JSONL file, rows kept, rules reported
    ("a byte order mark", b'\xef\xbb\xbf{"id": "a"}\n', 1, []),
    ("line ends of Windows", b'{"id": "a"}\r\n{"id": "b"}\r\n', 2, []),
    ("blank lines", b'\n{"id": "a"}\n\n   \n{"id": "b"}\n', 2, []),
    ("no line end at the end", b'{"id": "a"}\n{"id": "b"}', 2, []),
    ("a cut off end", b'{"id": "a"}\n{"id": "b', 1, ["cut-off"]),
    ("a row that is no JSON", b'{"id": "a"}\n{id: b}\n{"id": "c"}\n', 2, ["not-json"]),
    ("a row that is no object", b'{"id": "a"}\n[1, 2]\n"text"\n', 1, ["not-an-object", "not-an-object"]),
    ("NUL bytes in a row", b'{"id": "a\x00"}\n', 1, ["nul-bytes"]),
    ("a row of NUL bytes", b'{"id": "a"}\n\x00\x00\x00\n', 1, ["nul-bytes"]),
    ("bytes that are not UTF-8", b'{"id": "a\xff"}\n', 1, ["not-utf-8"]),
    ("a NUL character", b'{"id": "a\\u0000b"}\n', 1, ["nul-characters"]),
    ("a lone surrogate", b'{"id": "\\ud800"}\n', 1, ["lone-surrogates"]),
    ("a whole surrogate pair", b'{"id": "\\ud83d\\ude00"}\n', 1, []),
    ("NaN", b'{"id": "a", "x": NaN}\n', 1, ["not-finite"]),
    ("a number beyond floats", b'{"id": "a", "x": 1e999, "y": -Infinity}\n', 1, ["not-finite", "not-finite"]),
    ("1e308", b'{"id": "a", "x": 1e308}\n', 1, []),
    ("a key twice", b'{"id": "a", "id": "b"}\n', 1, ["duplicate-key"]),
    ("an unescaped line break", b'{"id": "a\tb"}\n', 1, ["control-characters"]),
    ("deep nesting", b'{"id": ' + b"[" * 10_000 + b"]" * 10_000 + b"}\n", 0, ["nested-too-deep"]),
    ("deep nesting, cut off", b'{"id": ' + b"[" * 10_000 + b"\n", 0, ["nested-too-deep"]),
    ("a number of 5 000 digits", b'{"id": ' + b"1" * 5000 + b"}\n", 0, ["not-json"]),
]


@pytest.mark.parametrize(("content", "kept", "rules"), [row[1:] for row in DAMAGED], ids=[row[0] for row in DAMAGED])
def test_damage_costs_at_most_its_own_row(tmp_path: Path, content: bytes, kept: int, rules: list[str]) -> None:
    objects, issues = decoded(written(tmp_path, content))
    assert len(objects) == kept
    assert [issue.rule for issue in issues] == rules
    json.dumps(objects, allow_nan=False).encode()


def test_repairs_leave_text_that_can_be_stored(tmp_path: Path) -> None:
    objects, issues = decoded(written(tmp_path, b'{"a": {"\\u0000b": ["x\\u0000y", "\\udc00"]}, "n": [1e999]}\n'))
    assert objects == [{"a": {"b": ["xy", "\ufffd"]}, "n": ["1e999"]}]
    assert {(issue.rule, issue.line) for issue in issues} == {
        ("not-finite", 1),
        ("nul-characters", 1),
        ("lone-surrogates", 1),
    }


def test_the_last_of_two_equal_keys_counts(tmp_path: Path) -> None:
    objects, _ = decoded(written(tmp_path, b'{"id": "first", "id": "last"}\n'))
    assert objects == [{"id": "last"}]


DOCUMENTS = [
    ("an object of lists", b'{"version": 1, "samples": [{"id": "a"}, {"id": "b"}], "other": [{"id": "x"}]}', "ab", []),
    ("a list", b'[{"id": "a"},\n {"id": "b"}]', "ab", []),
    ("a list behind a byte order mark", b'\xef\xbb\xbf[{"id": "a"}]', "a", []),
    ("brackets in strings", b'[{"id": "a", "q": "]}{[\\"\\\\"}, {"id": "b"}]', "ab", []),
    ("a malformed row", b'[{"id": "a"}, {"id": oops}, {"id": "c"}]', "ac", ["not-json"]),
    ("a row without its end", b'[\n{"id": "a"},\n{"id": "x", "q": [1, 2},\n{"id": "c"}\n]', "ac", ["not-json"]),
    ("a text without its end", b'[\n{"id": "a"},\n{"id": "x},\n{"id": "c"}\n]', "ac", ["not-json"]),
    ("a row that lost its bracket", b'[\n{"id": "a"},\n{"id": "x",\n{"id": "c"}\n]', "ac", ["not-json"]),
    ("things that are no rows", b'[{"id": "a"}, 5, "text", {"id": "b"}]', "ab", ["not-json"]),
    ("a cut off document", b'{"samples": [{"id": "a"}, {"id": "b"', "a", ["cut-off"]),
    ("a cut off text", b'{"samples": [{"id": "a"}, {"id": "b', "a", ["cut-off"]),
    ("deep nesting", b'[{"id": ' + b"[" * 10_000 + b"]" * 10_000 + b'}, {"id": "b"}]', "b", ["nested-too-deep"]),
]


@pytest.mark.parametrize(("content", "ids", "rules"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS])
def test_one_malformed_element_is_one_refused_row(tmp_path: Path, content: bytes, ids: str, rules: list[str]) -> None:
    objects, issues = decoded(written(tmp_path, content, "file.json"))
    assert "".join(str(value["id"]) for value in objects) == ids
    assert [issue.rule for issue in issues] == rules


NUMBERED = [
    ("one line", b'[{"id": 1}, {"id": 2}]', ["1", "2"]),
    ("lists with names", b'{"samples": [{}, {}], "other": [{}], "settings": {}}', ["1 of samples", "2 of samples", ""]),
    ("a row that swallowed the next", b'[{"a": 1},\n{"b": [},\n{"c": 1},\n{"d": 1}]', ["1", "2", "3", "4"]),
    ("lines", b'{"id": 1}\n{"id": 2}\n', ["", ""]),
]


@pytest.mark.parametrize(("content", "numbers"), [row[1:] for row in NUMBERED], ids=[row[0] for row in NUMBERED])
def test_rows_of_a_list_have_a_number(tmp_path: Path, content: bytes, numbers: list[str]) -> None:
    path = written(tmp_path, content, "file.json")
    assert [row.row for row in RowStream(path, KEYS) if isinstance(row, RawRow)] == numbers


def test_a_document_that_is_one_flat_object_is_a_row(tmp_path: Path) -> None:
    def rows(content: bytes, keys: tuple[str, ...] = ()) -> list[bytes]:
        return [row.text for row in RowStream(written(tmp_path, content, "a.json"), keys) if isinstance(row, RawRow)]

    assert rows(b'\xef\xbb\xbf{\n "id": 1\n}\n') == [b'{\n "id": 1\n}']
    assert [rows(b'{"id": 1, "of": [{}]}'), rows(b'{"id": 1}', KEYS), rows(b"{}")] == [[], [], []]


def test_rows_of_a_document_know_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, b'{\n "samples": [\n  {\n   "id": "a"\n  },\n  {"id": "b"}\n ]\n}', "file.json")
    assert [row.line for row in RowStream(path, KEYS) if isinstance(row, RawRow)] == [3, 6]


rows = st.dictionaries(st.text(max_size=5), st.recursive(st.text(max_size=8), st.lists, max_leaves=4), max_size=4)


@given(st.lists(rows, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]))
def test_the_scanner_finds_what_a_parser_finds(values: list[Any], size: int, indent: int | None) -> None:
    for document in ({"before": 1, "rows": values, "after": {"a": 1}}, values):
        data = json.dumps(document, indent=indent, ensure_ascii=False).encode("utf-8", "replace")
        scanner = ArrayScanner(1 << 20)
        found = [element for i in range(0, len(data), size) for element in scanner.feed(data[i : i + size])]
        expected = values if isinstance(document, list) else [*values, {"a": 1}]
        assert [json.loads(element.text or b"") for element in found] == json.loads(json.dumps(expected))
        assert not scanner.open
        assert not any(element.broken for element in found)


UNREADABLE = [
    ("nothing", "samples.jsonl", b"", "is empty"),
    ("text", "notes.txt", b"hello world", "is not JSON"),
    ("a web page", "page.json", b"<html><body>not found</body></html>", "is not JSON"),
    ("gzip", "samples.jsonl.gz", b"\x1f\x8b\x08\x00rest", "gzip"),
    ("a pickle", "samples.pkl", b"\x80\x04\x95rest", "pickle"),
    ("UTF-16", "samples.jsonl", '{"id": 1}'.encode("utf-16"), "UTF-16"),
    ("a picture", "a.png", b"\x89PNG\r\n\x1a\n", "a.png is an image"),
]


@pytest.mark.parametrize(("name", "content", "words"), [r[1:] for r in UNREADABLE], ids=[r[0] for r in UNREADABLE])
def test_a_file_of_another_kind_is_refused_in_a_sentence(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    with pytest.raises(ImportProblem, match=words):
        decoded(written(tmp_path, content, name))


def test_a_missing_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ImportProblem, match=r"File gone.json not found"):
        decoded(tmp_path / "gone.json")


def test_a_folder_without_known_members_says_what_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("x")
    with pytest.raises(ImportProblem, match=r"samples\.jsonl, settings\.jsonl"):
        decoded(tmp_path)


def test_a_folder_is_read_key_by_key(tmp_path: Path) -> None:
    (tmp_path / "settings.jsonl").write_text('{"alpha": 1}\n')
    (tmp_path / "samples.jsonl").write_text('{"id": "a"}\n')
    (tmp_path / "notes.json").write_text('{"id": "not read"}')
    assert [(r.key, r.file) for r in RowStream(tmp_path, KEYS) if isinstance(r, RawRow)] == [
        ("samples", "samples.jsonl"),
        ("settings", "settings.jsonl"),
    ]


def test_a_link_out_of_a_folder_is_refused(tmp_path: Path) -> None:
    outside = written(tmp_path, b'{"id": "secret"}\n', "outside.jsonl")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "samples.jsonl").symlink_to(outside)
    with pytest.raises(ImportProblem, match="link to a file outside"):
        decoded(folder)


def zipped(path: Path, members: dict[str, bytes], **changes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for field, value in changes.items():
                setattr(info, field, value)
            archive.writestr(info, content)
    return path


def test_a_zip_is_read_like_a_folder(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"data/samples.jsonl": b'{"id": "a"}\n', "data/images/a.jpg": b"\xff\xd8\xff"})
    assert decoded(path) == ([{"id": "a"}], [])


def test_a_member_without_the_flag_of_utf_8_has_its_own_name_and_is_read(tmp_path: Path) -> None:
    """D8.9."""
    path = zipped(tmp_path / "a.zip", {"xxxxxx.jsonl": b'{"id": "a"}\n'})
    path.write_bytes(path.read_bytes().replace(b"xxxxxx", "画像".encode()))
    assert member_names(path) == ["画像.jsonl"]
    assert decoded(path) == ([{"id": "a"}], [])


@pytest.mark.parametrize("name", ["../samples.jsonl", "/samples.jsonl", "a/../../samples.jsonl", "C:/samples.jsonl"])
def test_a_zip_with_a_name_that_points_outside_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ImportProblem, match="unsafe name"):
        decoded(zipped(tmp_path / "a.zip", {name: b'{"id": "a"}\n'}))


def test_a_zip_with_a_link_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"samples.jsonl": b"/etc/hostname"}, external_attr=0o120777 << 16)
    with pytest.raises(ImportProblem, match="contains the link"):
        decoded(path)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"samples.jsonl": b" " * 3_000_000})
    with pytest.raises(ImportProblem, match="zip bomb"):
        decoded(path, limits=Limits(ratio_from=1_000_000))


def test_more_than_the_allowed_total_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"samples.jsonl": b'{"id": "a"}\n' * 100})
    with pytest.raises(ImportProblem, match=r"1,200 bytes \(limit: 1,000\)"):
        decoded(path, limits=Limits(total_bytes=1000))


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"samples.jsonl": b'{"id": "a"}\n'})
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[6] |= 1
    data[directory + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(ImportProblem, match="encrypted"):
        decoded(path)


def test_a_zip_packed_in_another_way_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("samples.jsonl", b'{"id": "a"}\n')
    with pytest.raises(ImportProblem, match="deflate"):
        decoded(tmp_path / "a.zip")


@given(st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1, max_size=4))
@settings(suppress_health_check=list(HealthCheck))
def test_a_zip_damaged_anywhere_ends_in_rows_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, int]]
) -> None:
    path = zipped(tmp_path_factory.mktemp("zip") / "a.zip", {"samples.jsonl": b'{"id": "a"}\n' * 50})
    data = bytearray(path.read_bytes())
    for place, value in changes:
        data[int(place * len(data))] = value
    path.write_bytes(data)
    with suppress(ImportProblem):
        assert decoded(path)


def test_a_damaged_zip_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"samples.jsonl": b'{"id": "a", "q": "some text to damage"}\n' * 50})
    data = bytearray(path.read_bytes())
    data[60:70] = b"\x00" * 10
    path.write_bytes(data)
    with pytest.raises(ImportProblem, match="Zip it again"):
        decoded(path)


@pytest.mark.parametrize("name", ["samples.jsonl", "samples.json"])
def test_a_row_over_the_limit_is_refused_and_the_next_one_read(tmp_path: Path, name: str) -> None:
    lines = [b'{"id": "a"}', b'{"id": "' + b"x" * 5000 + b'"}', b'{"id": "c"}']
    content = b"\n".join(lines) + b"\n" if name.endswith("l") else b"[" + b",\n".join(lines) + b"]"
    objects, issues = decoded(written(tmp_path, content, name), limits=Limits(row_bytes=1000))
    assert objects == [{"id": "a"}, {"id": "c"}]
    assert [(issue.rule, issue.line) for issue in issues] == [("row-too-long", 2)]


@pytest.mark.parametrize("name", ["samples.jsonl", "samples.json"])
def test_reading_goes_on_behind_any_row(tmp_path: Path, name: str) -> None:
    values = [{"id": str(i)} for i in range(20)]
    lines = [json.dumps(value).encode() for value in values]
    content = b"\n".join(lines) + b"\n" if name.endswith("l") else b"[" + b",\n".join(lines) + b"]"
    path = written(tmp_path, content, name)
    stream = RowStream(path, KEYS)
    for given_so_far, row in enumerate(stream, 1):
        assert isinstance(row, RawRow)
        start = stream.progress().position
        assert decoded(path, start=start)[0] == values[given_so_far:]
    assert stream.progress().bytes_read == stream.progress().bytes_total == len(content)


def test_a_second_reading_of_a_folder_skips_the_finished_members(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text('{"id": "a"}\n')
    (tmp_path / "settings.jsonl").write_text('{"alpha": 1}\n{"alpha": 2}\n')
    assert decoded(tmp_path, start=Position("settings.jsonl", 13, 1))[0] == [{"alpha": 2}]


def test_a_position_in_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b'{"id": "a"}\n')
    with pytest.raises(ImportProblem, match="Start again"):
        decoded(path, start=Position("other.jsonl", 5, 1))


class Generated:
    """A file that never exists: rows made as they are read."""

    def __init__(self, before: bytes, row: bytes, count: int, after: bytes) -> None:
        self.parts = self._parts(before, row, count, after)
        self.rest = b""

    def _parts(self, before: bytes, row: bytes, count: int, after: bytes) -> Iterator[bytes]:
        yield before
        for _ in range(count):
            yield row
        yield after

    def read(self, size: int) -> bytes:
        while len(self.rest) < size and (part := next(self.parts, b"")):
            self.rest += part
        chunk, self.rest = self.rest[:size], self.rest[size:]
        return chunk


def scanned_peak(count: int) -> tuple[int, int]:
    """Rows found in, and the most bytes held for, a document of ``count`` rows of 1 kB."""
    row = b'{"id": "a", "q": "' + b"x" * 1000 + b'"},\n'
    source: Generated | IO[bytes] = Generated(b'{"samples": [', row, count, b'{"id": "z"}]}')
    scanner = ArrayScanner(1 << 20)
    tracemalloc.start()
    found = 0
    while chunk := source.read(1 << 16):
        found += sum(1 for _ in scanner.feed(chunk))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found, peak


def test_memory_does_not_grow_with_the_file() -> None:
    small, large = scanned_peak(300), scanned_peak(6000)
    assert (small[0], large[0]) == (301, 6001)
    assert large[1] < small[1] * 1.2
