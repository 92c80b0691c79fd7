"""Content as JSON: there and back the same; what has the wrong shape is refused by field."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.content.json import BoxName, content_from_json, content_to_json
from annotation.schema import AnswerType, Box, SampleContent, Target, ToolCall, ToolPlan
from webapp.common.errors import InvalidInput

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
BOXES = st.tuples(*[st.integers(0, 500)] * 2, *[st.integers(501, 1000)] * 2).map(lambda four: Box(*four))
CONTENTS = st.builds(
    SampleContent,
    question=TEXT,
    answer_type=st.sampled_from(AnswerType),
    options=st.dictionaries(st.sampled_from("ABCDEF"), TEXT).map(lambda found: dict(sorted(found.items()))),
    answers=st.lists(TEXT, max_size=3).map(tuple),
    gold_boxes=st.lists(BOXES, max_size=3).map(tuple),
    reference_toolchain=st.lists(
        st.builds(
            ToolCall,
            TEXT,
            st.dictionaries(TEXT, st.integers(-9, 9) | TEXT | st.booleans(), max_size=2),
            st.none() | TEXT | st.lists(TEXT, max_size=2).map(tuple),
            st.none() | TEXT.filter(lambda name: name != "original"),
        ),
        max_size=2,
    ).map(tuple),
    plan=st.builds(
        ToolPlan,
        st.lists(st.builds(Target, TEXT, st.integers(1, 9)), max_size=2).map(tuple),
        st.lists(TEXT, max_size=2).map(tuple),
        st.none() | st.booleans(),
    ),
)
FACETS = st.dictionaries(
    TEXT.filter(str.strip), st.lists(TEXT | st.integers(-9, 9) | st.booleans(), min_size=1, max_size=3).map(tuple)
)


@given(CONTENTS, FACETS, st.lists(st.builds(BoxName, TEXT, TEXT), max_size=3))
def test_what_is_written_reads_as_the_same(content, facets, names):
    whole = content_to_json(content, names, facets)
    read, named, same = content_from_json(whole)
    assert (read, same) == (content, facets)
    assert named == tuple([*names, *[BoxName()] * 3][: len(content.gold_boxes)])
    assert content_to_json(read, named, same) == whole


def test_nothing_is_an_empty_open_content():
    assert content_from_json({}) == (SampleContent(), (), {})


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (None, "content"),
        ([], "content"),
        ({"qestion": "?"}, "qestion"),
        ({"question": 3}, "question"),
        ({"question": "\0"}, "question"),
        ({"question": "\ud800"}, "question"),
        ({"question": "x" * 20_001}, "question"),
        ({"answer_type": "essay"}, "answer_type"),
        ({"answer_type": ["mc"]}, "answer_type"),
        ({"options": ["a"]}, "options"),
        ({"options": {"AA": "a"}}, "options"),
        ({"options": {"a": "a"}}, "options"),
        ({"options": {"A": None}}, "options.A"),
        ({"answer": "B"}, "answer"),
        ({"answer": [["B"]]}, "answer[0]"),
        ({"gold_boxes": {}}, "gold_boxes"),
        ({"gold_boxes": [[1, 2, 3, 4]]}, "gold_boxes[0]"),
        ({"gold_boxes": [{"box": [1, 2, 3]}]}, "gold_boxes[0].box"),
        ({"gold_boxes": [{"box": [1, 2, "3", 4]}]}, "gold_boxes[0].box"),
        ({"gold_boxes": [{"box": [1, 2, 10**400, 4]}]}, "gold_boxes[0].box"),
        ({"gold_boxes": [{"box": [5, 5, 5, 9]}]}, "gold_boxes[0].box"),
        ({"gold_boxes": [{"box": [1, 1, 5, 9], "label": 1}]}, "gold_boxes[0].label"),
        ({"gold_boxes": [{"box": [1, 1, 5, 9]}] * 501}, "gold_boxes"),
        ({"reference_toolchain": ["crop"]}, "reference_toolchain[0]"),
        ({"reference_toolchain": [{"tool": "crop", "arguments": []}]}, "reference_toolchain[0].arguments"),
        ({"reference_toolchain": [{"tool": "crop", "arguments": {"a": "\0"}}]}, "reference_toolchain[0].arguments"),
        ({"reference_toolchain": [{"tool": "crop", "image_out": "original"}]}, "reference_toolchain[0].image_out"),
        ({"targets": [{"tool": "saw", "step": 0}]}, "targets[0].step"),
        ({"targets": [{"tool": "saw", "step": True}]}, "targets[0].step"),
        ({"distractors": [1]}, "distractors[0]"),
        ({"ordered": "yes"}, "ordered"),
        ({"facets": {"room": "kitchen"}}, "facets.room"),
        ({"facets": {" ": ["kitchen"]}}, "facets. "),
        ({"facets": {"room": [None]}}, "facets.room"),
        ({"facets": {"room": ["x" * 201]}}, "facets.room"),
        ({"facets": {"x" * 61: []}}, "facets"),
    ],
)
def test_a_wrong_shape_is_refused_with_its_field(data, field):
    with pytest.raises(InvalidInput) as caught:
        content_from_json(data)
    assert caught.value.field == field


def test_a_box_over_the_edge_is_refused_where_the_size_is_given():
    data = {"gold_boxes": [{"box": [90, 10, 101, 20]}]}
    assert content_from_json(data)[0].gold_boxes == (Box(90, 10, 101, 20),)
    with pytest.raises(InvalidInput, match="inside the image of 100 × 100"):
        content_from_json(data, 100, 100)
