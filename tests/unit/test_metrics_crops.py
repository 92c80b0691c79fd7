"""Where zoom calls look: frames, nesting, clipping and everything that makes a crop unusable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evaluation.metrics.columns import ScoreColumns
from evaluation.schema import Coordinates, Step, StepFlag
from tests.unit.metrics_cases import sample, score_one, zoom

GOLD = [[100, 100, 200, 200]]


def crops(*steps: Step, **settings: Any) -> list[list[float] | None]:
    boxes = score_one(sample(gold=GOLD), *steps, settings=settings).step_crops
    return [None if np.isnan(b).any() else [round(v, 9) for v in b.tolist()] for b in boxes]


def one(*steps: Step, **settings: Any) -> list[float] | None:
    return crops(*steps, **settings)[-1]


FIRST = zoom([50, 50, 450, 450], image_out="a", out_size=(800, 800))


def test_the_worked_example_of_nested_crops() -> None:
    assert crops(FIRST, zoom([100, 100, 300, 300], "a", "b")) == [[50, 50, 450, 450], [100, 100, 200, 200]]


@pytest.mark.parametrize(
    ("coords", "box"),
    [
        (Coordinates.PIXEL, [100, 80, 500, 400]),
        (Coordinates.NORM1, [0.1, 0.1, 0.5, 0.5]),
        (Coordinates.NORM1000, [100, 100, 500, 500]),
    ],
)
def test_the_three_kinds_of_coordinates_mean_the_same_box(coords: Coordinates, box: list[float]) -> None:
    assert one(zoom(box, coords=coords)) == [100, 80, 500, 400]


def test_fractions_are_relative_to_the_input_picture() -> None:
    assert one(FIRST, zoom([0.5, 0.5, 1, 1], "a", "b", coords=Coordinates.NORM1)) == [250, 250, 450, 450]


@pytest.mark.parametrize(
    "box",
    [[300, 300, 100, 400], [300, 300, 400, 300], [1000, 0, 1200, 100], [-20, 0, 0, 10], [0, 0, float("nan"), 5], None],
)
def test_an_invalid_or_outside_box_yields_no_crop(box: Any) -> None:
    found = score_one(sample(gold=GOLD), zoom(box))
    assert (found.usable_crops[0], found.unusable_crops[0], found.invoked[0]) == (0, 1, True)


def test_a_crop_is_clipped_to_its_input_before_it_is_mapped() -> None:
    assert one(FIRST, zoom([-50, 700, 100, 900], "a", "b")) == [50, 400, 100, 450]


def test_a_failed_call_yields_no_crop_and_writes_no_picture() -> None:
    steps = zoom([0, 0, 100, 100], image_out="a", ok=False), zoom([10, 10, 20, 20], "a", "b")
    assert crops(*steps) == [None, None]


def test_an_unused_call_yields_no_crop_but_writes_its_picture() -> None:
    late = zoom([100, 100, 200, 200], image_out="a", flag=StepFlag.UNUSED)
    found = score_one(sample(gold=GOLD), late, zoom([0, 0, 50, 50], "a", "b"))
    assert found.step_crops[1].tolist() == [100, 100, 150, 150]
    assert (found.usable_crops[0], found.unusable_crops[0], found.calls[0]) == (1, 1, 2)


def test_steps_after_the_answer_are_in_no_measure() -> None:
    found = score_one(sample(gold=GOLD), zoom([0, 0, 9, 9], flag=StepFlag.POST_ANSWER))
    assert (found.calls[0], found.invoked[0]) == (0, False)


def tool(name: str, image_in: Any = "a", image_out: str = "b", **more: Any) -> Step:
    return Step(name, image_in=image_in, image_out=image_out, **more)


@pytest.mark.parametrize("name", ["rotate", "opencv_flip", "Translate", "dft", "Frequency Transform", "template_match",
                                  "sharpen", "my_tool", "resize", "Image Pyramid"])  # fmt: skip
def test_tools_that_lose_the_frame(name: str) -> None:
    assert one(FIRST, tool(name), zoom([0, 0, 10, 10], "b", "c")) is None


@pytest.mark.parametrize("name", ["blur", "opencv_threshold", "Canny Edge", "colorspace_gray", "arc_length"])
def test_tools_that_keep_the_frame(name: str) -> None:
    assert one(FIRST, tool(name), zoom([100, 100, 300, 300], "b", "c")) == [100, 100, 200, 200]


@pytest.mark.parametrize("name", ["resize", "Image Pyramid"])
def test_a_resize_of_known_size_rescales_the_frame(name: str) -> None:
    resized = tool(name, out_size=(400, 1600))
    assert one(FIRST, resized, zoom([100, 100, 300, 300], "b", "c")) == [150, 75, 350, 125]


def test_the_first_of_several_inputs_gives_the_frame() -> None:
    mixed = tool("blur", image_in=("original", "a"))
    assert one(FIRST, mixed, zoom([100, 100, 300, 300], "b", "c")) == [100, 100, 300, 300]


def test_a_crop_on_an_unknown_picture_has_no_location() -> None:
    assert one(zoom([0, 0, 10, 10], "never made")) is None


def test_an_unnamed_input_is_the_original_while_there_is_no_other_picture() -> None:
    unnamed = zoom([0, 0, 10, 10], None, None)
    failed = zoom([0, 0, 10, 10], ok=False)
    assert crops(unnamed, failed, unnamed) == [[0, 0, 10, 10], None, [0, 0, 10, 10]]
    assert crops(FIRST, unnamed) == [[50, 50, 450, 450], None]


def test_a_picture_made_later_is_not_read() -> None:
    assert crops(zoom([0, 0, 10, 10], "a", "b"), FIRST) == [None, [50, 50, 450, 450]]


def test_the_latest_earlier_picture_of_a_reused_id_counts() -> None:
    again = zoom([500, 500, 600, 600], image_out="a")
    read = zoom([0, 0, 10, 10], "a", "b")
    assert crops(FIRST, read, again, read)[1::2] == [[50, 50, 55, 55], [500, 500, 510, 510]]


def test_a_call_may_read_and_write_the_same_id() -> None:
    again = zoom([100, 100, 200, 200], "a", "a")
    assert crops(zoom([0, 0, 400, 400]), again, again)[1:] == [[100, 100, 200, 200], None]


def test_an_unreadable_crop_returns_an_unknown_picture() -> None:
    assert one(zoom(None, image_out="a"), zoom([0, 0, 10, 10], "a", "b")) is None


PADDED = zoom([200, 200, 300, 300], image_out="a", executed_bbox=(150.0, 150.0, 350.0, 350.0))


@pytest.mark.parametrize(("crop_box", "box"), [("executed", [150, 150, 350, 350]), ("requested", [200, 200, 300, 300])])
def test_the_setting_chooses_executed_or_requested(crop_box: str, box: list[float]) -> None:
    assert one(PADDED, crop_box=crop_box) == box


def test_the_requested_box_counts_where_no_executed_one_is_recorded() -> None:
    assert one(zoom([1, 2, 3, 4]), crop_box="executed") == [1, 2, 3, 4]


@pytest.mark.parametrize("crop_box", ["executed", "requested"])
def test_a_box_on_a_padded_crop_is_relative_to_the_executed_pixels(crop_box: str) -> None:
    assert one(PADDED, zoom([10, 10, 20, 20], "a", "b"), crop_box=crop_box) == [160, 160, 170, 170]


def test_without_a_known_size_no_crop_has_a_location() -> None:
    found: ScoreColumns = score_one(sample(gold=GOLD, width=None), zoom([0, 0, 10, 10]))
    assert (found.usable_crops[0], found.unusable_crops[0], found.scorable[0]) == (0, 1, False)


def test_cropped_region_size_counts_overlaps_twice_and_unknown_crops_not() -> None:
    whole = zoom([0, 0, 1000, 800])
    found = score_one(sample(gold=GOLD), whole, whole, zoom([0, 0, 5, 5], "nowhere", "b"))
    assert found.cropped_region_size[0] == 2
