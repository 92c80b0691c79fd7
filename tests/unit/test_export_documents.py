"""Tables to be read: Markdown and LaTeX."""

import io

import pytest

from evaluation.exporters.documents import Band, Document, latex, markdown, write_latex, write_markdown

TABLE = Document(
    "Board of A & B",
    ["Rank", "Model", "Accuracy"],
    ["", "", "Grounding"],
    [Band("", [["1 [1–2]", "A_1", "71.2"]]), Band("Baselines", [["–", "50 % | zoom", "−3.0"]])],
    ["n = 40."],
    frozenset({0, 1}),
)


def text(write):
    out = io.BytesIO()
    assert write(out, TABLE) == 2
    return out.getvalue().decode()


def test_markdown_is_a_pipe_table_with_bands_and_notes():
    lines = text(write_markdown).splitlines()
    assert lines[2] == "| Rank | Model | Grounding: Accuracy |"
    assert lines[3] == "| --- | --- | ---: |"
    assert lines[4] == r"| 1 \[1–2\] | A\_1 | 71.2 |"
    assert lines[5:7] == ["| *Baselines* |  |  |", r"| – | 50 % \| zoom | −3.0 |"]
    assert lines[-1] == r"- n = 40\."


def test_latex_is_a_booktabs_table():
    found = text(write_latex)
    assert "\\multicolumn{2}{l}{} & \\multicolumn{1}{l}{Grounding} \\\\" in found
    assert "1 [1--2] & A\\_1 & 71.2 \\\\" in found
    assert "-- & 50 \\% | zoom & $-$3.0 \\\\" in found
    assert found.count("\\midrule") == 2
    assert found.count("{") == found.count("}")


@pytest.mark.parametrize("sign", list("\\{}$&#%_^~<>"))
def test_no_sign_of_a_person_is_a_command_of_latex(sign):
    assert latex(sign) != sign
    assert latex(f"a{sign}b").startswith("a")


def test_a_row_that_begins_with_a_bracket_is_no_length_of_the_break_before_it():
    out = io.BytesIO()
    write_latex(out, Document("", ["A"], [""], [Band("", [["[1]"]])]))
    assert "{}[1] \\\\" in out.getvalue().decode()


@pytest.mark.parametrize(
    ("given", "expected"),
    [("71.2", "71.2"), ("$0.021", r"\$0.021"), ("<b>", r"\<b\>"), ("a\nb", "a b"), ("soft\u00adhyphen", "softhyphen")],
)
def test_markdown_says_what_was_written_and_nothing_else(given, expected):
    assert markdown(given) == expected
