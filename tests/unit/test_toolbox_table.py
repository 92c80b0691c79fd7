"""Every tool by one table: it is in the taxonomy, states its parameters, checks them, and gives the same twice."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import numpy as np
import pytest

from annotation.schema import ToolCall
from annotation.toolbox.names import UnknownToolError, candidates, resolve
from annotation.toolbox.results import Picture, ToolError, ToolResult, as_grey
from annotation.toolbox.runner import run_chain
from annotation.toolbox.signature import Kind, Parameter
from annotation.toolbox.table import TOOLS, json_schema, openai_tool
from tests.unit.toolbox_cases import ARGUMENTS, scene, template

PUBLISHED = {
    "Geometry": {"resize", "rotate", "translate", "flip", "crop", "zoom_in", "pyramid"},
    "Enhancement": {
        "colorspace_gray", "colorspace_hsv", "colorspace_lab", "inrange_color", "blur", "denoise", "threshold",
        "morphology", "histogram", "convertscaleabs", "inpaint",
    },
    "Feature Extraction": {
        "canny", "gradients", "watershed", "grabcut", "floodfill", "connected_components_with_stats", "features",
        "hough_lines", "hough_circles", "template_match", "dft",
    },
    "Drawing": {"contours", "approx_poly", "draw_line", "draw_circle", "contour_area", "arc_length"},
}  # fmt: skip
PARAMETERS = [(name, parameter) for name, spec in TOOLS.items() for parameter in spec.parameters]


def called(name: str, picture: Picture, **changed: Any) -> ToolResult:
    others = [template()] * (len(TOOLS[name].pictures) - 1)
    return TOOLS[name].function(picture, *others, **(ARGUMENTS.get(name, {}) | changed))


def test_the_table_holds_the_published_taxonomy_and_sharpen() -> None:
    found = {module: {n for n, s in TOOLS.items() if s.module == module} for module in PUBLISHED}
    assert found == PUBLISHED | {"Enhancement": PUBLISHED["Enhancement"] | {"sharpen"}}
    assert len(TOOLS) == 36


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_runs_on_colour_and_grey_and_gives_the_same_twice(name: str) -> None:
    for picture in (scene(), as_grey(scene())):
        before = picture.copy()
        first, second = called(name, picture), called(name, picture)
        assert first.image is not None
        assert second.image is not None
        assert first.image.tobytes() == second.image.tobytes()
        assert first.image.dtype == np.uint8
        assert first.image.flags.c_contiguous
        assert first.transform == second.transform
        assert json.loads(json.dumps(first.measurements)) == second.measurements
        assert np.array_equal(picture, before)
        assert not np.shares_memory(first.image, picture)


NEED_ROOM = {"crop", "zoom_in", "floodfill", "template_match", "grabcut", "features"}


@pytest.mark.parametrize("name", sorted(NEED_ROOM))
def test_a_tool_that_needs_room_refuses_a_single_pixel(name: str) -> None:
    with pytest.raises(ToolError) as refused:
        called(name, np.zeros((1, 1, 3), np.uint8))
    assert refused.value.tool == name


@pytest.mark.parametrize("name", sorted(set(TOOLS) - NEED_ROOM))
@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 1), (2, 5, 3), (9, 1)])
def test_every_tool_copes_with_tiny_pictures(name: str, shape: tuple[int, ...]) -> None:
    result = called(name, np.full(shape, 200, np.uint8))
    assert result.image is not None
    assert result.image.size > 0


CHOICES = [
    (name, parameter.name, choice)
    for name, parameter in PARAMETERS
    for choice in parameter.choices
    if (name, parameter.name) != ("resize", "preset") and parameter.name != "channels"
]


@pytest.mark.parametrize(("name", "parameter", "choice"), CHOICES)
def test_every_choice_of_every_tool_runs(name: str, parameter: str, choice: str | int) -> None:
    image = called(name, scene(), **{parameter: choice}).image
    assert image is not None
    assert image.size > 0


@pytest.mark.parametrize("name", TOOLS)
def test_the_schema_of_a_tool_is_valid_and_accepts_its_defaults(name: str) -> None:
    schema = json_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    defaults = {
        parameter.name: list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
        for parameter in TOOLS[name].parameters
        if parameter.default is not None
    }
    jsonschema.validate(defaults | ARGUMENTS.get(name, {}), schema)
    assert set(schema["required"]) == {p.name for p in TOOLS[name].parameters if p.required}
    assert set(schema["required"]) <= set(ARGUMENTS.get(name, {}))
    if name not in ("resize", "zoom_in"):  # there the preset or scale excludes the others
        assert (
            called(name, scene(), **{k: v for k, v in defaults.items() if k not in ARGUMENTS.get(name, {})}).image
            is not None
        )


@pytest.mark.parametrize("name", TOOLS)
def test_the_function_description_for_models_names_its_pictures_and_says_what_it_does(name: str) -> None:
    function = openai_tool(name)["function"]
    assert function["name"] == name
    assert len(function["description"]) > 20
    assert function["parameters"]["required"][0] == "image"
    assert ("template" in function["parameters"]["required"]) == (name == "template_match")
    jsonschema.Draft202012Validator.check_schema(function["parameters"])


def wrong_values(parameter: Parameter) -> list[Any]:
    if parameter.kind is Kind.CHOICE:
        return ["no such choice", 3.5, True]
    if parameter.kind is Kind.BOOLEAN:
        return [1, "true", 0.0]
    if parameter.kind is Kind.LIST:
        return [5, "1,2,3", [1] * (parameter.length + 1), [300_000] * parameter.length, [0.5] * parameter.length]
    assert parameter.range is not None, "every number states its range"
    low, high = parameter.range.low, parameter.range.high
    wrong: list[Any] = [low - 1, high + 1, "7", True, float("nan"), float("inf"), [1]]
    wrong += [low + 0.5] if parameter.kind is Kind.INTEGER else []
    return wrong + ([low + 1] if parameter.range.odd else [])


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=lambda v: v if isinstance(v, str) else v.name)
def test_a_bad_value_names_tool_parameter_value_and_what_is_allowed(name: str, parameter: Parameter) -> None:
    for value in wrong_values(parameter):
        with pytest.raises(ToolError) as refused:
            called(name, scene(), **{parameter.name: value})
        assert (refused.value.tool, refused.value.parameter) == (name, parameter.name)
        assert refused.value.allowed == parameter.allowed
        assert name in str(refused.value)


@pytest.mark.parametrize("name", ["crop", "blur", "canny"])
def test_an_unknown_or_missing_parameter_is_refused(name: str) -> None:
    with pytest.raises(ToolError, match="strength") as refused:
        called(name, scene(), strength=3)
    assert "the parameters" in refused.value.allowed
    if ARGUMENTS.get(name):
        with pytest.raises(ToolError, match="missing"):
            TOOLS[name].function(scene())


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4), np.float64),
        np.zeros((0, 4), np.uint8),
        np.zeros(4, np.uint8),
        [[1]],
    ],
)
def test_only_eight_bit_rgb_or_grey_arrays_are_pictures(picture: Any) -> None:
    with pytest.raises(ToolError) as refused:
        TOOLS["canny"].function(picture)
    assert refused.value.parameter == "image"


def test_a_whole_number_written_as_a_fraction_and_published_spellings_are_taken() -> None:
    assert called("crop", scene(), x=2.0, width=20.0).transform == called("crop", scene(), x=2, width=20).transform
    published = called("hough_lines", scene(), minLineLength=20, maxLineGap=3)
    assert published.measurements == called("hough_lines", scene(), min_line_length=20, max_line_gap=3).measurements


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("opencv_crop", "crop"), ("Crop", "crop"), ("Zoom in", "zoom_in"), ("zoom-in_tool", "zoom_in"),
        ("Binarize", "threshold"),
        ("Adjust Brightness", "convertscaleabs"), ("Color Filter", "inrange_color"),
        ("In-Range Color", "inrange_color"),
        ("Measure Area", "contour_area"), ("Measure Perimeter", "arc_length"), ("Edge Detect", "canny"),
        ("Histogram Eq", "histogram"), ("Line Detect", "hough_lines"), ("HoughCircles", "hough_circles"),
        ("Approximate Polygon", "approx_poly"), ("Conn. Components", "connected_components_with_stats"),
        ("Connected Components", "connected_components_with_stats"), ("Keypoint Features", "features"),
        ("Frequency Transform", "dft"), ("Image Pyramid", "pyramid"), ("Draw Contours", "contours"),
        ("Sharpen", "sharpen"), ("  OPENCV-Flip ", "flip"), ("Flood Fill", "floodfill"),
        ("Compute Gradients", "gradients"),
    ],
)  # fmt: skip
def test_a_tool_is_found_by_every_name_in_use(written: str, meant: str) -> None:
    assert resolve(written) == meant


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_found_by_its_own_name_and_title(name: str) -> None:
    assert resolve(name) == resolve(f"opencv_{name}") == name


def test_a_name_for_several_tools_is_not_guessed() -> None:
    assert candidates("Convert Color") == ("colorspace_gray", "colorspace_hsv", "colorspace_lab")
    with pytest.raises(UnknownToolError, match="choose one"):
        resolve("Convert Color")
    with pytest.raises(UnknownToolError, match="known are"):
        resolve("telescope")


@pytest.mark.parametrize("name", [n for n, spec in TOOLS.items() if spec.size])
def test_the_foretold_size_is_the_size_of_the_result(name: str) -> None:
    foretell = TOOLS[name].size
    assert foretell is not None
    image = called(name, scene()).image
    assert image is not None
    assert foretell(160, 120, **ARGUMENTS[name]) == (image.shape[1], image.shape[0])


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_an_example_that_runs_and_parameters_that_say_their_unit(name: str) -> None:
    spec = TOOLS[name]
    call = json.loads(spec.example)
    part = ToolCall("crop", {"width": 20, "height": 10}, "original", "part")
    calls = [part, ToolCall(call["tool"], call["arguments"], ("original", "part")[: len(spec.pictures)])]
    assert run_chain(scene(), calls).error is None
    for one in spec.parameters:
        assert "pixel" in one.description or one.unit is None, one.name
