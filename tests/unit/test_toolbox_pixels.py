"""What the tools that change values and the tools that measure make of pictures small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from annotation.toolbox import colour, drawing, edges, filters, matching, outlines, regions
from annotation.toolbox.results import Picture, ToolError, ToolResult
from tests.unit.toolbox_cases import scene

RED, GREEN, BLUE, WHITE, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)
row = np.array([[RED, GREEN, BLUE, WHITE, BLACK]], np.uint8)


def pixels(result: ToolResult) -> list[Any]:
    assert result.image is not None
    found: list[Any] = result.image.tolist()
    return found


def squares() -> Picture:
    """Two white squares on black, 20 × 20 at (10, 10) and 10 × 10 at (40, 40)."""
    picture = np.zeros((60, 60, 3), np.uint8)
    picture[10:30, 10:30] = 255
    picture[40:50, 40:50] = 255
    return picture


def test_grey_weighs_the_colours() -> None:
    assert pixels(colour.colorspace_gray(row)) == [[76, 150, 29, 255, 0]]


def test_hsv_planes_come_in_their_own_order() -> None:
    assert pixels(colour.colorspace_hsv(row))[0] == [
        [0, 255, 255],
        [60, 255, 255],
        [120, 255, 255],
        [0, 0, 255],
        [0, 0, 0],
    ]
    assert pixels(colour.colorspace_hsv(row, channel="hue")) == [[0, 60, 120, 0, 0]]


def test_lab_of_white_and_black_is_neutral() -> None:
    assert pixels(colour.colorspace_lab(row))[0][3:] == [[255, 128, 128], [0, 128, 128]]
    assert pixels(colour.colorspace_lab(row, channel="lightness"))[0][3:] == [255, 0]


def test_darkening_below_black_stays_black() -> None:
    grey = np.array([[0, 50, 100, 200]], np.uint8)
    assert pixels(colour.convertscaleabs(grey, beta=-100)) == [[0, 0, 0, 100]]
    assert pixels(colour.convertscaleabs(grey, alpha=1.5, beta=10)) == [[10, 85, 160, 255]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"mode": "binary", "threshold_value": 100}, [0, 0, 255, 255]),
        ({"mode": "binary", "threshold_value": 99}, [0, 255, 255, 255]),
        ({"mode": "binary", "threshold_value": 100, "invert": True}, [255, 255, 0, 0]),
        ({}, [0, 0, 255, 255]),
    ],
)
def test_a_threshold_makes_black_and_white(arguments: dict[str, Any], expected: list[int]) -> None:
    assert pixels(colour.threshold(np.array([[90, 100, 200, 210]], np.uint8), **arguments)) == [expected]


def test_a_threshold_of_one_channel_leaves_the_others() -> None:
    result = colour.threshold(row, mode="binary", color_mode="color", channels="green")
    assert pixels(result) == [[list(colour_) for colour_ in (RED, GREEN, BLUE, WHITE, BLACK)]]
    with pytest.raises(ToolError, match="while color_mode is grayscale"):
        colour.threshold(row, channels="green")


def test_equalizing_spreads_two_greys_to_black_and_white() -> None:
    assert pixels(colour.histogram(np.array([[100, 101]], np.uint8))) == [[0, 255]]


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ([50, 100, 100], [70, 255, 255], [0, 255, 0, 0, 0]),
        ([170, 100, 100], [10, 255, 255], [255, 0, 0, 0, 0]),  # hue through red
        ([0, 0, 200], [179, 50, 255], [0, 0, 0, 255, 0]),
    ],
)
def test_a_colour_filter_keeps_what_lies_between(lower: Any, upper: Any, expected: list[int]) -> None:
    result = colour.inrange_color(row, lower=lower, upper=upper, output_format="mask")
    assert pixels(result) == [expected]
    assert result.measurements == {"matched_pixels": 1, "matched_share": 0.2}


def test_a_colour_filter_takes_blue_green_red_and_shows_picture_and_mask() -> None:
    result = colour.inrange_color(row, colorspace="bgr", lower=(200, 0, 0), upper=(255, 50, 50))
    assert pixels(result)[0][:5] == [list(BLACK), list(BLACK), list(BLUE), list(BLACK), list(BLACK)]
    assert pixels(result)[0][5:] == [list(BLACK), list(BLACK), list(WHITE), list(BLACK), list(BLACK)]


def test_a_colour_filter_with_reversed_limits_is_refused() -> None:
    with pytest.raises(ToolError, match="values up to upper"):
        colour.inrange_color(row, lower=(0, 200, 0), upper=(10, 100, 255))


def test_blur_averages_and_median_removes_a_speck() -> None:
    speck = np.zeros((3, 3), np.uint8)
    speck[1, 1] = 90
    assert pixels(filters.blur(speck, method="average", ksize=3))[1][1] == 10
    assert pixels(filters.blur(speck, method="median", ksize=3)) == [[0] * 3] * 3


def test_sharpening_steepens_an_edge_and_amount_zero_changes_nothing() -> None:
    edge = np.repeat(np.array([[100, 100, 100, 150, 150, 150]], np.uint8), 6, axis=0)
    sharp = pixels(filters.sharpen(edge))[3]
    assert sharp[2] < 100
    assert sharp[3] > 150
    assert pixels(filters.sharpen(edge, amount=0)) == edge.tolist()


@pytest.mark.parametrize(("op", "bright"), [("erode", 1), ("dilate", 25), ("open", 9), ("close", 9)])
def test_morphology_shrinks_and_grows_a_block(op: Any, bright: int) -> None:
    block = np.zeros((9, 9), np.uint8)
    block[3:6, 3:6] = 255
    assert int((np.array(pixels(filters.morphology(block, op=op))) == 255).sum()) == bright


def test_denoising_calms_noise() -> None:
    noisy = np.random.default_rng(3).normal(128, 8, (40, 40)).clip(0, 255).astype(np.uint8)
    calm = filters.denoise(noisy, mode="fast_means_gray", h=20).image
    assert calm is not None
    assert calm.std() < noisy.std() / 2


def test_inpainting_hides_a_bright_spot() -> None:
    spot = np.full((20, 20, 3), 90, np.uint8)
    spot[9:11, 9:11] = 255
    result = filters.inpaint(spot, preset="threshold")
    assert result.measurements == {"painted_pixels": 4}
    assert pixels(result)[9][9] == [90, 90, 90]


@pytest.mark.parametrize(("mode", "steep"), [("sobel_x", True), ("sobel_y", False)])
def test_a_gradient_sees_the_edges_across_its_direction(mode: Any, steep: bool) -> None:
    edge = np.repeat(np.array([[0, 0, 40, 40]], np.uint8), 4, axis=0)
    assert pixels(edges.gradients(edge, mode=mode))[1][1] == (160 if steep else 0)


def test_canny_needs_both_thresholds_in_order() -> None:
    with pytest.raises(ToolError, match="together"):
        edges.canny(squares(), threshold_low=10)
    with pytest.raises(ToolError, match="up to threshold_high = 10"):
        edges.canny(squares(), threshold_low=20, threshold_high=10)
    strict = edges.canny(squares(), threshold_low=10, threshold_high=20).measurements["edge_share"]
    assert 0 < strict < 0.1


def test_circles_are_found_where_they_are() -> None:
    found = edges.hough_circles(scene(), param2=20).measurements["circles"][0]
    assert (found["x"], found["y"], found["radius"]) == pytest.approx((110, 70, 25), abs=2)
    with pytest.raises(ToolError, match="at least min_radius"):
        edges.hough_circles(scene(), min_radius=10, max_radius=5)


def test_a_picture_too_busy_for_the_circle_search_is_refused() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (600, 600), dtype=np.uint8)
    with pytest.raises(ToolError, match="blur or crop first"):
        edges.hough_circles(noise)


def test_lines_are_found_longest_first() -> None:
    picture = np.zeros((100, 100), np.uint8)
    picture[20:23, 5:95] = 255
    picture[60:63, 20:80] = 255
    lines = edges.hough_lines(picture, threshold=30, min_line_length=30).measurements["lines"]
    lengths = [line["length"] for line in lines]
    assert lengths == sorted(lengths, reverse=True)
    assert lines[0]["y1"] == pytest.approx(21, abs=2)
    assert lengths[0] == pytest.approx(90, abs=4)


def test_components_are_measured_largest_first() -> None:
    measured = regions.connected_components_with_stats(squares()).measurements
    assert measured["total_components"] == 2
    assert measured["components"][0] == {"area": 400, "box": [10, 10, 30, 30], "centre": [19.5, 19.5]}
    assert measured["components"][1]["area"] == 100
    only = regions.connected_components_with_stats(squares(), max_components=1).measurements
    assert len(only["components"]) == 1
    assert only["total_components"] == 2


def test_contours_are_measured_and_drawn() -> None:
    areas = outlines.contour_area(squares())
    assert areas.measurements["total_contours"] == 2
    assert areas.measurements["contours"][0]["area"] == pytest.approx(400, rel=0.15)
    lengths = outlines.arc_length(squares(), rank=2).measurements["contours"]
    assert [line["perimeter"] for line in lengths] == [pytest.approx(40, rel=0.15)]
    polygons = outlines.approx_poly(squares(), epsilon_ratio=0.06).measurements["polygons"]
    assert [shape["vertices"] for shape in polygons] == [4, 4]
    drawn = np.array(pixels(outlines.contours(squares(), color=(0, 0, 255), thickness=1)))
    assert (drawn == RED).all(axis=2).sum() > 60, "blue, green, red (0, 0, 255) is red"


def test_touching_discs_are_parted_by_watershed() -> None:
    rows, columns = np.indices((60, 100))
    discs = ((columns - 32) ** 2 + (rows - 30) ** 2 < 400) | ((columns - 69) ** 2 + (rows - 30) ** 2 < 400)
    measured = regions.watershed(discs.astype(np.uint8) * 255).measurements
    assert measured["total_regions"] == 2
    assert all(1000 < region["area"] < 1500 for region in measured["regions"])
    assert sorted(region["box"][0] < 50 for region in measured["regions"]) == [False, True]
    for left, top, right, bottom in (region["box"] for region in measured["regions"]):
        assert (right - left, bottom - top) == pytest.approx((39, 39), abs=4)


def test_grabcut_keeps_the_object() -> None:
    picture = np.full((60, 60, 3), 20, np.uint8)
    picture[22:38, 22:38] = (230, 40, 40)
    result = regions.grabcut(picture)
    assert result.measurements["kept_share"] == pytest.approx(256 / 3600, rel=0.1)


def test_floodfill_fills_the_square_only() -> None:
    result = regions.floodfill(squares(), x=15, y=15, new_val=(0, 0, 255))
    assert result.measurements == {"filled_pixels": 400, "box": [10, 10, 30, 30]}
    assert pixels(result)[20][20] == list(RED)
    with pytest.raises(ToolError, match="inside the 60 × 60 picture"):
        regions.floodfill(squares(), x=60, y=0)


@pytest.mark.parametrize(("method", "best"), [("sqdiff", 0), ("ccorr", 1), ("ccoeff", 1)])
def test_a_template_is_found_where_it_was_cut(method: Any, best: float) -> None:
    result = matching.template_match(scene(), scene()[50:80, 90:130].copy(), method=method)
    assert result.measurements["box"] == [90, 50, 130, 80]
    assert result.measurements["score"] == pytest.approx(best, abs=1e-3)


def test_a_template_without_structure_or_too_large_is_refused() -> None:
    with pytest.raises(ToolError, match="structure"):
        matching.template_match(scene(), np.zeros((5, 5), np.uint8))
    with pytest.raises(ToolError, match="at most 60 × 60"):
        matching.template_match(squares(), scene())


def test_a_wave_shows_as_two_points_beside_the_middle() -> None:
    wave = np.repeat((128 + 100 * np.cos(np.arange(64) * 2 * np.pi * 8 / 64)).astype(np.uint8)[None], 64, axis=0)
    result = matching.dft(wave)
    assert result.transform is None
    bright = {(x, y) for y, x in zip(*np.nonzero(np.array(pixels(result)) > 200), strict=True)}
    assert bright == {(32, 32), (24, 32), (40, 32)}


def test_corners_of_a_square_are_found() -> None:
    points = matching.features(squares()[:35, :35], method="shi_tomasi", max_points=4).measurements["points"]
    assert {(round(p["x"] / 10) * 10, round(p["y"] / 10) * 10) for p in points} == {
        (10, 10),
        (10, 30),
        (30, 10),
        (30, 30),
    }


def test_drawing_takes_blue_green_red() -> None:
    line = drawing.draw_line(np.zeros((9, 9), np.uint8), x1=0, y1=4, x2=8, y2=4, color=(255, 0, 0), thickness=1)
    assert pixels(line)[4] == [list(BLUE)] * 9
    assert pixels(line)[3] == [list(BLACK)] * 9
    circle = drawing.draw_circle(np.zeros((21, 21), np.uint8), x=10, y=10, radius=8, thickness=1)
    assert pixels(circle)[10][2] == list(GREEN)
    assert pixels(circle)[10][10] == list(BLACK)
