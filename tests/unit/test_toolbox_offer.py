"""The list of tools that a model is offered passes the checks of hosted chat APIs, from every server of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from annotation.models import Benchmark
from annotation.schema import ORIGINAL
from annotation.toolbox.offer import EMPTY_OBJECTS, KEYWORDS, OMITTABLE, offered_tools
from annotation.toolbox.table import TOOLS
from annotation.toolbox.vtc import PUBLISHED, Profile, call_of
from evaluation.agents.tool_session import ToolSession
from evaluation.management.toolbox_server import ToolboxDesk
from tests.unit.test_toolbox_schema import ITEMS, PROPERTY, ROOT
from tests.unit.toolbox_cases import ARGUMENTS, scene

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
"""What OpenAI, Anthropic and Gemini all accept as the name of a tool, and of a parameter."""
LONGEST_DESCRIPTION = 1024
MOST_TOOLS = 128
VTC = {"resize": {"width": 9, "height": 9}, "threshold": {"mode": "otsu"}}
GEMINI = ("additionalProperties", EMPTY_OBJECTS)


def parameters(profile: Profile, omit: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    return {tool["function"]["name"]: tool["function"]["parameters"] for tool in offered_tools(profile, omit)}


def objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema and all schemas in it."""
    yield schema
    for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from objects(inner)


@pytest.mark.parametrize("profile", Profile)
def test_hosted_apis_accept_the_whole_list(profile: Profile) -> None:
    """D10.1: one tool that an API rejects makes it reject the request."""
    tools = offered_tools(profile)
    assert [tool["function"]["name"] for tool in tools] == list(PUBLISHED if profile is Profile.VTC else TOOLS)
    assert len(tools) <= MOST_TOOLS
    for tool in tools:
        assert set(tool) == {"type", "function"}
        function = tool["function"]
        assert set(function) == {"name", "description", "parameters"}, "strict is never sent"
        assert NAME.fullmatch(function["name"])
        assert 0 < len(function["description"]) <= LONGEST_DESCRIPTION
        assert set(function["parameters"]) == ROOT
        for schema in objects(function["parameters"]):
            assert isinstance(schema["type"], str)
            assert all(NAME.fullmatch(name) for name in schema.get("properties", {}))
            assert set(schema.get("required", [])) <= set(schema.get("properties", {}))
            assert all(isinstance(choice, str) and choice for choice in schema.get("enum", []))
            assert (schema["type"] == "array") == ("items" in schema)


@pytest.mark.parametrize("profile", Profile)
def test_only_the_root_and_param_are_objects(profile: Profile) -> None:
    for schema in parameters(profile).values():
        for name, one in schema["properties"].items():
            if profile is Profile.VTC and name == "param":
                assert set(one) == {"type", "properties", "required"}
                inner = list(one["properties"].values())
            else:
                inner = [one]
            for part in inner:
                assert set(part) <= PROPERTY
                assert part["type"] != "object"
                assert set(part.get("items", {})) <= ITEMS


@pytest.mark.parametrize("omit", [(), GEMINI, OMITTABLE, *[(keyword,) for keyword in OMITTABLE]])
@pytest.mark.parametrize("profile", Profile)
def test_a_schema_without_keywords_accepts_all_that_it_accepted(profile: Profile, omit: tuple[str, ...]) -> None:
    for name, schema in parameters(profile, omit).items():
        for one in objects(schema):
            assert not set(one) & set(omit) & set(KEYWORDS)
            assert EMPTY_OBJECTS not in omit or one.get("properties") != {}
        plain = name.removeprefix("opencv_")
        given = ARGUMENTS.get(plain, {})
        call: dict[str, Any] = {"image": ORIGINAL, **given}
        if profile is Profile.VTC:
            call = {"image": ORIGINAL, "param": VTC.get(plain, given)}
        elif plain == "template_match":
            call["template"] = "image_1"
        if "param" in call and "param" not in schema["properties"]:
            assert call.pop("param") == {}
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(call)


def test_a_tool_without_parameters_is_offered_without_an_empty_object() -> None:
    """Gemini rejects an object without properties; the call does not need it."""
    offered = parameters(Profile.VTC, GEMINI)
    assert set(offered["opencv_dft"]["properties"]) == {"image"}
    assert set(offered["opencv_crop"]["properties"]) == {"image", "param"}
    assert call_of("opencv_dft", {"image": ORIGINAL}) == call_of("opencv_dft", {"image": ORIGINAL, "param": {}})


@pytest.mark.parametrize("profile", Profile)
def test_the_server_offers_the_same_tools_with_a_session(profile: Profile) -> None:
    listed = {name: schema for name, _, schema in ToolboxDesk(Benchmark(), "m", "interface", profile, GEMINI).tools()}
    offered = parameters(profile, GEMINI)
    assert list(listed)[3:] == list(offered)
    for name, schema in listed.items():
        assert "additionalProperties" not in schema
        if name in offered:
            assert schema["required"] == ["session", *offered[name]["required"]]
            assert {key: one for key, one in schema["properties"].items() if key != "session"} == offered[name][
                "properties"
            ]


def test_in_a_session_a_null_counts_as_absent() -> None:
    """D10.1: models write null for what they leave out, images too."""
    strict = ToolSession("one", scene())
    cut = {"image": None, "x": None, "y": 3, "width": 20, "height": 10}
    assert strict.call("crop", cut).ok
    assert strict.steps[0]["bbox"] == [0, 3, 20, 13]
    published = ToolSession("one", scene(), profile=Profile.VTC)
    assert published.call("opencv_crop", {"param": {"x": None, "y": 3, "width": 20, "height": 10}}).ok
    assert published.steps[0]["bbox"] == [0, 3, 20, 13]


def test_a_published_session_names_images_by_path() -> None:
    """The reply ends with the path of the result, by which the next call names it."""
    session = ToolSession("one", scene(), profile=Profile.VTC)
    first = session.call("opencv_crop", {"image": "/images/one.png", "param": {"width": 60, "height": 60}})
    assert first.text.endswith("\n\nEdited Image Path: /out/1.png")
    second = session.call("opencv_flip", {"image": "/out/1.png", "param": {}})
    assert second.picture is not None
    assert second.picture.shape == (60, 60, 3)
    assert [step["image_in"] for step in session.steps] == ["original", "image_1"]
    assert not session.call("opencv_flip", {"image": "/out/9.png", "param": {}}).ok
    assert "param" in session.call("opencv_flip", {"image": "/out/1.png"}).text
