"""The tool bank as CSV: what is written reads back, and every line that cannot be read is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tool_bank import ToolState, distinct, key_of
from annotation.tool_bank.segments import SEGMENTS
from annotation.tool_bank.table import BadTable, BankRow, read, written

NAMES = st.text(st.characters(codec="utf-8", exclude_characters=";\0", exclude_categories=("Cs", "Cc")), min_size=1)


@st.composite
def banks(draw: st.DrawFn) -> list[BankRow]:
    names = list(distinct(draw(st.lists(NAMES.filter(lambda name: len(name) < 40), min_size=1, max_size=6))).values())
    names = [name for name in names if not name.startswith("'")]
    rows = []
    while names:
        name, *names = names
        count = draw(st.integers(0, min(2, len(names))))
        aliases, names = tuple(names[:count]), names[count:]
        segment = draw(st.sampled_from(["", *SEGMENTS]))
        refused = draw(st.booleans())
        state = ToolState.REFUSED if refused else ToolState.ACCEPTED
        rows.append(BankRow(name, aliases, segment, state, "", "No tool." if refused else "", 0))
    return rows


@given(banks())
def test_what_is_written_reads_back(rows: list[BankRow]) -> None:
    again = read(written(rows).encode())
    assert [(r.name, r.aliases, r.segment, r.state, r.reason) for r in again] == [
        (r.name, r.aliases, r.segment, r.state, r.reason) for r in rows
    ]


def test_a_file_of_names_alone_is_a_bank_and_its_heading_may_be_written_otherwise() -> None:
    rows = read("\ufeffName,Aliases\nhand  saw,ripsaw; Hand Saw;\n".encode())
    assert rows == [BankRow("hand saw", ("ripsaw",), line=2)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tool\nsaw\n", "Line 1: the column “name” is missing"),
        ("name\n\" \"\n", "Line 2: the tool has no name"),
        ("name,segment\nsaw,99\n", "Line 2: 99 is not a segment"),
        ("name,state\nsaw,maybe\n", "Line 2: maybe is not a state"),
        ("name,state\nsaw,merged\n", "Line 2: merged_into is required"),
        ("name,state\nsaw,refused\n", "Line 2: saw is rejected without a reason"),
        ("name\nsaw\nSAW\n", "Line 3: SAW is also in line 2"),
        ("name\n" + "x" * 256 + "\n", "Line 2: a name is longer than 255"),
        ('name\n"saw\n', "cannot be read as CSV"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadTable, match=said.split(":")[0]) as refused:
        read(text.encode())
    assert said in refused.value.problems[0]


def test_a_file_of_another_encoding_says_what_to_do() -> None:
    with pytest.raises(BadTable, match="Save it as CSV in UTF-8"):
        read("name\nSäge\n".encode("latin-1"))


def test_a_name_that_a_spreadsheet_would_run_is_text() -> None:
    assert "'=1+1" in written([BankRow("=1+1")])
    assert read(written([BankRow("=1+1")]).encode())[0].name == "=1+1"


def test_segments_are_two_digits_with_a_title() -> None:
    assert SEGMENTS["27"] == "Tools and General Machinery"
    assert all(code.isdecimal() and len(code) == 2 and title for code, title in SEGMENTS.items())


def test_two_spellings_of_a_name_have_one_key() -> None:
    assert key_of(" Hand   SAW") == key_of("hand saw")
    assert list(distinct([" a  b ", "A B", "", "c"]).values()) == ["a b", "c"]
