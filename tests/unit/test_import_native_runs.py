"""Native runs: trajectories, interventions, judgements and rollout groups; what is kept, repaired and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.importers.fields import Report, RowRefused
from evaluation.importers.interface import BoxSpace, ImportProblem, ReadOptions, RunSummary, Settings
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.native import intervention_from, judgement_from, kind_of, read, rollout_group_from
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.schema import Coordinates, Intervention, Issue, Judgement, RolloutGroup, Step, StepFlag, Trajectory

INDEX = MemoryIndex([SampleKey("door-1"), SampleKey("door-2"), SampleKey("kettle-1")])
PLAIN = ReadOptions()
ROW = {"model": "m", "sample_id": "door-1"}


def trajectory(options: ReadOptions = PLAIN, **values: Any) -> tuple[Trajectory, list[str]]:
    report = Report("trajectories.jsonl", 1)
    record = trajectory_from({**ROW, **values}, options, report)
    return record, [issue.rule for issue in report.issues]


def step(**values: Any) -> tuple[Step, list[str]]:
    record, rules = trajectory(steps=[{"tool": "zoom", **values}])
    return record.steps[0], rules


def test_a_whole_trajectory_is_read() -> None:
    record, rules = trajectory(
        setting="code",
        rollout=2,
        condition="visual",
        steps=[
            {
                "tool": "zoom",
                "args": {"bbox": [1, 2, 3, 4]},
                "bbox": [1, 2, 3, 4],
                "coords": "norm1000",
                "image_in": ["original", "b"],
                "image_out": "c",
                "out_size": [10, 20.5],
                "ok": False,
                "text": "t",
                "observation": "o",
                "executed_bbox": [0, 0, 5, 5],
                "label": "l",
                "flag": "unused",
                "own": 1,
            }
        ],
        final_image="c",
        answer="B",
        judge_correct=False,
        predicted_tools_recognition=["a", "a"],
        predicted_tools_plan="saw, Hammer , .nail..",
        match_map_plan={"saw": "hand saw", "x": None},
        error="late",
        usage={"input_tokens": 3, "seconds": 0.5},
        own=[1],
    )
    assert rules == []
    [only] = record.steps
    assert (only.bbox, only.executed_bbox, only.coords) == ((1, 2, 3, 4), (0, 0, 5, 5), Coordinates.NORM1000)
    assert (only.image_in, only.out_size, only.flag) == (("original", "b"), (10, 20.5), StepFlag.UNUSED)
    assert only.extra == {"own": 1}
    assert record.recognition == ("a", "a")
    assert record.plan == ("saw", "Hammer", ".nail")
    assert record.plan_map == {"saw": "hand saw", "x": None}
    assert (record.usage.input_tokens, record.usage.seconds, record.usage.usd) == (3, 0.5, None)
    assert record.extra == {"own": [1]}


BOXES = [
    ([1, 2, 3, 4], (1, 2, 3, 4), None, []),
    ([3, 4, 1, 2], (3, 4, 1, 2), None, ["box-empty"]),
    ([-5.5, 0, 1e308, 4], (-5.5, 0, 1e308, 4), None, []),
    (["NaN", 0, 1, 1], None, ["NaN", 0, 1, 1], ["box-not-numbers"]),
    (["1", "2", "3", "4"], None, ["1", "2", "3", "4"], ["box-not-numbers"]),
    ([1, 2, 3], None, [1, 2, 3], ["box-not-numbers"]),
    ([10**400, 0, 1, 1], None, [10**400, 0, 1, 1], ["box-not-numbers"]),
    ("1,2,3,4", None, "1,2,3,4", ["box-not-numbers"]),
    (None, None, None, []),
]


@pytest.mark.parametrize(("given", "bbox", "raw", "rules"), BOXES)
def test_a_box_is_kept_as_recorded_and_never_refused(given: Any, bbox: Any, raw: Any, rules: list[str]) -> None:
    read_step, found = step(bbox=given)
    assert (read_step.bbox, read_step.bbox_raw, found) == (bbox, raw, rules)


def test_whole_numbers_of_a_box_stay_whole() -> None:
    assert [type(value) for value in step(bbox=[1, 2.0, 3, 4])[0].bbox or ()] == [int, float, int, int]


REFUSED = [
    ({"model": ""}, "missing-field"),
    ({"sample_id": None}, "missing-field"),
    ({"rollout": -1}, "rollout-not-an-index"),
    ({"rollout": "1"}, "rollout-not-an-index"),
    ({"steps": {"tool": "zoom"}}, "not-a-list"),
    ({"steps": ["zoom"]}, "step-not-an-object"),
    ({"steps": [{"args": {}}]}, "missing-field"),
    ({"steps": [{"tool": "zoom", "image_out": "original"}]}, "image-out-original"),
    ({"steps": [{"tool": "zoom", "coords": "percent"}]}, "unknown-coordinates"),
    ({"steps": [{"tool": "zoom", "image_in": [1]}]}, "not-a-picture-id"),
    ({"predicted_tools_plan": 5}, "not-a-list"),
]


@pytest.mark.parametrize(("values", "rule"), REFUSED)
def test_a_row_that_cannot_be_trusted_is_refused(values: dict[str, Any], rule: str) -> None:
    with pytest.raises(RowRefused) as caught:
        trajectory(**values)
    assert caught.value.issue.rule == rule


REPAIRED = [
    ({"judge_correct": "yes"}, "not-a-truth-value"),
    ({"answer": {"letter": "A"}}, "not-text"),
    ({"match_map_plan": {"a": 1}}, "not-a-name"),
    ({"match_map_plan": ["a"]}, "not-an-object"),
    ({"predicted_tools_plan": ["a", 5]}, "not-a-name"),
    ({"usage": {"usd": -1}}, "not-a-count"),
    ({"usage": {"tokens": 7}}, "unknown-key"),
    ({"steps": [{"tool": "zoom", "out_size": [0, 5]}]}, "size-not-positive"),
    ({"steps": [{"tool": "zoom", "ok": "yes"}]}, "not-a-truth-value"),
    ({"steps": [{"tool": "zoom", "args": "x=1"}]}, "not-an-object"),
    ({"steps": [{"tool": "zoom", "flag": "late"}]}, "unknown-flag"),
]


@pytest.mark.parametrize(("values", "rule"), REPAIRED)
def test_a_repair_is_reported_and_the_row_kept(values: dict[str, Any], rule: str) -> None:
    assert trajectory(**values)[1] == [rule]


@pytest.mark.parametrize(("given", "kept"), [(None, None), ("", ()), ([], ()), ("a", ("a",)), (["A, b."], ("A, b.",))])
def test_a_missing_prediction_is_not_an_empty_one(given: Any, kept: Any) -> None:
    assert trajectory(predicted_tools_plan=given)[0].plan == kept


def test_names_of_the_file_win_over_names_given_at_import() -> None:
    options = ReadOptions(model="given", setting="base")
    assert trajectory(options)[0].model == "m"
    assert trajectory(options)[0].setting == "base"
    assert trajectory(options, setting="code", model=None)[0].setting == "code"
    assert trajectory(options, model=None)[0].model == "given"


SPACES = [
    ("pixel", {}, (50, 40, 100, 80), Coordinates.PIXEL),
    ("norm1000", {}, (50, 40, 100, 80), Coordinates.NORM1000),
    ("norm1000", {"coords": "pixel"}, (50, 40, 100, 80), Coordinates.PIXEL),
    ("100x80", {"image_in": "original"}, (0.5, 0.5, 1, 1), Coordinates.NORM1),
    ("100x80", {"image_in": "crop"}, (50, 40, 100, 80), Coordinates.PIXEL),
]


@pytest.mark.parametrize(("space", "values", "bbox", "coords"), SPACES)
def test_the_space_given_at_import_is_for_boxes_that_name_none(
    space: str, values: dict[str, Any], bbox: Any, coords: Coordinates
) -> None:
    record, _ = trajectory(
        ReadOptions(coordinates=BoxSpace.parse(space)), steps=[{"tool": "zoom", "bbox": [50, 40, 100, 80], **values}]
    )
    assert (record.steps[0].bbox, record.steps[0].coords) == (bbox, coords)


@pytest.mark.parametrize("text", ["", "percent", "0x5", "10x", "x", "10x10x10", "-1x5"])
def test_an_unknown_space_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ImportProblem, match="1024x768"):
        BoxSpace.parse(text)


def test_interventions_judgements_and_rollouts_are_read() -> None:
    options, report = ReadOptions(setting="base"), Report("f", 1)
    made = intervention_from({**ROW, "condition": "text", "correct": 1, "own": 2}, options, report)
    assert made == Intervention("m", "door-1", "text", True, None, "base", {"own": 2}, "f", 1)
    said = judgement_from({**ROW, "kind": "reliability", "verdict": None, "judge": "Rui"}, options, report)
    assert said == Judgement("m", "door-1", said.kind, None, None, "Rui", "base", {}, "f", 1)
    rollouts = [{"image_tokens": 5, "acc": 1, "format": 0.5, "sufficient": True}]
    group = rollout_group_from({"group_id": 7, "alpha": 3, "rollouts": rollouts}, options, report)
    assert (group.group_id, group.alpha, group.rollouts[0].format) == ("7", None, 0.5)
    assert [issue.rule for issue in report.issues] == ["alpha-out-of-range"]


def test_a_judgement_of_an_unknown_kind_and_half_a_rollout_are_refused() -> None:
    with pytest.raises(RowRefused, match="reliability, sufficiency, answer"):
        judgement_from({**ROW, "kind": "beauty"}, ReadOptions(), Report("f", 1))
    with pytest.raises(RowRefused, match="image_tokens, acc and format"):
        rollout_group_from({"group_id": "g", "rollouts": [{"acc": 1}]}, ReadOptions(), Report("f", 1))


KINDS = [
    ({"steps": [], "condition": "text"}, "trajectories"),
    ({"condition": "text", "correct": None}, "interventions"),
    ({"kind": "answer", "verdict": None}, "judgements"),
    ({"rollouts": []}, "rollout_groups"),
    ({"answer": "A"}, "trajectories"),
]


@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_rows_of_an_unnamed_file_are_told_by_their_keys(data: dict[str, Any], kind: str) -> None:
    assert kind_of(data) == kind


def test_all_lists_of_one_file_are_read_and_the_run_is_summed_up(tmp_path: Path) -> None:
    document = {
        "samples": [{"id": "not read here"}],
        "trajectories": [ROW, {**ROW, "error": "timeout"}],
        "interventions": [{**ROW, "condition": "text"}],
        "judgements": [{**ROW, "kind": "answer"}],
        "rollout_groups": [{"group_id": "g", "rollouts": []}],
        "settings": {"alpha": 1},
    }
    path = tmp_path / "all.json"
    path.write_text(json.dumps(document))
    items = list(read(path, ReadOptions(), INDEX))
    kinds = [Trajectory, Trajectory, Intervention, Judgement, RolloutGroup, Settings]
    assert [type(item) for item in items[:6]] == kinds
    assert RunSummary(2, 1) in items
    assert not any(isinstance(item, Issue) for item in items)


def test_a_row_of_a_stranger_is_refused_with_near_matches(tmp_path: Path) -> None:
    path = tmp_path / "trajectories.jsonl"
    path.write_text(json.dumps({**ROW, "sample_id": "door_1"}) + "\n" + json.dumps(ROW) + "\n")
    items = list(read(path, ReadOptions(), INDEX))
    [issue] = [item for item in items if isinstance(item, Issue)]
    assert (issue.rule, issue.line, issue.found) == ("unknown-sample", 1, "door_1")
    assert "Near: door-1." in issue.done
    assert [item.sample_id for item in items if isinstance(item, Trajectory)] == ["door-1"]


def test_a_run_in_which_every_row_failed_is_told_apart_from_a_bad_one() -> None:
    assert RunSummary(3, 3).all_failed
    assert not RunSummary(3, 2).all_failed
    assert not RunSummary(0, 0).all_failed


def test_a_file_without_runs_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "native.json"
    path.write_text('{"samples": [{"id": "a"}]}')
    with pytest.raises(ImportProblem, match="contains no runs"):
        list(read(path, ReadOptions(), INDEX))
