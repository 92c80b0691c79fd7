"""Templates insert values as text, and say what is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluation.runner
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.templates import FIELDS, LONGEST, SLUGS, Prompt, PromptError, Role, built_in, load_prompt

FOLDER = Path(evaluation.runner.__file__).parent / "prompts"


VALUES = {
    "steps": "1. hand saw",
    "tools": "- hand saw",
    "description": "A board lies on a bench.",
    "instruction": "Saw the board.",
    "question": "How many mugs?", "options": "Options:\nA. one\n", "answer": "three", "first": "3", "second": "three",
    "predicted": "saw", "targets": "hand saw", "distractors": "hammer", "reasoning": "I see 3 mugs.", "count": "2",
    "image": "image_0", "width": "640", "height": "480", "tool": "image_zoom_in_tool", "toolchain": "crop, canny",
    "path": "/in/image.png", "operations": "cv2.Canny", "fields": "question, boxes",
}  # fmt: skip


def test_each_slug_has_a_first_version_and_each_folder_a_slug():
    assert {path.name for path in FOLDER.iterdir()} == set(SLUGS)
    for slug, role in SLUGS.items():
        prompt = load_prompt(slug)
        assert (prompt.role, prompt.version) == (role, "1")
        assert prompt.text == prompt.text.strip() != ""
        assert built_in()[slug][0] == prompt
    assert set(built_in()) == set(SLUGS)


@pytest.mark.parametrize(
    ("slug", "fields"),
    [
        ("weak", ""),
        ("strong", ""),
        ("strong-reference", "toolchain"),
        ("zoom", "tool"),
        ("code", "path operations"),
        ("direct", "question options"),
        ("user", "question options image width height"),
        ("evidence", "question options"),
        ("recognition", ""),
        ("plan", "question"),
        ("reliability", "question options answer"),
        ("sufficiency", "question options"),
        ("answer-judge", "question first second"),
        ("tool-map", "predicted targets distractors"),
        ("injector", "question reasoning"),
        ("paraphrase", "question reasoning"),
        ("draft", "fields"),
        ("describe", "instruction tools"),
        ("audit-tools", "instruction description tools"),
        ("audit-steps", "steps"),
    ],
)
def test_each_template_shows_the_values_of_its_fields(slug: str, fields: str):
    prompt, wanted = load_prompt(slug), set(fields.split())
    text = prompt.rendered({name: VALUES[name] for name in wanted})
    assert prompt.fields == wanted
    assert FIELDS[prompt.role].required <= wanted
    assert "{{" not in text
    assert all(VALUES[name] in text for name in wanted)


def test_the_table_of_fields_names_every_template():
    [marked] = [mark for mark in test_each_template_shows_the_values_of_its_fields.pytestmark if mark.args]  # type: ignore[attr-defined]
    assert [slug for slug, _ in marked.args[1]] == list(SLUGS)


def test_protocols_name_templates_of_the_right_role():
    for protocol in PROTOCOLS.values():
        assert SLUGS[protocol.user] in (Role.USER, Role.RECOGNITION, Role.PLAN)
        assert protocol.system == "" or SLUGS[protocol.system] is Role.SYSTEM


@given(question=st.text(), options=st.text())
def test_values_are_inserted_as_text_and_never_expanded_again(question: str, options: str):
    prompt = Prompt("mine", "1", Role.USER, "{{ question }}|{{options}}|{{ question }}")
    given = f"{{{{ options }}}} \\1 {question}"
    assert prompt.rendered({"question": given, "options": options}) == f"{given}|{options}|{given}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{ question }}\n{{ gold }}", "mine@1, line 2: unknown field 'gold'. Allowed: height, image"),
        ("{{ toolchain }}", "line 1: unknown field 'toolchain'"),
        ("one\ntwo\n{{ question", "line 3: write a field as"),
        ("{{ Question }}", "line 1: write a field as"),
        ("{{ question | upper }}", "line 1: write a field as"),
        ("{{ question.__class__ }}", "line 1: write a field as"),
        ("{{{{ question }}}}", "line 1: write a field as"),
        ("{{ options }}", "mine@1 needs the field {{ question }}"),
        (" \n ", "must have from 1 to 20,000 characters"),
        ("{{ question }}" + "a" * LONGEST, "must have from 1 to 20,000 characters"),
    ],
)
def test_a_text_whose_fields_do_not_fit_its_role_is_no_prompt(text: str, says: str):
    with pytest.raises(PromptError, match=re.escape(says)):
        Prompt("mine", "1", Role.USER, text)


def test_a_field_without_a_value_is_an_error():
    prompt = load_prompt("strong-reference")
    for values in ({}, {"toolchain": None}):
        with pytest.raises(PromptError, match="strong-reference@1 needs a value for 'toolchain'"):
            prompt.rendered(values)
    assert "crop, threshold" in prompt.rendered({"toolchain": "crop, threshold"})


@pytest.mark.parametrize(("slug", "version"), [("../direct", "1"), ("direct", "2"), ("direct", "../1"), ("", "1")])
def test_there_are_no_other_templates(slug: str, version: str):
    with pytest.raises(PromptError, match=r"no prompt|no version"):
        load_prompt(slug, version)


def test_a_prompt_is_the_same_after_json():
    for slug in SLUGS:
        prompt = load_prompt(slug)
        assert Prompt.from_json(prompt.to_json()) == prompt
    with pytest.raises(PromptError, match="needs slug, version, role and text"):
        Prompt.from_json({"slug": "x"})
