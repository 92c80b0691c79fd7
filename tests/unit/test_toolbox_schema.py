"""The JSON schema of a tool accepts what the tool accepts, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.toolbox.results import ToolError
from annotation.toolbox.signature import Kind, Parameter, checked_arguments
from annotation.toolbox.table import TOOLS, json_schema
from tests.unit.toolbox_cases import scene, template

COMPARED = re.compile(
    r"inside the|up to (upper|threshold_high) =|at least min_radius|while \d|edge pixels, not|at most \d+ × \d+ pixels"
)
"""What only the picture, or one value beside another, can say: no schema does."""
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
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_schema_accepts_exactly_what_the_tool_accepts(name: str, data: st.DataObject) -> None:
    arguments = dict(SIZES.get(name, {}))
    for parameter in TOOLS[name].parameters:
        if data.draw(st.integers(0, 4)) or parameter.required:
            arguments[parameter.name] = data.draw(values(parameter), label=parameter.name)
    if data.draw(st.integers(0, 9)) == 0:
        arguments["strength"] = 3
    if data.draw(st.integers(0, 9)) == 0 and arguments:
        del arguments[sorted(arguments)[0]]
    error = refused(name, arguments)
    only_compared = error is not None and COMPARED.search(error.allowed)
    valid = jsonschema.Draft202012Validator(json_schema(name)).is_valid(arguments)
    assert error is None or only_compared if valid else error is not None, (arguments, error)
