"""Inspect AI, lmms-eval, SEAL, PhysTool-Bench and VTC-Bench runs: what their files hold, to the pixel and the name."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluation.importers import IMPORTERS, detect_format
from evaluation.importers.interface import ImportProblem, ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.table import read as read_table
from evaluation.schema import Issue, Trajectory

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

DATA = Path(__file__).resolve().parents[1] / "data"
REAL = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "real"
needs_real_files = pytest.mark.skipif(not REAL.is_dir(), reason="the real sample files are not beside the checkout")
KETTLE = {"A": "The kettle is green.", "B": "The kettle is red."}
INDEX = MemoryIndex(
    [
        SampleKey("mug", "mug.jpg", "Colour of the mug?", {"A": "white", "B": "red"}, (800, 600)),
        SampleKey("mug-2", "m2.jpg", "What is the colour of the mug?", {"A": "white", "B": "red"}, (800, 600)),
        SampleKey("kettle", "demo_0001.jpg", "What colour is the kettle?", KETTLE, (2250, 1500)),
        SampleKey("coins", "counting_9.jpg", "How many coins?", {"A": "5", "B": "6"}, (1200, 800)),
        SampleKey("counting_9", "c.jpg", "How many forks?", {"A": "5", "B": "6"}, (1200, 800)),
        SampleKey("12_0", "12_0.png", "Hang a picture straight.", {}, (100, 100)),
        SampleKey("1", "1.png", "", {}, (10, 10)),
        SampleKey("7", "7.png", "How many spoons?", {}, (10, 10)),
    ],
    {"1": "1"},
)


def read(name: str, path: Path, **options: Any) -> tuple[list[Trajectory], list[str]]:
    found = list(IMPORTERS[name].read(path, ReadOptions(**options), INDEX))
    rules = [item.rule for item in found if isinstance(item, Issue)]
    return [item for item in found if isinstance(item, Trajectory)], rules


FILES = [
    ("inspect", "inspect_log.json"),
    ("lmms-eval", "lmms_eval_20260101_120000_samples_vstar_bench.jsonl"),
    ("seal", "seal_eval_result.json"),
    ("phystool", "phystool"),
    ("phystool", "phystool_eval.json"),
    ("vtc-bench", "vtc_run"),
]


@pytest.mark.parametrize(("name", "file"), FILES)
def test_each_file_is_known_for_what_it_is(name: str, file: str) -> None:
    best = detect_format(DATA / file)[0]
    assert (best.importer, best.confidence >= 0.8, bool(best.reasons)) == (name, True, True)


def test_a_log_of_inspect_gives_calls_verdict_and_rollout() -> None:
    [found], rules = read("inspect", DATA / "inspect_log.json")
    [step] = found.steps
    assert (step.tool, step.bbox, step.ok, step.image_in, step.image_out) == (
        "zoom", (120, 80, 260, 190), True, "original", "crop_1",
    )  # fmt: skip
    assert (found.model, found.sample_id, found.answer, found.judge_correct, found.rollout) == (
        "openai/gpt-4o", "mug", "ANSWER: A", True, 0,
    )  # fmt: skip
    assert rules == []


def log_of(path: Path, method: int, *, chunked: bool) -> Path:
    log = json.loads((DATA / "inspect_log.json").read_text())
    sample = log["samples"][0]
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": log["eval"]}))
        if not chunked:
            archive.writestr("samples/direct_0_epoch_1.json", json.dumps(sample))
            return path
        messages = sample.pop("messages")
        place = "samples/direct_0_epoch_1"
        archive.writestr(f"{place}/sample.json", json.dumps(sample))
        for start in range(0, len(messages), 2):
            archive.writestr(f"{place}/messages/{start}.json", json.dumps(messages[start : start + 2]))
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
@pytest.mark.parametrize("chunked", [False, True])
def test_an_eval_file_gives_the_same_however_it_is_packed(tmp_path: Path, method: int, chunked: bool) -> None:
    path = log_of(tmp_path / "log.eval", method, chunked=chunked)
    assert detect_format(path)[0].importer == "inspect"
    [plain], _ = read("inspect", DATA / "inspect_log.json")
    [found], rules = read("inspect", path)
    assert rules == []
    assert (found.steps, found.answer, found.judge_correct, found.model) == (
        plain.steps, plain.answer, plain.judge_correct, plain.model,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "verdict"),
    [("C", True), ("I", False), (1, True), (0.0, False), ("P", None), ("N", None), ({"a": 1}, None)],
)
def test_only_a_plain_score_is_a_verdict(tmp_path: Path, value: object, verdict: bool | None) -> None:
    log = json.loads((DATA / "inspect_log.json").read_text())
    log["samples"][0]["scores"] = {"match": {"value": value}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    [found], _ = read("inspect", path)
    assert found.judge_correct is verdict
    assert found.extra["scores"] == {"match": {"value": value}}


def test_a_sample_that_failed_is_an_error_and_no_wrong_answer(tmp_path: Path) -> None:
    log = json.loads((DATA / "inspect_log.json").read_text())
    log["samples"][0] |= {"error": {"message": "CUDA out of memory"}, "epoch": 3}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    [found], _ = read("inspect", path)
    assert (found.error, found.answer, found.judge_correct, found.rollout) == ("CUDA out of memory", None, None, 2)


@needs_real_files
def test_the_real_logs_are_read() -> None:
    [found], _ = read("inspect", REAL / "inspect_log_read_sample.eval")
    assert (found.answer, found.judge_correct, found.model.endswith("gemma3")) == ("Yes", True, True)
    [found], _ = read("inspect", REAL / "inspect_log_images_tc.json")
    assert (found.answer, found.judge_correct, found.usage.input_tokens) == ("[hedgehog]", False, 323)
    [found], _ = read("inspect", REAL / "inspect_log_tool_call_error.json")
    assert found.rollout == 3


@pytest.mark.parametrize(
    ("question", "joined"),
    [
        ("How many spoons?", ["7"]),
        ("<image> How many spoons?\nA. 5\nB. 6", ["7"]),
        ("How many forks?", []),
        ("What colour is the kettle?", ["kettle"]),
    ],
)
def test_a_number_joins_no_sample_that_asks_something_else(tmp_path: Path, question: str, joined: list[str]) -> None:
    row = {"index": 7, "question": question, "prediction": "A"} | (KETTLE if "kettle" in question else {})
    path = tmp_path / "m_d.json"
    path.write_text(json.dumps([row]))
    found, rules = read("vlmevalkit", path, model="m")
    assert ([one.sample_id for one in found], rules) == (joined, [] if joined else ["other-question"])


@pytest.mark.parametrize("question", ["...", "", "?!"])
def test_a_number_joins_nothing_by_itself_unless_a_person_has_said_so(tmp_path: Path, question: str) -> None:
    """D1.9: a text without letters or digits asks nothing, so it confirms nothing."""
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"id": "7", "question": question, "prediction": "A"}))
    samples = [SampleKey("7", "7.png", "How many spoons?"), SampleKey("8", "8.png", "...")]

    def joined(index: MemoryIndex) -> tuple[list[str], list[str]]:
        items = list(read_table(path, ReadOptions(model="m"), index))
        found = [item.sample_id for item in items if isinstance(item, Trajectory)]
        return found, [item.rule for item in items if isinstance(item, Issue)]

    assert joined(MemoryIndex(samples)) == ([], ["number-alone"])
    assert joined(MemoryIndex(samples, {"7": "7"})) == (["7"], [])
    path.write_text(json.dumps({"id": "7", "question": question, "image": "7.png", "prediction": "A"}))
    assert joined(MemoryIndex(samples)) == (["7"], [])


def test_rows_of_lmms_eval_join_by_their_question() -> None:
    [found], rules = read("lmms-eval", DATA / "lmms_eval_20260101_120000_samples_vstar_bench.jsonl", model="m")
    assert (found.sample_id, found.answer, found.judge_correct, rules) == ("mug-2", "A", True, [])
    assert (found.usage.input_tokens, found.usage.output_tokens, found.steps) == (900, 1, ())


def test_a_second_row_of_an_appended_file_is_refused(tmp_path: Path) -> None:
    line = (DATA / "lmms_eval_20260101_120000_samples_vstar_bench.jsonl").read_text().strip()
    path = tmp_path / "x_samples_v.jsonl"
    path.write_text(f"{line}\n{line}\n")
    found, rules = read("lmms-eval", path)
    assert (len(found), rules) == (1, ["repeated-row"])


def test_seal_gives_the_searched_box_and_the_one_enlarged_for_the_model() -> None:
    [found], rules = read("seal", DATA / "seal_eval_result.json")
    [step] = found.steps
    assert step.bbox == pytest.approx((1120.5, 748.0, 1238.7, 808.4))
    assert step.executed_bbox == pytest.approx((1108.68, 741.96, 1250.52, 814.44))
    assert (found.sample_id, found.answer, found.judge_correct, rules) == ("kettle", "The kettle is green.", True, [])
    assert "missing" in found.extra["prediction_freeform"]


def test_both_tasks_of_a_model_make_one_trajectory() -> None:
    [found], rules = read("phystool", DATA / "phystool")
    assert found.recognition == ("claw hammer", "tape measure", "spirit level")
    assert found.plan == ("tape measure", "pencil", "Hammer")
    assert (found.model, found.sample_id, found.plan_map, rules) == ("demo-vlm", "12_0", {}, [])


def test_a_judged_file_brings_the_map_of_the_judge() -> None:
    [found], _ = read("phystool", DATA / "phystool_eval.json")
    assert found.plan == ("tape measure", "pencil", "hammer")
    assert found.plan_map == {"tape measure": "tape measure", "pencil": "pencil", "hammer": "claw hammer"}
    assert found.recognition is None, "the file says nothing of task I"


def test_a_run_of_vtc_bench_follows_the_paths_of_its_pictures() -> None:
    [found], rules = read("vtc-bench", DATA / "vtc_run")
    crop, canny, circles = found.steps
    assert (crop.tool, crop.bbox, crop.image_in, crop.image_out, crop.out_size) == (
        "opencv_crop", (300, 100, 900, 500), "original", "step_1", (600, 400),
    )  # fmt: skip
    assert (canny.image_in, circles.image_in, circles.arguments) == ("original", "step_1", {"minDist": 30})
    assert (crop.text, found.answer, found.setting, rules) == ("grey first", "B", "interface", [])


def test_a_renumbered_sample_is_found_by_what_it_asks_and_never_by_its_id(tmp_path: Path) -> None:
    [found], _ = read("vtc-bench", DATA / "vtc_run")
    assert found.sample_id == "coins"
    row = json.loads((DATA / "vtc_run/results_20260101_120000.jsonl").read_text())
    path = tmp_path / "results_1.jsonl"
    path.write_text(json.dumps({**row, "question": "How many nails?"}))
    with_nothing, rules = read("vtc-bench", path)
    assert (with_nothing, rules) == ([], ["renumbered-sample"])


def test_results_without_their_lists_keep_the_answers_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "results_1.jsonl"
    path.write_text((DATA / "vtc_run/results_20260101_120000.jsonl").read_text())
    [found], rules = read("vtc-bench", path)
    assert (found.steps, found.answer, rules) == ((), "B", ["no-response-list"])


def test_a_failed_opencv_call_gives_no_picture(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "results_1.jsonl").write_text((DATA / "vtc_run/results_20260101_120000.jsonl").read_text())
    call = {"name": "opencv_crop", "arguments": json.dumps({"image": "/x/counting_9.jpg", "param": {"x": 5000}})}
    talk = [
        {"role": "assistant", "function_call": call},
        {"role": "tool", "content": [{"text": "Failed to run OpenCV operation 'crop': outside"}]},
    ]
    (folder / "response_list_counting_9.json").write_text(json.dumps({"response_list": [talk]}))
    [found], _ = read("vtc-bench", folder)
    [step] = found.steps
    assert (step.ok, step.image_out, step.bbox, step.image_in) == (False, None, None, "original")


@pytest.mark.parametrize("name", ["inspect", "lmms-eval", "seal", "phystool", "vtc-bench", "vlmevalkit", "thyme"])
@pytest.mark.parametrize("content", ["{}", "[]", "[1]", '{"a": [1]}', "null"])
def test_what_is_something_else_is_said_in_a_sentence(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / {"vtc-bench": "results_1.jsonl", "thyme": "conversation_history.json"}.get(name, "x.json")
    path.write_text(content)
    found: list[Any] = []
    said = ""
    try:
        found.extend(IMPORTERS[name].read(path, ReadOptions(), INDEX))
    except ImportProblem as problem:
        said = str(problem)
    assert str(tmp_path) not in said
    assert said or any(isinstance(item, Issue) for item in found)
    assert not [item for item in found if isinstance(item, Trajectory)]
