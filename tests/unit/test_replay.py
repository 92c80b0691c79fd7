"""A recorded trajectory run again: what agrees, what differs, and what cannot be run is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from annotation.schema import Box
from annotation.toolbox import edges, geometry
from annotation.toolbox.cache import picture_key
from annotation.toolbox.runner import Limits
from evaluation.replay.run import Outcome, replay
from evaluation.schema import Coordinates, Step
from tests.unit.toolbox_cases import scene

CUT = {"x": 80, "y": 40, "width": 60, "height": 60}


def test_calls_are_run_on_our_pictures_and_compared_with_what_was_recorded() -> None:
    part = geometry.crop(scene(), x=80, y=40, width=60, height=60).image
    assert part is not None
    lines = edges.canny(part).image
    assert lines is not None
    steps = (
        Step("opencv_crop", CUT, image_in="original", image_out="/out/a.png", out_size=(60, 60)),
        Step("opencv_canny", {}, image_in="/out/a.png", image_out="/out/b.png"),
        Step(
            "opencv_flip", {"direction": "vertical"}, image_in="/out/a.png", image_out="/out/c.png", out_size=(61, 60)
        ),
        Step("opencv_canny", {}, image_in="/out/c.png", image_out="/out/d.png"),
    )
    off = lines.copy()
    off[0, 0] ^= 255
    found = replay(steps, scene(), {"/out/b.png": off}, show=lambda picture: picture)
    assert [one.outcome for one in found] == [Outcome.SAME, Outcome.DIFFERS, Outcome.DIFFERS, Outcome.RAN]
    assert found[1].difference == pytest.approx(255 / 3600)
    assert replay(steps[:2], scene(), {"/out/b.png": lines})[1].outcome is Outcome.SAME
    assert (found[2].size, found[2].recorded_size) == ((60, 60), (61, 60))
    assert found[0].seen == found[3].seen == Box(80, 40, 140, 100)
    assert np.array_equal(found[1].image, lines)  # type: ignore[arg-type]


def test_a_recorded_digest_tells_every_value_without_the_picture() -> None:
    part = geometry.crop(scene(), **CUT).image  # type: ignore[arg-type]
    assert part is not None
    for digest, came in ((picture_key(part), (Outcome.SAME, 0.0)), ("0" * 64, (Outcome.DIFFERS, None))):
        found = replay([Step("crop", CUT, out_size=(60, 60), extra={"out_digest": digest})], scene())[0]
        assert (found.outcome, found.difference) == came
        assert (found.digest, found.recorded_digest, found.image) == (picture_key(part), digest, None)


def test_pictures_that_no_later_call_names_are_let_go_and_too_many_that_are_named_end_it() -> None:
    one, limits = 160 * 120, Limits(kept_pixels=3 * 160 * 120)
    freely = [Step("flip", {"direction": "vertical"}, image_out=f"p{at}") for at in range(6)]
    assert {step.outcome for step in replay(freely, scene(), limits=limits)} == {Outcome.RAN}
    named = [*freely, *(Step("canny", image_in=f"p{at}") for at in range(6))]
    found = replay(named, scene(), limits=limits)
    assert [step.outcome for step in found[:6]] == [Outcome.RAN] * 4 + [Outcome.LOST] * 2
    assert f"{3 * one:,} pixels" in found[4].reason


@pytest.mark.parametrize(
    ("step", "seen"),
    [
        (Step("image_zoom_in_tool", bbox=(10, 20, 50, 60)), Box(10, 20, 50, 60)),
        (Step("zoom", bbox=(0.25, 0.25, 0.5, 0.5), coords=Coordinates.NORM1), Box(40, 30, 80, 60)),
        (Step("crop", bbox=(500, 500, 2000, 1000), coords=Coordinates.NORM1000), Box(80, 60, 160, 120)),
        (Step("crop", bbox=(0, 0, 9, 9), executed_bbox=(1, 2, 30, 40)), Box(1, 2, 30, 40)),
    ],
)
def test_a_zoom_is_what_its_box_says_in_any_coordinates(step: Step, seen: Box) -> None:
    assert replay([step], scene())[0].seen == seen


def test_a_zoom_of_a_rescaled_zoom_is_found_on_the_original() -> None:
    steps = [
        Step("zoom", bbox=(10, 10, 50, 40), image_in="original", image_out="a", out_size=(80, 60)),
        Step("zoom", bbox=(20, 20, 40, 40), image_in="a"),
    ]
    found = replay(steps, scene())
    assert (found[0].size, found[0].outcome) == ((80, 60), Outcome.RAN)
    assert found[1].seen == Box(20, 20, 30, 30)


def test_a_crop_of_a_crop_is_found_on_the_original() -> None:
    steps = [Step("crop", CUT, image_out="a"), Step("crop", {"x": 5, "y": 6, "width": 10, "height": 10}, image_in="a")]
    assert replay(steps, scene())[1].seen == Box(85, 46, 95, 56)


@pytest.mark.parametrize(
    ("step", "outcome", "words"),
    [
        (Step("telescope"), Outcome.LOST, "no such tool"),
        (Step("Convert Color"), Outcome.LOST, "it may mean colorspace_gray"),
        (Step("canny", image_in="nowhere"), Outcome.LOST, "no earlier step produced"),
        (Step("zoom"), Outcome.LOST, "has no box"),
        (Step("zoom", bbox=(5, 5, 5, 9)), Outcome.LOST, "empty or outside"),
        (Step("blur", {"method": "median", "ksize": 4}), Outcome.LOST, "ksize = 4"),
        (Step("flip", {"direction": "vertical", "speed": 3}), Outcome.LOST, "speed"),
        (Step("opencv_crop", {"x": 150, "y": 0, "width": 60, "height": 9}), Outcome.UNLIKE, "width = 60"),
        (Step("blur", {"method": "median", "ksize": 4}, ok=False), Outcome.FAILED, "ksize = 4"),
        (Step("canny", ok=False), Outcome.UNLIKE, ""),
        (Step("telescope", ok=False), Outcome.FAILED, "no such tool"),
    ],
)
def test_what_cannot_be_run_again_is_named_with_the_reason(step: Step, outcome: Outcome, words: str) -> None:
    found = replay([step], scene())[0]
    assert found.outcome is outcome
    assert words in found.reason


def test_what_hangs_on_a_lost_picture_is_lost_and_the_rest_is_not() -> None:
    steps: list[Any] = [
        Step("telescope", image_in="original", image_out="far"),
        Step("canny", image_in="far", image_out="edges"),
        Step("canny", image_in="original", image_out="own"),
    ]
    found = replay(steps, scene())
    assert [one.outcome for one in found] == [Outcome.LOST, Outcome.LOST, Outcome.RAN]
    assert "far could not be created again" in found[1].reason
