"""The task of a benchmark as data: what is read, what is refused and where, and what is written back."""

from __future__ import annotations

import json
from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Review
from annotation.schema import SampleContent
from annotation.task_schema import (
    REASONS,
    TEMPLATES,
    Evidence,
    Facet,
    FacetAuthor,
    FacetOption,
    InvalidSchemaError,
    Kind,
    Question,
    Range,
    Reason,
    ReasonFor,
    Required,
    TaskSchema,
    Toolchain,
    Use,
)

CATEGORY = {"name": "category", "kind": "single", "required": "submit", "closed": True, "values": [{"value": "OCR"}]}


def problems_of(given: object) -> list[str]:
    with pytest.raises(InvalidSchemaError) as caught:
        TaskSchema.parse(given)
    return [one.where for one in caught.value.problems]


def test_what_is_omitted_has_its_default():
    assert TaskSchema.parse({}) == TaskSchema() == TEMPLATES["blank"]
    facet = TaskSchema.parse({"facets": [CATEGORY | {"values": [{"value": " OCR ", "help": "Printed."}]}]}).facets[0]
    assert facet == Facet("category", Kind.SINGLE, Required.SUBMIT, FacetAuthor.ANNOTATOR, True,
                          (FacetOption("OCR", "Printed."),))  # fmt: skip


def test_the_defaults_are_the_limits_of_a_benchmark_without_a_schema():
    schema = TaskSchema()
    assert (schema.evidence.smallest_side, schema.evidence.warn_share) == (2, 0.05)
    assert schema.answer.default == SampleContent().answer_type
    assert {one.value for one in ReasonFor} == {one.value for one in Review.Decision} - {Review.Decision.ACCEPT}


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_valid(name):
    written = json.loads(json.dumps(TEMPLATES[name].as_json()))
    assert TaskSchema.parse(written) == TEMPLATES[name]


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ([], ""),
        ({"facet": []}, "facet"),
        ({"facets": {}}, "facets"),
        ({"facets": ["category"]}, "facets[0]"),
        ({"facets": [{"name": "category", "kind": "many"}]}, "facets[0].kind"),
        ({"facets": [CATEGORY | {"closed": "yes"}]}, "facets[0].closed"),
        ({"facets": [CATEGORY | {"values": []}]}, "facets[0].values"),
        ({"facets": [CATEGORY | {"values": [{"value": "OCR"}, {"value": "ocr "}]}]}, "facets[0].values[1].value"),
        ({"facets": [CATEGORY, CATEGORY | {"name": "Category"}]}, "facets[1].name"),
        ({"facets": [CATEGORY | {"name": "x" * 61}]}, "facets[0].name"),
        ({"question": {"most_words": 0}}, "question.most_words"),
        ({"question": {"most_words": True}}, "question.most_words"),
        ({"question": {"forbid": "names"}}, "question.forbid"),
        ({"answer": {"types": []}}, "answer.types"),
        ({"answer": {"types": ["mc", "essay"]}}, "answer.types[1]"),
        ({"answer": {"types": ["mc"], "default": "open"}}, "answer.default"),
        ({"answer": {"types": ["none", "mc"]}, "plan": {"use": "required"}}, "answer.types"),
        ({"answer": {"types": ["none"]}}, "plan.use"),
        ({"answer": {"options": [1, 6]}}, "answer.options"),
        ({"answer": {"options": [6, 2]}}, "answer.options"),
        ({"evidence": {"shapes": ["box", "circle"]}}, "evidence.shapes[1]"),
        ({"evidence": {"count": [1, 501]}}, "evidence.count"),
        ({"evidence": {"warn_share": 1.5}}, "evidence.warn_share"),
        ({"evidence": {"warn_share": float("nan")}}, "evidence.warn_share"),
        ({"evidence": {"warn_share": 0.3, "refuse_share": 0.2}}, "evidence.refuse_share"),
        ({"toolchain": {"use": "off", "end_verified": True}}, "toolchain.end_verified"),
        ({"plan": {"targets": [0, 3]}}, "plan.targets"),
        ({"reasons": []}, "reasons"),
        ({"reasons": [{"code": "other", "label": "other", "for": ["return"]}]}, "reasons"),
        ({"reasons": [{"code": "other", "label": "other", "retired": True}]}, "reasons"),
        ({"reasons": [{"code": "Other", "label": "other"}]}, "reasons[0].code"),
        ({"reasons": [{"code": "other", "label": "a"}, {"code": "other", "label": "b"}]}, "reasons[1].code"),
        ({"help": {"queston": "Ask."}}, "help.queston"),
    ],
)
def test_an_invalid_entry_is_named_by_its_path(given, where):
    assert problems_of(given) == [where]


def test_all_problems_are_named_at_once_in_the_order_of_the_schema():
    given = {"plan": {"use": "often"}, "facets": [{"name": ""}], "answer": {"options": 4}}
    assert problems_of(given) == ["facets[0].name", "answer.options", "plan.use"]


def test_a_message_names_what_is_allowed():
    with pytest.raises(InvalidSchemaError, match=r"circle.*box"):
        TaskSchema.parse({"evidence": {"shapes": ["circle"]}})


WORDS = st.text(ascii_letters, min_size=1, max_size=8)
RANGES = st.tuples(st.integers(2, 13), st.integers(13, 26)).map(lambda pair: Range(*pair))
VALUES = st.lists(
    st.builds(FacetOption, WORDS, WORDS), min_size=1, max_size=3, unique_by=lambda one: one.value.casefold()
).map(tuple)
FACETS = st.lists(
    st.builds(
        Facet, WORDS, st.sampled_from(Kind), st.sampled_from(Required), st.sampled_from(FacetAuthor), st.just(True),
        VALUES,
    ),
    max_size=3,
    unique_by=lambda one: one.name.casefold(),
).map(tuple)  # fmt: skip
SCHEMAS = st.builds(
    TaskSchema,
    facets=FACETS,
    question=st.builds(Question, most_words=st.none() | st.integers(1, 100), per_image=st.none() | st.integers(1, 9)),
    evidence=st.builds(
        Evidence,
        count=RANGES,
        smallest_side=st.floats(1, 50),
        warn_share=st.floats(0, 0.5),
        refuse_share=st.none() | st.floats(0.5, 1),
    ),
    toolchain=st.builds(Toolchain, use=st.just(Use.REQUIRED), steps=RANGES, end_verified=st.booleans()),
    reasons=st.booleans().map(lambda gone: (*REASONS, Reason("asked_before", "asked before", retired=gone))),
    help=st.dictionaries(st.sampled_from(["question", "plan"]), WORDS),
)


@given(SCHEMAS)
def test_a_schema_written_and_read_is_the_same(schema):
    assert TaskSchema.parse(json.loads(json.dumps(schema.as_json()))) == schema


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(TaskSchema().as_json())), JSON)
def test_any_json_is_a_schema_or_invalid(key, value):
    try:
        schema = TaskSchema.parse({key: value})
    except InvalidSchemaError:
        assert problems_of({key: value})
    else:
        assert TaskSchema.parse(schema.as_json()) == schema
