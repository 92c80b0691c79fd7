"""Templates insert values as text, and say what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluation.runner
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.templates import NAMES, SLUGS, Prompt, PromptError, Role, load_prompt

FOLDER = Path(evaluation.runner.__file__).parent / "prompts"


def test_each_slug_has_a_first_version_and_each_folder_a_slug():
    assert {path.name for path in FOLDER.iterdir()} == set(SLUGS)
    for slug, role in SLUGS.items():
        prompt = load_prompt(slug)
        assert (prompt.role, prompt.version) == (role, "1")
        assert prompt.text == prompt.text.strip() != ""


def test_protocols_name_templates_of_the_right_role():
    for protocol in PROTOCOLS.values():
        assert SLUGS[protocol.user] is Role.USER
        assert protocol.system == "" or SLUGS[protocol.system] is Role.SYSTEM


@given(question=st.text(), options=st.text())
def test_values_are_inserted_as_text_and_never_expanded_again(question: str, options: str):
    prompt = Prompt("mine", "1", Role.USER, "{{ question }}|{{options}}|{{ question }}")
    given = f"{{{{ options }}}} \\1 {question}"
    assert prompt.rendered({"question": given, "options": options}) == f"{given}|{options}|{given}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{ gold }}", "unknown name 'gold'. Allowed: height, image"),
        ("{{ toolchain }}", "unknown name 'toolchain'"),
        ("{{ question", "write a name as"),
        ("{{ Question }}", "write a name as"),
        ("{{ question | upper }}", "write a name as"),
    ],
)
def test_a_text_with_a_name_that_its_role_does_not_have_is_no_prompt(text: str, says: str):
    with pytest.raises(PromptError, match=says):
        Prompt("mine", "1", Role.USER, text)


def test_a_name_without_a_value_is_an_error():
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
        assert prompt.names <= NAMES[prompt.role]
    with pytest.raises(PromptError, match="needs slug, version, role and text"):
        Prompt.from_json({"slug": "x"})
