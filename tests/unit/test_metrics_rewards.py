"""Rewards of rollout groups (docs/metrics.md#reward-rules)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.rewards import rewards
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Rollout, RolloutGroup


def group(*tokens, sufficient=True, alpha=None):
    return RolloutGroup("g", tuple(Rollout(t, 1.0, 1.0, sufficient) for t in tokens), alpha)


def test_the_worked_example():
    rollouts = (Rollout(100, 1, 1, True), Rollout(300, 1, 1, False))
    first, second = rewards(RolloutGroup("g", rollouts), MetricSettings())
    assert (first.minimality, first.final) == (2, 3)
    assert (second.minimality, second.final) == (pytest.approx(2 / 3), 2)


def test_no_evidence_earns_nothing_unless_asked_for_and_counts_in_the_mean():
    zero, some = rewards(group(0, 100), MetricSettings())
    assert (zero.minimality, some.minimality) == (0, 0.5)
    assert rewards(group(0, 100), MetricSettings(grim_zero="clip"))[0].minimality == 2


def test_a_groups_own_alpha_comes_before_the_setting():
    assert rewards(group(100, alpha=0.0), MetricSettings())[0].final == 2
    assert rewards(group(100), MetricSettings(alpha=1.0))[0].final == 3


def test_an_empty_group_has_no_rewards():
    assert rewards(group(), MetricSettings()) == ()


def test_negative_tokens_are_refused_by_group():
    with pytest.raises(ValueError, match="'g'"):
        rewards(group(-1), MetricSettings())


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8))
def test_minimality_lies_between_0_and_2(tokens):
    assert all(0 <= reward.minimality <= 2 for reward in rewards(group(*tokens), MetricSettings()))
