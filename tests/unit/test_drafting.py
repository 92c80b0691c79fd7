"""The arms of drafts, how close a submission is to a draft, and what the arms say about anchoring."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.drafting import CONTROL_SHARE, Arm, Field, arm_of, likeness, new_seed
from annotation.schema import AnswerType, Box, SampleContent, Target, ToolCall, ToolPlan
from evaluation.metrics.anchoring import LEAST_IMAGES, Why, contrast

CONTENT = SampleContent(
    question="How many mugs  are there?", answer_type=AnswerType.MULTIPLE_CHOICE, options={"A": "one", "B": "Two"},
    answers=("B",), gold_boxes=(Box(0, 0, 10, 10), Box(20, 0, 30, 10)),
)  # fmt: skip


def test_a_fifth_of_the_pairs_is_the_control_arm_of_each_person_and_of_each_sample() -> None:
    seed = new_seed()
    drawn = np.array([[arm_of(seed, who, n, CONTROL_SHARE) is Arm.WITHHELD for n in range(2000)] for who in range(5)])
    assert drawn.mean() == pytest.approx(0.2, abs=0.02)
    assert np.abs(drawn.mean(axis=1) - 0.2).max() < 0.04
    assert abs(np.corrcoef(drawn[0], drawn[1])[0, 1]) < 0.1, "one person's arm says nothing about another's"
    again = [arm_of(seed, 0, n, CONTROL_SHARE) is Arm.WITHHELD for n in range(2000)]
    assert list(drawn[0]) == again
    other = [arm_of(new_seed(), 0, n, CONTROL_SHARE) is Arm.WITHHELD for n in range(2000)]
    assert list(drawn[0]) != other


def test_a_larger_share_keeps_the_pairs_of_a_smaller_one() -> None:
    small = {n for n in range(500) if arm_of("ab", 7, n, 0.1) is Arm.WITHHELD}
    large = {n for n in range(500) if arm_of("ab", 7, n, 0.4) is Arm.WITHHELD}
    assert small < large


def test_likeness_compares_each_field_in_its_own_way() -> None:
    assert likeness(Field.BOXES, [{"box": [0, 0, 10, 10]}], CONTENT) == pytest.approx(0.5)
    assert likeness(Field.BOXES, [{"box": [0, 0, 10, 10]}], SampleContent()) == 0.0
    assert likeness(Field.QUESTION, "how many mugs are there?", CONTENT) == 1.0
    assert likeness(Field.QUESTION, "Which color is it?", CONTENT) == pytest.approx(0.42, abs=0.15)
    assert likeness(Field.OPTIONS, {"A": "two", "B": "three"}, CONTENT) == pytest.approx(1 / 3)
    assert likeness(Field.ANSWER, "two", CONTENT) == 1.0
    assert likeness(Field.ANSWER, "one", CONTENT) == 0.0
    assert likeness(Field.OPTIONS, {}, SampleContent()) is None


def test_likeness_of_toolchains_counts_equal_steps_in_order_over_the_longer_one() -> None:
    crop, gray = ToolCall("crop", {"x": 1, "y": 2}), ToolCall("colorspace_gray")
    drafted = [{"tool": "Crop", "arguments": {"y": 2, "x": 1}, "image_in": "original"}, {"tool": "gray"}]
    for calls, expected in (
        ((crop, gray), 1.0), ((gray, crop), 0.5), ((crop,), 0.5), ((), 0.0), ((crop, ToolCall("canny"), gray), 2 / 3),
        ((ToolCall("crop", {"x": 9, "y": 2}), gray), 0.5),
    ):  # fmt: skip
        submitted = SampleContent(reference_toolchain=calls)
        assert likeness(Field.TOOLCHAIN, drafted, submitted) == pytest.approx(expected)
    assert likeness(Field.TOOLCHAIN, [], SampleContent()) is None


def test_likeness_of_plans_is_what_both_have_over_what_either_has() -> None:
    plan = ToolPlan((Target("hand saw", 1), Target("Claw Hammer", 2)), ("pliers", "rasp"))
    drafted = [{"tool": "hand saw", "step": 1}, {"tool": "claw hammer", "step": 1}]
    assert likeness(Field.TARGETS, drafted, SampleContent(plan=plan)) == pytest.approx(1 / 3)
    assert likeness(Field.DISTRACTORS, ["Rasp"], SampleContent(plan=plan)) == pytest.approx(0.5)
    assert likeness(Field.TARGETS, drafted, SampleContent()) == 0.0


def simulated(anchoring: float, seed: int, images: int = 60, people: int = 3) -> tuple[np.ndarray, ...]:
    """IoU with the draft of people who adopt it with a probability that makes the planted difference. Alone they reach
    0.45 on average, and images differ."""
    rng, key = np.random.default_rng(seed), f"{seed:032x}"
    image = np.repeat(np.arange(images), people)
    who = np.tile(np.arange(people), images)
    pairs = zip(who.tolist(), image.tolist(), strict=True)
    withheld = np.array([arm_of(key, *pair, CONTROL_SHARE) is Arm.WITHHELD for pair in pairs])
    apart = np.repeat(rng.uniform(-0.2, 0.2, images), people) + rng.uniform(-0.25, 0.25, len(image))
    alone = np.clip(0.45 + apart, 0, 1)
    adopts = rng.random(len(image)) < anchoring / (1 - 0.45)
    return np.where(adopts & ~withheld, 1.0, alone), withheld, image


@pytest.mark.parametrize("planted", [0.0, 0.1, 0.3])
def test_the_interval_covers_planted_anchoring(planted: float) -> None:
    covered = 0
    for seed in range(400):
        found = contrast(*simulated(planted, seed)).interval
        assert found is not None
        covered += found.low <= planted <= found.high
    assert covered >= 0.93 * 400


def test_few_images_in_an_arm_leave_the_difference_undefined() -> None:
    values, image = np.full(40, 0.5), np.arange(40)
    few = image < LEAST_IMAGES - 1
    found = contrast(values, few, image)
    assert (found.difference, found.interval, found.why) == (None, None, Why.FEW_WITHHELD)
    assert (found.withheld.n, found.withheld.mean) == (LEAST_IMAGES - 1, 0.5)
    assert contrast(values, ~few, image).why is Why.FEW_SHOWN
    none = contrast(np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64))
    assert (none.shown.mean, none.difference) == (None, None)
