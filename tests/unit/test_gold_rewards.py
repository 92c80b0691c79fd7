"""Rewards from gold, and rewards of groups as trainers send them (docs/metrics.md#reward-rules)."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.gold_rewards import RolloutCall, gold_rewards
from evaluation.metrics.rewards import rewards
from evaluation.metrics.settings import MetricSettings
from evaluation.runner.dialects.zoom import ZoomCall
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS
from evaluation.runner.rollouts import RolloutPrompt, Scheme, SentRollout, calls_at, calls_of_rollout, reward_group
from evaluation.runner.tokens import image_tokens, tokens_of_images
from evaluation.schema import Rollout, RolloutGroup

GOLD = np.array([[0.0, 0.0, 10.0, 10.0]])
PROMPT = RolloutPrompt((100, 100), ((0, 0, 10, 10),))


def of_boxes(*boxes, correct=True, gold=GOLD):
    calls = [RolloutCall(box, box is None) for box in boxes]
    found = gold_rewards([calls], [correct], gold, (100, 100), MetricSettings())
    return found[0] if found else None


def test_the_worked_example():
    found = of_boxes((0, 0, 10, 5), None, (0, 0, 20, 10))
    assert found.box == pytest.approx(2 / 3)
    assert found.calls == pytest.approx((0.5, -0.05, 0.5))
    assert (found.quadrant, found.coverage) == (1, 1)


def test_the_full_image_is_grounded_but_earns_little_by_its_box():
    """IoA is 1; coverage 1 and concentration .01 give 2 · .01 / 1.01."""
    found = of_boxes((0, 0, 100, 100))
    assert found.box == pytest.approx(0.02 / 1.01)
    assert found.quadrant == 1


@pytest.mark.parametrize(
    ("box", "correct", "reward"),
    [((0, 0, 10, 10), True, 1), ((0, 0, 10, 10), False, 0.25), ((50, 50, 60, 60), True, 0), (None, True, 0)],
)
def test_quadrants_are_rewarded_by_the_table(box, correct, reward):
    assert of_boxes(box, correct=correct).quadrant == reward


def test_without_a_call_nothing_is_earned_and_without_gold_it_is_undefined():
    assert of_boxes().calls == ()
    assert (of_boxes().box, of_boxes().coverage) == (0, 0)
    assert of_boxes((0, 0, 1, 1), gold=np.empty((0, 4))) is None
    assert of_boxes((0, 0, 1, 1), gold=np.array([[200.0, 0, 300, 10]])) is None


BOXES = st.tuples(*[st.floats(0, 90)] * 2, *[st.floats(1, 10)] * 2).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


@given(st.lists(st.none() | BOXES, max_size=6), st.lists(BOXES, min_size=1, max_size=3))
def test_the_calls_together_earn_the_coverage_less_the_failures(boxes, gold):
    found = of_boxes(*boxes, gold=np.array(gold))
    assert sum(found.calls) == pytest.approx(found.coverage - 0.05 * boxes.count(None))
    assert 0 <= found.box <= 1
    assert 0 <= found.coverage <= 1


def test_the_tokens_of_a_rollout_are_those_of_its_images():
    assert tokens_of_images([(448, 448), (448, 448)], "internvl") == 2 * image_tokens(448, 448, "internvl") == 512
    assert tokens_of_images([], "qwen3-vl") == 0
    with pytest.raises(ValueError, match="Choose from"):
        tokens_of_images([], "unknown")


def test_a_group_has_the_rewards_of_the_one_definition():
    sent = [
        SentRollout("a", 1, 1, calls=calls_at([(0, 0, 10, 10)]), image_tokens=100),
        SentRollout("b", 1, 1, calls=calls_at([(50, 50, 60, 60)]), image_tokens=300),
    ]
    found = reward_group("g", sent, PROMPT, Scheme())
    wanted = rewards(RolloutGroup("g", (Rollout(100, 1, 1, True), Rollout(300, 1, 1, False))), MetricSettings())
    assert [(one.r_s, one.r_m, one.r_final) for one in found] == [
        (one.sufficiency, one.minimality, one.final) for one in wanted
    ]
    assert [one.r_box for one in found] == [1, 0]


def test_a_verdict_of_a_judge_comes_before_coverage_and_one_of_both_is_needed():
    one = SentRollout("a", 1, 1, calls=calls_at([(50, 50, 60, 60)]), sufficient=True)
    assert reward_group("g", [one], PROMPT, Scheme())[0].r_s == 1
    blank = reward_group("g", [one], RolloutPrompt((100, 100)), Scheme())[0]
    assert (blank.r_s, blank.r_box, blank.r_quadrant, blank.calls) == (1, None, None, None)
    with pytest.raises(ValueError, match="no gold boxes"):
        reward_group("g", [SentRollout("a", 1, 1, calls=())], RolloutPrompt((100, 100)), Scheme())


@pytest.mark.parametrize("dialect", ZOOM_DIALECTS)
def test_a_completion_has_the_calls_that_its_dialect_executes(dialect):
    """As messages, with a call that fails between two that succeed."""
    zoom = ZOOM_DIALECTS[dialect]
    box = (0.1, 0.1, 0.5, 0.5) if dialect == "pixel-reasoner" else (100, 100, 500, 500)
    calls = [ZoomCall(box), ZoomCall(box, image=7), ZoomCall(box)]
    written = [zoom.write(call) for call in calls]
    messages = [
        {
            "role": "assistant",
            "content": one.text,
            "tool_calls": [{"function": {"name": call.name, "arguments": call.arguments}} for call in one.calls],
        }
        for one in written
    ]
    found, sizes = calls_of_rollout(SentRollout("a", 1, 1, completion=messages), (1000, 1000), dialect)
    assert [call.failed for call in found] == [False, True, False]
    assert found[0].box == found[2].box
    assert len(sizes) == 2


def test_a_text_has_the_calls_of_the_model_and_not_those_of_others():
    call = {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [0, 0, 500, 500]}}
    tag = f"<tool_call>{json.dumps(call)}</tool_call>"
    text = (
        f"<think>{tag}</think>Look. {tag}<|im_end|>\n<|im_start|>user\n<tool_response>{tag}</tool_response><|im_end|>\n"
        f"<|im_start|>assistant\n{tag} <answer>A</answer>"
    )
    found, _ = calls_of_rollout(SentRollout("a", 1, 1, completion=text), (1000, 1000), "qwen3-vl")
    assert [call.box for call in found] == [(0, 0, 500, 500), (0, 0, 500, 500)]
