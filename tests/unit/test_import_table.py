"""Tables of any columns: what their names suggest, what a mapping says, what each cell becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.importers import detect_format as detect_samples
from annotation.importers.any_table import columns_of
from annotation.importers.box_cells import boxes_in, tagged_boxes
from annotation.importers.column_mapping import BoxForm
from annotation.importers.interface import ImportProblem
from annotation.importers.mapping import header_digest
from annotation.schema import Issue
from evaluation.importers import IMPORTERS
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.interface import BoxSpace, ColumnMapping, ReadOptions
from evaluation.importers.mapping import RUN_FIELDS
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.table import read
from evaluation.schema import Coordinates, Trajectory

INDEX = MemoryIndex(
    [
        SampleKey("mug", "shelf.jpg", "Which colour?", {"A": "black", "B": "white"}, (1000, 800)),
        SampleKey("7", "wall.jpg", "What hangs here?"),
    ],
    {"the mug": "mug"},
)


def rows(path: Path, **options: Any) -> tuple[list[Trajectory], list[Issue]]:
    items = list(read(path, ReadOptions(**options), INDEX))
    return [i for i in items if isinstance(i, Trajectory)], [i for i in items if isinstance(i, Issue)]


def written(tmp_path: Path, text: str, name: str = "table.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["id", "Prediction"], {"sample": "id", "answer": "Prediction"}),
        (["Question ID", "answer", "response"], {"sample": "Question ID", "answer": "response"}),
        (["sampleId", "usage.prompt_tokens", "usage.cost"],
         {"sample": "sampleId", "input_tokens": "usage.prompt_tokens", "usd": "usage.cost"}),
        (["image", "question", "x1", "y1", "x2", "y2"],
         {"image": "image", "question": "question", "box_1": "x1", "box_2": "y1", "box_3": "x2", "box_4": "y2"}),
        (["id", "x1", "y1"], {"sample": "id"}),
        (["a", "b"], {}),
    ],
)  # fmt: skip
def test_names_of_columns_suggest_what_they_are(columns: list[str], found: dict[str, str]) -> None:
    assert RUN_FIELDS.guessed(columns).columns == found


@pytest.mark.parametrize(
    ("columns", "form"),
    [(["x1", "y1", "x2", "y2"], "xyxy"), (["x", "y", "w", "h"], "xywh"), (["cx", "cy", "w", "h"], "cxcywh")],
)
def test_names_suggest_how_a_box_is_written(columns: list[str], form: str) -> None:
    assert RUN_FIELDS.guessed(["id", *columns]).boxes == form


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "a JSON object such as"), ({}, "a JSON object such as"), ({"columns": {}, "x": 1}, "no key 'x'"),
        ({"columns": {"foo": "a"}}, "cannot be read as 'foo'"), ({"columns": {"sample": 3}}, "The column of sample"),
        ({"columns": {"sample": "x" * 300}}, "The column of sample"),
        ({"columns": {"sample": "a"}, "boxes": "zzzz"}, "not written as 'zzzz'"),
    ],
)  # fmt: skip
def test_a_wrong_mapping_is_refused_with_what_is_wrong(value: object, said: str) -> None:
    with pytest.raises(ImportProblem, match=said):
        RUN_FIELDS.mapping_from(value)


def test_a_mapping_survives_its_own_json_and_a_file_that_is_none_is_said() -> None:
    mapping = ColumnMapping({"sample": "id", "boxes": "b"}, BoxForm.CXCYWH)
    assert RUN_FIELDS.mapping_in(json.dumps(mapping.as_dict())) == mapping
    with pytest.raises(ImportProblem, match="not JSON"):
        RUN_FIELDS.mapping_in("{")


@pytest.mark.parametrize(
    ("mapping", "said"),
    [({"answer": "a"}, "mapped to a sample"), ({"sample": "a"}, "mapped to a model answer"),
     ({"sample": "a", "box_1": "b"}, "2nd number of the box")],
)  # fmt: skip
def test_a_mapping_says_what_it_lacks(tmp_path: Path, mapping: dict[str, str], said: str) -> None:
    with pytest.raises(ImportProblem, match=said):
        rows(written(tmp_path, "a,b\n1,2\n"), mapping=ColumnMapping(mapping))


def test_tables_of_the_same_columns_are_known_again_in_any_order() -> None:
    assert header_digest(["a", "b"]) == header_digest(["b", "a"]) != header_digest(["a", "c"])


@pytest.mark.parametrize(
    ("cell", "boxes", "rest"),
    [
        ("[10, 20, 30, 40]", [(10, 20, 30, 40)], []), ("10 20 30 40", [(10, 20, 30, 40)], []),
        ("1,2,3,4;5,6,7,8", [(1, 2, 3, 4), (5, 6, 7, 8)], []),
        ("[[1,2,3,4],[5,6,7,8]]", [(1, 2, 3, 4), (5, 6, 7, 8)], []),
        ("((1, 2, 3, 4),)", [(1, 2, 3, 4)], []), ('{"bbox_2d": [1, 2, 3, 4]}', [(1, 2, 3, 4)], []),
        ([[1, 2, 3, 4]], [(1, 2, 3, 4)], []), (["1", "2", "3", "4"], [(1, 2, 3, 4)], []),
        ([{"bbox": [0.1, 0.2, 0.3, 0.4]}, "5,6,7,8"], [(0.1, 0.2, 0.3, 0.4), (5, 6, 7, 8)], []),
        ("It <box>[1,2,3,4]</box> is", [(1, 2, 3, 4)], []),
        ("", [], []), (None, [], []), ("none", [], []), ([], [], []),
        ("left of it", [], ["left of it"]), ([1, 2, 3], [], [[1, 2, 3]]),
        ("[1, 2, 3, 1e999]", [], [[1, 2, 3, float("inf")]]),
        (7, [], [7]),
    ],
)  # fmt: skip
def test_boxes_are_read_as_people_write_them(cell: Any, boxes: list[Any], rest: list[Any]) -> None:
    assert boxes_in(cell) == (boxes, rest)


TEXTS = st.text("[](){},;|<>box/019.e-'\" ", max_size=30)


@given(TEXTS | st.recursive(st.none() | st.floats() | TEXTS, st.lists, max_leaves=8))
def test_any_cell_is_boxes_and_a_rest(cell: Any) -> None:
    boxes, _ = boxes_in(cell)
    assert all(len(box) == 4 for box in boxes)


@given(st.lists(st.tuples(*[st.integers(0, 9999)] * 4), max_size=5))
def test_tagged_boxes_come_out_as_they_went_in(boxes: list[tuple[int, int, int, int]]) -> None:
    assert tagged_boxes(" and ".join(f"<box>[{a},{b},{c},{d}]</box>" for a, b, c, d in boxes)) == boxes


def test_a_row_becomes_a_trajectory_with_all_that_is_in_it(tmp_path: Path) -> None:
    text = (
        "id;pred;hit;crops;seconds;tokens;usd;image;note\nmug;B;1;10 20 30 40;2.5;17;0.01;;odd\n7.0;;no;;;;;wall.jpg;\n"
    )
    (one, two), issues = rows(written(tmp_path, text), model="M", setting="s")
    assert issues == []
    assert (one.model, one.setting, one.sample_id, one.answer, one.judge_correct) == ("M", "s", "mug", "B", True)
    assert (one.usage.seconds, one.usage.output_tokens, one.usage.usd) == (2.5, 17, 0.01)
    assert [(s.bbox, s.coords, s.image_in) for s in one.steps] == [((10, 20, 30, 40), Coordinates.PIXEL, "original")]
    assert one.extra == {"note": "odd"}
    assert (two.sample_id, two.answer, two.judge_correct, two.steps) == ("7", None, False, ())


@pytest.mark.parametrize(
    ("form", "space", "box", "coords"),
    [
        ("xyxy", "pixel", (100, 200, 300, 400), "pixel"), ("xywh", "pixel", (100, 200, 400, 600), "pixel"),
        ("cxcywh", "norm1000", (-50, 0, 250, 400), "norm1000"), ("xyxy", "500x400", (200, 400, 600, 800), "pixel"),
    ],
)  # fmt: skip
def test_boxes_are_brought_to_corners_in_the_chosen_space(
    tmp_path: Path, form: str, space: str, box: tuple[float, ...], coords: str
) -> None:
    path = written(tmp_path, "id,b\nmug,100 200 300 400\n")
    mapping = ColumnMapping({"sample": "id", "boxes": "b"}, BoxForm(form))
    (one,), _ = rows(path, mapping=mapping, coordinates=BoxSpace.parse(space))
    assert (one.steps[0].bbox, one.steps[0].coords) == (box, coords)


def test_what_is_no_box_no_amount_and_no_sample_is_told(tmp_path: Path) -> None:
    text = "id,pred,crops,seconds,rollout\nmug,A,left,-1,\nnobody,A,,,\nmug,A,,,x\n"
    (one,), issues = rows(written(tmp_path, text))
    assert {(i.rule, i.line) for i in issues} == {
        ("no-box", 2), ("not-a-count", 2), ("unknown-sample", 3), ("rollout-not-an-index", 4),
    }  # fmt: skip
    assert (one.steps[0].bbox, one.steps[0].bbox_raw, one.usage.seconds) == (None, "left", None)


def test_a_row_joins_by_question_and_options_by_picture_or_by_an_accepted_name(tmp_path: Path) -> None:
    text = "image,question,A,B,pred\n,which colour?,black,white,A\nx/wall.jpg,,,,web\n"
    found, _ = rows(written(tmp_path, text))
    assert [one.sample_id for one in found] == ["mug", "7"]
    (named,), _ = rows(written(tmp_path, "id,pred\nthe  mug,A\n"))
    assert named.sample_id == "mug"


def test_objects_in_rows_are_columns_and_an_error_is_no_answer(tmp_path: Path) -> None:
    row = {
        "sample": {"id": 7, "question": "What hangs here?"},
        "out": {"pred": "x", "cost": 1},
        "error": "timeout",
        "deep": {"a": {"b": {"c": 1}}},
    }
    path = written(tmp_path, json.dumps(row) + "\n", "r.jsonl")
    assert [c.name for c in columns_of(path)] == [
        "sample.id",
        "sample.question",
        "out.pred",
        "out.cost",
        "error",
        "deep.a.b",
    ]
    (one,), _ = rows(path)
    assert (one.sample_id, one.answer, one.error, one.usage.usd) == ("7", None, "timeout", 1)


def test_a_table_is_taken_for_runs_only_where_the_answers_are_a_models(tmp_path: Path) -> None:
    sure = detect_runs(written(tmp_path, "id,prediction\nmug,A\n"))[0]
    assert (sure.importer, sure.confidence) == ("table", 0.5)
    assert "Answer of the model is prediction." in sure.reasons
    unsure = detect_runs(written(tmp_path, "id,answer\nmug,A\n"))[0]
    assert unsure.confidence < 0.5
    assert detect_runs(written(tmp_path, "just words\n", "notes.txt")) == []


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    from annotation.importers.interface import Position, Progress

    path = written(tmp_path, "id,pred\n" + "".join(f"mug,{n}\n" for n in range(2500)))
    items = list(read(path, ReadOptions(), INDEX))
    stop = next(n for n, item in enumerate(items) if isinstance(item, Progress))
    at = items[stop].position
    rest = list(read(path, ReadOptions(start=Position(at.member, at.offset, at.line)), INDEX))
    answers = [i.answer for i in [*items[:stop], *rest] if isinstance(i, Trajectory)]
    assert answers == [str(n) for n in range(2500)]


def test_every_field_can_be_told_from_a_name() -> None:
    for field in RUN_FIELDS.fields.values():
        columns = [RUN_FIELDS.fields[name].names[0] for name in ("box_1", "box_2", "box_3", "box_4")]
        assert field.name in RUN_FIELDS.guessed([*columns, field.names[0]]).columns or field.name == "boxes"


def test_boxes_in_the_reasoning_of_a_prediction_are_where_it_looked(tmp_path: Path) -> None:
    said = "<think>The mug <box>[250,200,500,400]</box> is white.</think><answer>B</answer> <box>[1,2,3,4]</box>"
    row = {"index": "mug", "question": "Which colour?", "A": "black", "B": "white", "prediction": said}
    path = written(tmp_path, json.dumps([row]), "TreeBench.json")
    importer = IMPORTERS[detect_runs(path)[0].importer]
    sent = ReadOptions(coordinates=BoxSpace.parse("500x400"))
    (one,) = (item for item in importer.read(path, sent, INDEX) if isinstance(item, Trajectory))
    assert importer.name == "vlmevalkit"
    assert (one.answer, [(s.tool, s.bbox) for s in one.steps]) == ("B", [("box", (500, 400, 1000, 800))])
    noted = [item.rule for item in importer.read(path, ReadOptions(), INDEX) if isinstance(item, Issue)]
    assert noted == ["size-as-sent-unknown"]


def test_a_text_without_a_word_is_not_joined_with_a_sample_that_has_no_question(tmp_path: Path) -> None:
    path = written(tmp_path, "question,prediction\n...,B\n")
    items = list(read(path, ReadOptions(), MemoryIndex([SampleKey("to be authored", "a.jpg")])))
    assert [item.rule for item in items if isinstance(item, Issue)] == ["unknown-sample"]


@pytest.mark.parametrize(
    ("heading", "sample", "answer"),
    [
        ("image_id,Prediction_text,label", "image_id", "Prediction_text"),
        (",Image ID,raw_response,Ground Truth", "Image ID", "raw_response"),
        ("Sample ID,Model Output,Correct?,Latency (s)", "Sample ID", "Model Output"),
        ("custom_id,predicted label,label_text", "custom_id", "predicted label"),
    ],
)
def test_columns_are_known_by_the_names_that_writers_give(
    heading: str, sample: str, answer: str, tmp_path: Path
) -> None:
    (path := tmp_path / "run.csv").write_text(f"{heading}\n1,2,3,4\n")
    mapping = RUN_FIELDS.guessed(heading.split(",")).columns
    assert (mapping["sample"], mapping["answer"]) == (sample, answer)
    assert [(one.importer, one.confidence >= 0.5) for one in detect_runs(path)] == [("table", True)]


@pytest.mark.parametrize(
    "column",
    ["answer", "Answer_text", "label_text", "target", "expected_output", "gold.prediction", "reference.output",
     "ground_truth.value", "gt_response", "correct answer"],
)  # fmt: skip
def test_a_gold_column_is_never_guessed_as_the_answer(column: str) -> None:
    assert "answer" not in RUN_FIELDS.guessed(["id", column]).columns


def test_a_plain_table_of_samples_is_found_by_its_content(tmp_path: Path) -> None:
    (path := tmp_path / "bench.csv").write_text("id,image,question,answer\n1,a.jpg,What?,cup\n")
    assert [(one.importer, one.confidence) for one in detect_samples(path)] == [("table", 0.5)]
    [runs] = detect_runs(path)
    assert (runs.confidence, runs.reasons[-1]) == (
        0.2, "Its columns are those of samples. Import it as samples (import_benchmark)."
    )  # fmt: skip
    (path := tmp_path / "asked.csv").write_text("id,image,question,width,height\n1,a.jpg,What?,9,9\n")
    assert detect_samples(path)[0].confidence == 0.5
    (path := tmp_path / "vague.csv").write_text("id,question,colour\n1,What?,red\n")
    assert detect_samples(path)[0].confidence == 0.4


def test_a_table_of_rows_with_more_about_it_is_one(tmp_path: Path) -> None:
    table = {"_type": "table", "ncols": 2, "columns": ["Sample ID", "Model Output"], "data": [["mug", "B"]],
             "column_types": {"wb_type": "dict"}}  # fmt: skip
    (path := tmp_path / "t.table.json").write_text(json.dumps(table))
    assert detect_runs(path)[0].importer == "table"
    assert [column.name for column in columns_of(path)] == ["Sample ID", "Model Output"]
