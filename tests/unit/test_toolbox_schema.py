"""The JSON schema of a tool is flat, as hosted model APIs demand, and never stricter than the tool."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Benchmark
from annotation.toolbox.results import ToolError
from annotation.toolbox.signature import Kind, Parameter, checked_arguments
from annotation.toolbox.table import TOOLS, json_schema, openai_tool
from evaluation.management.toolbox_server import ToolboxDesk
from tests.properties import fewer
from tests.unit.toolbox_cases import scene, template

BEYOND_SCHEMA = re.compile(
    r"inside the|up to (upper|threshold_high) =|at least min_radius|while \d|edge pixels, not|at most \d+ × \d+ pixels"
    r"|, odd$|one of \d|either|together|while color_mode"
)
"""What a flat schema cannot say: odd numbers, choices of integers, one value beside another, and the image itself."""
ROOT = {"type", "properties", "required", "additionalProperties"}
PROPERTY = {"type", "description", "enum", "minimum", "maximum", "items", "minItems", "maxItems"}
ITEMS = {"type", "minimum", "maximum"}
SIZES = {"resize": {}, "zoom_in": {"width": 9, "height": 9}}
"""Tools asked for the size of their result alone: a picture of 65,535 pixels a side is accepted, and not made here."""


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Mostly what is allowed, and what is a little beside it."""
    wrong: st.SearchStrategy[Any] = st.sampled_from(
        [None, True, "7", 0.5, -1, 70_000, [1], [1, 2, 3], "all", 4.0, [1, 2]]
    )
    if parameter.kind is Kind.CHOICE:
        right: st.SearchStrategy[Any] = st.sampled_from(parameter.choices)
    elif parameter.kind is Kind.BOOLEAN:
        right = st.booleans()
    else:
        assert parameter.range is not None
        low, high = int(np.ceil(parameter.range.low)), min(int(parameter.range.high), 40)
        one = st.integers(low, high)
        right = st.lists(one, min_size=parameter.length, max_size=parameter.length) if parameter.length else one
    return st.one_of(right, right, right, wrong)


def refused(name: str, arguments: dict[str, Any]) -> ToolError | None:
    spec = TOOLS[name]
    try:
        if name in SIZES and not set(arguments) - {one.name for one in spec.parameters}:
            assert spec.size is not None
            spec.size(160, 120, **checked_arguments(spec.function, arguments))
        else:
            spec.function(scene(), *[template()] * (len(spec.pictures) - 1), **arguments)
    except ToolError as error:
        return error
    return None


@pytest.mark.parametrize("name", sorted(set(TOOLS) - {"denoise", "grabcut", "watershed"}))
@fewer()
@given(data=st.data())
def test_the_schema_accepts_what_the_tool_accepts_and_refuses_what_it_can_state(name: str, data: st.DataObject) -> None:
    arguments = dict(SIZES.get(name, {}))
    for parameter in TOOLS[name].parameters:
        if data.draw(st.integers(0, 4)) or parameter.required:
            arguments[parameter.name] = data.draw(values(parameter), label=parameter.name)
    if data.draw(st.integers(0, 9)) == 0:
        arguments["strength"] = 3
    if data.draw(st.integers(0, 9)) == 0 and arguments:
        del arguments[sorted(arguments)[0]]
    given = {key: value for key, value in arguments.items() if value is not None}
    error = refused(name, arguments)
    valid = jsonschema.Draft202012Validator(json_schema(name)).is_valid(given)
    beyond = error is not None and BEYOND_SCHEMA.search(error.allowed)
    assert error is None or beyond if valid else error is not None, (arguments, error)


def assert_flat(schema: dict[str, Any]) -> None:
    assert set(schema) == ROOT
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    for name, part in schema["properties"].items():
        assert set(part) <= PROPERTY, name
        assert part["type"] in {"string", "integer", "number", "boolean", "array"}, name
        assert all(isinstance(one, str) for one in part.get("enum", [])), name
        assert set(part.get("items", {})) <= ITEMS, name
        assert ("items" in part) == (part["type"] == "array"), name


@pytest.mark.parametrize("name", TOOLS)
def test_tool_schema_subset_of_hosted_apis_holds_every_tool(name: str) -> None:
    """D10.1: one tool with a combinator at any level makes a hosted API reject the whole list."""
    assert_flat(openai_tool(name)["function"]["parameters"])


def test_the_list_over_mcp_is_flat_too() -> None:
    """D10.1: the server adds a session to every tool, and tools of its own."""
    listed = ToolboxDesk(Benchmark(slug="street"), "m", "interface").tools()
    assert {name for name, _, _ in listed} >= set(TOOLS)
    for _, _, schema in listed:
        assert_flat(schema)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("zoom_in", "either scale"),
        ("resize", "either preset"),
        ("canny", "threshold_low and threshold_high together"),
        ("threshold", "color_mode"),
        ("histogram", "color_mode"),
    ],
)
def test_a_rule_between_parameters_is_in_the_description(name: str, words: str) -> None:
    """D10.1: the model must still learn what the schema no longer states."""
    assert words in openai_tool(name)["function"]["description"]


def test_odd_numbers_integer_choices_and_defaults_are_in_the_descriptions() -> None:
    """D10.1: for the same reason."""
    assert "odd" in json_schema("blur")["properties"]["ksize"]["description"]
    assert json_schema("floodfill")["properties"]["flags"]["description"].endswith("one of 4, 8; default 4")
    assert "default [8, 8]" in json_schema("histogram")["properties"]["tile_grid_size"]["description"]


def test_a_null_counts_as_absent() -> None:
    """D10.1: models write null for what they leave out."""
    assert checked_arguments(TOOLS["pyramid"].function, {"mode": "pyr_up"}) == {"mode": "pyr_up"}
    assert checked_arguments(TOOLS["blur"].function, {"method": "median", "ksize": 3, "d": None}) == {
        "method": "median",
        "ksize": 3,
    }
    with pytest.raises(ToolError, match="mode"):
        checked_arguments(TOOLS["pyramid"].function, {"mode": None})
