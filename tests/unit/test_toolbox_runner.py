"""Chains: named pictures, the way back to the original, limits, and errors that say where and why."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

from annotation.schema import Box, ToolCall
from annotation.toolbox.affine import IDENTITY
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.runner import ChainError, ChainResult, Limits, Unopened, foreseen, run_chain
from tests.unit.toolbox_cases import scene

USUAL = Limits()
blank = np.zeros((800, 1200, 3), np.uint8)


def run(*calls: ToolCall, limits: Limits = USUAL, picture: Any = None) -> ChainResult:
    return run_chain(scene() if picture is None else picture, calls, limits)


def stopped(*calls: ToolCall, limits: Limits = USUAL, picture: Any = None) -> ChainError:
    error = run(*calls, limits=limits, picture=picture).error
    assert error is not None
    return error


@pytest.mark.parametrize(
    ("call", "place", "radius"),
    [
        (ToolCall("opencv_crop", {"x": 300, "y": 100, "width": 600, "height": 400}), (450, 180), 40),
        (ToolCall("opencv_zoom_in", {"x": 300, "y": 100, "width": 600, "height": 400, "scale": 2}), (375, 140), 20),
    ],
)
def test_the_worked_examples_map_a_circle_back(call: ToolCall, place: tuple[int, int], radius: int) -> None:
    back = run(call, picture=blank).steps[0].to_original
    assert back is not None
    assert back.point(150, 80) == pytest.approx(place)
    assert 40 * back.scale == pytest.approx(radius)


def test_a_detection_after_many_turns_maps_back_to_the_original() -> None:
    result = run(
        ToolCall("crop", {"x": 70, "y": 30, "width": 80, "height": 80}),
        ToolCall("rotate", {"angle": 30}),
        ToolCall("zoom_in", {"x": 10, "y": 10, "width": 85, "height": 85, "scale": 3}),
        ToolCall("flip", {"direction": "horizontal"}),
        ToolCall("pyramid", {"mode": "pyr_down"}),
        ToolCall("translate", {"direction": "up", "distance": 5}),
        ToolCall("Circle Detect", {"param2": 15, "min_radius": 30, "minDist": 400}),
    )
    assert result.error is None
    last = result.last
    assert last is not None
    assert last.to_original is not None
    circle = last.measurements["circles"][0]
    assert last.to_original.point(circle["x"] + 0.5, circle["y"] + 0.5) == pytest.approx((110.5, 70.5), abs=1)
    assert circle["radius"] * last.to_original.scale == pytest.approx(25, abs=1.5)


def test_a_box_in_a_crop_of_a_crop_maps_back() -> None:
    result = run(
        ToolCall("zoom_in", {"x": 50, "y": 50, "width": 400, "height": 400, "scale": 2}),
        ToolCall("crop", {"x": 100, "y": 100, "width": 200, "height": 200}),
        picture=blank,
    )
    assert result.last is not None
    assert result.last.to_original is not None
    assert result.last.to_original.box(Box(0, 0, 200, 200)) == Box(100, 100, 200, 200)


def test_named_pictures_branch_and_the_latest_is_the_default() -> None:
    result = run(
        ToolCall("crop", {"width": 50, "height": 40}, "original", "a"),
        ToolCall("canny", {}, "original", "b"),
        ToolCall("flip", {"direction": "vertical"}, "a", "c"),
        ToolCall("colorspace_gray"),
    )
    assert [(step.image_id, step.image.shape[:2]) for step in result.steps if step.image is not None] == [
        ("a", (40, 50)), ("b", (120, 160)), ("c", (40, 50)), ("step_4", (40, 50)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("image_in", "arguments"),
    [
        (("original", "part"), {}),
        ("original", {"template": "part"}),
        ("original", {"template_path": "part", "method": "sqdiff"}),
    ],
)
def test_a_second_picture_is_named_as_input_or_as_argument(image_in: Any, arguments: dict[str, Any]) -> None:
    result = run(
        ToolCall("crop", {"x": 90, "y": 50, "width": 40, "height": 30}, "original", "part"),
        ToolCall("template_match", arguments, image_in, "found"),
    )
    assert result.error is None
    assert result.steps[1].measurements["box"] == [90, 50, 130, 80]
    assert result.steps[1].to_original == IDENTITY


def test_a_place_is_lost_after_frequencies_and_stays_lost() -> None:
    result = run(ToolCall("dft"), ToolCall("crop", {"width": 9, "height": 9}))
    assert [step.to_original for step in result.steps] == [None, None]


def test_measurements_and_times_are_kept_for_every_step() -> None:
    result = run(ToolCall("contour_area"), ToolCall("connected_components_with_stats", {}, "original"))
    assert result.steps[0].measurements["total_contours"] >= 2
    assert result.steps[1].measurements["components"][0]["area"] > 1500
    assert all(step.milliseconds > 0 for step in result.steps)


def test_the_same_chain_gives_the_same_pictures() -> None:
    calls = (ToolCall("rotate", {"angle": 12}), ToolCall("grabcut", {"preset": "loose"}), ToolCall("sharpen"))
    first, second = run(*calls), run(*calls)
    for one, other in zip(first.steps, second.steps, strict=True):
        assert np.array_equal(one.image, other.image)  # type: ignore[arg-type]


def test_an_error_names_step_tool_parameter_value_and_range_and_keeps_what_ran() -> None:
    result = run(ToolCall("colorspace_gray"), ToolCall("Blur", {"method": "median", "ksize": 4}), ToolCall("canny"))
    assert len(result.steps) == 1
    error = result.error
    assert error is not None
    assert (error.number, error.tool, error.parameter, error.value) == (2, "blur", "ksize", "4")
    assert error.allowed == "a whole number from 1 to 99, odd"
    assert error.message.startswith("Step 2 (Blur): blur: ksize = 4")


@pytest.mark.parametrize(
    ("call", "parameter", "words"),
    [
        (ToolCall("telescope"), "tool", "known are"),
        (ToolCall("Convert Color"), "tool", "choose one"),
        (ToolCall("canny", {}, "nowhere"), "image_in", "so far: original"),
        (ToolCall("canny", {}, ("original", "original")), "image_in", "takes 1"),
        (ToolCall("template_match", {}, "original"), "image_in", "takes 2"),
        (ToolCall("canny", {}, "original", "original"), "image_out", "another id"),
        (ToolCall("crop", {"x": 100, "width": 61, "height": 5}), "width", "1 to 60"),
    ],
)
def test_a_call_that_cannot_run_says_why(call: ToolCall, parameter: str, words: str) -> None:
    error = stopped(call)
    assert (error.number, error.parameter) == (1, parameter)
    assert words in error.message


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (ToolCall("resize", {"width": 60_000, "height": 60_000}), "width"),
        (ToolCall("resize", {"preset": "double"}), "preset"),
        (ToolCall("zoom_in", {"width": 160, "height": 120, "scale": 10}), "scale"),
        (ToolCall("rotate", {"angle": 45}), "angle"),
        (ToolCall("pyramid", {"mode": "pyr_up"}), "mode"),
    ],
)
def test_a_result_too_large_is_refused_before_it_is_made(call: ToolCall, parameter: str) -> None:
    error = stopped(call, limits=Limits(output_pixels=20_000))
    assert error.parameter == parameter
    assert "20,000 pixels" in error.message


def test_a_large_original_may_still_be_worked_on_at_its_own_size() -> None:
    assert run(ToolCall("canny"), limits=Limits(output_pixels=100)).error is None


def test_a_chain_may_not_keep_more_than_its_share() -> None:
    result = run(*[ToolCall("canny")] * 4, limits=Limits(kept_pixels=3 * 160 * 120))
    assert len(result.steps) == 3
    assert result.error is not None
    assert "together" in result.error.message


def test_a_chain_may_not_have_more_steps_than_allowed() -> None:
    result = run(*[ToolCall("canny")] * 3, limits=Limits(steps=2))
    assert len(result.steps) == 2
    assert result.error is not None
    assert "2 steps" in result.error.message


def test_a_chain_stops_when_its_time_is_over() -> None:
    ticks = count(step=4.0)
    result = run_chain(scene(), [ToolCall("canny")] * 9, Limits(seconds=20), clock=lambda: next(ticks))
    assert 0 < len(result.steps) < 9
    assert result.error is not None
    assert "of 20 s" in result.error.message


def test_a_slow_tool_asks_for_a_smaller_picture() -> None:
    error = stopped(ToolCall("denoise"), picture=np.zeros((2100, 2000), np.uint8))
    assert "crop or resize it first" in error.message
    assert (error.tool, error.parameter, error.value) == ("denoise", "image", "2000 × 2100")


def test_an_empty_chain_has_no_steps_and_no_error() -> None:
    assert run() == ChainResult()
    assert run().last is None


@pytest.mark.parametrize(
    ("calls", "number", "parameter"),
    [
        ([ToolCall("denoise")], 1, "image"),
        ([ToolCall("crop", {"width": 1400, "height": 1400}), ToolCall("denoise")], None, ""),
        ([ToolCall("crop", {"width": 1400, "height": 1400}), ToolCall("denoise", {"search_window": 35})], 2,
         "search_window"),
        ([ToolCall("crop", {"width": 1400, "height": 1400}), ToolCall("resize", {"preset": "double"}),
          ToolCall("denoise")], 3, "image"),
        ([ToolCall("canny"), ToolCall("blur", {"method": "median", "ksize": 4})], 2, "ksize"),
        ([ToolCall("canny"), ToolCall("flip", {"direction": "vertical"}, "nowhere")], 2, "image_in"),
        ([ToolCall("telescope")], 1, "tool"),
        ([ToolCall("canny")] * 31, 13, "image"),
        ([ToolCall("crop", {"x": 7000, "width": 900, "height": 9})], 1, "width"),
        ([ToolCall("crop", {"width": 90, "height": 80}), ToolCall("zoom_in", {"y": 80, "width": 9, "height": 1,
          "scale": 2})], 2, "y"),
        ([ToolCall("rotate", {"angle": 90}), ToolCall("floodfill", {"x": 4320, "y": 0})], 2, "x"),
    ],
)  # fmt: skip
def test_what_will_stop_a_chain_is_foreseen_without_running_it(
    calls: list[ToolCall], number: int | None, parameter: str
) -> None:
    error = foreseen(calls, 7680, 4320)
    assert (error.number if error else None) == number
    assert error is None or error.parameter == parameter


def test_what_is_foreseen_is_what_running_says() -> None:
    calls = [
        ToolCall("flip", {"direction": "vertical"}),
        ToolCall("rotate", {"angle": 45}),
        ToolCall("blur", {"ksize": 3}),
    ]
    limits = Limits(output_pixels=20_000)
    assert foreseen(calls, 160, 120, limits) == run(*calls, limits=limits).error
    outside = [ToolCall("crop", {"x": 150, "width": 11, "height": 9})]
    told, said = foreseen(outside, 160, 120), stopped(*outside)
    assert told is not None
    assert told.message == said.message
    assert said.by_tool, "the tool took the call, and could not do it on this picture: a replay tells these apart"


def test_a_picture_is_not_opened_for_steps_that_are_known() -> None:
    opened: list[int] = []

    def opening() -> Any:
        opened.append(1)
        return scene()

    cache, picture = ResultCache(), Unopened(160, 120, opening)
    for angle in (5, 10):
        calls = [ToolCall("crop", {"width": 90, "height": 80}), ToolCall("rotate", {"angle": angle})]
        result = run_chain(picture, calls, cache=cache, original_key="scene")
    assert result.error is None
    assert len(opened) == 1


def test_waiting_for_a_turn_is_not_counted_as_work() -> None:
    now = [0.0]

    def work(seconds: float, call: Any) -> Any:
        now[0] += 60
        return call()

    result = run_chain(scene(), [ToolCall("canny")] * 3, Limits(seconds=20), clock=lambda: now[0], work=work)
    assert result.error is None
    assert [step.milliseconds for step in result.steps] == [0, 0, 0]
