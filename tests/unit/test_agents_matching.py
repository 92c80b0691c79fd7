"""Pixel matching: the correlation is the one of the textbooks, and planning follows its simple rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.agents.matching import Field, Place, best_places, colour_score
from demo.agents.planning import alphabetical, as_written, choose, workshop
from tests.properties import fewer

SEEN = np.random.default_rng(3).integers(0, 256, (40, 61, 3), dtype=np.uint8)


@fewer()
@given(x=st.integers(0, 50), y=st.integers(0, 31), gain=st.floats(0.2, 3), offset=st.floats(-50, 50))
def test_the_score_is_the_correlation_coefficient_whatever_the_brightness(
    x: int, y: int, gain: float, offset: float
) -> None:
    field = Field(SEEN)
    part = SEEN.mean(axis=2)[4:12, 7:17].astype(np.float32) * np.float32(gain) + np.float32(offset)
    window = SEEN.mean(axis=2)[y : y + 8, x : x + 10]
    expected = np.corrcoef(window.ravel(), part.ravel())[0, 1]
    assert field.scores(part)[y, x] == pytest.approx(expected, abs=1e-4)


def test_a_part_of_the_picture_is_found_where_it_is() -> None:
    place = best_places(Field(SEEN).scores(SEEN.mean(axis=2)[4:12, 7:17].astype(np.float32)), 1, 1)[0]
    assert (place.x, place.y) == (7, 4)
    assert place.score == pytest.approx(1, abs=1e-4)


def test_a_template_larger_than_the_field_has_no_place() -> None:
    assert Field(SEEN).scores(np.ones((41, 5), np.float32)).size == 0
    assert best_places(np.zeros((0, 0), np.float32), 3, 1) == []


def test_a_flat_field_scores_zero_everywhere() -> None:
    flat = Field(np.full((20, 20, 3), 90, np.uint8))
    assert not flat.scores(SEEN.mean(axis=2)[:8, :8].astype(np.float32)).any()


def test_places_keep_apart() -> None:
    scores = np.zeros((10, 10), np.float32)
    scores[5, 5], scores[5, 6], scores[1, 1] = 0.9, 0.8, 0.5
    assert best_places(scores, 3, 2) == [Place(5, 5, pytest.approx(0.9)), Place(1, 1, pytest.approx(0.5))]


def test_colour_counts() -> None:
    red, blue = np.zeros((6, 6, 3), np.uint8), np.zeros((6, 6, 3), np.uint8)
    red[2:4, :, 0], blue[2:4, :, 2] = 200, 200
    assert colour_score(red, red) == pytest.approx(1)
    assert colour_score(red, blue) < 0.5


@pytest.mark.parametrize(
    ("seen", "task", "chosen"),
    [
        (["hammer", "mallet"], "drive the nail", ["hammer"]),  # the surest one
        (["hammer", "mallet"], "drive it with a mallet", ["mallet"]),  # the one that is named
        (["tape measure", "spirit level"], "measure and level", ["tape measure", "spirit level"]),
        (["hammer"], "paint the wall", []),
        ([], "drive the nail", []),
    ],
)
def test_a_tool_is_chosen_for_every_kind_of_work_named(seen: list[str], task: str, chosen: list[str]) -> None:
    assert choose(dict.fromkeys(seen, 1.0), task) == chosen


def test_plans_are_ordered_by_the_words_the_alphabet_or_the_workshop() -> None:
    tools, task = ["hand saw", "file", "clamp"], "smooth the end after one could cut and hold it"
    assert as_written(tools, task) == ["file", "hand saw", "clamp"]
    assert alphabetical(tools, task) == ["clamp", "file", "hand saw"]
    assert workshop(tools, task) == ["clamp", "hand saw", "file"]
