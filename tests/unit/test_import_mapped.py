"""JSON that no format fits, read by a mapping: every shape of log, every damage as an issue of its row."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.importers.column_mapping import BoxForm
from annotation.importers.interface import ImportProblem, Position, Progress
from annotation.schema import Issue
from evaluation.importers import detect_format
from evaluation.importers.box_space import BoxSpace
from evaluation.importers.interface import ReadOptions
from evaluation.importers.mapped.detection import detect
from evaluation.importers.mapped.doubts import as_written, doubts
from evaluation.importers.mapped.mapping import KeyMapping, mapping_from, mapping_in
from evaluation.importers.mapped.outline import digest_of, outline_of
from evaluation.importers.mapped.proposals import propose
from evaluation.importers.mapped.reading import read
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.zooming import in_pixels
from evaluation.schema import Coordinates, Step, Trajectory
from tests.unit.mapped_logs import LOGS, NESTED, Log, document, lines

SIZE = (1000, 800)
INDEX = MemoryIndex(
    [
        SampleKey("mug", "shelf.jpg", "Which color?", {}, SIZE),
        SampleKey("cup", "wall.jpg", "What hangs here?", {}, SIZE),
        SampleKey("7", "door.jpg", "Open or shut?", {}, SIZE),
    ]
)


def rows(path: Path, mapping: dict[str, Any] | KeyMapping, **options: Any) -> tuple[list[Trajectory], list[Issue]]:
    keys = mapping if isinstance(mapping, KeyMapping) else mapping_from(mapping)
    items = list(read(path, ReadOptions(keys=keys, **options), INDEX))
    return [i for i in items if isinstance(i, Trajectory)], [i for i in items if isinstance(i, Issue)]


def written(tmp_path: Path, content: bytes, name: str = "log.json") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def pixels(step: Step) -> tuple[float, ...] | None:
    return step.bbox and tuple(round(side, 6) for side in in_pixels(step.bbox, step.coords, SIZE))


@pytest.mark.parametrize("log", LOGS, ids=[log.name for log in LOGS])
def test_every_shape_of_log_is_read_by_its_mapping(log: Log, tmp_path: Path) -> None:
    found, issues = rows(written(tmp_path, log.content), log.mapping)
    assert tuple(one.sample_id for one in found) == log.samples
    assert tuple(tuple((s.tool, pixels(s), s.image_in) for s in one.steps) for one in found) == log.calls
    assert tuple(one.answer for one in found) == log.answers
    assert tuple(issue.rule for issue in issues) == log.rules
    assert not log.models or tuple(one.model for one in found) == log.models
    said = tuple(step.text for one in found for step in one.steps)
    assert not log.said or said == log.said


@pytest.mark.parametrize("log", LOGS, ids=[log.name for log in LOGS])
def test_a_mapping_written_as_json_reads_the_same(log: Log) -> None:
    mapping = mapping_from(log.mapping)
    assert mapping_in(json.dumps(mapping.as_dict())) == mapping


def test_replies_and_failures_go_to_their_calls(tmp_path: Path) -> None:
    found, _ = rows(written(tmp_path, LOGS[3].content), LOGS[3].mapping)
    first, second = found[0].steps
    assert (first.ok, first.image_out, first.observation) == (True, "crop_1", "")
    assert (second.ok, second.image_out, second.observation) == (False, None, "failed: outside")
    [nested, _] = rows(written(tmp_path, NESTED.content), NESTED.mapping)[0]
    assert [(step.ok, step.observation) for step in nested.steps] == [(True, "here it is"), (False, "error: no")]


def test_what_failed_has_no_answer(tmp_path: Path) -> None:
    log = lines(
        {"id": "mug", "said": "A", "why": "timeout"}, {"id": "cup", "said": "A", "why": "ok"},
        {"id": "mug", "said": "A", "why": {"message": "no room"}}, {"id": "cup", "said": "A", "why": True},
    )  # fmt: skip
    found, _ = rows(written(tmp_path, log), {"sample": "id", "answer": "said", "failed": "why"})
    assert [one.error for one in found] == ["timeout", "", "no room", "The file marks it as failed."]
    assert [one.answer for one in found] == [None, "A", None, None]


def test_a_model_named_behind_the_rows_is_found(tmp_path: Path) -> None:
    log = document({"rows": [{"id": "mug", "a": "B"}], "about": {"model": "late"}})
    mapping = {"rows": "rows[*]", "sample": "id", "answer": "a", "model": "about.model"}
    assert [one.model for one in rows(written(tmp_path, log), mapping)[0]] == ["late"]
    assert [one.model for one in rows(written(tmp_path, log), mapping, glimpse=True)[0]] == ["unnamed"]


def test_the_choice_of_coordinates_wins_over_the_mapping(tmp_path: Path) -> None:
    log = lines({"id": "mug", "box": [0, 0, 512, 384]})
    mapping = {"sample": "id", "box": "box", "coordinates": "norm1"}
    [one], _ = rows(written(tmp_path, log), mapping, coordinates=BoxSpace.parse("1024x768"))
    assert pixels(one.steps[0]) == (0, 0, 500, 400)


@pytest.mark.parametrize(
    ("form", "box"),
    [("xyxy", (10, 20, 30, 40)), ("xywh", (10, 20, 40, 60)), ("cxcywh", (-5, 0, 25, 40)), ("yxyx", (20, 10, 40, 30))],
)
def test_four_numbers_are_read_in_the_form_that_was_chosen(form: str, box: tuple[float, ...], tmp_path: Path) -> None:
    log = lines({"id": "mug", "box": [10, 20, 30, 40]})
    [one], _ = rows(written(tmp_path, log), {"sample": "id", "box": "box", "box_form": form})
    assert pixels(one.steps[0]) == box


def test_image_data_is_not_kept(tmp_path: Path) -> None:
    data = "data:image/png;base64," + "iVBORw0KGgo" * 50
    log = lines({"id": "mug", "calls": [{"name": "crop", "args": {"img": data, "deep": [{"x": data}]}, "out": [data]}]})
    mapping = {"sample": "id", "calls": "calls[*]", "tool": "name", "arguments": "args", "observation": "out"}
    [one], _ = rows(written(tmp_path, log), mapping)
    assert one.steps[0].arguments == {"img": "(image)", "deep": [{"x": "(image)"}]}
    assert (one.steps[0].observation, one.steps[0].image_out) == ("", "crop_1")


def test_every_file_of_a_zip_may_be_a_row_named_by_the_file(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("run/mug.json", json.dumps({"a": "B"}))
        archive.writestr("run/cup.json", json.dumps({"a": "C"}))
    found, _ = rows(path, {"sample": "key()", "answer": "a"})
    assert sorted((one.sample_id, one.answer) for one in found) == [("cup", "C"), ("mug", "B")]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"other": [1]}', "contains no rows at rows"),
        (b"words", "is not JSON"),
        (b"", "contains no rows|is not JSON|empty"),
    ],
)
def test_a_file_without_rows_there_says_so(content: bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ImportProblem, match=problem):
        rows(written(tmp_path, content), {"rows": "rows[*]", "sample": "id", "answer": "a"})


def test_a_file_that_was_cut_off_keeps_what_came_before_and_goes_on(tmp_path: Path) -> None:
    whole = document({"rows": [{"id": "mug", "a": "A"}, {"id": "cup", "a": "B"}, {"id": "mug", "a": "C"}]})
    mapping = mapping_from({"rows": "rows[*]", "sample": "id", "answer": "a"})
    path = written(tmp_path, whole[: whole.index(b'"C"')])
    found, issues = rows(path, mapping)
    assert [one.answer for one in found] == ["A", "B"]
    assert [issue.rule for issue in issues] == ["cut-off"]
    items = list(read(path, ReadOptions(keys=mapping), INDEX))
    [at] = [item for item in items if isinstance(item, Progress)]
    path.write_bytes(whole)
    found, issues = rows(path, mapping, start=Position(at.member, at.offset, at.line))
    assert ([one.answer for one in found], issues) == (["C"], [])


@pytest.mark.endurance
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    row = json.dumps({"id": "mug", "calls": [{"name": "crop", "box": [1, 2, 3, 4]}] * 3}).encode()
    mapping = mapping_from({"rows": "a.b[*]", "sample": "id", "calls": "calls[*]", "box": "box"})
    peaks = []
    for count in (250, 1500):
        path = written(tmp_path, b'{"a": {"b": [' + b",".join([row] * count) + b"]}}", f"{count}.json")
        tracemalloc.start()
        assert sum(isinstance(item, Trajectory) for item in read(path, ReadOptions(keys=mapping), INDEX)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + (1 << 20)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "A mapping is a JSON object"),
        ({"columns": {}}, "has no field 'columns'. It has: rows, sample"),
        ({"sample": 3}, "sample: '3' is not a path: a path is a text"),
        ({"sample": "a[b"}, r"sample: 'a\[b' is not a path: after a: write \[\*\]"),
        ({"sample": "a..b"}, "a key is missing"),
        ({"sample": "key().a"}, r"is not a path"),
        ({"rows": "a[-1]"}, "read from its start"),
        ({"rows": "key()"}, r"key\(\) names a key, not a list"),
        ({"turns": "log[*]", "calls": "calls[*]"}, "is not in a turn"),
        ({"role": "log[*].who"}, "is not in a turn"),
        ({"box_form": "abcd"}, "box_form is not 'abcd'. Known are: xyxy"),
        ({"coordinates": "miles"}, "Coordinates 'miles' are not known"),
        ({"coordinates": 3}, "coordinates: pixel"),
        ({"images_from": 2}, "images_from is 0 or 1"),
        ({"texts": {"a": "xml"}}, "texts: a cannot be read as 'xml', only as json, python, tags, react"),
        ({"texts": {"a": ["json"]}}, "only as json"),
        ({"texts": ["a"]}, "texts is a JSON object"),
        ({"roles": {"bot": "boss"}}, "is model, reply or prompt"),
    ],
)
def test_a_mapping_that_is_none_says_why(value: object, problem: str) -> None:
    with pytest.raises(ImportProblem, match=problem):
        mapping_from(value)


def test_a_mapping_without_a_sample_or_anything_done_cannot_read(tmp_path: Path) -> None:
    path = written(tmp_path, b"{}")
    for mapping, problem in [({"answer": "a"}, "mapped to a sample"), ({"sample": "a"}, "mapped to an answer")]:
        with pytest.raises(ImportProblem, match=problem):
            rows(path, mapping)
    with pytest.raises(ImportProblem, match="needs a mapping"):
        list(read(path, ReadOptions(), INDEX))


PROPOSED = {
    "nested turns": ("rows", "sample", "turns", "said", "calls", "tool", "arguments", "box", "observation", "model"),
    "flat calls": ("sample", "model", "calls", "tool", "box", "image_in", "answer"),
    "calls as text, ReAct": ("rows", "sample", "calls", "tool", "arguments", "box"),
    "messages with unusual keys": (
        "sample",
        "turns",
        "role",
        "said",
        "observation",
        "calls",
        "tool",
        "arguments",
        "box",
    ),
    "actions in tags": ("rows", "sample", "model", "turns", "said", "calls", "tool", "box", "answer"),
    "a list of events": ("rows", "image", "calls", "tool", "box", "observation", "image_out"),
}


@pytest.mark.parametrize("log", [log for log in LOGS if log.name in PROPOSED], ids=lambda log: log.name)
def test_values_propose_the_mapping_a_person_would_make(log: Log, tmp_path: Path) -> None:
    proposed = propose(outline_of(written(tmp_path, log.content))).as_dict()
    wanted = {name: log.mapping[name] for name in PROPOSED[log.name] if name in log.mapping}
    assert {name: proposed.get(name) for name in wanted} == wanted
    assert proposed.get("texts", {}) == log.mapping.get("texts", {})


def test_the_key_that_holds_ids_of_samples_is_proposed_whatever_it_is_called(tmp_path: Path) -> None:
    trace = {"thoughts": ["near"], "actions": [{"name": "look", "args": {"box": [0.1, 0.1, 0.2, 0.2]}},
                                               {"name": "answer", "args": {"text": "It is white (B)"}}]}  # fmt: skip
    log = document(
        {"episodes": [{"id": 7000 + n, "item": key, "trace": trace} for n, key in enumerate(("mug", "cup"))]}
    )
    outline = outline_of(written(tmp_path, log))
    assert str(propose(outline).paths["sample"]) == "id"
    mapping = propose(outline, is_sample=INDEX.__contains__)
    assert str(mapping.paths["sample"]) == "item"
    found, _ = rows(written(tmp_path, log), mapping)
    assert [(one.sample_id, one.answer, len(one.steps)) for one in found] == [
        (key, "It is white (B)", 1) for key in ("mug", "cup")
    ]


@pytest.mark.parametrize("key", ["final", "final_answer", "reply"])
def test_an_answer_in_the_last_turn_is_proposed(key: str, tmp_path: Path) -> None:
    turns = [{"role": "assistant", "think": "near", "action": {"name": "crop", "args": {"box": [1, 2, 3, 4]}}},
             {"role": "tool", "status": "ok"}, {"role": "assistant", "think": "It reads 42.", key: "B"}]  # fmt: skip
    log = lines(*({"task": {"uid": name, "prompt": "Which?"}, "log": turns} for name in ("mug", "cup")))
    path = written(tmp_path, log)
    found, _ = rows(path, propose(outline_of(path)))
    assert [(one.sample_id, one.answer, len(one.steps)) for one in found] == [("mug", "B", 1), ("cup", "B", 1)]


def test_a_file_for_each_record_is_called_by_its_folder_and_its_answer_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    log = {"query": "?", "iterations": [{"tool": {"name": "crop", "params": {"x": 1, "y": 2, "w": 3, "h": 4}}}],
           "final_response": "<think>near</think><answer>B</answer>"}  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("mug", "cup"):
            archive.writestr(f"outputs/val/{name}/log.json", json.dumps(log))
    found, issues = rows(path, propose(outline_of(path)))
    assert sorted((one.sample_id, one.answer) for one in found) == [
        (name, "<think>near</think><answer>B</answer>") for name in ("cup", "mug")
    ]
    assert issues == []


GOLD = ("target", "label", "gt", "gt_answer", "ground_truth", "gold", "solution", "reference", "answer", "expected")


@pytest.mark.parametrize("key", GOLD)
def test_a_key_that_may_hold_the_gold_answer_is_never_proposed(key: str, tmp_path: Path) -> None:
    log = lines(*({"id": name, key: "B", "calls": [{"name": "crop", "args": {"box": [1, 2, 3, 4]}}]} for name in "ab"))
    assert "answer" not in propose(outline_of(written(tmp_path, log))).paths


def test_the_numbers_of_boxes_propose_how_they_are_written(tmp_path: Path) -> None:
    def read_as(*boxes: list[float]) -> tuple[str, str]:
        log = lines(*({"id": "mug", "calls": [{"name": "crop", "args": {"box": box}}]} for box in boxes))
        proposed = propose(outline_of(written(tmp_path, log)))
        return proposed.box_form.value, proposed.coordinates

    assert read_as([10, 20, 30, 40], [5, 5, 9, 9]) == ("xyxy", "pixel")
    assert read_as([100, 200, 30, 40]) == ("xywh", "pixel")
    assert read_as([0.1, 0.2, 0.3, 0.4]) == ("xyxy", "norm1")


@pytest.mark.parametrize(
    ("box", "form", "space", "best"),
    [
        ((500, 500, 900, 900), "xyxy", Coordinates.PIXEL, ("xyxy", Coordinates.NORM1000)),
        ((600, 400, 300, 200), "xyxy", Coordinates.PIXEL, ("xywh", Coordinates.PIXEL)),
        ((0.2, 0.2, 0.5, 0.5), "xyxy", Coordinates.PIXEL, ("xyxy", Coordinates.NORM1)),
        ((100, 100, 200, 200), "xyxy", Coordinates.NORM1, None),
    ],
)
def test_boxes_outside_their_images_say_what_they_may_be(box: Any, form: str, space: Coordinates, best: Any) -> None:
    share, ways = doubts([(box, SIZE)] * 10, BoxForm(form), space)
    if best is None:
        assert share == 0
        assert ways[0].inside == 1
    else:
        assert best in [(way.form.value, way.coordinates) for way in ways if way.inside == 1]


@given(st.tuples(*[st.floats(-1000, 1000)] * 4), st.sampled_from(list(BoxForm)))
def test_a_box_is_written_back_as_it_was(box: tuple[float, float, float, float], form: BoxForm) -> None:
    assert as_written(form.corners(box), form) == pytest.approx(box, abs=1e-6)


def test_files_with_the_same_keys_are_known_again(tmp_path: Path) -> None:
    def mark(*rows_: Any) -> str:
        return digest_of(outline_of(written(tmp_path, document({"rows": rows_}))).tree())

    first = mark({"id": 1, "a": {"b": 2}}, {"id": 2, "a": {"b": 3}, "rare": 1}, {"id": 3, "a": {"b": 3}})
    assert first == mark({"a": {"b": "x"}, "id": "k"})
    assert first != mark({"a": {"c": 2}, "id": 1})


def test_a_tree_is_of_the_beginning_of_a_file_however_it_is_damaged(tmp_path: Path) -> None:
    whole = document({"about": {"model": "m"}, "rows": [{"id": n, "x": "y" * 100} for n in range(200)]})
    for content in (whole, whole[:9000], whole.replace(b'"id": 3,', b'"id": 3 3,', 1)):
        tree = outline_of(written(tmp_path, content)).tree()
        assert "rows[*].id" in {str(node.path) for node in tree.walk()}
    by_id = outline_of(written(tmp_path, document({f"s{n}": {"a": n} for n in range(9)}))).tree()
    assert [str(node.path) for node in by_id.walk()] == [".", "[*]", "[*].a"]


@pytest.mark.parametrize(("content", "sure"), [(NESTED.content, 0.45), (b'{"x": {"y": 1}}', 0.15), (b"[1, 2]", 0)])
def test_other_json_is_offered_for_mapping_and_never_read_unasked(content: bytes, sure: float) -> None:
    assert detect(content, "log.json").confidence == sure


def test_a_log_that_would_be_a_table_without_its_calls_is_asked_about(tmp_path: Path) -> None:
    row = {"id": "mug", "question": "?", "prediction": "B"}
    assert detect_format(written(tmp_path, lines(row, row), "plain.jsonl"))[0].importer == "table"
    row["steps"] = [{"tool": "crop", "args": {"box": [1, 2, 3, 4]}}]  # type: ignore[assignment]
    found = detect_format(written(tmp_path, lines(row, row), "log.jsonl"))
    assert [one.importer for one in found] == ["mapped", "table"]
    assert found[0].confidence < 0.5


def test_lists_beside_the_calls_give_one_item_to_each(tmp_path: Path) -> None:
    log = document(
        [
            {"id": "mug", "calls": [{"tool": "crop", "box": [1, 2, 3, 4]}, {"tool": "turn", "box": None}],
             "results": ["seen", "error: no"], "thoughts": ["near", "round"]},
            {"id": "cup", "calls": [{"tool": "crop", "box": [1, 2, 3, 4]}], "results": ["one", "too many"]},
        ]
    )  # fmt: skip
    mapping = propose(outline_of(written(tmp_path, log)))
    assert [str(mapping.paths[name]) for name in ("observation", "said")] == ["results[*]", "thoughts[*]"]
    found, _ = rows(written(tmp_path, log), mapping)
    assert [(step.observation, step.text) for step in found[0].steps] == [("seen", "near"), ("error: no", "round")]
    assert [step.observation for step in found[1].steps] == [""]


def test_tools_and_boxes_may_stand_in_lists_of_their_own(tmp_path: Path) -> None:
    log = lines({"id": "mug", "did": {"tools": ["crop", "zoom"], "boxes": [[1, 2, 3, 4], [5, 6, 7, 8]]}, "pred": "B"})
    mapping = {"sample": "id", "calls": "did.tools[*]", "tool": ".", "box": "did.boxes[*]", "answer": "pred"}
    [one], _ = rows(written(tmp_path, log), mapping)
    assert [(step.tool, pixels(step)) for step in one.steps] == [("crop", (1, 2, 3, 4)), ("zoom", (5, 6, 7, 8))]


def test_a_key_that_some_records_lack_changes_no_proposal(tmp_path: Path) -> None:
    step = {"tool": "crop", "args": {"box": [1, 2, 3, 4]}, "out": "seen"}
    whole = {"steps": [step], "final": "B", "notes": "", "seed": 1, "model": "Falcon"}
    log = {"q0": {"error": "timeout"}, "q1": whole, "q2": {**whole, "steps": [], "notes": None}, "q3": None}
    log |= {f"q{n}": {key: value for key, value in whole.items() if key != "notes"} for n in range(4, 9)}
    proposed = propose(outline_of(written(tmp_path, document(log)))).as_dict()
    wanted = {"rows": "[*]", "sample": "key()", "calls": "steps[*]", "box": "args.box", "answer": "final"}
    assert {name: proposed.get(name) for name in wanted} == wanted
    for one in log.values():
        for call in (one or {}).get("steps", []):
            call["args"] = {"box": None} if one is not whole else call["args"]
    assert propose(outline_of(written(tmp_path, document(log)))).as_dict()["calls"] == "steps[*]"


def test_a_trace_says_which_of_its_events_are_calls(tmp_path: Path) -> None:
    events = [
        {"type": "GENERATION", "name": "vlm", "input": {"asked": 1}, "output": "thinking"},
        {"type": "SPAN", "name": "zoom", "input": {"bbox": [1, 2, 3, 4]}, "output": "seen"},
    ]
    log = document([{"id": "t1", "name": "eval", "input": {"sample_id": "mug"}, "output": {"answer": "B"},
                     "expected": {"answer": "A"}, "observations": events}])  # fmt: skip
    mapping = propose(outline_of(written(tmp_path, log)))
    [one], _ = rows(written(tmp_path, log), mapping)
    assert (one.sample_id, one.answer, [(s.tool, s.observation) for s in one.steps]) == ("mug", "B", [("zoom", "seen")])


def test_an_object_of_named_sides_is_proposed_as_the_box(tmp_path: Path) -> None:
    region = {"left": 1, "top": 2, "right": 3, "bottom": 4}
    log = lines({"state": {"image_path": "/tmp/x/shelf.jpg"}, "events": [{"action": "zoom", "region": region}],
                 "reply": "B"})  # fmt: skip
    mapping = propose(outline_of(written(tmp_path, log, "log.jsonl")))
    [one], _ = rows(written(tmp_path, log, "log.jsonl"), mapping)
    assert (one.sample_id, one.answer, [pixels(step) for step in one.steps]) == ("mug", "B", [(1, 2, 3, 4)])
