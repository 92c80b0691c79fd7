"""A recipe is data: the same after JSON, with another digest for all that can change a response."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.toolbox.vtc import Profile
from evaluation.runner.canonical import canonical_json
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.openings import attempt_digest
from evaluation.runner.protocols import PROTOCOLS, Limits
from evaluation.runner.recipe import Recipe, RecipeError, ToolImages
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import Prompt, PromptError, Role, load_prompt
from tests.evaluation.runner.attempts import recipe, stored_image, task

PAIRS = [(protocol.name, dialect) for protocol in PROTOCOLS.values() for dialect in protocol.dialects]


def test_protocols_have_these_dialects():
    assert len(PAIRS) == 1 + 5 + 2 + 1 + 1 + 1


@pytest.mark.parametrize(("protocol", "dialect"), PAIRS)
def test_a_recipe_is_the_same_after_json(protocol: str, dialect: str):
    made = recipe(protocol, dialect=dialect, sampling=dict(SAMPLING["instruct"]), omit=("minimum",))
    again = Recipe.from_json(json.loads(json.dumps(made.to_json())))
    assert again == made
    assert again.digest() == made.digest()


OTHER: dict[str, Any] = {
    "model": "model-2",
    "base_url": "http://localhost:8001/v1",
    "user": Prompt("mine", "1", Role.USER, "{{ question }}"),
    "system": load_prompt("weak"),
    "offer": "0" * 64,
    "frame": Frame.NORM1,
    "sampling": {"seed": 2},
    "images": "fit:1568",
    "limits": Limits(5, 6),
    "tool_images": ToolImages.INSIDE,
    "omit": ("minimum",),
    "dropped": ("top_k",),
}


def test_each_part_changes_the_digest():
    made = recipe("zoom", sampling={"seed": 1})
    digests = {made.digest(), *(replace(made, **{name: value}).digest() for name, value in OTHER.items())}
    others = (recipe("base", sampling={"seed": 1}), recipe("zoom", dialect="json", sampling={"seed": 1}))
    assert len(digests | {other.digest() for other in others}) == len(OTHER) + 3


def test_the_order_of_lists_and_keys_does_not_change_the_digest():
    one = recipe("zoom", sampling={"seed": 1, "top_p": 0.5}, omit=("minimum", "maximum"))
    other = recipe("zoom", sampling={"top_p": 0.5, "seed": 1}, omit=("maximum", "minimum"))
    assert one.digest() == other.digest()


def test_a_text_of_the_same_name_changes_the_digest():
    user = load_prompt("user")
    assert recipe("zoom").digest() != recipe("zoom", user=replace(user, text=user.text + " Now.")).digest()


@pytest.mark.parametrize(
    ("protocol", "values", "says"),
    [
        ("other", {}, "no protocol 'other'. Allowed: base, zoom"),
        ("zoom", {"dialect": "vtc"}, "zoom can't use vtc. Allowed: tools, qwen3-vl"),
        ("interface", {"profile": Profile.VTC}, "belong together"),
        ("interface", {"frame": Frame.NORM1}, "can have a frame"),
        ("zoom", {"dialect": "qwen3-vl", "frame": Frame.NORM1}, "can have a frame"),
        ("base", {"user": load_prompt("weak")}, "needs a user prompt with the role user"),
        ("recognition", {"user": load_prompt("direct")}, "needs a user prompt with the role recognition"),
        ("zoom", {"system": load_prompt("direct")}, "needs the role system"),
        ("base", {"omit": ("type",)}, "can't be omitted"),
        ("base", {"sampling": {"messages": []}}, "messages is not a parameter"),
    ],
)
def test_parts_that_do_not_fit_together_are_rejected(protocol: str, values: dict[str, Any], says: str):
    with pytest.raises(RecipeError, match=says):
        recipe(protocol, **values)


@pytest.mark.parametrize(
    ("key", "value"),
    [("profile", "loose"), ("frame", "mm"), ("images", "big"), ("limits", {"rounds": 0, "calls": 0}), ("user", {})],
)
def test_data_that_is_no_recipe_is_rejected(key: str, value: object):
    with pytest.raises(RecipeError, match="can't be read"):
        Recipe.from_json(recipe("base").to_json() | {key: value})
    data = recipe("base").to_json()
    del data[key]
    with pytest.raises(RecipeError, match="can't be read"):
        Recipe.from_json(data)


def test_parameters_that_the_host_rejects_are_not_sent_and_rollouts_differ_in_their_seed():
    made = recipe("base", sampling=dict(SAMPLING["instruct"]), dropped=("top_k", "repetition_penalty"))
    assert made.sampled(2) == {
        "temperature": 0.7,
        "top_p": 0.8,
        "presence_penalty": 1.5,
        "max_tokens": 16_384,
        "seed": 3409,
    }
    assert "seed" not in recipe("base", sampling=dict(SAMPLING["reasoning"])).sampled(3)


def test_an_attempt_is_known_by_what_the_model_is_shown():
    made, known = recipe("base"), task()
    digest = attempt_digest(made, known, 0)
    assert digest == attempt_digest(made, task(sample="other"), 0), "the model does not see the name of the sample"
    assert digest == attempt_digest(made, task(toolchain=("crop",)), 0), "nor the reference toolchain"
    others = [
        attempt_digest(made, known, 1),
        attempt_digest(made, known, 0, "arm"),
        attempt_digest(recipe("base", images="fit:100"), known, 0),
        attempt_digest(made, task(question="Which?"), 0),
        attempt_digest(made, task(options={"A": "blue", "B": "red"}), 0),
        attempt_digest(made, task(image=stored_image(600, 410)), 0),
    ]
    assert len({digest, *others}) == 7


def test_an_attempt_is_known_by_the_other_values_of_its_prompts():
    made = recipe("interface", system=load_prompt("strong-reference"))
    one, other = (attempt_digest(made, task(toolchain=names), 0) for names in (("crop",), ("crop", "blur")))
    assert one != other
    vtc = recipe("interface", dialect="vtc")
    assert attempt_digest(vtc, task(), 0) != attempt_digest(vtc, task(sample="s2"), 0), "the path names the sample"


def test_a_prompt_without_options_fits_only_samples_without_them():
    made = recipe("base", user=Prompt("mine", "1", Role.USER, "{{ question }}"))
    assert attempt_digest(made, task(options={}), 0)
    with pytest.raises(PromptError, match=r"mine@1 has no field \{\{ options \}\}"):
        attempt_digest(made, task(options={"A": "blue", "B": "red"}), 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(JSON)
def test_canonical_json_has_one_spelling(value: Any):
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text
    assert "\n" not in text
