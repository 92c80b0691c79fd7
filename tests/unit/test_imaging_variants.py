"""Variants of an image: boxes land where the pixels land, and a recipe gives the same bytes twice."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from PIL import Image

from annotation.imaging.variants.directions import directions_in
from annotation.imaging.variants.pixels import apply, digest_of, written
from annotation.imaging.variants.plane import area_of, carry
from annotation.imaging.variants.recipes import (
    FORMS,
    Kind,
    Recipe,
    RecipeError,
    ladder,
    recipe_of,
    recipes_of,
    reduced,
    size_and_plane,
)
from annotation.schema import Box

WIDTH, HEIGHT = 317, 240
BOXES = (Box(60, 50, 140, 91), Box(200, 120, 231, 200), Box(128, 100, 171, 131))
GEOMETRY = (
    Recipe(Kind.ROTATE, 90),
    Recipe(Kind.ROTATE, 180),
    Recipe(Kind.ROTATE, -90),
    Recipe(Kind.FLIP, None, "horizontal"),
    Recipe(Kind.FLIP, None, "vertical"),
    Recipe(Kind.SCALE, 50),
    Recipe(Kind.SCALE, 170),
    Recipe(Kind.CROP, 12),
    Recipe(Kind.ROTATE, 30),
    Recipe(Kind.ROTATE, -133.5),
    Recipe(Kind.PERSPECTIVE, 30, "left"),
    Recipe(Kind.PERSPECTIVE, 55, "top"),
)
ALL = [recipe_of(kind.value, FORMS[kind].ladder[0] if FORMS[kind].dose else None, seed=7) for kind in Kind]


def noise(width: int = 197, height: int = 161) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 256, (height, width, 3), dtype=np.uint8)


def mask_by_pillow(recipe: Recipe, box: Box) -> np.ndarray:
    """The box as white pixels, moved by another library, whose maps are found from its own conventions."""
    mask = Image.new("L", (WIDTH, HEIGHT), 0)
    mask.paste(255, (int(box.x1), int(box.y1), int(box.x2), int(box.y2)))
    dose = recipe.dose or 0.0
    if recipe.kind is Kind.ROTATE:
        # Pillow turns counterclockwise, about the center.
        found = mask.rotate(-dose, expand=True, resample=Image.Resampling.BILINEAR)
    elif recipe.kind is Kind.FLIP:
        left_right = recipe.choice == "horizontal"
        turn = Image.Transpose.FLIP_LEFT_RIGHT if left_right else Image.Transpose.FLIP_TOP_BOTTOM
        found = mask.transpose(turn)
    elif recipe.kind is Kind.SCALE:
        size = round(WIDTH * dose / 100), round(HEIGHT * dose / 100)
        found = mask.resize(size, Image.Resampling.BOX if dose < 100 else Image.Resampling.BILINEAR)
    elif recipe.kind is Kind.CROP:
        across, down = round(WIDTH * dose / 100), round(HEIGHT * dose / 100)
        found = mask.crop((across, down, WIDTH - across, HEIGHT - down))
    else:
        x, y = WIDTH * dose / 200, HEIGHT * dose / 200
        corners = {
            "left": [(0, y), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT - y)],
            "top": [(x, 0), (WIDTH - x, 0), (WIDTH, HEIGHT), (0, HEIGHT)],
        }[recipe.choice]
        rows = []
        for (u, v), (a, b) in zip(corners, [(0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)], strict=True):
            rows += [[u, v, 1, 0, 0, 0, -a * u, -a * v, a], [0, 0, 0, u, v, 1, -b * u, -b * v, b]]
        equations = np.array(rows, float)
        data = np.linalg.solve(equations[:, :8], equations[:, 8]).tolist()
        found = mask.transform((WIDTH, HEIGHT), Image.Transform.PERSPECTIVE, data, Image.Resampling.BILINEAR)
    return np.asarray(found)


@pytest.mark.parametrize("recipe", GEOMETRY, ids=lambda one: one.name)
def test_boxes_lie_within_a_pixel_of_an_independently_warped_mask(recipe: Recipe) -> None:
    wide, high, plane = size_and_plane(recipe, WIDTH, HEIGHT)
    for box in BOXES:
        carried = carry(box, plane, wide, high)
        assert carried.box is not None
        assert not carried.is_rejected
        mask = mask_by_pillow(recipe, box)
        rows, columns = np.nonzero(mask >= 128)
        seen = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
        # Pillow may choose a canvas that is a pixel larger; what it adds is half on each side.
        added = np.array([mask.shape[1] - wide, mask.shape[0] - high] * 2) / 2
        assert np.abs(seen - added - carried.box.as_list()).max() <= 1
        assert bool(carried.polygon) is not plane.is_upright


@pytest.mark.parametrize("recipe", GEOMETRY, ids=lambda one: one.name)
def test_the_pixels_of_a_box_are_where_the_polygon_is(recipe: Recipe) -> None:
    for box in BOXES:
        picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        picture[int(box.y1) : int(box.y2), int(box.x1) : int(box.x2)] = (255, 0, 0)
        variant = apply(recipe, picture)
        wide, high, plane = size_and_plane(recipe, WIDTH, HEIGHT)
        assert variant.shape == (high, wide, 3)
        carried = carry(box, plane, wide, high)
        red = np.ascontiguousarray((variant[:, :, 0].astype(int) - variant[:, :, 1]) > 127, np.uint8)
        assert carried.box is not None
        outline = carried.polygon or plane.polygon(carried.box if plane.is_upright else box)
        area = area_of(carried.polygon) if carried.polygon else carried.box.area
        assert abs(int(red.sum()) - area) <= 0.04 * area + 4
        inside = np.zeros_like(red)
        if carried.polygon:
            cv2.fillPoly(inside, [np.array(outline).round().astype(np.int32)], 1)
        else:
            x1, y1, x2, y2 = (round(one) for one in carried.box.as_list())
            inside[max(y1 - 1, 0) : y2 + 1, max(x1 - 1, 0) : x2 + 1] = 1
        assert not (red & ~cv2.dilate(inside, np.ones((3, 3), np.uint8)) & 1).any()


@pytest.mark.parametrize("recipe", ALL, ids=lambda one: one.name)
def test_a_recipe_gives_the_same_bytes_twice(recipe: Recipe) -> None:
    first, second = apply(recipe, noise()), apply(recipe, noise())
    assert digest_of(first) == digest_of(second)
    assert written(recipe, first) == written(recipe, second)
    assert digest_of(first) != digest_of(noise())
    assert first.dtype == np.uint8


def test_another_seed_gives_other_noise_of_the_same_strength() -> None:
    gray = np.full((200, 300, 3), 128, np.uint8)
    one, two = (apply(recipe_of("noise", 20, seed=seed), gray) for seed in (1, 2))
    assert digest_of(one) != digest_of(two)
    assert abs(float(one.std()) - 20) < 0.5
    assert abs(float(one.mean()) - 128) < 0.3


def test_strength_grows_with_the_dose() -> None:
    picture = cv2.GaussianBlur(noise(200, 160), (0, 0), 2)

    def change(kind: str, dose: float) -> float:
        return float(np.abs(apply(recipe_of(kind, dose, seed=1), picture).astype(int) - picture).mean())

    for kind in ("blur", "motion_blur", "noise", "haze", "low_light", "jpeg", "contrast"):
        first, last = FORMS[Kind(kind)].ladder
        doses = ladder(FORMS[Kind(kind)], first, last, 5)
        changes = [change(kind, dose) for dose in doses]
        assert changes == sorted(changes), kind
        assert changes[0] > 0


def test_gold_that_is_cut_off_is_rejected_from_5_percent_on() -> None:
    wide, high, plane = size_and_plane(Recipe(Kind.CROP, 10), 1000, 800)
    assert (wide, high) == (800, 640)
    assert not carry(Box(96, 200, 196, 300), plane, wide, high).is_rejected
    assert not carry(Box(95, 200, 195, 300), plane, wide, high).is_rejected
    cut = carry(Box(94, 200, 194, 300), plane, wide, high)
    assert (cut.is_rejected, round(cut.kept, 6)) == (True, 0.94)
    gone = carry(Box(10, 10, 40, 40), plane, wide, high)
    assert (gone.box, gone.kept, gone.is_rejected) == (None, 0.0, True)


sides = st.integers(8, 3000)
recipes = st.one_of(
    st.builds(Recipe, st.just(Kind.ROTATE), st.floats(-180, 180)),
    st.builds(Recipe, st.just(Kind.FLIP), st.none(), st.sampled_from(["horizontal", "vertical"])),
    st.builds(Recipe, st.just(Kind.SCALE), st.floats(5, 400)),
    st.builds(Recipe, st.just(Kind.CROP), st.floats(0.5, 45)),
    st.builds(Recipe, st.just(Kind.PERSPECTIVE), st.floats(1, 80), st.sampled_from(["left", "right", "top", "bottom"])),
)


@example(Recipe(Kind.ROTATE, -1e-14), 8, 8, (0.0, 0.0, 0.0, 0.0))
@given(recipes, sides, sides, st.tuples(*[st.floats(0, 1)] * 4))
def test_what_is_carried_lies_inside_and_keeps_a_share(recipe, width, height, shares) -> None:
    try:
        wide, high, plane = size_and_plane(recipe, width, height)
    except RecipeError:
        return
    x1, x2 = sorted((shares[0] * width, shares[1] * width))
    y1, y2 = sorted((shares[2] * height, shares[3] * height))
    assume(x2 - x1 >= 1)
    assume(y2 - y1 >= 1)
    carried = carry(Box(x1, y1, x2, y2), plane, wide, high)
    assert 0 <= carried.kept <= 1
    if carried.box is None:
        assert recipe.kind is Kind.CROP
        return
    box = carried.box
    assert box.x1 >= 0
    assert box.y1 >= 0
    assert box.x2 <= wide
    assert box.y2 <= high
    if carried.polygon:
        assert area_of(carried.polygon) <= box.area * (1 + 1e-9)
    if recipe.kind is not Kind.CROP:
        # Only a crop has less room than the image.
        assert carried.kept > 1 - 1e-6


@given(st.sampled_from([0, 1, 2, 3]), st.sampled_from(["horizontal", "vertical", ""]), sides, sides)
def test_turning_and_flipping_back_gives_the_box_again(turns, flip, width, height) -> None:
    box = Box(width * 0.25, height * 0.125, width * 0.75, height * 0.5)
    there, size = box, (width, height)
    steps = [Recipe(Kind.ROTATE, 90.0)] * turns + [Recipe(Kind.FLIP, None, flip)] * bool(flip)
    back = [Recipe(Kind.FLIP, None, flip)] * bool(flip) + [Recipe(Kind.ROTATE, -90.0)] * turns
    for recipe in steps + back:
        wide, high, plane = size_and_plane(recipe, *size)
        carried = carry(there, plane, wide, high)
        assert carried.box is not None
        there, size = carried.box, (wide, high)
    assert size == (width, height)
    assert np.allclose(there.as_list(), box.as_list())


@pytest.mark.parametrize(
    ("kind", "dose", "field"),
    [
        ("swirl", 1, "kind"), ("rotate", 0, "dose"), ("rotate", 360, "dose"), ("rotate", None, "dose"),
        ("rotate", float("nan"), "dose"), ("blur", 0, "dose"), ("blur", "3", "dose"), ("jpeg", 20.5, "dose"),
        ("jpeg", True, "dose"), ("scale", 100, "dose"), ("contrast", 100, "dose"), ("noise", 1e9, "dose"),
    ],
)  # fmt: skip
def test_a_recipe_that_cannot_be_is_refused_by_field(kind, dose, field) -> None:
    with pytest.raises(RecipeError) as refused:
        recipe_of(kind, dose)
    assert refused.value.field == field


def test_choices_and_seeds_are_checked() -> None:
    assert recipe_of("flip").choice == "horizontal"
    assert recipe_of("blur", 2, seed=9).seed == 0
    for wrong in ({"choice": "diagonal"}, {"seed": -1}, {"seed": 1.5}):
        with pytest.raises(RecipeError):
            recipe_of("perspective", 10, **wrong)
    with pytest.raises(RecipeError):
        recipes_of("blur", range(1, 30))
    assert len(recipes_of("flip", (), "vertical")) == 1


@pytest.mark.parametrize("kind", [kind for kind in Kind if FORMS[kind].dose])
def test_the_offered_ladder_has_twelve_valid_doses(kind: Kind) -> None:
    doses = ladder(FORMS[kind], *FORMS[kind].ladder, 12)
    assert len(doses) == 12
    assert [recipe_of(kind.value, dose).dose for dose in doses] == doses
    assert (doses[0], doses[-1]) == FORMS[kind].ladder


def test_a_ladder_leaves_out_what_changes_nothing() -> None:
    assert ladder(FORMS[Kind.ROTATE], -90, 90, 5) == [-90, -45, 45, 90]
    assert ladder(FORMS[Kind.JPEG], 3, 1, 6) == [3, 2, 1]


def test_the_preview_of_a_small_copy_is_blurred_as_much() -> None:
    assert reduced(Recipe(Kind.BLUR, 8.0), 0.25).dose == 2
    assert reduced(Recipe(Kind.ROTATE, 8.0), 0.25).dose == 8


def test_too_large_and_too_small_are_refused() -> None:
    for recipe, width, height in (
        (Recipe(Kind.SCALE, 400.0), 20_000, 10_000), (Recipe(Kind.SCALE, 5.0), 100, 100),
        (Recipe(Kind.ROTATE, 10.0), 40_000, 100),
    ):  # fmt: skip
        with pytest.raises(RecipeError):
            size_and_plane(recipe, width, height)


def test_questions_that_name_directions_are_found() -> None:
    assert directions_in(["Which mug is left of the LEFTMOST plate?", "left"]) == ["left", "leftmost"]
    assert directions_in(["Does the hand turn clockwise?", "above"]) == ["clockwise", "above"]
    assert directions_in(["What brightness does it show? How many are there?", "stopped"]) == []
