"""Files that are made to hurt: each is refused or neutralised in a sentence, in constant memory and at once."""

from __future__ import annotations

import csv
import io
import json
import stat
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from openpyxl import Workbook

from annotation.importers.interface import ImportProblem
from annotation.schema import Issue, Severity
from evaluation.exporters.tables import write_csv
from evaluation.importers import IMPORTERS, detect_format
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.schema import Trajectory

INDEX = MemoryIndex([SampleKey("mug")])
ROW = {"id": "mug", "prediction": "B"}
BOMB = """<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<si><t>&c;</t></si></sst>"""
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY a SYSTEM "file:///etc/hostname">]>
<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&a;</t></si></sst>"""


TYPES = "[Content_Types].xml"
STRINGS = (
    b'<Override PartName="/xl/sharedStrings.xml" '
    b'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
)
HARMLESS_TEXT = (
    '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="1"><si><t>B</t></si></sst>'
)
SHEET = """<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>prediction</t></is></c></row>
<row r="2"><c r="A2" t="inlineStr"><is><t>mug</t></is></c><c r="B2" t="s"><v>0</v></c></row></sheetData></worksheet>"""


def workbook(**parts: str) -> bytes:
    """A workbook of one row; ``parts`` replace or add members."""
    book, out = Workbook(), io.BytesIO()
    book.active.append(list(ROW))  # type: ignore[union-attr]
    book.active.append(list(ROW.values()))  # type: ignore[union-attr]
    book.save(out)
    with zipfile.ZipFile(out) as old:
        members = {name: old.read(name) for name in old.namelist()}
    if "xl__sharedStrings_xml" in parts and b"sharedStrings" not in members[TYPES]:
        members[TYPES] = members[TYPES].replace(b"</Types>", STRINGS + b"</Types>")
    members |= {name.replace("__", "/").replace("_xml", ".xml"): text.encode() for name, text in parts.items()}
    return zipped(members)


def zipped(members: dict[str, bytes], link: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if name == link:
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, data)
    return out.getvalue()


LINE = json.dumps(ROW).encode() + b"\n"
REFUSED: list[tuple[str, str, Callable[[], bytes], str]] = [
    ("zip slip", "a.zip", lambda: zipped({"../../t.jsonl": LINE}), "points outside"),
    ("absolute path", "a.zip", lambda: zipped({"/etc/t.jsonl": LINE}), "points outside"),
    ("drive letter", "a.zip", lambda: zipped({"C:\\t.jsonl": LINE}), "points outside"),
    ("link in a zip", "a.zip", lambda: zipped({"t.jsonl": b"/etc/passwd"}, "t.jsonl"), "contains the link"),
    ("zip bomb", "a.zip", lambda: zipped({"t.jsonl": b" " * (40 << 20)}), "zip bomb"),
    ("pickle", "a.csv", lambda: b"\x80\x04\x95\x00", "pickle"),
    ("pickle in a zip", "a.zip", lambda: zipped({"t.jsonl": b"\x80\x04\x95\x00"}), "pickle"),
]


def readings(path: Path) -> tuple[list[Trajectory], list[Issue]]:
    items = list(IMPORTERS["table"].read(path, ReadOptions(), INDEX))
    return [i for i in items if isinstance(i, Trajectory)], [i for i in items if isinstance(i, Issue)]


@pytest.mark.parametrize(("name", "content", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_hostile_file_is_refused_in_a_sentence(
    tmp_path: Path, name: str, content: Callable[[], bytes], said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content())
    for reading in (detect_format, readings):
        with pytest.raises(ImportProblem, match=said):
            reading(path)


HARMLESS = [
    ("nested 10,000 deep", "a.jsonl", b'{"id": ' + b"[" * 10_000 + b"]" * 10_000 + b"}\n", "nested-too-deep"),
    ("objects 10,000 deep", "a.jsonl", b'{"a": ' * 10_000 + b"1" + b"}" * 10_000 + b"\n", "nested-too-deep"),
    ("a row of 65 MB", "a.jsonl", b'{"id": "' + b"x" * (65 << 20) + b'"}\n', "row-too-long"),
    ("bytes that are no UTF-8", "a.jsonl", b'{"id": "mug", "prediction": "\xff\xfe"}\n', "not-utf-8"),
    ("NUL", "a.jsonl", b'{"id": "mug", "prediction": "a\x00b"}\n', "nul-bytes"),
    ("no UTF-8 in a table", "a.csv", b"id,prediction\nmug,\xff\n", "not-utf-8"),
]


@pytest.mark.parametrize(("name", "content", "rule"), [row[1:] for row in HARMLESS], ids=[row[0] for row in HARMLESS])
def test_a_hostile_row_costs_itself_alone(tmp_path: Path, name: str, content: bytes, rule: str) -> None:
    path = tmp_path / name
    path.write_bytes(LINE + content + LINE if name.endswith("jsonl") else content)
    records, issues = readings(path)
    assert [record.sample_id for record in records][-1:] == ["mug"]
    assert rule in {issue.rule for issue in issues}
    assert len(records) == (3 if not any(i.severity == Severity.REFUSED for i in issues) else 2) or name == "a.csv"


@pytest.mark.parametrize("entities", [BOMB, OUTSIDE], ids=["entity bomb", "entity of a file"])
def test_entities_of_a_workbook_are_refused_or_stay_unexpanded(tmp_path: Path, entities: str) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(workbook(xl__sharedStrings_xml=entities, xl__worksheets__sheet1_xml=SHEET))
    found: list[Trajectory] = []
    with suppress(ImportProblem):
        found, _ = readings(path)
    assert all(not record.answer and not record.extra for record in found)
    path.write_bytes(workbook(xl__sharedStrings_xml=HARMLESS_TEXT, xl__worksheets__sheet1_xml=SHEET))
    assert readings(path)[0][0].answer == "B"


def test_links_of_a_workbook_to_others_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    link = '<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
    path.write_bytes(workbook(xl__externalLinks__externalLink1_xml=link))
    (record,), issues = readings(path)
    assert (record.sample_id, record.answer, issues) == ("mug", "B", [])


def test_a_formula_in_a_workbook_is_never_worked_out_and_one_on_the_way_out_is_text(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(["id", "prediction"])  # type: ignore[union-attr]
    book.active.append(["mug", '=HYPERLINK("http://x","y")'])  # type: ignore[union-attr]
    book.save(tmp_path / "a.xlsx")
    (record,), _ = readings(tmp_path / "a.xlsx")
    assert record.answer is None
    out = io.BytesIO()
    write_csv(out, [{"a": value} for value in ("=1+1", "+1", "-x", "@a", "\t=1", "plain")], ["a"])
    cells = [row[0] for row in csv.reader(io.StringIO(out.getvalue().decode()))][1:]
    assert all(not cell.startswith(("=", "@", "\t", "-x")) for cell in cells)
    assert cells[-1] == "plain"


def test_paths_of_other_machines_are_base_names(tmp_path: Path) -> None:
    index = MemoryIndex([SampleKey("mug", "m.jpg")])
    path = tmp_path / "a.csv"
    path.write_text("image,prediction\n/home/somebody/secret/m.jpg,B\n")
    (record,) = (i for i in IMPORTERS["table"].read(path, ReadOptions(), index) if isinstance(i, Trajectory))
    assert "/home" not in json.dumps(dict(record.extra))
