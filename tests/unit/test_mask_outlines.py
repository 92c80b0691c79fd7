"""Polygons around the painted areas of masks."""

from __future__ import annotations

import tracemalloc
from typing import Any

import cv2
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from annotation.imaging.brush import MOST_RUNS, MaskError, ScatteredMask, read_brush
from annotation.imaging.outlines import trace
from annotation.regions import region_of_shape
from annotation.schema import MOST_VERTICES, Outline

FINE = 8
"""Parts of a pixel on each side, by which an overlap is measured."""


def mask_of(height: int, width: int, *boxes: tuple[int, int, int, int]) -> np.ndarray[Any, Any]:
    mask = np.zeros((height, width), np.bool_)
    for x1, y1, x2, y2 in boxes:
        mask[y1:y2, x1:x2] = True
    return mask


def shares(outline: Outline, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """The share of each pixel inside the outline."""
    fine = np.zeros((shape[0] * FINE, shape[1] * FINE), np.uint8)
    cv2.fillPoly(fine, [np.round(np.array(outline.points) * FINE - 0.5).astype(np.int32)], 1)
    return fine.reshape(shape[0], FINE, shape[1], FINE).mean(axis=(1, 3))


def areas(mask: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The separate areas of a mask without their holes, the largest first."""
    found, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = [cv2.drawContours(np.zeros(mask.shape, np.uint8), [one], -1, 1, -1) for one in found]
    return sorted(filled, key=lambda one: -int(one.sum()))


@st.composite
def masks(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    """Ellipses, boxes and polygons together, at least 6 pixels wide and high everywhere."""
    width, height = draw(st.integers(20, 160)), draw(st.integers(20, 160))
    mask = np.zeros((height, width), np.uint8)
    for _ in range(draw(st.integers(1, 4))):
        x, y = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
        side, other = draw(st.integers(6, 45)), draw(st.integers(6, 45))
        match draw(st.sampled_from(["ellipse", "box", "polygon"])):
            case "ellipse":
                cv2.ellipse(mask, (x, y), (side, other), draw(st.integers(0, 179)), 0, 360, 1, -1)
            case "box":
                cv2.rectangle(mask, (x, y), (x + side, y + other), 1, -1)
            case _:
                offsets = draw(st.lists(st.tuples(st.integers(-40, 40), st.integers(-40, 40)), min_size=3, max_size=7))
                cv2.fillPoly(mask, [np.array([(x + dx, y + dy) for dx, dy in offsets], np.int32)], 1)
    return cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((6, 6), np.uint8))


@given(masks())
def test_polygons_have_an_iou_of_at_least_nine_tenths_with_the_areas_of_a_mask(mask: np.ndarray[Any, Any]) -> None:
    found = trace(mask.astype(np.bool_), most=50).outlines
    wanted = [one for one in areas(mask) if one.sum() >= 100]
    height, width = mask.shape
    for outline in found:
        assert shapely.Polygon(outline.points).is_valid
        assert outline.is_inside(width, height)
    drawn = [shares(one, mask.shape) for one in found]
    for area in wanted:
        if area.sum() < 0.02 * wanted[0].sum():
            continue
        best = max(float(np.minimum(one, area).sum() / np.maximum(one, area).sum()) for one in drawn)
        assert best >= 0.9


@pytest.mark.parametrize("box", [(0, 0, 1, 1), (3, 2, 4, 9), (0, 0, 40, 20), (10, 5, 30, 15)])
def test_a_painted_box_is_exactly_its_corners(box: tuple[int, int, int, int]) -> None:
    [outline] = trace(mask_of(20, 40, box)).outlines
    assert (outline.x1, outline.y1, outline.x2, outline.y2) == box
    assert outline.area == (box[2] - box[0]) * (box[3] - box[1])


def test_areas_come_by_size_and_noise_is_left_out() -> None:
    mask = mask_of(200, 200, (0, 0, 10, 10), (50, 50, 150, 150), (180, 180, 182, 182))
    assert [one.as_list() for one in trace(mask).outlines] == [[50, 50, 150, 150], [0, 0, 10, 10]]
    assert [one.as_list() for one in trace(mask, most=1).outlines] == [[50, 50, 150, 150]]


def test_a_hole_is_filled_and_areas_that_touch_at_a_corner_are_one() -> None:
    mask = mask_of(60, 60, (10, 10, 50, 50))
    mask[20:30, 20:30] = False
    [outline] = trace(mask).outlines
    assert outline.area == 1600
    [touching] = trace(mask_of(60, 60, (0, 0, 20, 20), (20, 20, 40, 40))).outlines
    assert region_of_shape(touching).area == pytest.approx(800, rel=0.03)


def test_polygons_are_in_pixels_of_another_size() -> None:
    [outline] = trace(mask_of(20, 40, (10, 5, 30, 15)), (400, 100)).outlines
    assert outline.as_list() == [100, 25, 300, 75]


def test_a_ragged_edge_has_no_more_corners_than_a_polygon_can_have() -> None:
    mask = mask_of(400, 3000, (0, 200, 3000, 400))
    mask[100:200, ::8] = True
    mask[100:200, 1::8] = True
    [outline] = trace(mask).outlines
    assert len(outline.points) <= MOST_VERTICES
    assert shapely.Polygon(outline.points).is_valid


def test_scattered_pixels_are_refused() -> None:
    mask = np.zeros((1000, 1200), np.bool_)
    mask[:, ::2] = True
    with pytest.raises(ScatteredMask, match="500,000 are allowed"):
        trace(mask)


def code_of(pixels: int, bits: str) -> list[int]:
    text = f"{pixels * 4:032b}" + f"{7:05b}" + "".join(f"{size - 1:04b}" for size in (1, 7, 10, 16)) + bits
    text += "0" * (-len(text) % 8)
    return list(int(text, 2).to_bytes(len(text) // 8, "big"))


def test_a_code_takes_memory_for_its_mask_alone() -> None:
    side = 7000
    runs = "".join(f"111{2**16 - 1:016b}{255:08b}" for _ in range(side * side * 4 // 2**16))
    left = side * side * 4 % 2**16
    code = code_of(side * side, f"{runs}111{left - 1:016b}{255:08b}")
    tracemalloc.start()
    mask = read_brush(code, side, side)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert mask.all()
    assert peak < 2 * side * side


def test_a_code_with_too_many_runs_is_refused() -> None:
    body = ("1000" + "00000000") * 2
    code = code_of(MOST_RUNS, body * (MOST_RUNS + 2))
    with pytest.raises(MaskError, match="more than 1,000,000 runs"):
        read_brush(code, 1000, MOST_RUNS // 1000)


def test_literal_values_of_any_width_are_read() -> None:
    """Values of 3 bits, of which some runs begin inside of a pixel."""
    rng = np.random.default_rng(3)
    mask = rng.random((9, 11)) < 0.5
    values = np.repeat(mask.ravel(), 4) * 5
    text = f"{len(values):032b}" + f"{2:05b}" + "".join(f"{size - 1:04b}" for size in (3, 4, 5, 6))
    at = 0
    while at < len(values):
        count = min(int(rng.integers(1, 9)), len(values) - at)
        text += f"000{count - 1:03b}" + "".join(f"{one:03b}" for one in values[at : at + count])
        at += count
    text += "0" * (-len(text) % 8)
    code = list(int(text, 2).to_bytes(len(text) // 8, "big"))
    assert (read_brush(code, 11, 9) == mask).all()
