"""Results of detectors: which names count, where their boxes are, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from evaluation.detections import Detections, Found, at_threshold, detections_in, read_threshold
from evaluation.importers import IMPORTERS, detect_format
from evaluation.importers.detector import placed
from evaluation.importers.interface import BoxSpace, ImportProblem, Position, ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.schema import Coordinates, Issue, Trajectory

DATA = Path(__file__).resolve().parents[1] / "data" / "detector"
SIZE = (400, 200)
INDEX = MemoryIndex(
    [
        SampleKey("bench_0", "images/bench.png", "Hang a picture.", {}, SIZE),
        SampleKey("bench_1", "images/bench.png", "Cut a board.", {}, SIZE),
        SampleKey("shelf", "shelf.png", "", {}, SIZE),
        SampleKey("empty", "empty.png", "", {}, SIZE),
        SampleKey("broken", "broken.png", "", {}, SIZE),
        SampleKey("3", "", "", {}, None),
    ]
)


def read(path: Path, **options: Any) -> tuple[dict[str, Trajectory], list[Issue]]:
    found = list(IMPORTERS["detector"].read(path, ReadOptions(**options), INDEX))
    issues = [item for item in found if isinstance(item, Issue)]
    return {item.sample_id: item for item in found if isinstance(item, Trajectory)}, issues


def rules(issues: list[Issue]) -> list[str]:
    return [issue.rule for issue in issues]


def detections_of(trajectory: Trajectory) -> Detections:
    found = detections_in(trajectory.extra)
    assert found is not None
    return found


def written(folder: Path, *rows: object, name: str = "found.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return path


def together(folder: Path, *names: str) -> Path:
    for name in names:
        shutil.copy(DATA / name, folder / name)
    return folder


@pytest.mark.parametrize("name", ["detections.jsonl", "results.json"])
def test_each_file_is_known_for_what_it_is(name: str) -> None:
    best = detect_format(DATA / name)[0]
    assert (best.importer, best.confidence >= 0.9, bool(best.reasons)) == ("detector", True, True)


def test_coco_results_beside_their_dataset_are_known_too(tmp_path: Path) -> None:
    assert detect_format(together(tmp_path, "dataset.json", "results.json"))[0].importer == "detector"


def test_labels_from_the_threshold_on_are_the_list_of_every_sample_of_the_image() -> None:
    found, _ = read(DATA / "detections.jsonl", model="Detector")
    first, second = found["bench_0"], found["bench_1"]
    assert first.recognition == second.recognition == ("claw hammer", "tape measure")
    assert (first.model, first.setting, first.plan, first.answer, first.steps) == (
        "Detector", "detector@0.3", None, None, (),
    )  # fmt: skip
    assert (detections_of(first).threshold, detections_of(first).below) == (0.3, 1)


def test_another_threshold_is_another_setting_and_a_score_equal_to_it_counts() -> None:
    found, _ = read(DATA / "detections.jsonl", threshold=0.4)
    assert found["bench_0"].recognition == ("claw hammer", "tape measure")
    assert found["bench_0"].setting == "detector@0.4"
    found, _ = read(DATA / "detections.jsonl", threshold=0.41)
    assert found["bench_0"].recognition == ("claw hammer",)


def test_a_name_counts_once_with_its_best_score_and_boxes_are_pixels_within_the_image() -> None:
    found, _ = read(DATA / "detections.jsonl")
    assert found["shelf"].recognition == ("pencil",)
    scores, boxes = zip(*((one.score, one.box) for one in detections_of(found["shelf"]).found), strict=True)
    assert scores == (0.95, 0.9)
    assert boxes == ((40.0, 20.0, 80.0, 40.0), (100.0, 100.0, 300.0, 200.0))


def test_no_detection_is_an_empty_list_and_a_failed_request_is_none() -> None:
    found, _ = read(DATA / "detections.jsonl")
    assert (found["empty"].recognition, found["empty"].error) == ((), "")
    assert (found["broken"].recognition, found["broken"].error) == (None, "timeout")
    assert detections_of(found["broken"]).found == ()


def test_a_box_that_is_none_leaves_its_label() -> None:
    found, issues = read(DATA / "detections.jsonl")
    assert detections_of(found["bench_0"]).found[1] == Found("tape measure", "tape measure", 0.4, None)
    assert rules(issues) == ["no-box"]  # once, of two samples


def test_coco_results_take_names_and_images_from_the_dataset(tmp_path: Path) -> None:
    found, issues = read(together(tmp_path, "dataset.json", "results.json"))
    assert issues == []
    assert found["bench_0"].recognition == ("claw hammer", "hand saw")
    assert found["bench_1"].recognition == ("claw hammer", "hand saw")
    assert found["empty"].recognition == ()  # of the dataset, without results
    assert detections_of(found["bench_0"]).found[0] == Found("7", "claw hammer", 0.81, (40.0, 30.0, 220.0, 160.0))
    assert detections_of(found["bench_0"]).below == 1


def test_coco_results_alone_name_no_category(tmp_path: Path) -> None:
    results = [{"image_id": "shelf", "category_id": 7, "bbox": [1, 1, 5, 5], "score": 0.9}]
    found, issues = read(written(tmp_path, *results))
    assert (found, rules(issues)) == ({}, ["unknown-category"])
    assert (issues[0].file, issues[0].line, issues[0].field) == ("found.jsonl", 1, "detections[0].category_id")
    written(tmp_path, {"names": {"7": "claw hammer"}}, name="names.json")
    found, _ = read(tmp_path)
    assert found["shelf"].recognition == ("claw hammer",)


def test_an_object_of_names_renames_labels(tmp_path: Path) -> None:
    written(tmp_path, {"sample": "shelf", "detections": [{"label": "Hammer", "score": 0.9}]})
    written(tmp_path, {"names": {"hammer": "claw hammer"}}, name="names.json")
    [one] = detections_of(read(tmp_path)[0]["shelf"]).found
    assert (one.label, one.tool) == ("Hammer", "claw hammer")


REFUSED = [
    ({"detections": []}, "missing-field", "sample"),
    ({"sample": "shelf"}, "missing-field", "detections"),
    ({"sample": "shelf", "detections": None}, "missing-field", "detections"),
    ({"sample": "shelf", "detections": {}}, "not-a-list", "detections"),
    ({"sample": "shelf", "detections": [], "frame": "yards"}, "unknown-frame", "frame"),
    ({"sample": "stranger", "detections": []}, "unknown-sample", "sample"),
    ({"image": "stranger.png", "detections": []}, "unknown-sample", "image"),
    ({"image_id": 3, "category_id": 1, "bbox": [1, 1, 2, 2], "score": 0.5}, "number-alone", "sample"),
]


@pytest.mark.parametrize(("row", "rule", "field"), REFUSED)
def test_a_row_that_can_not_be_kept_is_named(tmp_path: Path, row: dict[str, Any], rule: str, field: str) -> None:
    good = (
        {"sample": "shelf", "detections": []} if row.get("sample") != "shelf" else {"sample": "empty", "detections": []}
    )
    found, issues = read(written(tmp_path, good, row))
    assert len(found) == 1
    assert [(one.rule, one.field, one.line) for one in issues] == [(rule, field, 2)]


REPAIRED = [
    ({"label": "", "score": 0.9}, "no-label"),
    ({"label": "saw"}, "no-score"),
    ({"label": "saw", "score": 1.5}, "no-score"),
]


@pytest.mark.parametrize(("detection", "rule"), REPAIRED)
def test_a_detection_without_label_or_score_is_ignored(tmp_path: Path, detection: dict[str, Any], rule: str) -> None:
    found, issues = read(written(tmp_path, {"sample": "shelf", "detections": [detection, 5]}))
    assert (found["shelf"].recognition, rules(issues)) == ((), ["not-an-object", rule])


def test_a_second_row_of_a_name_is_refused(tmp_path: Path) -> None:
    _, issues = read(written(tmp_path, *[{"sample": "shelf", "detections": []}] * 2))
    assert [(one.rule, one.line) for one in issues] == [("repeated-row", 2)]


def test_a_file_cut_off_keeps_what_is_whole_and_one_read_to_its_end_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes((DATA / "detections.jsonl").read_bytes()[:-12])
    found, issues = read(path)
    assert set(found) == {"bench_0", "bench_1", "shelf", "empty"}
    assert issues[0].severity == "refused"
    assert list(IMPORTERS["detector"].read(path, ReadOptions(start=Position(path.name, 9, 1)), INDEX)) == []


def test_a_file_without_detections_says_so(tmp_path: Path) -> None:
    with pytest.raises(ImportProblem, match="no detections"):
        read(written(tmp_path, {"names": {"a": "b"}}, name="names.json"))


def test_boxes_come_to_pixels_of_the_original() -> None:
    assert placed([0, 0, 500, 1000], BoxSpace(Coordinates.NORM1000), SIZE) == (0, 0, 200, 200)
    assert placed([0, 0, 100, 100], BoxSpace(Coordinates.PIXEL, (200, 100)), SIZE) == (0, 0, 200, 200)
    assert placed([500, 0, 600, 100], BoxSpace(), SIZE) is None
    assert placed([0, 0, 1, 1], BoxSpace(Coordinates.NORM1), None) is None


def test_detections_survive_json_and_anything_else_is_none() -> None:
    found = at_threshold([Found("a", "b", 0.2), Found("c", "d", 0.9, (1.0, 2.0, 3.0, 4.0))], 0.3)
    assert detections_in({"detections": json.loads(json.dumps(found.to_json()))}) == found
    for odd in (None, [], {}, {"threshold": 2}, {"threshold": "0.3"}, {"threshold": True}):
        assert detections_in({"detections": odd}) is None
    assert detections_in({"detections": {"threshold": 0.5, "boxes": [1, {"label": "a"}]}}) == Detections(0.5)


@pytest.mark.parametrize("text", ["2", "-0.1", "nan", "much"])
def test_a_threshold_is_from_0_to_1(text: str) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        read_threshold(text)
