"""Geometry by hand-made arrays, and the maps back to the input as properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import Box
from annotation.toolbox import geometry
from annotation.toolbox.affine import IDENTITY, Affine, clockwise, scaling, shift
from annotation.toolbox.results import Picture, ToolError, ToolResult

numbered = np.array([[1, 2, 3], [4, 5, 6]], np.uint8)
sides = st.integers(2, 40)


def pixels(result: ToolResult) -> list[list[int]]:
    assert result.image is not None
    found: list[list[int]] = result.image.tolist()
    return found


def back(result: ToolResult, x: float, y: float) -> tuple[float, float]:
    assert result.transform is not None
    return result.transform.point(x, y)


def spotted(width: int, height: int, x: int, y: int) -> Picture:
    picture = np.zeros((height, width), np.uint8)
    picture[y, x] = 255
    return picture


def centre_of_light(picture: Picture) -> tuple[float, float]:
    """In continuous coordinates: the middle of the first pixel is 0.5."""
    rows, columns = np.indices(picture.shape)
    weight = picture.astype(float)
    return float((columns * weight).sum() / weight.sum()) + 0.5, float((rows * weight).sum() / weight.sum()) + 0.5


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (geometry.crop(numbered, x=1, y=0, width=2, height=1), [[2, 3]]),
        (geometry.flip(numbered, direction="horizontal"), [[3, 2, 1], [6, 5, 4]]),
        (geometry.flip(numbered, direction="vertical"), [[4, 5, 6], [1, 2, 3]]),
        (geometry.rotate(numbered, angle=90), [[4, 1], [5, 2], [6, 3]]),
        (geometry.rotate(numbered, angle=-90), [[3, 6], [2, 5], [1, 4]]),
        (geometry.rotate(numbered, angle=180), [[6, 5, 4], [3, 2, 1]]),
        (geometry.rotate(numbered, angle=360), [[1, 2, 3], [4, 5, 6]]),
        (geometry.translate(numbered, direction="right", distance=1), [[0, 1, 2], [0, 4, 5]]),
        (geometry.translate(numbered, direction="left", distance=2), [[3, 0, 0], [6, 0, 0]]),
        (geometry.translate(numbered, direction="up", distance=1), [[4, 5, 6], [0, 0, 0]]),
        (geometry.translate(numbered, direction="down", distance=1), [[0, 0, 0], [1, 2, 3]]),
        (geometry.translate(numbered, direction="down", distance=9), [[0, 0, 0], [0, 0, 0]]),
        (geometry.resize(np.array([[0, 4], [8, 4]], np.uint8), width=1, height=1), [[4]]),
    ],
)
def test_pixels_move_where_they_should(result: ToolResult, expected: list[list[int]]) -> None:
    assert pixels(result) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (geometry.crop(np.zeros((800, 1200), np.uint8), x=300, y=100, width=600, height=400), (450, 180)),
        (geometry.zoom_in(np.zeros((800, 1200), np.uint8), x=300, y=100, width=600, height=400, scale=2), (375, 140)),
        (geometry.resize(np.zeros((800, 1200), np.uint8), preset="half"), (300, 160)),
        (geometry.flip(np.zeros((800, 1200), np.uint8), direction="horizontal"), (1050, 80)),
        (geometry.rotate(np.zeros((800, 1200), np.uint8), angle=90), (80, 650)),
        (geometry.translate(np.zeros((800, 1200), np.uint8), direction="left", distance=10), (160, 80)),
    ],
)
def test_a_place_in_the_result_is_found_in_the_input(result: ToolResult, expected: tuple[float, float]) -> None:
    assert back(result, 150, 80) == pytest.approx(expected)


@given(sides, sides, st.data())
def test_every_exact_tool_maps_each_pixel_to_the_one_it_came_from(width: int, height: int, data: st.DataObject) -> None:
    picture = np.random.default_rng(0).permutation(width * height).astype(np.uint16)
    low, high = (picture & 255).astype(np.uint8), (picture >> 8).astype(np.uint8)
    image = np.dstack([low.reshape(height, width), high.reshape(height, width), np.zeros((height, width), np.uint8)])
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    results = [
        geometry.crop(image, x=x, y=y, width=width - x, height=height - y),
        geometry.flip(image, direction=data.draw(st.sampled_from(["horizontal", "vertical"]))),
        geometry.rotate(image, angle=data.draw(st.sampled_from([-270, -90, 0, 90, 180, 270]))),
    ]
    for result in results:
        assert result.image is not None
        out_y, out_x = (
            data.draw(st.integers(0, result.image.shape[0] - 1)),
            data.draw(st.integers(0, result.image.shape[1] - 1)),
        )
        in_x, in_y = back(result, out_x + 0.5, out_y + 0.5)
        assert result.image[out_y, out_x].tolist() == image[int(in_y), int(in_x)].tolist()


@given(st.integers(8, 50), st.integers(8, 50), st.floats(-360, 360), st.data())
def test_a_spot_in_a_turned_picture_maps_back_within_a_pixel(
    width: int, height: int, angle: float, data: st.DataObject
) -> None:
    x, y = data.draw(st.integers(2, width - 3)), data.draw(st.integers(2, height - 3))
    result = geometry.rotate(spotted(width, height, x, y), angle=angle)
    assert result.image is not None
    assert back(result, *centre_of_light(result.image)) == pytest.approx((x + 0.5, y + 0.5), abs=0.5)


@given(st.integers(0, 20), st.integers(0, 10), st.floats(1, 10), st.integers(3, 16), st.integers(3, 16))
def test_a_spot_in_a_zoomed_picture_maps_back_within_a_pixel(x: int, y: int, scale: float, sx: int, sy: int) -> None:
    result = geometry.zoom_in(spotted(40, 30, x + sx, y + sy), x=x, y=y, width=20, height=20, scale=scale)
    assert result.image is not None
    assert back(result, *centre_of_light(result.image)) == pytest.approx((x + sx + 0.5, y + sy + 0.5), abs=0.5)


@pytest.mark.parametrize("mode", ["pyr_up", "pyr_down"])
@pytest.mark.parametrize("spot", [(10, 12), (13, 9)])
def test_a_spot_in_a_pyramid_step_maps_back_exactly(mode: str, spot: tuple[int, int]) -> None:
    result = geometry.pyramid(spotted(31, 24, *spot), mode=mode)  # type: ignore[arg-type]
    assert result.image is not None
    assert back(result, *centre_of_light(result.image)) == pytest.approx((spot[0] + 0.5, spot[1] + 0.5), abs=0.3)


@given(st.integers(1, 3000), st.integers(1, 3000), st.floats(-360, 360))
def test_the_canvas_of_a_turned_picture_holds_all_of_it(width: int, height: int, angle: float) -> None:
    across, down = geometry.rotated_size(width, height, angle=angle)
    turned = clockwise(angle).box(Box(0, 0, width, height))
    assert turned.width - 1e-3 <= across < turned.width + 1.001
    assert turned.height - 1e-3 <= down < turned.height + 1.001


@pytest.mark.parametrize(
    ("arguments", "parameter", "words"),
    [
        ({"x": 3, "width": 1, "height": 1}, "x", "0 to 2"),
        ({"y": 2, "width": 1, "height": 1}, "y", "0 to 1"),
        ({"x": 1, "width": 3, "height": 1}, "width", "1 to 2 from x = 1"),
        ({"width": 3, "height": 3}, "height", "1 to 2 from y = 0"),
    ],
)
def test_a_crop_beyond_the_picture_says_what_would_fit(arguments: dict[str, int], parameter: str, words: str) -> None:
    for tool in (geometry.crop, geometry.zoom_in):
        with pytest.raises(ToolError) as refused:
            tool(numbered, **arguments)  # type: ignore[arg-type]
        assert refused.value.parameter == parameter
        assert words in refused.value.allowed


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ({"scale": 2.5}, (50, 25)),
        ({"target_width": 60}, (60, 30)),
        ({"target_height": 40}, (80, 40)),
        ({"target_width": 60, "target_height": 60}, (60, 60)),
    ],
)
def test_a_zoom_has_the_size_asked_for(arguments: dict[str, float], size: tuple[int, int]) -> None:
    result = geometry.zoom_in(np.zeros((30, 40), np.uint8), width=20, height=10, **arguments)  # type: ignore[arg-type]
    assert result.measurements == {"width": size[0], "height": size[1]}
    assert back(result, *size) == pytest.approx((20, 10))


@pytest.mark.parametrize("arguments", [{}, {"scale": 2, "target_width": 9}])
def test_a_zoom_needs_exactly_one_way_to_say_its_size(arguments: dict[str, float]) -> None:
    with pytest.raises(ToolError, match="either scale"):
        geometry.zoom_in(numbered, width=2, height=2, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", [{}, {"width": 5}, {"height": 5}, {"preset": "half", "width": 3, "height": 3}])
def test_a_resize_needs_exactly_one_way_to_say_its_size(arguments: dict[str, object]) -> None:
    with pytest.raises(ToolError, match="width and height together, or preset alone"):
        geometry.resize(numbered, **arguments)  # type: ignore[arg-type]


numbers = st.floats(-50, 50)


@given(numbers, numbers, numbers, numbers, st.floats(-180, 180), st.floats(0.2, 5))
def test_maps_compose_and_turn_back(x: float, y: float, c: float, f: float, angle: float, factor: float) -> None:
    first, second = shift(c, f).after(scaling(factor, factor)), clockwise(angle)
    both = second.after(first)
    assert both.point(x, y) == pytest.approx(second.point(*first.point(x, y)), abs=1e-6)
    assert both.inverse().point(*both.point(x, y)) == pytest.approx((x, y), abs=1e-6)
    assert both.scale == pytest.approx(factor)


def test_a_flipped_box_stays_a_box() -> None:
    assert Affine(a=-1, c=100).box(Box(10, 20, 30, 40)) == Box(70, 20, 90, 40)
    assert IDENTITY.rows() == ((1, 0, 0), (0, 1, 0))
