"""What arms do to pixels and texts: only what they name, at the size that it had."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import Outline, OutlineKind, Point
from evaluation.runner.arms import pixels
from evaluation.runner.arms.catalogue import FAMILIES, Arm, ArmError, CannotApply, Estimand, read_arms
from evaluation.runner.arms.text import (
    changed_words,
    dotted,
    edited,
    facts_in,
    replaced,
    rotated,
    sentences,
    with_mistakes,
)

PICTURE = np.random.default_rng(1).integers(0, 256, (40, 60, 3)).astype(np.uint8)
GRAY = PICTURE[:, :, 0]


@pytest.mark.parametrize("picture", [PICTURE, GRAY])
@pytest.mark.parametrize(
    "change",
    [
        lambda one: pixels.noisy(one, 50, np.random.default_rng(0)),
        pixels.blank,
        lambda one: pixels.blurred(one, 8),
        lambda one: pixels.letterboxed(one, one.shape[1], one.shape[0]),
        lambda one: pixels.masked(one, [(10, 10, 20, 20)]),
    ],
)
def test_every_change_keeps_size_and_type(picture, change) -> None:
    made = change(picture)
    assert (made.shape, made.dtype) == (picture.shape, np.uint8)


def test_noise_mixes_by_its_dose_and_full_noise_keeps_nothing() -> None:
    flat = np.full((100, 100, 3), 200, np.uint8)
    half = pixels.noisy(flat, 50, np.random.default_rng(0))
    assert half.mean() == pytest.approx(0.5 * 200 + 0.5 * 127.5, abs=1)
    full = [
        pixels.noisy(one, 100, np.random.default_rng(0))
        for one in (flat, PICTURE[:1, :1].repeat(100, 0).repeat(100, 1))
    ]
    assert np.array_equal(*full)
    assert np.array_equal(pixels.noisy(PICTURE, 0, np.random.default_rng(0)), PICTURE)


@given(
    st.lists(
        st.tuples(st.floats(-10, 58), st.floats(-10, 38), st.floats(1, 30), st.floats(1, 30)), min_size=1, max_size=4
    )
)
def test_nothing_of_a_masked_box_is_left_and_nothing_else_changes(
    found: list[tuple[float, float, float, float]],
) -> None:
    boxes = [(x, y, x + w, y + h) for x, y, w, h in found]
    inside = np.zeros(GRAY.shape, bool)
    for x1, y1, x2, y2 in boxes:
        inside[
            max(0, int(np.floor(y1))) : max(0, int(np.ceil(y2))), max(0, int(np.floor(x1))) : max(0, int(np.ceil(x2)))
        ] = True
    if inside.all():
        return
    made = pixels.masked(GRAY, boxes)
    other = pixels.masked(np.where(inside, 255 - GRAY, GRAY).astype(np.uint8), boxes)
    assert np.array_equal(made, other), "the fill depends on the surroundings alone"
    assert np.array_equal(made[~inside], GRAY[~inside])


@pytest.mark.parametrize(
    "points",
    [
        ((10, 10), (30, 12), (12, 33)),
        ((5, 5), (40, 5.5), (20, 12), (38, 30.4), (6, 28)),
        # The box around it is the whole image.
        ((0, 0), (GRAY.shape[1], 0), (0, GRAY.shape[0])),
    ],
)
def test_a_masked_polygon_leaves_nothing_of_its_area_and_keeps_what_lies_apart(points: tuple[Point, ...]) -> None:
    shape = Outline.of(OutlineKind.POLYGON, points)
    made = pixels.masked(GRAY, [tuple(shape.as_list())], {0: points})
    area = shapely.Polygon(points)
    ys, xs = np.mgrid[: GRAY.shape[0], : GRAY.shape[1]]
    touched = shapely.intersection(shapely.box(xs, ys, xs + 1, ys + 1), area)
    inside = shapely.area(touched) > 0
    other = pixels.masked(np.where(inside, 255 - GRAY, GRAY).astype(np.uint8), [tuple(shape.as_list())], {0: points})
    assert np.array_equal(made, other)
    apart = shapely.distance(shapely.box(xs, ys, xs + 1, ys + 1), area) >= 3
    assert np.array_equal(made[apart], GRAY[apart])
    assert (made != GRAY)[inside].any()


def test_a_polygon_across_the_whole_image_is_filled_from_the_pixels_next_to_it() -> None:
    white = np.full((40, 60, 3), 255, np.uint8)
    points = ((0.0, 0.0), (60.0, 0.0), (0.0, 40.0))
    marked = white.copy()
    marked[:10, :20] = 0
    assert np.array_equal(pixels.masked(marked, [(0, 0, 60, 40)], {0: points}), white)


def test_gold_that_covers_everything_has_no_surroundings() -> None:
    with pytest.raises(CannotApply, match="no surroundings"):
        pixels.masked(PICTURE, [(0, 0, 60, 40)])


@given(st.integers(0, 1000))
def test_a_random_box_has_the_size_of_the_crop_and_touches_no_gold(seed: int) -> None:
    gold = [(20.0, 10.0, 40.0, 30.0)]
    x1, y1, x2, y2 = pixels.random_box((0, 0, 10, 8), gold, (60, 40), np.random.default_rng(seed))
    assert (x2 - x1, y2 - y1) == (pytest.approx(10), pytest.approx(8))
    assert 0 <= x1 <= x2 <= 60
    assert 0 <= y1 <= y2 <= 40
    assert x2 <= 20 or x1 >= 40 or y2 <= 10 or y1 >= 30


def test_where_no_box_fits_beside_the_gold_the_arm_does_not_apply() -> None:
    with pytest.raises(CannotApply, match="outside the gold"):
        pixels.random_box((0, 0, 50, 30), [(20, 10, 40, 30)], (60, 40), np.random.default_rng(0))


@pytest.mark.parametrize(
    "name", [f"{label}@{estimand}" for label in ("sham", "noise-50", "mask-gold-both") for estimand in Estimand]
)
def test_an_arm_is_read_from_its_name(name: str) -> None:
    assert str(Arm.read(name)) == name


@pytest.mark.parametrize(
    "name", ["sham", "noise@prefix", "noise-33@prefix", "beauty@turn", "question@prefix", "blank-3@turn"]
)
def test_a_name_of_no_arm_is_refused(name: str) -> None:
    with pytest.raises(ArmError):
        Arm.read(name)


def test_every_arm_fits_into_the_condition_of_a_trajectory() -> None:
    for family in FAMILIES.values():
        for dose in family.doses or ("",):
            for estimand in family.estimands:
                assert len(str(Arm(family.name, dose, estimand))) <= 40


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sham:4", {"sham": 4}),
        ("sham:4,noise:25-75x2", {"sham": 4, "noise-25": 2, "noise-50": 2, "noise-75": 2}),
        ("blur", {"blur-2": 3, "blur-4": 3, "blur-8": 3, "blur-16": 3}),
        ("mask-gold:crops x", None),
        ("mask-gold:crops", {"mask-gold-crops": 3}),
        ("goldx5", {"gold": 5}),
        ("blank:0", None),
        ("noise:60", None),
        ("noise:99-100x40", None),
        ("", {}),
    ],
)
def test_a_list_of_arms_is_read_as_commands_write_it(text: str, found: dict[str, int] | None) -> None:
    if found is None:
        with pytest.raises(ArmError):
            read_arms(text, Estimand.PREFIX)
    else:
        assert {arm.label: seeds for arm, seeds in read_arms(text, Estimand.PREFIX).items()} == found


TEXT = '<think>I see three red cups on the left.</think>\n<tool_call>{"bbox_2d": [1, 2, 3, 4]}</tool_call>'


def test_calls_state_no_facts() -> None:
    stated = [TEXT[fact.start : fact.end] for fact in facts_in(TEXT, "")]
    assert stated == ["three", "red", "left"]


def test_the_answer_itself_is_no_fact_that_is_changed() -> None:
    assert [TEXT[fact.start : fact.end] for fact in facts_in(TEXT, "Red")] == ["three", "left"]


@given(st.integers(0, 500))
def test_a_mistake_changes_as_many_facts_as_it_says_and_no_call(seed: int) -> None:
    long = TEXT + " Nothing else is to be seen in this picture, whichever way one looks at it; the wall is plain."
    [made] = with_mistakes([long], 2, np.random.default_rng(seed), "")
    pieces = [piece for piece in changed_words(long, made) if not piece.same]
    assert len(pieces) == 2
    assert "[1, 2, 3, 4]" in made
    assert sum(max(len(piece.old), len(piece.new)) for piece in pieces) <= 0.15 * len(long)


def test_too_few_facts_or_too_short_a_text_is_said() -> None:
    with pytest.raises(CannotApply, match="too few facts"):
        with_mistakes(["Nothing to see."], 1, np.random.default_rng(0), "")
    with pytest.raises(CannotApply, match="too few facts"):
        with_mistakes(["red"], 1, np.random.default_rng(0), "")


def test_what_a_judge_changed_is_put_where_it_stands_last() -> None:
    texts = ["There are two red cups, I think, on the wide table.", "So two cups are red, and all the others are blue."]
    assert replaced(texts, "two", "five", "red")[1].startswith("So five cups")
    with pytest.raises(CannotApply, match="not in the text"):
        replaced(texts, "green", "blue", "")
    with pytest.raises(CannotApply, match="the answer itself"):
        replaced(texts, "red", "blue", "Red")


def test_dots_have_the_length_of_the_text_and_calls_stay() -> None:
    made = edited(TEXT, dotted)
    assert len(made) == len(TEXT)
    assert made.startswith("<think>. ... .....")
    assert '{"bbox_2d": [1, 2, 3, 4]}' in made


@given(st.text(max_size=200))
def test_sentences_are_together_the_text(text: str) -> None:
    assert "".join(sentences(text)) == text


def test_rotated_options_keep_their_texts_and_know_their_letters() -> None:
    options, before = rotated({"A": "red", "B": "blue", "C": "green"})
    assert options == {"A": "green", "B": "red", "C": "blue"}
    assert before == {"A": "C", "B": "A", "C": "B"}
    with pytest.raises(CannotApply):
        rotated({})


def test_changed_words_stand_beside_what_they_became() -> None:
    pieces = changed_words("The cup is red.", "The cup is dark blue.")
    assert "".join(piece.same + piece.old for piece in pieces) == "The cup is red."
    assert "".join(piece.same + piece.new for piece in pieces) == "The cup is dark blue."
