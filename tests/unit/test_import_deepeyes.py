"""DeepEyes: every trap of its real files, from made-up rows and, where they are at hand, from the files themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation.importers.fields import Report, RowRefused
from evaluation.importers.deepeyes import pick, read, trajectory_from
from evaluation.importers.dialogue import answer_in, calls_of, question_and_options
from evaluation.importers.interface import BoxSpace, ImportProblem, ReadOptions, RunSummary
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.smart_resize import smart_resize
from evaluation.schema import Coordinates, Issue, StepFlag, Trajectory

DATA = Path(__file__).resolve().parents[1] / "data"
REAL = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "real"
needs_real_files = pytest.mark.skipif(not REAL.is_dir(), reason="the real sample files are not beside the checkout")

OPTIONS = {"A": "11", "B": "41", "C": "14", "D": "44"}
INDEX = MemoryIndex(
    [
        SampleKey("kettle", "images/demo_0001.jpg", "What colour is the kettle?", {}, (2250, 1500)),
        SampleKey("door-0", "d.jpg", "Which number is on the door?", OPTIONS, (7680, 4320)),
        SampleKey("door-1", "d.jpg", "Which number is on the door?", {**OPTIONS, "A": "14", "C": "11"}, (7680, 4320)),
        SampleKey("twin-1", "e.jpg", "Which twin?", {"A": "x"}),
        SampleKey("twin-2", "f.jpg", "Which twin?", {"A": "x"}),
        SampleKey("sizeless", "s.jpg", "How many?", {"A": "1"}),
    ]
)
PLAIN = ReadOptions()
_ARGUMENTS = '{"bbox_2d": [10, 20, 30, 40], "label": "kettle"}'
CALL = f'<tool_call>\n{{"name": "image_zoom_in_tool", "arguments": {_ARGUMENTS}}}\n</tool_call>'
ECHO = '{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [10, 20, 100, 200], "label": "the apple on the desk"}}'
PICTURE = [{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,"}}, {"type": "text", "text": "Think."}]


def dialogue(*turns: str, last_response: bool = False) -> list[dict[str, Any]]:
    """Assistant turns with a picture after each but the last."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": ECHO}, {"role": "user", "content": PICTURE}]
    for turn in turns:
        messages += [{"role": "assistant", "content": turn}, {"role": "user", "content": PICTURE}]
    return messages if last_response or not turns else messages[:-1]


def converted(
    messages: Sequence[Any],
    options: ReadOptions = PLAIN,
    **values: Any,
) -> tuple[Trajectory, list[str]]:
    row = {
        "image": "demo_0001.jpg",
        "question": "What colour is the kettle?",
        "pred_output": messages,
        "pred_ans": "B. Green.",
        "status": "success",
        **values,
    }
    report = Report("result_direct_attributes_eyes-7b_acc.jsonl", 1)
    record = trajectory_from(row, options, INDEX, report)
    return record, [issue.rule for issue in report.issues]


def test_a_call_then_an_answer_is_one_step_of_evidence() -> None:
    record, rules = converted(dialogue(f"<think>Zoom.</think>\n{CALL}", "<answer>B. Green.</answer>"), acc=1.0)
    [step] = record.steps
    assert (step.bbox, step.coords, step.executed_bbox) == ((10, 20, 30, 40), Coordinates.PIXEL, None)
    assert (step.image_in, step.image_out, step.ok, step.flag) == ("original", "crop_1", True, StepFlag.NONE)
    assert (step.text, step.label) == ("<think>Zoom.</think>", "kettle")
    assert (record.model, record.sample_id, record.answer, record.judge_correct) == (
        "eyes-7b",
        "kettle",
        "B. Green.",
        True,
    )
    assert rules == []


FLAGS = [
    ("a call after the answer in its turn", (f"look {CALL}", f"<answer>B</answer>{CALL}"), ["", "post_answer"]),
    ("a call in a turn after the answer", (f"look {CALL}", "<answer>B</answer>", CALL), ["", "post_answer"]),
    ("a call and the answer in one turn", (f"{CALL}\n<answer>B</answer>",), ["unused"]),
    ("an answer tag that never closes", (f"<answer>B {CALL}",), [""]),
]


@pytest.mark.parametrize(("turns", "flags"), [row[1:] for row in FLAGS], ids=[row[0] for row in FLAGS])
def test_a_call_that_came_too_late_is_flagged(turns: tuple[str, ...], flags: list[str]) -> None:
    record, _ = converted(dialogue(*turns, last_response=True))
    assert [step.flag.value for step in record.steps] == flags


CALLS = [
    ("closed", CALL, [10, 20, 30, 40]),
    ("unclosed, as on HR-Bench", CALL.removesuffix("</tool_call>"), [10, 20, 30, 40]),
    ("with bbox for bbox_2d", CALL.replace("bbox_2d", "bbox"), [10, 20, 30, 40]),
    ("as a Python literal", CALL.replace('"', "'"), [10, 20, 30, 40]),
    ("with a tail", CALL.replace("\n</tool_call>", " addCriterion\n\n\n"), [10, 20, 30, 40]),
    ("with floats", CALL.replace("[10, 20, 30, 40]", "[1.5, 2, 3, 4]"), [1.5, 2, 3, 4]),
    ("reversed", CALL.replace("[10, 20, 30, 40]", "[30, 20, 10, 40]"), [30, 20, 10, 40]),
]


@pytest.mark.parametrize(("call", "box"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_a_call_is_read_however_it_is_written(call: str, box: list[float]) -> None:
    record, rules = converted(dialogue(call, "<answer>B</answer>"))
    assert [list(step.bbox or ()) for step in record.steps] == [box]
    assert record.steps[0].ok
    assert rules == (["box-empty"] if box[0] > box[2] else [])


BROKEN = [
    ("cut off", '<tool_call>\n{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [10, 20', False),
    ("empty", "<tool_call></tool_call>", False),
    ("nested deep", "<tool_call>" + "[" * 5000 + "</tool_call>", False),
    ("code", '<tool_call>__import__("os").system("true")</tool_call>', False),
    ("strings in the box", CALL.replace("[10, 20, 30, 40]", '["10", 20, 30, 40]'), True),
    ("three numbers", CALL.replace("[10, 20, 30, 40]", "[10, 20, 30]"), True),
    ("not finite", CALL.replace("[10, 20, 30, 40]", "[NaN, 1e999, 30, 40]"), True),
    ("no box", CALL.replace("bbox_2d", "region"), True),
]


@pytest.mark.parametrize(("call", "ok"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_call_without_a_box_is_kept_and_never_scored(call: str, ok: bool) -> None:
    record, rules = converted(dialogue(call, "<answer>B</answer>"))
    [step] = record.steps
    assert step.bbox is None
    assert step.ok is ok
    assert rules == ["call-unreadable"]
    json.dumps(step.bbox_raw, allow_nan=False)


def test_only_the_first_call_of_a_turn_was_executed() -> None:
    turn = CALL + CALL.replace("10, 20", "11, 21")
    record, rules = converted(dialogue(turn, "<answer>B</answer>"))
    assert [step.bbox for step in record.steps] == [(10, 20, 30, 40)]
    assert record.steps[0].extra == {"raw_turn": turn}
    assert rules == ["calls-not-executed"]


@pytest.mark.parametrize("echo", [ECHO, f"<tool_call>{ECHO}</tool_call>"])
def test_an_echo_of_the_prompts_example_is_no_call(echo: str) -> None:
    record, rules = converted(dialogue(f"<think>hm</think>{echo}", "<answer>B</answer>"))
    assert record.steps == ()
    assert rules == ["echoed-example"]


def test_a_degenerate_tail_is_kept_whole_but_not_in_the_reasoning() -> None:
    turn = f"<think>Zoom.</think>{CALL}" + "\n addCriterion" * 300
    [step] = converted(dialogue(turn, "<answer>B</answer>"))[0].steps
    assert step.text == "<think>Zoom.</think>"
    assert step.extra["raw_turn"] == turn


def test_equal_turns_without_an_answer_are_kept_once() -> None:
    record, rules = converted(dialogue(*["<think>The car in the"] * 11), pred_ans="<think>The car in the", acc=0.0)
    assert (record.answer, record.error, record.judge_correct, record.steps) == (None, "", False, ())
    assert record.extra["repeated_turns"] == 11
    assert record.extra["final_text"] == record.extra["pred_ans"] == "<think>The car in the"
    assert rules == ["repeated-turns", "no-answer"]


def test_an_answer_without_tags_is_the_whole_turn() -> None:
    assert converted(dialogue("B"), pred_ans="B")[0].answer == "B"


def test_a_failed_row_has_no_answer_and_no_verdict() -> None:
    record, rules = converted(dialogue(), status="error", pred_ans="", acc=0.0)
    assert (record.error, record.answer, record.judge_correct) == ("status: error", None, None)
    assert record.extra["acc"] == 0.0
    assert rules == []


def test_the_turn_whose_call_raised_is_found_in_the_answer() -> None:
    record, rules = converted(dialogue(), status="error", pred_ans=f"<think>x</think>{CALL}", acc=1)
    [step] = record.steps
    assert (step.ok, step.image_out, step.bbox) == (False, None, (10, 20, 30, 40))
    assert rules == ["verdict-on-error"]


def test_a_call_without_any_response_failed() -> None:
    assert [step.ok for step in converted(dialogue(CALL))[0].steps] == [False]


RESPONSES = [("Error: box too small", False), ("<tool_response>\nBBOX: [1, 2, 3, 4]\n</tool_response>", True)]


@pytest.mark.parametrize(("text", "ok"), RESPONSES)
def test_a_text_response_is_the_observation_and_no_picture(text: str, ok: bool) -> None:
    messages = [{"role": "assistant", "content": CALL}, {"role": "user", "content": [{"type": "text", "text": text}]}]
    [step] = converted(messages)[0].steps
    assert (step.ok, step.observation, step.image_out) == (ok, text, None)


def test_fields_of_forks_and_the_gold_answer_are_kept_apart() -> None:
    record, _ = converted(dialogue("<answer>B</answer>"), tool_mode="bbox_only", answer="Green.", answer_choice="B")
    assert record.extra["tool_mode"] == "bbox_only"
    assert record.extra["gold_answer"] == "Green."
    assert "answer" not in record.extra


def hr(box: str, space: BoxSpace | None = None, letters: dict[str, str] = OPTIONS, question: str = "") -> Trajectory:
    question = question or "Which number is on the door?"
    choices = "\n".join(f"{letter}. {text}" for letter, text in letters.items())
    asked = f"Question: {question}\nOptions: \n{choices}\n\n\nThink first."
    messages = [
        {"role": "user", "content": [{"type": "text", "text": asked}]},
        {"role": "assistant", "content": CALL.replace("[10, 20, 30, 40]", box)},
        {"role": "user", "content": PICTURE},
    ]
    row = {"question": question, "pred_output": messages, "pred_ans": "C", "status": "success"}
    return trajectory_from(row, ReadOptions(coordinates=space), INDEX, Report("result_hr_bench_8k_m.jsonl", 1))


FRAMES = [
    (None, (1613.4453, 964.2857, 2258.8235, 1446.4286), (1000, 600, 1400, 900)),
    ("pixel", (1000, 600, 1400, 900), None),
    ("3840x2160", (2000, 1200, 2800, 1800), (1000, 600, 1400, 900)),
]


@pytest.mark.parametrize(("space", "bbox", "executed"), FRAMES)
def test_hr_bench_cut_what_was_not_asked_for(space: str | None, bbox: Any, executed: Any) -> None:
    [step] = hr("[1000, 600, 1400, 900]", BoxSpace.parse(space) if space else None).steps
    assert step.bbox == pytest.approx(bbox, abs=1e-3)
    assert step.executed_bbox == executed


def test_hr_bench_rows_are_joined_by_question_and_permuted_options() -> None:
    assert hr("[1, 2, 3, 4]").sample_id == "door-0"
    assert hr("[1, 2, 3, 4]", letters={**OPTIONS, "A": "14", "C": "11"}).sample_id == "door-1"
    assert hr("[1, 2, 3, 4]").model == "m"


def test_without_a_size_a_box_of_hr_bench_is_taken_as_written() -> None:
    record = hr("[1, 2, 3, 4]", letters={"A": "1"}, question="How many?")
    assert (record.steps[0].bbox, record.steps[0].executed_bbox) == ((1, 2, 3, 4), None)


def test_a_row_that_fits_no_sample_or_two_is_refused() -> None:
    with pytest.raises(RowRefused, match="No sample has this question") as caught:
        hr("[1, 2, 3, 4]", letters={"A": "11"})
    assert "Near: door-0, door-1" in caught.value.issue.done
    with pytest.raises(RowRefused, match=r"twin-1, twin-2"):
        hr("[1, 2, 3, 4]", letters={"A": "x"}, question="Which twin?")
    with pytest.raises(RowRefused) as polluted:
        converted(dialogue(), image="sa_79105_turn00_bbox_572_866_809_942.png")
    assert polluted.value.issue.rule == "unknown-sample"
    with pytest.raises(RowRefused, match="No sample has this image with this question"):
        converted(dialogue(), question="What colour is the teapot?")


SIZES = [
    ((7680, 4320), (4760, 2688)),
    ((3840, 2160), (3836, 2156)),
    ((2250, 1500), (2240, 1512)),
    ((112, 56), (112, 56)),
    ((20, 16), (84, 56)),
    ((65, 77), (56, 84)),
]


@pytest.mark.parametrize(("size", "seen"), SIZES)
def test_a_picture_is_seen_in_multiples_of_28(size: tuple[int, int], seen: tuple[int, int]) -> None:
    assert smart_resize(*size) == seen


def test_options_may_have_several_lines() -> None:
    text = "Question: Why?\nOptions: \nA. one\nmore\nB. two\n\nB. not this\n"
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    assert question_and_options(messages) == ("Why?", {"A": "one\nmore", "B": "two"})


def test_the_first_answer_counts_and_unclosed_ones_do_not() -> None:
    assert answer_in("<answer> a </answer><answer>b</answer>") == "a"
    assert answer_in("<answer>a") is None
    assert answer_in("<answer>" * 200_000) is None
    assert len(list(calls_of("<tool_call>" * 10_000))) == 50


def test_a_folder_takes_the_judged_file_of_each_pair() -> None:
    names = ["result_a_m.jsonl", "result_a_m_acc.jsonl", "result_b_m.jsonl", "final_acc.json"]
    assert pick(names) == ["result_a_m_acc.jsonl", "result_b_m.jsonl"]


def test_the_synthetic_files_are_read() -> None:
    [vstar] = [
        item for item in read(DATA / "deepeyes_vstar.jsonl", ReadOptions(), INDEX) if isinstance(item, Trajectory)
    ]
    assert [(step.bbox, step.flag.value) for step in vstar.steps] == [
        ((1120, 756, 1232, 812), ""),
        ((1121, 757, 1231, 811), "post_answer"),
    ]
    [door] = [
        item for item in read(DATA / "deepeyes_hrbench.jsonl", ReadOptions(), INDEX) if isinstance(item, Trajectory)
    ]
    assert (door.sample_id, door.answer) == ("door-0", "C. 14")
    assert door.steps[0].executed_bbox == (1000, 600, 1400, 900)


def test_another_file_is_refused_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"id": 1}\n')
    assert [item.rule for item in read(path, ReadOptions(), INDEX) if isinstance(item, Issue)] == ["no-dialogue"]
    path.write_text("\n")
    with pytest.raises(ImportProblem, match="contains no rows"):
        list(read(path, ReadOptions(), INDEX))


def real(name: str) -> tuple[list[Trajectory], list[str], RunSummary]:
    """What is read from a real file, with an index of its own pictures."""
    path = REAL / name
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    index = MemoryIndex(SampleKey(row["image"], row["image"], row["question"]) for row in rows)
    items = list(read(path, ReadOptions(), index))
    [summary] = [item for item in items if isinstance(item, RunSummary)]
    rules = [item.rule for item in items if isinstance(item, Issue)]
    return [item for item in items if isinstance(item, Trajectory)], rules, summary


def flags(trajectories: Sequence[Trajectory]) -> list[list[str]]:
    return [[step.flag.value for step in trajectory.steps] for trajectory in trajectories]


@needs_real_files
def test_the_real_rows_of_direct_attributes() -> None:
    found, rules, summary = real("deepeyes_vstar_direct_attributes_acc.jsonl")
    late = ["", "post_answer"]
    assert flags(found) == [["unused"], ["unused"], late, ["unused"], [], [], late, late]
    assert [trajectory.judge_correct for trajectory in found] == [True, True, True, True, False, None, False, True]
    assert [trajectory.answer is None for trajectory in found] == [False] * 4 + [True, True, False, False]
    assert found[4].extra["repeated_turns"] == 11
    assert rules == ["calls-not-executed", "echoed-example", "repeated-turns", "no-answer"]
    assert summary == RunSummary(8, 1)


@needs_real_files
def test_the_real_rows_of_relative_position() -> None:
    found, rules, summary = real("deepeyes_vstar_relative_position_acc.jsonl")
    late = ["", "post_answer"]
    assert flags(found) == [late, late, late, [], [""]]
    assert found[2].steps[0].bbox == (810, 1210, 850, 1240)
    assert rules == ["calls-not-executed", "calls-not-executed", "verdict-on-error"]
    assert summary == RunSummary(5, 2)


@needs_real_files
def test_the_real_rows_of_a_fork_without_crops() -> None:
    found, rules, summary = real("deepeyes_fork_bbox_only_acc.jsonl")
    assert flags(found) == [["", "post_answer"], [""]]
    assert all(step.image_out is None for trajectory in found for step in trajectory.steps)
    assert found[0].steps[0].observation.startswith("<tool_response>\nBBOX: [1353, 1084, 1418, 1161]")
    assert (rules, summary) == (["verdict-on-error"], RunSummary(2, 1))


@needs_real_files
def test_a_real_run_that_failed_throughout_says_so() -> None:
    found, rules, summary = real("deepeyes_all_failed_run_acc.jsonl")
    assert [trajectory.error for trajectory in found] == ["status: error", "status: error"]
    assert rules == []
    assert summary.all_failed


def test_sides_of_next_to_nothing_have_a_size() -> None:
    wide, high = smart_resize(1e-300, 1e-300)
    assert wide == high >= 28
    assert smart_resize(600, 1e-300)[1] == 28
