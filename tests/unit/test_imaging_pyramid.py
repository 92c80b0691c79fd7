"""Deep-zoom tiles and thumbnails."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotation.imaging.crops import Picture
from annotation.imaging.problems import PictureProblem
from annotation.imaging.pyramid import TILE_SIZE, halved, levels, pyramid, thumbnail, tile_areas, tile_count

sides = st.integers(1, 3000)


def gradient(width: int, height: int) -> Picture:
    rows, columns = np.mgrid[0:height, 0:width]
    return np.stack(
        [columns * 255 // width, rows * 255 // height, (rows + columns) * 255 // (width + height)], 2
    ).astype(np.uint8)


def saved(picture: Picture, path: Path) -> Path:
    Image.fromarray(picture).save(path)
    return path


def opened(data: bytes) -> Picture:
    return np.asarray(Image.open(io.BytesIO(data)))


@given(sides, sides)
def test_levels_run_from_one_pixel_to_the_picture_each_half_the_next(width: int, height: int) -> None:
    sizes = levels(width, height)
    assert sizes[0] == (1, 1)
    assert sizes[-1] == (width, height)
    assert len(sizes) == math.ceil(math.log2(max(width, height))) + 1
    for level, size in enumerate(sizes):
        part = 2 ** (len(sizes) - 1 - level)
        assert size == (math.ceil(width / part), math.ceil(height / part))


@given(sides, sides)
def test_tiles_of_a_level_meet_and_share_one_pixel_with_each_neighbour(width: int, height: int) -> None:
    seen = np.zeros((2, max(width, height)), int)
    for area in tile_areas(width, height):
        assert 0 <= area.left < area.right <= width
        assert area.left == max(area.column * TILE_SIZE - 1, 0)
        assert area.bottom == min((area.row + 1) * TILE_SIZE + 1, height)
        if area.row == 0:
            seen[0, area.left : area.right] += 1
        if area.column == 0:
            seen[1, area.top : area.bottom] += 1
    assert seen[0, :width].min() == seen[1, :height].min() == 1
    assert seen.max() <= 2


def test_the_tiles_of_every_level_put_together_are_that_level(tmp_path: Path) -> None:
    picture = gradient(1301, 770)
    tiles = list(pyramid(saved(picture, tmp_path / "a.png")))
    sizes = levels(1301, 770)
    assert len(tiles) == tile_count(1301, 770) == 3 * 2 + 2 + 10
    expected = picture
    for level in range(len(sizes) - 1, -1, -1):
        width, height = sizes[level]
        assert expected.shape == (height, width, 3)
        whole = np.zeros_like(expected)
        areas = {(area.column, area.row): area for area in tile_areas(width, height)}
        for tile in (t for t in tiles if t.level == level):
            area = areas.pop((tile.column, tile.row))
            whole[area.top : area.bottom, area.left : area.right] = opened(tile.bytes)
        assert not areas
        assert np.abs(whole.astype(int) - expected).mean() < (1 if max(width, height) > 256 else 4)
        expected = halved(expected)


def test_the_same_picture_gives_the_same_tile_bytes(tmp_path: Path) -> None:
    path = saved(gradient(700, 300), tmp_path / "a.png")
    assert list(pyramid(path)) == list(pyramid(path))


def test_halving_averages_whole_pairs_and_keeps_the_odd_edge() -> None:
    picture = np.array([[0, 4, 10], [8, 4, 30], [100, 200, 7]], np.uint8)
    assert halved(picture).tolist() == [[4, 20], [150, 7]]


@given(st.integers(1, 9), st.integers(1, 9))
def test_halving_any_small_size_rounds_up(width: int, height: int) -> None:
    picture = np.full((height, width, 3), 90, np.uint8)
    small = halved(picture)
    assert small.shape == ((height + 1) // 2, (width + 1) // 2, 3)
    assert (small == 90).all()


def test_a_picture_without_pixels_has_no_levels() -> None:
    with pytest.raises(ValueError, match="no levels"):
        levels(0, 5)


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.webp", "a.tif"])
@pytest.mark.parametrize(
    ("size", "expected"), [((1600, 800), (320, 160)), ((100, 50), (100, 50)), ((3000, 2), (320, 1))]
)
def test_a_thumbnail_fits_and_is_never_enlarged(
    tmp_path: Path, name: str, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    path = saved(gradient(*size), tmp_path / name)
    small = Image.open(io.BytesIO(thumbnail(path, 320)))
    assert (small.format, small.size) == ("JPEG", expected)
    reference = np.asarray(Image.fromarray(gradient(*size)).resize(expected, Image.Resampling.BOX)).astype(int)
    assert np.abs(np.asarray(small) - reference).mean() < 8


def test_a_thumbnail_of_a_sideways_jpeg_is_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(gradient(800, 400)).save(tmp_path / "a.jpg", exif=exif)
    small = opened(thumbnail(tmp_path / "a.jpg", 100))
    assert small.shape == (100, 50, 3)
    turned = np.rot90(gradient(800, 400), -1)
    assert np.abs(small[50, 25].astype(int) - turned[400, 200]).max() < 12


def test_a_thumbnail_of_a_cmyk_jpeg_is_rgb(tmp_path: Path) -> None:
    Image.new("CMYK", (64, 64), (0, 255, 255, 0)).save(tmp_path / "a.jpg")
    assert np.abs(opened(thumbnail(tmp_path / "a.jpg", 32)).astype(int) - (254, 0, 0)).max() < 4


def test_a_thumbnail_of_no_picture_is_refused() -> None:
    with pytest.raises(PictureProblem) as refused:
        thumbnail(b"plain words" * 20, 32)
    assert refused.value.rule == "not-an-image"
