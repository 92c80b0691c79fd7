"""What undecided answers leave open of rates and differences, and when a run is provisional."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, MetricRow
from evaluation.metrics.comparison import compare
from evaluation.metrics.selection import ENDED, QUADRANTS
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.undecided import answers_given, could_turn, difference_range, is_provisional
from tests.unit.score_cases import make_samples, make_scores, random_scores

LEFT_OUT = MetricSettings(undecided_answer="exclude")
RIGHT, WRONG, OPEN = (TRUE, False), (FALSE, False), (UNKNOWN, True)


def rows_of(samples, scores, settings=MetricSettings()) -> dict[str, MetricRow]:  # noqa: B008
    return {row.metric: row for row in aggregate(samples, scores, None, settings, slices=())}


def answered(*verdicts, **columns):
    correct, undecided = zip(*verdicts, strict=True)
    return make_scores(len(verdicts), correct=correct, undecided=undecided, **columns)


@pytest.mark.parametrize(("settings", "point"), [(MetricSettings(), 0.5), (LEFT_OUT, 5 / 8)])
def test_the_point_follows_the_setting_and_the_range_does_not(settings: MetricSettings, point: float) -> None:
    """The worked example: 10 answers, 5 right, 2 undecided."""
    found = rows_of(make_samples(10), answered(*[RIGHT] * 5, *[OPEN] * 2, *[WRONG] * 3), settings)
    assert found["accuracy"].value == point
    for name in ("accuracy", "pass_rate"):
        ends = found[f"{name}_low"], found[f"{name}_high"]
        assert [(one.value, one.n) for one in ends] == [(0.5, 10), (0.7, 10)]
        assert (found[name].detail["low"], found[name].detail["high"]) == (0.5, 0.7)


def test_a_sample_without_a_trajectory_is_no_undecided_answer() -> None:
    found = rows_of(make_samples(4), answered(RIGHT, OPEN), MetricSettings(missing_sample="wrong"))
    assert [found[name].value for name in ("accuracy", "accuracy_low", "accuracy_high")] == [0.25, 0.25, 0.5]


def test_where_nothing_says_what_is_right_no_range_has_the_answer() -> None:
    found = rows_of(make_samples(2), answered((UNKNOWN, False), (UNKNOWN, False)))
    assert [found[name].value for name in ("accuracy", "accuracy_low", "accuracy_high")] == [None] * 3


def test_an_undecided_answer_could_be_in_either_quadrant_of_its_row() -> None:
    inside, grounded = np.ones(4, bool), np.array([True, True, True, False])
    scores = answered(RIGHT, OPEN, WRONG, OPEN, in_population=inside, grounded=grounded, quadrant=[0, 1, 1, 3])
    found = rows_of(make_samples(4), scores)
    ranges = [(found[name].value, found[name].detail["low"], found[name].detail["high"]) for name in QUADRANTS]
    assert ranges == [(0.25, 0.25, 0.5), (0.5, 0.25, 0.5), (0.0, 0.0, 0.25), (0.25, 0.0, 0.25)]


@given(st.integers(0, 10_000), st.sampled_from(["incorrect", "exclude"]))
def test_a_point_lies_in_its_range_and_ranges_know_no_setting(seed: int, undecided: str) -> None:
    samples, scores = random_scores(seed)
    found, plain = (
        rows_of(samples, scores, one) for one in (MetricSettings(undecided_answer=undecided), MetricSettings())
    )
    for name in ENDED:
        low, high = found[name].detail["low"], found[name].detail["high"]
        assert (low, high) == (plain[name].detail["low"], plain[name].detail["high"])
        # Without the undecided rows of the population, a quadrant's share can lie outside.
        if found[name].value is not None and (undecided == "incorrect" or name in ("accuracy", "pass_rate")):
            assert low - 1e-9 <= found[name].value <= high + 1e-9


@pytest.mark.parametrize(
    ("a", "b", "difference", "turns"),
    [
        ([RIGHT, WRONG, WRONG], [RIGHT, RIGHT, WRONG], (1 / 3, 1 / 3), False),
        ([RIGHT, WRONG, OPEN], [RIGHT, RIGHT, WRONG], (0.0, 1 / 3), False),  # nothing is no other sign
        ([RIGHT, OPEN, OPEN], [RIGHT, RIGHT, WRONG], (-1 / 3, 1 / 3), True),
        ([RIGHT, RIGHT, WRONG], [RIGHT, OPEN, OPEN], (-1 / 3, 1 / 3), True),
        ([RIGHT, (UNKNOWN, False)], [WRONG, OPEN], (-1.0, -1.0), False),  # the second has no right answer
    ],
)
def test_undecided_answers_could_turn_a_difference(a, b, difference, turns) -> None:
    found = compare(make_samples(len(a)), answered(*a), answered(*b), MetricSettings())
    assert found.range == pytest.approx(difference)
    assert found.could_turn is turns
    assert found.ranges["difference_low"] == found.range[0]
    assert difference_range(found.range_a, found.range_b) == found.range


def test_without_a_difference_there_is_no_sign_to_turn() -> None:
    assert not could_turn(0.0, -0.5, 0.5)
    assert not could_turn(None, None, None)
    assert difference_range((None, None), (0.0, 1.0)) == (None, None)


def test_a_run_is_provisional_above_the_alarm_and_not_at_it() -> None:
    usual = MetricSettings()
    assert [is_provisional(*counts, usual) for counts in ((8, 270), (2, 99))] == [True, True]
    assert [is_provisional(*counts, usual) for counts in ((2, 100), (0, 0))] == [False, False]
    assert not is_provisional(1, 2, MetricSettings(unread_alarm=0.5))


def test_a_blank_answer_is_not_given_and_one_without_a_right_answer_not_asked_for() -> None:
    correct, undecided = np.array([TRUE, UNKNOWN, UNKNOWN, FALSE]), np.array([False, True, False, False])
    assert answers_given(correct, undecided, np.array([False, False, False, True])).tolist() == [
        True,
        True,
        False,
        False,
    ]
