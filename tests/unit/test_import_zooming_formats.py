"""Qwen-Agent, Pixel-Reasoner, Mini-o3 and chat completions: the worked numbers of each format, and its traps."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from typing import Any

import pytest

from evaluation.importers import IMPORTERS, detect_format
from evaluation.importers.interface import BoxSpace, ImportProblem, ReadOptions, RunSummary
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.zooming import at_least, expanded_to, floored, from_pixels, in_pixels, padded
from evaluation.schema import Coordinates, Issue, Trajectory

DATA = Path(__file__).resolve().parents[1] / "data"
REAL = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "real"
needs_real_files = pytest.mark.skipif(not REAL.is_dir(), reason="the real sample files are not beside the checkout")
INDEX = MemoryIndex(
    [
        SampleKey("street", "images/street.jpg", "Which bus line?", {}, (2000, 1000)),
        SampleKey("vstar-2", "demo_2.jpg", "Is the flag left of the tent?", {}, (2000, 1000)),
        SampleKey("doc_42", "crate.jpg", "What is written on the crate?", {}, (3000, 2000)),
        SampleKey("demo-3", "demo_3.jpg", "Colour of the mug?", {}, (1200, 800)),
        SampleKey("sign", "hopinn.jpg", "Where was the picture taken?", {}, (2460, 1612)),
    ]
)


def read(name: str, path: Path, **options: Any) -> tuple[list[Trajectory], list[str]]:
    found = list(IMPORTERS[name].read(path, ReadOptions(**options), INDEX))
    rules = [item.rule for item in found if isinstance(item, Issue)]
    return [item for item in found if isinstance(item, Trajectory)], rules


def written(folder: Path, value: object, name: str = "talk.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def on_original(trajectory: Trajectory, executed: bool) -> list[tuple[float, ...]]:
    """Every box in pixels of the original, through the crops it was made on, by the plain definition."""
    frames = {"original": (0.0, 0.0, *(INDEX.size_of(trajectory.sample_id) or (0, 0)))}
    found = []
    for step in trajectory.steps:
        x, y, wide, high = frames[str(step.image_in)]
        boxes = [box and in_pixels(box, step.coords, (wide, high)) for box in (step.bbox, step.executed_bbox)]
        cut = boxes[1] or boxes[0]
        assert cut
        if step.image_out:
            frames[step.image_out] = (x + cut[0], y + cut[1], cut[2] - cut[0], cut[3] - cut[1])
        box = cut if executed else boxes[0]
        assert box
        found.append(tuple(round(edge, 1) for edge in (x + box[0], y + box[1], x + box[2], y + box[3])))
    return found


FILES = [
    ("qwen-agent", "qwen_agent_messages.json"),
    ("openai-chat", "openai_chat.jsonl"),
    ("pixel-reasoner", "pixelreasoner/vstar-2/conv.json"),
    ("pixel-reasoner", "pixelreasoner_sample.eval_iter0_0.jsonl"),
    ("mini-o3", "minio3/doc_42/traj.jsonl"),
    ("mini-o3", "verl_generations_100.jsonl"),
]


@pytest.mark.parametrize(("name", "file"), FILES)
def test_each_file_is_known_for_what_it_is(name: str, file: str) -> None:
    best = detect_format(DATA / file)[0]
    assert best.importer == name
    assert best.confidence >= 0.7
    assert best.reasons


def test_qwen_boxes_are_thousandths_of_the_picture_named_by_its_number() -> None:
    [found], rules = read("qwen-agent", DATA / "qwen_agent_messages.json")
    first, second = found.steps
    assert on_original(found, executed=False) == [(1000, 250, 1500, 500), (1100, 350, 1300, 475)]
    assert (first.ok, first.image_out, second.ok, second.image_in, second.image_out) == (
        True, "crop_1", False, "crop_1", None,
    )  # fmt: skip
    assert second.observation == "Tool Execution Error height and width must be > 0"
    assert (first.text, found.answer, rules) == ("I will zoom in on the bus.", "It is line 14.", [])


@needs_real_files
def test_the_recorded_crops_of_qwen_have_exactly_the_sizes_we_compute(tmp_path: Path) -> None:
    real = json.loads((REAL / "qwen3vl_cookbook_hopinn_calls.json").read_text())
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": [{"image": "hopinn.jpg"}, {"text": real["question"]}]},
    ]
    for call in real["calls"]:
        arguments = json.dumps(call["arguments"])
        asked = {"name": "image_zoom_in_tool", "arguments": arguments}
        talk.append({"role": "assistant", "content": "", "function_call": asked})
        talk.append({"role": "function", "name": "image_zoom_in_tool", "content": [{"image": "a.png"}]})
    [found], _ = read("qwen-agent", written(tmp_path, talk))
    assert [list(step.out_size or ()) for step in found.steps] == [[480, 608], [768, 352], [416, 672], [928, 288]]
    for step, call in zip(found.steps, real["calls"], strict=True):
        assert step.bbox is not None
        assert in_pixels(step.bbox, step.coords, (2460, 1612)) == pytest.approx(call["expected_px"])


def test_a_box_under_32_pixels_was_grown_and_both_are_kept(tmp_path: Path) -> None:
    call = {"name": "image_zoom_in_tool", "arguments": '{"bbox_2d": [500, 500, 505, 520], "img_idx": 0}'}
    talk = [
        {"role": "user", "content": [{"image": "street.jpg"}, {"text": "Which bus line?"}]},
        {"role": "assistant", "function_call": call},
        {"role": "tool", "content": [{"image": "x.png"}]},
    ]
    [found], _ = read("qwen-agent", written(tmp_path, [talk]))
    [step] = found.steps
    assert step.bbox == (500, 500, 505, 520)
    assert step.executed_bbox is None, "grown to exactly 32 px the tool keeps the box as it was"
    call["arguments"] = '{"bbox_2d": [500, 500, 505.5, 520], "img_idx": 0}'
    [found], _ = read("qwen-agent", written(tmp_path, [talk]))
    executed = found.steps[0].executed_bbox
    assert executed is not None
    assert in_pixels(executed, Coordinates.NORM1000, (2000, 1000)) == pytest.approx((989, 480, 1022, 540))


def test_the_same_numbers_are_pixels_when_the_person_importing_says_so() -> None:
    [found], _ = read("qwen-agent", DATA / "qwen_agent_messages.json", coordinates=BoxSpace.parse("pixel"))
    assert on_original(found, executed=False)[0] == (500, 250, 750, 500)
    [found], _ = read("qwen-agent", DATA / "qwen_agent_messages.json", coordinates=BoxSpace.parse("1000x500"))
    assert on_original(found, executed=False)[0] == (1000, 500, 1500, 1000)


def test_pixel_reasoner_cuts_a_tenth_more_on_every_side() -> None:
    [found], rules = read("pixel-reasoner", DATA / "pixelreasoner")
    assert (found.sample_id, found.answer, rules) == ("vstar-2", "The flag is on the left. \\boxed{A}", [])
    first, second = found.steps
    assert on_original(found, executed=True)[0] == (600, 200, 1200, 550)
    assert (first.bbox, first.image_out, first.out_size) == ((0.40, 0.30, 0.50, 0.45), "crop_1", (588, 364))
    assert on_original(found, executed=False) == [(800, 300, 1000, 450), (720, 235, 960, 375)]
    assert on_original(found, executed=True)[1] == (660, 200, 1020, 410)
    assert (second.image_in, second.ok, second.image_out) == ("crop_1", False, None)


def test_a_one_in_a_box_of_fractions_made_the_tool_take_pixels(tmp_path: Path) -> None:
    call = (
        '<tool_call>\n{"name": "crop_image_normalized", "arguments": {"bbox_2d": [0.2, 0.3, 1.0, 0.8]}}\n</tool_call>'
    )
    talk = [{"role": "user", "content": "?"}, {"role": "assistant", "content": call}]
    path = written(tmp_path, [talk, "", ""], "vstar-2/conv.json")
    [found], rules = read("pixel-reasoner", path.parent.parent)
    assert on_original(found, executed=True) == [(0, 0, 201, 100.8)]
    assert (found.steps[0].ok, found.answer, rules) == (False, None, ["taken-as-pixels"])


def test_rows_that_fill_a_batch_count_once(tmp_path: Path) -> None:
    line = (DATA / "pixelreasoner_sample.eval_iter0_0.jsonl").read_text().splitlines()[0]
    path = tmp_path / "sample.eval_iter0_0.jsonl"
    path.write_text(f"{line}\n{line}\n")
    [found], rules = read("pixel-reasoner", path)
    assert (found.judge_correct, found.sample_id) == (True, "vstar-2")
    assert rules.count("repeated-row") == 1


def test_mini_o3_looks_its_source_up_among_the_crops_that_succeeded() -> None:
    [found], rules = read("mini-o3", DATA / "minio3")
    assert on_original(found, executed=False)[:2] == [(1500, 500, 2250, 1000), (1650, 700, 1950, 950)]
    assert [step.ok for step in found.steps] == [True, True, False]
    assert [step.image_in for step in found.steps] == ["original", "crop_1", "original"]
    assert "not valid in width" in found.steps[2].observation
    assert (found.answer, rules) == ("FRAGILE", [])


def test_after_a_failed_call_the_second_observation_is_the_second_success(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [{"doc_id": "doc_42", "initial_prompt": []}]
    for source, box in (("original_image", [0, 0, 0.5, 0.5]), ("original_image", [0.9, 0.9, 0.9, 1]),
                        ("original_image", [0.5, 0.5, 1, 1]), ("observation_2", [0, 0, 0.5, 0.5])):  # fmt: skip
        call = json.dumps({"bbox_2d": box, "source": source})
        lines.append({"turn_idx": len(lines), "text_output": f"<grounding>{call}</grounding>"})
        lines += [{"error_info": "ERROR occurs"}] if box[0] == box[2] else []
    path = tmp_path / "doc_42" / "traj.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(map(json.dumps, lines)))
    [found], _ = read("mini-o3", tmp_path)
    assert on_original(found, executed=True)[3] == (1500, 1000, 2249, 1499)
    assert (found.answer, found.error) == (None, ""), "it ran out of rounds: no answer, and no error"


def test_the_last_attempt_of_an_appended_file_counts(tmp_path: Path) -> None:
    whole = (DATA / "minio3/doc_42/traj.jsonl").read_text()
    path = tmp_path / "doc_42" / "traj.jsonl"
    path.parent.mkdir()
    path.write_text(whole + whole.replace("FRAGILE", "GLASS"))
    [found], rules = read("mini-o3", path.parent.parent)
    assert (found.answer, len(found.steps), rules) == ("GLASS", 3, ["repeated-attempts"])


def test_a_dump_of_verl_is_cut_at_its_bare_role_words(tmp_path: Path) -> None:
    row = json.loads((DATA / "verl_generations_100.jsonl").read_text())
    row["id"] = "doc_42"
    path = tmp_path / "100.jsonl"
    path.write_text(json.dumps(row))
    [found], _ = read("mini-o3", path)
    assert (found.answer, found.judge_correct) == ("FRAGILE.", True)
    assert [step.bbox for step in found.steps] == [(0.1, 0.1, 0.4, 0.3)]
    assert found.steps[0].image_out == "crop_1"


def test_chat_calls_meet_their_replies_by_id_and_a_cut_one_failed() -> None:
    [found], rules = read("openai-chat", DATA / "openai_chat.jsonl")
    first, second = found.steps
    assert (first.bbox, first.coords, first.ok, first.image_out) == (
        (120, 80, 260, 190), Coordinates.PIXEL, True, "crop_1",
    )  # fmt: skip
    assert (second.ok, second.bbox, second.bbox_raw) == (False, None, '{"bbox": [600, 80, 700, 190')
    assert (found.model, found.sample_id, found.answer) == ("gpt-4o", "demo-3", "White.")
    assert rules == ["call-unreadable"]


def test_replies_in_another_order_still_meet_their_calls(tmp_path: Path) -> None:
    row = json.loads((DATA / "openai_chat.jsonl").read_text())
    row["messages"][2:4] = reversed(row["messages"][2:4])
    [found], _ = read("openai-chat", written(tmp_path, row))
    assert [step.ok for step in found.steps] == [True, False]


@pytest.mark.parametrize("name", ["qwen-agent", "openai-chat", "pixel-reasoner", "mini-o3"])
@pytest.mark.parametrize("content", ["{}", "[]", "[[1, 2]]", '{"a": 1}', "[{}]", "null", "[", '{"messages": 3}'])
def test_what_is_something_else_is_said_in_a_sentence(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / {"pixel-reasoner": "conv.json", "mini-o3": "traj.jsonl"}.get(name, "x.json")
    path.write_text(content)
    found: list[Any] = []
    with pytest.raises(ImportProblem, match="contains") as problem:
        found.extend(IMPORTERS[name].read(path, ReadOptions(), INDEX))
    assert str(tmp_path) not in str(problem.value)


def test_a_dialogue_of_no_sample_is_refused_and_the_next_one_kept(tmp_path: Path) -> None:
    known = json.loads((DATA / "qwen_agent_messages.json").read_text())
    strange = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "I"}]
    for name, value in (("a/one.json", strange), ("b/two.json", known)):
        written(tmp_path, value, name)
    found, rules = read("qwen-agent", tmp_path)
    assert ([item.sample_id for item in found], rules) == (["street"], ["unknown-sample"])


def test_a_file_of_strangers_says_whose_it_is_not_and_not_that_it_is_empty(tmp_path: Path) -> None:
    strange = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "I"}]
    assert read("qwen-agent", written(tmp_path, strange)) == ([], ["unknown-sample"])


def test_a_folder_goes_on_behind_the_last_file_that_was_kept(tmp_path: Path) -> None:
    known = json.loads((DATA / "qwen_agent_messages.json").read_text())
    for name in "abc":
        written(tmp_path, known, f"{name}.json")
    items = IMPORTERS["qwen-agent"].read(tmp_path, ReadOptions(), INDEX)
    place = next(item for item in items if hasattr(item, "position")).position
    rest = list(IMPORTERS["qwen-agent"].read(tmp_path, ReadOptions(start=place), INDEX))
    assert [item.file for item in rest if isinstance(item, Trajectory)] == ["b.json", "c.json"]
    assert not any(isinstance(item, RunSummary) for item in rest)


def test_what_tools_make_of_a_box() -> None:
    assert expanded_to((-5, 10, 100, 200), (90, 500)) == (0, 10, 90, 200)
    assert padded((0.0, 0.5, 0.95, 1.0)) == pytest.approx((0, 0.4, 1, 1))
    assert floored((10.7, 20.2, 4000, 30.9), (3000, 2000)) == (10, 20, 2999, 30)
    assert floored((-inf, -0.5, inf, 30.9), (3000, 2000)) == (0, 0, 2999, 30)
    assert expanded_to((0, 0, 1e-310, 5), (100, 80)) == (0, 0, 100, 80)
    assert at_least((1360, 1030, 1250, 1070), (2496, 1392)) == (1250, 1030, 1360, 1094)
    assert at_least((1590, 10, 1600, 200), (1600, 1200)) == (1536, 10, 1600, 200)
    for space in Coordinates:
        assert from_pixels(in_pixels((1, 2, 3, 4), space, (7, 9)), space, (7, 9)) == pytest.approx((1, 2, 3, 4))
