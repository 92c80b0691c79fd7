"""VTC-Bench's tables: damaged toolchains, stray quotes, pictures in cells, and joining by content."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from annotation.importers.fields import Report
from annotation.importers.interface import ImportProblem, Position, Progress, ReadOptions
from annotation.importers.toolchain_join import join_toolchains
from annotation.importers.vtc_bench import detect, read, toolchain_from
from annotation.schema import AnswerType, Issue, SampleContent, SampleRecord, ToolCall

COLUMNS = ["index", "id", "category", "image", "question", "answer", "A", "B", "C", "D", "model_tools_gt"]
ROWS = [
    [
        "0",
        "counting_9",
        "counting",
        "images/counting_9.jpg",
        "How many coins?",
        "B",
        "5",
        "6",
        "",
        "",
        '["Crop", "Flip"]',
    ],
    ["1", "ocr_3", "ocr", "images/ocr_3.jpg", "Read it:\nall of it", "14", "", "", "", "", "[“Zoom in”]"],
]


def table(rows: list[list[str]], columns: list[str] = COLUMNS) -> bytes:
    text = io.StringIO()
    csv.writer(text, dialect="excel-tab").writerows([columns, *rows])
    return text.getvalue().encode()


def records(tmp_path: Path, content: bytes) -> tuple[list[SampleRecord], list[Issue]]:
    path = tmp_path / "VTC-Bench.tsv"
    path.write_bytes(content)
    items = list(read(path, ReadOptions()))
    return [i for i in items if isinstance(i, SampleRecord)], [i for i in items if isinstance(i, Issue)]


def test_rows_become_samples(tmp_path: Path) -> None:
    [choice, open_one], issues = records(tmp_path, table(ROWS))
    assert (choice.id, choice.image, choice.facets) == (
        "counting_9",
        "images/counting_9.jpg",
        {"category": ("counting",)},
    )
    assert choice.content.options == {"A": "5", "B": "6"}
    assert (choice.content.answer_type, choice.content.answers) == (AnswerType.MULTIPLE_CHOICE, ("B",))
    assert choice.content.reference_toolchain == (ToolCall("Crop"), ToolCall("Flip"))
    assert choice.extra == {"index": "0"}
    assert (open_one.content.answer_type, open_one.content.answers) == (AnswerType.OPEN, ("14",))
    assert open_one.content.question == "Read it:\nall of it"
    assert open_one.content.reference_toolchain == (ToolCall("Zoom in"),)
    assert [(issue.rule, issue.line) for issue in issues] == [("curly-quotes", 3)]


CHAINS = [
    ("clean", '["Crop", "Flip"]', ["Crop", "Flip"], []),
    ("open curly, close straight", '["Crop", “Flip"]', ["Crop", "Flip"], ["curly-quotes"]),
    ("curly pairs", "[“Crop”,“Flip”]", ["Crop", "Flip"], ["curly-quotes"]),
    ("a closing one that opens", "[”Crop”,   ”Flip”]", ["Crop", "Flip"], ["curly-quotes"]),
    ("open straight, close curly", '["Crop”,"Draw Line”]', ["Crop", "Draw Line"], ["curly-quotes"]),
    ("a Python list", "['Crop', 'Flip']", ["Crop", "Flip"], []),
    ("repeats", '["Crop", "Crop"]', ["Crop", "Crop"], []),
    ("nothing", "  ", [], []),
    ("an empty list", "[]", [], []),
    ("no list", "Crop, Flip", [], ["toolchain-unreadable"]),
    ("cut off", '["Crop", "Fl', [], ["toolchain-unreadable"]),
    ("a number in it", '["Crop", 5]', [], ["toolchain-unreadable"]),
    ("a blank in it", '["Crop", ""]', [], ["toolchain-unreadable"]),
    ("deep nesting", "[" * 9000, [], ["toolchain-unreadable"]),
    ("code", "__import__('os').getcwd()", [], ["toolchain-unreadable"]),
]


@pytest.mark.parametrize(("text", "chain", "rules"), [row[1:] for row in CHAINS], ids=[row[0] for row in CHAINS])
def test_a_damaged_toolchain_is_repaired_or_left_out_and_reported(
    text: str, chain: list[str], rules: list[str]
) -> None:
    report = Report("f.tsv", 2)
    assert toolchain_from(text, report) == chain
    assert [issue.rule for issue in report.issues] == rules


def test_curly_quotes_of_a_question_are_kept_as_written(tmp_path: Path) -> None:
    row = [*ROWS[0][:4], "What does “STOP” mean?", *ROWS[0][5:]]
    [sample], issues = records(tmp_path, table([row]))
    assert sample.content.question == "What does “STOP” mean?"
    assert issues == []


def line(*cells: str) -> bytes:
    return "\t".join(cells).encode() + b"\r\n"


def test_a_quote_that_never_closes_costs_no_row_after_it(tmp_path: Path) -> None:
    head = line(*COLUMNS[:7])
    broken = line("0", "a", "c", "", '"an open quote', "A", "x")
    content = head + broken + line("1", "b", "c", "", "fine", "A", "x") + line("2", "d", "c", "", "too", "A", "x")
    samples, issues = records(tmp_path, content)
    assert [sample.id for sample in samples] == ["a", "b", "d"]
    assert samples[0].content.question == '"an open quote'
    assert {issue.rule for issue in issues} == {"stray-quote"}


def test_a_row_with_other_columns_is_refused_alone(tmp_path: Path) -> None:
    content = line(*COLUMNS[:7]) + line("0", "a", "c") + b"\r\n" + line("1", "b", "c", "", "fine", "A", "x")
    samples, issues = records(tmp_path, content)
    assert [sample.id for sample in samples] == ["b"]
    assert [(issue.rule, issue.line) for issue in issues] == [("wrong-columns", 2)]


def test_bytes_that_are_no_text_are_repaired_and_reported(tmp_path: Path) -> None:
    content = line(*COLUMNS[:7]) + b"0\ta\xff\tc\t\tq\x00\tA\tx\r\n"
    [sample], issues = records(tmp_path, content)
    assert (sample.id, sample.content.question) == ("a\ufffd", "q")
    assert [issue.rule for issue in issues] == ["nul-bytes", "not-utf-8"]


def test_pictures_in_cells_are_recognised_however_long(tmp_path: Path) -> None:
    data = "/9j/" + "A" * 300_000
    columns = ["index", "question", "answer", "image", "A"]
    rows = [["0", "q", "A", data, "x"], ["1", "q2", "A", "0", "x"], ["2", "q3", "A", "a.jpg", "x"]]
    samples, issues = records(tmp_path, table(rows, columns))
    assert [sample.image for sample in samples] == [f"data:image/jpeg;base64,{data}", None, "a.jpg"]
    assert [sample.id for sample in samples] == ["0", "1", "2"]
    assert [issue.rule for issue in issues] == ["image-reference"]


@pytest.mark.parametrize("content", [b"just text\r\n", b"id\tprompt\r\n1\tx\r\n", line(*COLUMNS)])
def test_a_table_without_the_columns_or_rows_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ImportProblem):
        records(tmp_path, content)


def test_reading_goes_on_behind_a_row(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(table(ROWS))
    second = table(ROWS[:1])
    items = list(read(path, ReadOptions(start=Position("a.tsv", len(second), 2))))
    assert [item.id for item in items if isinstance(item, SampleRecord)] == ["ocr_3"]
    [end] = [item for item in items if isinstance(item, Progress)]
    assert end.bytes_read == end.bytes_total


def asked(sample_id: str, question: str, answer: str = "A", *tools: str) -> SampleRecord:
    chain = tuple(ToolCall(tool) for tool in tools)
    options = {"A": "x", "B": "y"}
    content = SampleContent(question, AnswerType.MULTIPLE_CHOICE, options, (answer,), (), chain)
    return SampleRecord(sample_id, content)


def joined(base: list[SampleRecord], chains: list[SampleRecord]) -> tuple[dict[str, str], list[str]]:
    """The first tool of each sample, and the rules of the issues."""
    items = list(join_toolchains(base, chains))
    tools = {
        item.id: item.content.reference_toolchain[0].tool if item.content.reference_toolchain else ""
        for item in items
        if isinstance(item, SampleRecord)
    }
    return tools, [item.rule for item in items if isinstance(item, Issue)]


def test_toolchains_are_joined_by_content_never_by_id() -> None:
    base = [asked("color_1", "Which “hue”?"), asked("color_2", "Which shade?")]
    chains = [asked("color_1", "which shade?", "A", "Crop"), asked("color_7", ' Which  "hue"?', "A", "Flip")]
    assert joined(base, chains) == ({"color_1": "Flip", "color_2": "Crop"}, ["renumbered", "renumbered"])


def test_what_finds_no_twin_is_reported_on_both_sides() -> None:
    tools, rules = joined([asked("a", "One?")], [asked("a", "Other?", "A", "Crop")])
    assert tools == {"a": ""}
    assert rules == ["no-toolchain", "toolchain-unmatched"]


def test_another_gold_answer_is_reported_and_not_taken() -> None:
    [issue, sample] = join_toolchains(
        [asked("spatial_38", "Where?", "A")], [asked("spatial_38", "Where?", "C", "Crop")]
    )
    assert isinstance(issue, Issue)
    assert issue.rule == "gold-differs"
    assert isinstance(sample, SampleRecord)
    assert sample.content.answers == ("A",)
    assert sample.content.reference_toolchain == (ToolCall("Crop"),)


def test_of_equal_contents_the_same_id_is_taken_first() -> None:
    base = [asked("x", "How many?"), asked("b", "How many?")]
    chains = [asked("b", "How many?", "A", "Flip"), asked("y", "How many?", "A", "Crop")]
    assert joined(base, chains) == ({"x": "Crop", "b": "Flip"}, ["renumbered"])


def test_equal_contents_without_the_same_id_are_not_guessed() -> None:
    chains = [asked("p", "How many?", "A", "Flip"), asked("q", "How many?", "A", "Crop")]
    tools, rules = joined([asked("x", "How many?")], chains)
    assert tools == {"x": ""}
    assert rules == ["toolchain-ambiguous", "toolchain-unmatched", "toolchain-unmatched"]


def test_two_files_are_read_and_joined(tmp_path: Path) -> None:
    base, chains = tmp_path / "base.tsv", tmp_path / "chains.tsv"
    base.write_bytes(table([[*row[:10]] for row in ROWS], COLUMNS[:10]))
    chains.write_bytes(table([[row[0], f"new_{row[1]}", *row[2:]] for row in ROWS]))
    items = list(read(base, ReadOptions(toolchains=chains)))
    samples = [item for item in items if isinstance(item, SampleRecord)]
    assert [(s.id, len(s.content.reference_toolchain)) for s in samples] == [("counting_9", 2), ("ocr_3", 1)]
    assert [i.rule for i in items if isinstance(i, Issue)] == ["curly-quotes", "renumbered", "renumbered"]


def test_a_table_of_predictions_is_hardly_a_benchmark() -> None:
    assert detect(line(*COLUMNS), "a.tsv").confidence == 1
    assert detect(line("index", "question", "answer", "prediction"), "a.tsv").confidence < 0.5
    assert detect(b'{"id": 1}', "a.json").confidence == 0
