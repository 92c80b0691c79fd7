"""D10.2: the profile ``vtc`` accepts, refuses and paints as the published interface of VTC-Bench does."""

from __future__ import annotations

import json
from typing import Any

import cv2
import jsonschema
import numpy as np
import pytest

from annotation.importers.fields import Report
from annotation.schema import ORIGINAL, ToolCall
from annotation.toolbox import vtc
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.results import Picture, ToolError
from annotation.toolbox.runner import ChainResult, run_chain
from annotation.toolbox.table import TOOLS
from annotation.toolbox.vtc import PUBLISHED, Profile, arguments_of, call_of, published_tool
from evaluation.agents.tool_session import ToolSession
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.replay.run import Outcome, replay
from evaluation.schema import Step
from tests.unit.test_toolbox_schema import PROPERTY, ROOT
from tests.unit.toolbox_cases import ARGUMENTS, scene, template

ACCEPTED: list[tuple[str, dict[str, Any], tuple[int, int]]] = [
    ("zoom_in", {"x": 5, "y": 5, "width": 20, "height": 10}, (20, 10)),
    ("flip", {}, (160, 120)),
    ("translate", {}, (160, 120)),
    ("floodfill", {}, (160, 120)),
    ("floodfill", {"loDiff": [1, 2, 3], "upDiff": [4, 5, 6], "newVal": [9, 9, 9]}, (160, 120)),
    ("inpaint", {"preset": "canny", "canny_low": 50, "canny_high": 90}, (160, 120)),
    ("inpaint", {"preset": "threshold"}, (160, 120)),
    ("blur", {"method": "median", "ksize": 4}, (160, 120)),
    ("rotate", {"angle": 90.9}, (120, 160)),
    ("crop", {"width": 9, "height": 8, "why": "to see"}, (9, 8)),
    ("contours", {"color": "green"}, (160, 120)),
    ("hough_lines", {"minLineLength": 30, "maxLineGap": 5}, (160, 120)),
    ("hough_circles", {"minDist": 30, "minRadius": 5, "maxRadius": 40}, (160, 120)),
    ("threshold", {"mode": "otsu"}, (160, 120)),
    ("resize", {"width": 40, "height": 30}, (40, 30)),
]
BY_SCHEMA: list[tuple[str, dict[str, Any], str]] = [
    ("crop", {"x": "5", "y": 5, "width": 20, "height": 10}, "x"),
    ("rotate", {"angle": "90"}, "angle"),
    ("floodfill", {"loDiff": 10}, "lo_diff"),
    ("threshold", {}, "mode"),
    ("resize", {"preset": "half"}, "width"),
]
BY_CODE: list[tuple[str, dict[str, Any], str]] = [
    ("template_match", {}, "template_path"),
    ("crop", {"x": 5, "y": 5}, "width"),
    ("crop", {"x": 150, "y": 5, "width": 20, "height": 10}, "width"),
    ("zoom_in", {"x": 5, "y": 115, "width": 20, "height": 10}, "height"),
    ("inrange_color", {}, "lower"),
    ("inrange_color", {"lower": [0, 0, 0]}, "upper"),
]


def ran(tool: str, param: dict[str, Any]) -> ChainResult:
    call = call_of(f"opencv_{tool}", {"image": ORIGINAL, "param": param})
    return run_chain(scene(), [call], tools=PUBLISHED, others={"image_1": template()})


def made(tool: str, **param: Any) -> Picture:
    result = ran(tool, param)
    assert result.error is None, result.error
    assert result.steps[0].image is not None
    return result.steps[0].image


def refused_at(tool: str, param: dict[str, Any]) -> str:
    """The parameter that is to blame, "" where the call is accepted."""
    try:
        error = ran(tool, param).error
    except ToolError as refused:
        return refused.parameter
    return error.parameter if error else ""


def schema_allows(tool: str, param: dict[str, Any]) -> bool:
    schema = published_tool(f"opencv_{tool}")["function"]["parameters"]
    return jsonschema.Draft202012Validator(schema).is_valid({"image": ORIGINAL, "param": param})


@pytest.mark.parametrize(("tool", "param", "size"), ACCEPTED)
def test_calls_that_the_release_accepts_run(tool: str, param: dict[str, Any], size: tuple[int, int]) -> None:
    """D10.2: the toolbox refused several of them."""
    assert made(tool, **param).shape[1::-1] == size
    assert schema_allows(tool, param)
    assert call_of(tool, {"param": param}) == call_of(f"opencv_{tool}", {"image": ORIGINAL, "param": param})


@pytest.mark.parametrize(("tool", "param", "parameter"), BY_SCHEMA)
def test_calls_that_the_schema_of_the_release_rejects_are_refused(
    tool: str, param: dict[str, Any], parameter: str
) -> None:
    """D10.2: before any code runs, and the schema that is sent says so too."""
    assert refused_at(tool, param) == parameter
    assert not schema_allows(tool, param)


@pytest.mark.parametrize(("tool", "param", "parameter"), BY_CODE)
def test_calls_that_the_code_of_the_release_rejects_are_refused(
    tool: str, param: dict[str, Any], parameter: str
) -> None:
    """D10.2: the schema lets them through."""
    assert refused_at(tool, param) == parameter
    assert schema_allows(tool, param)


def test_what_is_no_call_of_the_interface_is_refused() -> None:
    """D10.2: sharpen has no published tool; parameters outside of ``param`` are unknown keys."""
    assert len(PUBLISHED) == 35
    for tool, given in (("sharpen", {}), ("opencv_sharpen", {}), ("crop", {"param": "x=1"}), ("crop", {"width": 5})):
        with pytest.raises(ToolError):
            call_of(tool, given)
    matched = call_of("opencv_template_match", {"image": ORIGINAL, "param": {"template_path": "image_1"}})
    assert matched.image_in == (ORIGINAL, "image_1")
    assert run_chain(scene(), [matched], tools=PUBLISHED, others={"image_1": template()}).error is None


@pytest.mark.parametrize("name", PUBLISHED)
def test_tool_schema_subset_of_hosted_apis_holds_every_tool_but_for_param(name: str) -> None:
    """D10.2, D10.1: hosted APIs take every tool of the profile; its names are those of the interface."""
    schema = published_tool(name)["function"]["parameters"]
    assert set(schema) == ROOT
    assert set(schema["properties"]) == {"image", "param"}
    param = schema["properties"]["param"]
    assert set(param) == {"type", "properties", "required"}
    assert set(param["required"]) <= set(param["properties"])
    for one, part in param["properties"].items():
        assert set(part) <= PROPERTY, one
        assert part["type"] in {"string", "integer", "number", "boolean", "array"}, one
    plain = name.removeprefix("opencv_")
    if plain not in ("resize", "template_match", "threshold"):
        assert schema_allows(plain, ARGUMENTS.get(plain, {}))
        assert arguments_of(name, ARGUMENTS.get(plain, {})) is not None


def test_floodfill_compares_with_the_start_unless_flags_say_otherwise() -> None:
    """D10.2: on a ramp, a floating range runs to its end, a fixed one stops after ten steps."""
    ramp = np.repeat(np.arange(0, 120, 4, dtype=np.uint8)[None, :, None], 6, axis=0).repeat(3, axis=2)
    for param, flags in (({}, 4 | cv2.FLOODFILL_FIXED_RANGE), ({"flags": 4}, 4), ({"flags": 65_544}, 65_544)):
        bgr = ramp[:, :, ::-1].copy()
        cv2.floodFill(bgr, None, (0, 0), (0, 255, 0), (10, 10, 10), (10, 10, 10), flags)
        result = run_chain(ramp, [call_of("opencv_floodfill", {"param": param})], tools=PUBLISHED)
        assert np.array_equal(result.steps[0].image, bgr[:, :, ::-1])  # type: ignore[arg-type]
    strict = run_chain(ramp, [ToolCall("opencv_floodfill", {"x": 0, "y": 0})])
    assert strict.steps[0].measurements["filled_pixels"] == ramp[:, :, 0].size, "the default stays"


def test_inpaint_paints_over_what_is_brighter_than_127_or_the_edges_between_its_thresholds() -> None:
    """D10.2: ours paints over what is brighter than 240."""
    grey_disc = scene()
    cv2.circle(grey_disc, (110, 70), 12, (180, 180, 180), -1)
    grey = cv2.cvtColor(grey_disc, cv2.COLOR_RGB2GRAY)
    bright = cv2.threshold(grey, 127, 255, cv2.THRESH_BINARY)[1]
    edges = cv2.dilate(cv2.Canny(grey, 20, 60), np.ones((3, 3), np.uint8))
    for param, mask in (
        ({"preset": "threshold"}, bright),
        ({"preset": "canny", "canny_low": 20, "canny_high": 60}, edges),
    ):
        expected = cv2.inpaint(grey_disc, mask, 3, cv2.INPAINT_TELEA)
        result = run_chain(grey_disc, [call_of("opencv_inpaint", {"param": param})], tools=PUBLISHED)
        assert np.array_equal(result.steps[0].image, expected)  # type: ignore[arg-type]
    assert run_chain(grey_disc, [ToolCall("inpaint", {"canny_low": 20})]).error is not None, "the default stays strict"


@pytest.mark.parametrize("angle", [12.9, -33.7, 89.99, 200])
def test_rotate_cuts_the_angle_to_whole_degrees_and_the_canvas_to_whole_pixels(angle: float) -> None:
    """D10.2: a clockwise turn about the center, by OpenCV alone."""
    matrix = cv2.getRotationMatrix2D((80, 60), -int(angle), 1)
    cos, sin = abs(matrix[0, 0]), abs(matrix[0, 1])
    width, height = int(160 * cos + 120 * sin), int(160 * sin + 120 * cos)
    matrix[:, 2] += (width - 160) / 2, (height - 120) / 2
    expected = cv2.warpAffine(scene(), matrix, (width, height), flags=cv2.INTER_LINEAR)
    found = made("rotate", angle=angle)
    assert found.shape == expected.shape
    assert np.array_equal(found, expected)


def test_other_pixels_of_the_release() -> None:
    """D10.2: planes saved as if they were BGR, absolute values, linear enlargement, kernels made odd, defaults."""
    image = scene()
    bgr = np.ascontiguousarray(image[:, :, ::-1])
    for tool, code in (("colorspace_hsv", cv2.COLOR_BGR2HSV), ("colorspace_lab", cv2.COLOR_BGR2LAB)):
        assert np.array_equal(made(tool), cv2.cvtColor(bgr, code)[:, :, ::-1])
    assert np.array_equal(made("convertscaleabs", beta=-100), cv2.convertScaleAbs(image, alpha=1, beta=-100))
    larger = cv2.resize(image, (320, 240), interpolation=cv2.INTER_LINEAR)
    assert np.array_equal(made("resize", width=320, height=240), larger)
    assert np.array_equal(made("zoom_in", width=160, height=120, scale=2), larger)
    assert np.array_equal(made("zoom_in", x=5, y=6, width=20, height=10), image[6:16, 5:25])
    assert np.array_equal(made("blur", method="median", ksize=4), cv2.medianBlur(image, 5))
    assert np.array_equal(made("flip"), image[:, ::-1])
    moved = np.repeat(image[:, :1], 160, axis=1)
    moved[:, 32:] = image[:, :-32]
    assert np.array_equal(made("translate"), moved)


def test_a_kept_result_of_one_profile_is_not_given_to_the_other() -> None:
    """D10.2: same tool, same arguments, other pixels."""
    kept, arguments = ResultCache(), {"width": 320, "height": 240}
    strict = run_chain(scene(), [ToolCall("resize", arguments)], cache=kept)
    asked = call_of("opencv_resize", {"param": arguments})
    published = run_chain(scene(), [asked], cache=kept, tools=vtc.tools_of(Profile.VTC))
    assert not np.array_equal(strict.steps[0].image, published.steps[0].image)  # type: ignore[arg-type]
    assert vtc.tools_of(Profile.STRICT) == {}
    assert set(TOOLS) - {name.removeprefix("opencv_") for name in PUBLISHED} == {"sharpen"}


@pytest.mark.parametrize("param", ["x=1", 7, [1], [], "", False, 0.0])
def test_parameters_that_are_no_object_fail_in_the_session_and_in_its_replay(param: Any) -> None:
    """D10.2: they were recorded as an object of one unknown parameter, with which the tool ran in a replay."""
    session = ToolSession("one", scene(), profile=Profile.VTC)
    assert not session.call("opencv_canny", {"image": ORIGINAL, "param": param}).ok
    assert session.call("opencv_canny", {"image": ORIGINAL, "param": {"param": param}}).ok, "an unknown key is ignored"
    row = json.loads(json.dumps(session.trajectory("2", "agent-7", "interface")))
    trajectory = trajectory_from(row, ReadOptions(), Report("session", None))
    found = [one.outcome for one in replay(trajectory.steps, scene(), profile=Profile.VTC)]
    assert found == [Outcome.FAILED, Outcome.SAME]


def test_a_session_of_the_profile_is_recorded_with_it_and_replays_to_the_same_values() -> None:
    """D10.2: a call goes on from an earlier image; a refused one is a failed step."""
    session = ToolSession("one", scene(), profile=Profile.VTC)
    cut = {"x": 80, "y": 40, "width": 60, "height": 60, "label": "disc"}
    first = session.call("opencv_zoom_in", {"image": "original", "param": cut})
    assert first.image_id == "image_1"
    assert session.call("opencv_floodfill", {"image": "image_1", "param": {"newVal": [1, 2, 3]}}).ok
    assert session.call("opencv_rotate", {"image": "image_2", "param": {"angle": 30.6}}).ok
    assert "width" in session.call("opencv_crop", {"image": "image_1", "param": {}}).text
    row = session.trajectory("2", "agent-7", "interface")
    assert row["profile"] == "vtc"
    assert [step["ok"] for step in row["steps"]] == [True, True, True, False]
    assert row["steps"][0]["bbox"] == [80, 40, 140, 100]
    steps = [
        Step(one["tool"], one["args"], image_in=one["image_in"], image_out=one["image_out"], ok=one["ok"],
             extra={"out_digest": one.get("out_digest", "")})
        for one in row["steps"]
    ]  # fmt: skip
    same = [one.outcome for one in replay(steps, scene(), profile=Profile.VTC)]
    assert same == [Outcome.SAME] * 3 + [Outcome.FAILED]
    assert replay(steps, scene())[1].outcome is Outcome.LOST, "strictly, a call without x and y is not taken"
    assert "profile" not in ToolSession("one", scene()).trajectory("2", "agent-7", "interface")
