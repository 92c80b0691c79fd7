"""Crops, encodings, noise, the model's-eye view and loupes."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotation.imaging import crops
from annotation.imaging.evidence import loupe, loupe_area
from annotation.schema import Box

numbered = np.arange(60, dtype=np.uint8).reshape(6, 10)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((2, 1, 5, 4), (2, 1, 5, 4)),  # whole numbers are kept
        ((2.9, 1.1, 5.1, 4.9), (2, 1, 6, 5)),  # outwards on every side
        ((-3, -3, 4, 4), (0, 0, 4, 4)),  # clipped
        ((2.0, 1.0, 5.0000000001, 4.0), (2, 1, 5, 4)),  # dust adds no column
        ((3.2, 3.2, 3.4, 3.4), (3, 3, 4, 4)),  # never empty
        ((9.9999999, 5.9999999, 30, 30), (9, 5, 10, 6)),  # nor beyond the edge
    ],
)
def test_a_box_covers_every_pixel_it_touches(box: tuple[float, ...], expected: tuple[int, ...]) -> None:
    assert crops.pixel_box(Box(*box), 10, 6) == expected


def test_a_crop_is_a_copy_of_the_pixels() -> None:
    part = crops.crop(numbered, Box(2, 1, 5, 3))
    assert part.tolist() == [[12, 13, 14], [22, 23, 24]]
    part[:] = 0
    assert numbered[1, 2] == 12


def test_a_crop_outside_the_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="outside the 10 × 6 picture"):
        crops.crop(numbered, Box(10, 0, 12, 3))


@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 500))
def test_the_models_eye_view_fits_its_budget_and_keeps_the_shape(width: int, height: int, side: int) -> None:
    view = crops.shrink_to(np.full((height, width, 3), 8, np.uint8), side)
    assert max(view.shape[:2]) == min(side, max(width, height))
    assert abs(view.shape[0] * width - view.shape[1] * height) <= max(width, height)


@pytest.mark.parametrize("colour", [(255, 0, 0), (0, 0, 255)])
def test_what_is_encoded_keeps_red_red_and_blue_blue(colour: tuple[int, int, int]) -> None:
    picture = np.full((16, 16, 3), colour, np.uint8)
    data = crops.encode_jpeg(picture)
    assert np.abs(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int) - colour).max() <= 6
    assert crops.encode_jpeg(picture) == data


@given(st.integers(0, 990), st.integers(0, 590), st.integers(1, 600), st.integers(1, 600))
def test_a_loupe_shows_the_whole_evidence_inside_the_picture(x: int, y: int, width: int, height: int) -> None:
    box = Box(x, y, min(x + width, 1000), min(y + height, 600))
    area = loupe_area(1000, 600, box)
    assert 0 <= area.x1 <= box.x1
    assert box.x2 <= area.x2 <= 1000
    assert 0 <= area.y1 <= box.y1
    assert box.y2 <= area.y2 <= 600
    assert area.width == min(1000, max(64, round(1.5 * max(box.width, box.height))))


def test_a_loupe_of_a_file_and_of_its_pixels_agree(tmp_path: Path) -> None:
    picture = np.random.default_rng(3).integers(0, 256, (200, 300, 3), dtype=np.uint8)
    Image.fromarray(picture).save(tmp_path / "a.png")
    box = Box(290, 190, 296, 196)
    assert loupe(tmp_path / "a.png", box, 240) == loupe(picture, box, 240)
    assert Image.open(io.BytesIO(loupe(picture, box, 240))).size == (240, 240)


def test_a_loupe_outside_the_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        loupe(np.zeros((20, 30, 3), np.uint8), Box(31, 0, 40, 5), 100)
