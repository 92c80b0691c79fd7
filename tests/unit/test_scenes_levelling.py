"""Evidence cannot be read in the shrunken picture and can be read in a crop: measured on its pixels, by an observer who
knows every value's exact appearance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations

import cv2
import numpy as np
import pytest
from PIL import Image
from scipy.stats import binomtest

from annotation.imaging.crops import encode_jpeg
from annotation.imaging.decoding import decode
from annotation.scenes.benchmark import QUALITY, demo_benchmark
from annotation.scenes.canvas import HEIGHT, WIDTH
from annotation.scenes.evidence import Evidence
from annotation.scenes.levelling import KERNELS, VIEW, Floats, levelled, shrinking
from annotation.scenes.printing import GRAIN, grained, prints

SHRINKS = ("area", *KERNELS)
TILE = 240
"""A multiple of 16, the blocks of JPEG, and of 15, which become exactly 4 in the view."""


@cache
def pieces() -> Mapping[tuple[str, str], tuple[Evidence, Mapping[str, Floats]]]:
    """Every piece of evidence that is asked for, with its appearances; they are the same for every seed."""
    return {key: (part, prints(part)) for key, part in asked(7)}


def asked(seed: int) -> Iterator[tuple[tuple[str, str], Evidence]]:
    for sample_id, looks in demo_benchmark(seed).looks.items():
        for part in looks.parts:
            yield (sample_id[:-3], part.name), part


def shrunk(pixels: Floats, kind: str) -> Floats:
    rows, columns = (shrinking(kind, n, n * 4 // 15) for n in pixels.shape[:2])
    return np.moveaxis(rows @ np.moveaxis(pixels, 2, 0) @ columns.T, 0, 2)


def in_place(look: Floats, part: Evidence) -> Floats:
    """``look`` on plain ground, where the grids of JPEG and of the view lie as they lie in the picture."""
    x1, y1, x2, y2 = part.box
    left, top = (max(0, v - 15) // TILE * TILE for v in (x1, y1))
    wide, tall = (-(-(v + 15 - first) // TILE) * TILE for v, first in ((x2, left), (y2, top)))
    ground = np.full((tall, wide, 3), 128.0)
    ground[y1 - top : y2 - top, x1 - left : x2 - left] = look
    return ground


def margin(looks: Mapping[str, Floats], noise: float, least: bool) -> float:
    """The distance between two values in standard deviations of the noise: the least, or the greatest of any two."""
    distances = [float(np.linalg.norm(a - b)) / noise for a, b in combinations(looks.values(), 2)]
    return min(distances) if least else max(distances)


@pytest.mark.parametrize("kind", SHRINKS)
def test_a_shrink_is_that_of_the_libraries(kind: str) -> None:
    line = np.random.default_rng(1).random((HEIGHT, 3), dtype=np.float32)
    if kind == "area":
        expected = cv2.resize(line, (3, VIEW[1]), interpolation=cv2.INTER_AREA)
    else:
        expected = np.asarray(Image.fromarray(line).resize((3, VIEW[1]), Image.Resampling[kind.upper()]))
    assert np.abs(shrinking(kind, HEIGHT, VIEW[1]) @ line - expected).max() < 1e-5


def test_values_that_differ_in_large_areas_become_one() -> None:
    looks = np.full((2, 60, 60, 3), 60.0)
    looks[1] += 120
    assert np.ptp(levelled(looks, (900, 900, 960, 960))[:, 20:40, 20:40], axis=0).max() < 2


def test_no_level_leaves_its_range() -> None:
    looks = np.random.default_rng(1).choice([0.0, 255.0], (4, 30, 40, 3))
    made = levelled(looks, (101, 203, 141, 233))
    assert made.min() >= -1e-6
    assert made.max() <= 255 + 1e-6


def test_in_the_view_any_two_values_lie_within_one_standard_deviation_of_the_grain() -> None:
    for key, (part, looks) in pieces().items():
        for kind in SHRINKS:
            seen = {value: shrunk(in_place(look, part), kind) for value, look in looks.items()}
            grain = GRAIN * float((shrinking(kind, WIDTH, VIEW[0]) ** 2).sum(axis=1).mean())
            assert margin(seen, grain, least=False) < 1, (key, kind)


def test_in_the_crop_any_two_values_are_thirty_standard_deviations_apart() -> None:
    for key, (_, looks) in pieces().items():
        assert margin(looks, GRAIN, least=True) > 30, key


@pytest.mark.parametrize("kind", ["area", "lanczos"])
def test_who_knows_every_appearance_does_little_better_than_chance_in_the_view_and_never_errs_in_the_crop(
    kind: str,
) -> None:
    in_view, in_crop = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        for key, drawn in asked(seed):
            part, looks = pieces()[key]
            stored = decode(encode_jpeg(grained(in_place(looks[drawn.truth], part), rng), QUALITY)).astype(np.float64)
            in_crop.append(nearest(stored, {v: in_place(look, part) for v, look in looks.items()}) == drawn.truth)
            views = {v: shrunk(in_place(look, part), kind) for v, look in looks.items()}
            in_view.append(nearest(shrunk(stored, kind).round(), views) == drawn.truth)
    assert all(in_crop)
    assert binomtest(sum(in_view), len(in_view)).proportion_ci(0.95, "wilson").high < 0.4  # chance is 0.25


def nearest(seen: Floats, looks: Mapping[str, Floats]) -> str:
    return min(looks, key=lambda value: float(((seen - looks[value]) ** 2).sum()))
