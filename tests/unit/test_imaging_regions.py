"""A region cut from tiles shows what the same region of the picture shows."""

import cv2
import numpy as np
import pytest

from annotation.imaging.problems import PictureProblem
from annotation.imaging.pyramid import tiles_of
from annotation.imaging.regions import region
from annotation.schema import Box


@pytest.fixture(scope="module")
def picture():
    across, down = np.meshgrid(np.arange(1500), np.arange(1100))
    return np.stack([across * 255 // 1500, down * 255 // 1100, np.full_like(across, 128)], axis=-1).astype(np.uint8)


@pytest.fixture(scope="module")
def read_tile(picture):
    tiles = {(t.level, t.column, t.row): t.bytes for t in tiles_of([picture.copy()])}
    return lambda level, column, row: tiles[level, column, row]


@pytest.mark.parametrize(
    ("box", "max_side", "size"),
    [
        (Box(0, 0, 1500, 1100), 300, (300, 220)),
        (Box(500, 500, 530, 520), 120, (120, 80)),  # over a tile corner, enlarged
        (Box(1490, 1090, 1600, 1200), 240, (80, 80)),  # clipped to the picture, enlarged eightfold at most
        (Box(100, 100, 600, 350), 500, (500, 250)),
    ],
)
def test_a_region_has_the_size_asked_for_and_the_pixels_of_the_picture(picture, read_tile, box, max_side, size):
    out = cv2.imdecode(np.frombuffer(region(1500, 1100, box, max_side, read_tile), np.uint8), cv2.IMREAD_COLOR_RGB)
    assert (out.shape[1], out.shape[0]) == size
    inside = box.clipped(1500, 1100)
    x = int((inside.x1 + inside.x2) / 2)
    y = int((inside.y1 + inside.y2) / 2)
    assert abs(int(out[out.shape[0] // 2, out.shape[1] // 2, 0]) - int(picture[y, x, 0])) <= 6
    assert abs(int(out[out.shape[0] // 2, out.shape[1] // 2, 1]) - int(picture[y, x, 1])) <= 6


def test_a_box_outside_the_picture_is_refused(read_tile):
    with pytest.raises(PictureProblem) as refused:
        region(1500, 1100, Box(2000, 0, 2100, 50), 100, read_tile)
    assert refused.value.rule == "outside-picture"
