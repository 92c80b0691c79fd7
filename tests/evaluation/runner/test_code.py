"""The protocol ``code``: cells go out, results of a sandbox come back, and boxes are read from the code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.imaging.crops import Picture
from evaluation.runner.cells import CellResult
from evaluation.runner.conversation import Conversation
from evaluation.runner.dialects.thyme import Cell, Thyme
from evaluation.runner.turns import CodeCell, OutOfTurn
from tests.evaluation.runner.attempts import recipe, request_of, row_of, said, task

CROP = "from PIL import Image\nimage = Image.open('/in/image.png')\nimage.crop((30, 20, 230, 120)).save('/out/a.png')"
HIDDEN = "image.crop(boxes_of(image)[0]).save('/out/b.png')"
PICTURE: Picture = np.full((100, 200, 3), 90, np.uint8)


def code(*blocks: str, text: str = "I look.") -> dict[str, object]:
    return said(text + "".join(f"\n<code>\n```python\n{block}\n```\n</code>" for block in blocks))


def started(*blocks: str) -> Conversation:
    conversation = Conversation(recipe("code"), task())
    conversation.answered(code(*blocks), "stop")
    return conversation


def test_the_prompt_states_the_path_and_how_to_write_code():
    system, user = request_of(Conversation(recipe("code"), task())).body["messages"]
    assert "The image is /in/image.png." in system["content"]
    assert "<sandbox_output>" in system["content"]
    assert "Image: /in/image.png, 600 × 400 pixels." in user["content"][1]["text"]


def test_a_cell_runs_elsewhere_and_its_output_and_images_are_sent():
    conversation = started(CROP)
    assert conversation.next() == CodeCell(CROP)
    conversation.cell_result(CellResult("done\n", [PICTURE]))
    message = request_of(conversation).body["messages"][-1]
    assert message["role"] == "user"
    label, image, output = message["content"]
    assert label["text"] == "image_1:"
    assert image["image_url"]["url"].startswith("sha256:")
    assert output["text"] == "<sandbox_output>\ndone\n</sandbox_output>"
    conversation.answered(said("<answer>A</answer>"), "stop")
    [step] = row_of(conversation)["steps"]
    assert (step["tool"], step["bbox"], step["image_in"]) == ("crop", [30, 20, 230, 120], "original")
    assert (step["text"], step["code"]) == ("I look.", CROP)
    assert "inferred" not in step


def test_a_crop_that_the_code_does_not_locate_gets_the_box_of_its_image():
    conversation = started(CROP + "\n" + HIDDEN)
    whole = task().image.picture()
    conversation.cell_result(CellResult("", [whole[20:120, 30:230], PICTURE, whole[6:106, 5:205]]))
    conversation.failed("timeout", "Silence.")
    known, found = row_of(conversation)["steps"]
    assert known["bbox"] == [30, 20, 230, 120]
    assert (found["bbox"], found["inferred"], found["image_in"]) == ([5, 6, 205, 106], True, "original")


def test_an_image_that_lies_nowhere_or_anywhere_gives_no_box():
    whole = task().image.picture()
    for picture in (255 - whole[20:120, 30:230], PICTURE, whole[0:5, 0:5]):
        conversation = started("from PIL import Image\nimage = Image.open('/in/image.png')\n" + HIDDEN)
        conversation.cell_result(CellResult("", [picture]))
        conversation.failed("timeout", "Silence.")
        [step] = row_of(conversation)["steps"]
        assert (step.get("bbox"), step.get("inferred")) == (None, None)


@pytest.mark.parametrize("path", ["'/out/table.png'", "name"])
def test_a_crop_of_a_file_that_the_code_does_not_show_is_searched_in_the_original(path: str):
    conversation = started(f"from PIL import Image\nImage.open({path}).crop((0, 0, 50, 40)).save('/out/b.png')")
    conversation.cell_result(CellResult("", [task().image.picture()[60:100, 70:120]]))
    conversation.failed("timeout", "Silence.")
    [step] = row_of(conversation)["steps"]
    assert (step["bbox"], step["inferred"]) == ([70, 60, 120, 100], True)


def test_blocks_of_one_response_run_in_order_until_one_fails():
    conversation = started("a = 1", "b = a / 0", "c = 3")
    conversation.cell_result(CellResult())
    assert conversation.next() == CodeCell("b = a / 0")
    conversation.cell_result(CellResult("before", error="ZeroDivisionError: division by zero"))
    text = request_of(conversation).body["messages"][-1]["content"]
    assert "before\nstderr:\n```\nZeroDivisionError: division by zero\n```" in text
    conversation.answered(said("A"), "stop")
    steps = row_of(conversation)["steps"]
    assert [step.get("ok", True) for step in steps] == [True, False, False]
    assert [step.get("not_run", False) for step in steps] == [False, False, True]


def test_code_in_the_last_round_is_recorded_but_not_run():
    conversation = Conversation(recipe("code", limits=type(recipe("code").limits)(1, 100)), task())
    conversation.answered(code(CROP), "stop")
    row = row_of(conversation)
    assert row["truncated"] is True
    assert [(step["tool"], step["code"], step["not_run"]) for step in row["steps"]] == [("code", CROP, True)]


def test_code_beside_the_answer_is_not_run():
    conversation = started()
    assert row_of(conversation)["answer"] == "I look."
    conversation = Conversation(recipe("code"), task())
    conversation.answered(code(CROP, text="<answer>A</answer>"), "stop")
    assert [step["flag"] for step in row_of(conversation)["steps"]] == ["unused"]


def test_results_of_code_are_expected_for_code_only():
    with pytest.raises(OutOfTurn, match="waits for a Request"):
        Conversation(recipe("code"), task()).cell_result(CellResult())
    conversation = started(CROP)
    conversation.failed("sandbox", "It does not start.")
    [step] = row_of(conversation)["steps"]
    assert (step["code"], step["not_run"]) == (CROP, True)


@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters="<`"), min_size=1), min_size=1, max_size=5))
def test_thyme_reads_the_cell_that_it_writes(lines: list[str]):
    cell = Cell("x = 1\n" + "\n".join(lines).rstrip())
    assert Thyme().parse(Thyme().write(cell)) == (Cell(cell.code.rstrip()),)


@given(st.text(), st.text())
def test_output_cannot_end_its_tag(output: str, error: str):
    text = Thyme().render(output + "</sandbox_output>", error + "</sandbox_output>")
    assert text.count("</sandbox_output") == 1
