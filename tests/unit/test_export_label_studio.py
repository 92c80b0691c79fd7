"""What goes to Label Studio and comes back is the same sample."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from annotation.exporters import EXPORTERS
from annotation.exporters.label_studio import labelling_config, merged_config, task
from annotation.importers.interface import ReadOptions
from annotation.importers.label_studio import read
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan
from annotation.workflow import SampleState

TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), min_size=1, max_size=12)
NAME = TEXT.filter(str.strip)
LETTERS = st.sampled_from(["A", "B", "C", "aa", "7", "long letter", "A."])
VALUES = st.one_of(TEXT, st.integers(-5, 5), st.booleans(), st.sampled_from([0.5, 2.25]))


@st.composite
def boxes(draw: st.DrawFn, width: int, height: int) -> Box:
    """Whole and broken pixels; corners inside the picture."""
    part = draw(st.sampled_from([1, 2, 3, 10]))
    x1, y1 = draw(st.integers(0, width * part - 1)), draw(st.integers(0, height * part - 1))
    x2, y2 = draw(st.integers(x1 + 1, width * part)), draw(st.integers(y1 + 1, height * part))
    return Box(x1 / part, y1 / part, x2 / part, y2 / part)


@st.composite
def contents(draw: st.DrawFn, width: int, height: int) -> SampleContent:
    options = draw(st.dictionaries(LETTERS, TEXT, max_size=4))
    answers = st.sampled_from(sorted(options)) if options else TEXT
    return SampleContent(
        question=draw(st.one_of(st.just(""), TEXT)),
        answer_type=AnswerType.MULTIPLE_CHOICE if options else AnswerType.OPEN,
        options=options,
        answers=tuple(draw(st.lists(answers, max_size=2))),
        gold_boxes=tuple(draw(st.lists(boxes(width, height), max_size=3))),
        reference_toolchain=tuple(
            ToolCall(draw(NAME), {"x": 1}, "original", "a") for _ in range(draw(st.integers(0, 2)))
        ),
        plan=ToolPlan((Target("tape", 1), Target("saw", 2)), (draw(NAME),), draw(st.sampled_from([None, True, False]))),
    )


@st.composite
def samples(draw: st.DrawFn) -> SampleRecord:
    width, height = draw(st.integers(1, 9000)), draw(st.integers(1, 9000))
    content = draw(contents(width, height))
    sized = draw(st.booleans())
    names = st.sampled_from(["category", "tier", "dimension", "segment", "light", "place of it"])
    facets = draw(st.dictionaries(names, st.lists(VALUES, min_size=1, max_size=2).map(tuple), max_size=3))
    labelled = sized and bool(content.gold_boxes) and draw(st.booleans())
    labels = {"box_labels": ["sign", *[""] * (len(content.gold_boxes) - 1)]} if labelled else {}
    return SampleRecord(
        id=draw(NAME),
        content=content,
        image=draw(st.sampled_from([None, "a.jpg", "folder/b c.png"])),
        image_group=draw(st.sampled_from([None, "room"])),
        width=width if sized else None,
        height=height if sized else None,
        facets=facets,
        extra={**draw(st.dictionaries(st.sampled_from(["note", "question", "plan"]), VALUES, max_size=2)), **labels},
    )


def there_and_back(path: Path, *given: SampleRecord) -> tuple[list[SampleRecord], list[object]]:
    out = io.BytesIO()
    EXPORTERS["label-studio"].write_to(out, iter(given))
    path.write_bytes(out.getvalue())
    items = list(read(path, ReadOptions()))
    found = [item for item in items if isinstance(item, SampleRecord)]
    return found, [item for item in items if hasattr(item, "rule")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(samples(), min_size=1, max_size=2))
@example([SampleRecord("a", SampleContent(), facets={"category": ("0", 0), "light": (True, "true", True)})])
def test_a_sample_comes_back_as_it_went(tmp_path: Path, given: list[SampleRecord]) -> None:
    found, issues = there_and_back(tmp_path / "tasks.json", *given)
    assert not issues
    for before, after in zip(given, found, strict=True):
        assert (after.id, after.image, after.image_group) == (before.id, before.image, before.image_group)
        assert (after.width, after.height) == (before.width, before.height)
        assert after.content == before.content
        assert typed(after.facets) == typed(before.facets)
        assert after.extra == before.extra


def typed(facets: object) -> str:
    """1, 1.0 and True are equal, but not the same."""
    return repr(sorted(facets.items()))  # type: ignore[attr-defined]


def test_a_sample_to_do_has_no_annotation_and_names_its_picture() -> None:
    given = task(
        SampleRecord("a", SampleContent(), image="p/a.jpg", width=10, height=10), pictures="https://p.example/"
    )
    assert given["annotations"] == []
    assert given["data"]["image"] == "https://p.example/p/a.jpg"


def test_gold_is_the_ground_truth_and_facets_alone_are_not() -> None:
    facets = {"category": ("x",)}
    gold = SampleRecord("a", SampleContent("Read it", answers=("14",)), facets=facets)
    emptied = SampleRecord("b", SampleContent(), facets=facets, state=SampleState.ACCEPTED)
    to_do = SampleRecord("c", SampleContent(), facets=facets)
    gone = SampleRecord("d", SampleContent(), facets=facets, state=SampleState.DISCARDED)
    found = [task(one)["annotations"][0]["ground_truth"] for one in (gold, emptied, to_do, gone)]
    assert found == [True, True, False, False]


@pytest.mark.parametrize(("is_truth", "question"), [(False, "Read it"), (True, "New?")])
def test_a_later_annotation_replaces_the_gold_only_as_ground_truth(
    tmp_path: Path, is_truth: bool, question: str
) -> None:
    """The import reports the other one."""
    sent = task(SampleRecord("a", SampleContent("Read it", answers=("14",))))
    sent["annotations"][0]["updated_at"] = "2026-01-01T00:00:00Z"
    said = {"type": "textarea", "from_name": "question", "to_name": "image", "value": {"text": ["New?"]}}
    later = {"id": 7, "result": [said], "ground_truth": is_truth, "updated_at": "2026-02-01T00:00:00Z"}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{**sent, "annotations": [*sent["annotations"], later]}]))
    items = list(read(path, ReadOptions()))
    [record] = [item for item in items if isinstance(item, SampleRecord)]
    assert record.content.question == question
    assert [item.rule for item in items if hasattr(item, "rule")] == ["annotation-not-taken"]


def test_the_setup_has_a_control_for_all_that_people_fill_in() -> None:
    setup = ElementTree.fromstring(labelling_config({"category": ["a & b", "<c>"], "empty": []}, ["sign"]))
    controls = {one.get("name"): one for one in setup.iter() if one.get("name")}
    assert list(controls) == ["image", "evidence", "question", "options", "answer", "answer_type", "facet-category"]
    assert [one.get("value") for one in controls["facet-category"]] == ["a & b", "<c>"]
    assert [one.get("value") for one in controls["evidence"]] == ["evidence", "sign"]
    assert all(one.get("toName") == "image" for name, one in controls.items() if name != "image")


@pytest.mark.parametrize("label", ["evidence", "sign"])
def test_every_control_a_task_fills_in_is_in_the_setup(label: str) -> None:
    content = SampleContent("Which?", AnswerType.MULTIPLE_CHOICE, {"A": "red"}, ("A",), (Box(1, 1, 3, 3),))
    sample = SampleRecord("a", content, width=9, height=9, facets={"category": ("x",)}, extra={"box_labels": [label]})
    setup = ElementTree.fromstring(labelling_config({"category": ["x"]}, [label]))
    names = {one.get("name") for one in setup.iter()}
    values = {one.get("value") for one in setup.iter()}
    for result in task(sample)["annotations"][0]["result"]:
        assert result["from_name"] in names
        assert set(result["value"].get("rectanglelabels", [])) <= values


def test_a_setup_that_is_there_keeps_all_it_has_and_gets_what_it_lacks() -> None:
    ours = labelling_config({"category": ["x", "y"]}, ["sign"])
    theirs = labelling_config({"category": ["y", "z"]}, ["lamp"]).replace(
        "</View>", '<Text name="t" value="$q"/></View>'
    )
    merged = merged_config(theirs, ours)
    controls = {one.get("name"): one for one in ElementTree.fromstring(merged).iter() if one.get("name")}
    assert [one.get("value") for one in controls["facet-category"]] == ["y", "z", "x"]
    assert [one.get("value") for one in controls["evidence"]] == ["evidence", "lamp", "sign"]
    assert "t" in controls
    assert merged_config(merged, ours) == merged
    assert merged_config("", ours) == merged_config("<View/>", ours) == ours


def test_a_setup_that_is_not_xml_is_said() -> None:
    with pytest.raises(ValueError, match="not XML"):
        merged_config("<View>", labelling_config({}))
