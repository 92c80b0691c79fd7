"""Paths of keys, texts taken apart, and rows found in a document that comes in pieces."""

from __future__ import annotations

import json
from contextlib import suppress
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.importers.interface import ImportProblem
from evaluation.importers.mapped.paths import EVERY, KEY, KeyPath, Place
from evaluation.importers.mapped.scanning import RowScanner
from evaluation.importers.mapped.texts import kind_of, taken_apart

KEYS = st.text(st.sampled_from('ab.[]*"\\( \n\té0'), max_size=5)
STEPS = st.lists(KEYS | st.integers(-99, 99) | st.just(EVERY), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc."), inner, max_size=4),
    max_leaves=20,
)


@given(STEPS, st.booleans())
def test_a_path_is_read_as_it_was_written(steps: list[Any], keyed: bool) -> None:
    path = KeyPath((*steps, KEY) if keyed else tuple(steps))
    assert KeyPath.parse(str(path)) == path


@given(st.text(st.sampled_from('ab.[]*0-1"\\() k'), max_size=12))
def test_any_text_is_a_path_that_can_be_written_again_or_is_refused(text: str) -> None:
    with suppress(ImportProblem):
        path = KeyPath.parse(text)
        assert KeyPath.parse(str(path)) == path


@given(JSON)
def test_every_value_is_found_by_its_own_path(value: Any) -> None:
    def walk(item: Any, path: KeyPath) -> None:
        assert [place.value for place in path.places(Place(value))] == [item]
        if isinstance(item, list):
            for index, inner in enumerate(item):
                walk(inner, KeyPath((*path.steps, index)))
                assert [p.value for p in KeyPath((*path.steps, index - len(item))).places(Place(value))] == [inner]
        if isinstance(item, dict):
            for key, inner in item.items():
                walk(inner, KeyPath((*path.steps, key)))
                assert [p.value for p in KeyPath((*path.steps, key, KEY)).places(Place(value))] == [key]
        if isinstance(item, list | dict):
            every = [place.value for place in KeyPath((*path.steps, EVERY)).places(Place(value))]
            assert every == (item if isinstance(item, list) else list(item.values()))

    walk(value, KeyPath())


@given(JSON, st.lists(st.sampled_from("abc.") | st.just(EVERY) | st.integers(0, 3), max_size=3), st.data())
def test_rows_are_the_same_however_the_document_is_cut(value: Any, steps: list[Any], data: st.DataObject) -> None:
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 1]))).encode()
    cuts = data.draw(st.lists(st.integers(1, max(1, len(text))), max_size=6).map(sorted))
    path = KeyPath(tuple(steps))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    scanner = RowScanner(path, 1 << 20, words=True)
    found = [json.loads(row.text or b"") for piece in [*pieces, b"\n"] for row in scanner.feed(piece)]
    wanted = [place.value for place in path.places(Place(value))]
    if steps or isinstance(value, list | dict):
        assert found == wanted
    assert not scanner.open


def test_what_stands_around_the_rows_is_known() -> None:
    text = b'{"a": {"name": "x", "rows": [{"k": 1}]}, "end": "\\u00e9"}'
    scanner = RowScanner(KeyPath.parse("a.rows[*]"), 100)
    [row] = scanner.feed(text)
    assert row.around.values[1] == {"name": "x"}
    assert row.around.keys == ("a", "rows", "")
    assert scanner.root == {"end": "é"}


def test_a_row_that_is_too_long_and_one_that_is_damaged_are_rows_of_their_own() -> None:
    text = b'[{"a": "' + b"x" * 200 + b'"}, {"b": [1}, {"c": "open\n}, {"d": 1}]'
    rows = list(RowScanner(KeyPath((EVERY,)), 100).feed(text))
    assert [row.text for row in rows] == [None, b'{"b": [1}', b'{"c": "open\n}', b'{"d": 1}']
    assert [row.line for row in rows] == [1, 1, 1, 2]


def test_a_very_long_text_is_a_row_without_being_kept() -> None:
    scanner = RowScanner(KeyPath((EVERY,)), 1000)
    pieces = [b'["', *([b"x" * 50_000] * 5), b'", "short"]']
    assert [row.text for piece in pieces for row in scanner.feed(piece)] == [None, b'"short"']


@pytest.mark.parametrize(
    ("how", "text", "value"),
    [
        ("json", '```json\n{"a": [1]}\n```', {"a": [1]}),
        ("json", '{"a": 1} and more', {"a": 1}),
        ("json", "words", None),
        ("json", "[" * 5000, None),
        ("python", "{'a': (1, 2), 'b': None}", {"a": [1, 2], "b": None}),
        ("python", "im = crop(img, box=[1, 2, 3, 4])\nshow(im)",
         [{"name": "crop", "arguments": {"box": [1, 2, 3, 4], "args": ["img"]}},
          {"name": "show", "arguments": {"args": ["im"]}}]),
        ("python", "__import__('os').system('x')", {"name": "system", "arguments": {"args": ["x"]}}),
        ("python", "1 +", None),
        ("python", "(" * 500, None),
        ("tags", "a<t>1</t>b<t>[1]</t>", [{"text": "a\nb", "t": "1"}, {"t": [1]}]),
        ("tags", "<call name='crop' box=\"1 2 3 4\"/><a>open", [
            {"call": {"name": "crop", "box": "1 2 3 4"}, "a": "open"}]),
        ("tags", "", None),
        ("react", "Thought: x\nAction: crop(bbox=[1, 2, 3, 4])\nObservation: y\nmore",
         [{"thought": "x", "action": "crop", "action_input": {"bbox": [1, 2, 3, 4]}, "observation": "y\nmore"}]),
        ("react", 'Action: {"name": "crop", "arguments": {"b": 1}}\nAction: zoom\nAction Input: 5',
         [{"action": "crop", "action_input": {"b": 1}}, {"action": "zoom", "action_input": "5"}]),
        ("react", "**Thought:** hm\n**Final Answer:** B", [{"thought": "hm", "final_answer": "B"}]),
        ("react", "no labels", [{"text": "no labels"}]),
    ],
)  # fmt: skip
def test_a_text_is_taken_apart(how: str, text: str, value: Any) -> None:
    assert taken_apart(text, how) == value


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ('{"a": 1}', "json"), ("[1, 2]", "json"), ("{'a': 1}", "python"), ("crop(x=1)", "python"),
        ("<think>a</think>", "tags"), ("Thought: a\nAction: b", "react"), ("B", ""), ("It is (B).", ""),
        ("<think>a</think><answer>B</answer>", ""), ("<act>a</act><answer>B</answer>", "tags"),
        ("a < b and b > a", ""), ("Action: act", ""), ("[B]", ""),
    ],
)  # fmt: skip
def test_what_a_text_holds_says_how_to_take_it_apart(text: str, how: str) -> None:
    assert kind_of(text) == how


@pytest.mark.parametrize("unit", ["<a>", "<a x='1' ", "Action: f(", "[", "{'a':", "Thought: x\n", "f(", "``` "])
@pytest.mark.parametrize("how", ["json", "python", "tags", "react"])
def test_taking_apart_takes_linear_time(unit: str, how: str) -> None:
    text = unit * (100_000 // len(unit))
    begun = process_time()
    taken_apart(text, how)
    kind_of(text)
    assert process_time() - begun < 5
