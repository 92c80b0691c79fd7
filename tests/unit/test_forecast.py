"""The forecast of a work package: a range of dates from recorded times, and none where nothing is known."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.forecast import FEWEST, Forecast, NoForecast, forecast

TODAY = date(2026, 3, 2)


def known(*args: object, **more: int) -> Forecast:
    found = forecast(*args, **more)  # type: ignore[arg-type]
    assert isinstance(found, Forecast)
    return found


def test_work_that_always_takes_as_long_ends_on_one_day() -> None:
    """20 samples of an hour, at two hours a day: the tenth day."""
    found = known(20, [3600.0] * 8, [7200.0] * 14, TODAY)
    assert {found.early, found.middle, found.late} == {TODAY + timedelta(days=9)}
    assert found.hours == pytest.approx(20)


def test_nothing_left_ends_today_without_any_data() -> None:
    assert known(0, [], [], TODAY).late == TODAY


@pytest.mark.parametrize(
    ("seconds", "daily", "why"),
    [
        ([], [3600.0] * 14, NoForecast.FEW_SAMPLES),
        ([60.0] * (FEWEST - 1), [3600.0] * 14, NoForecast.FEW_SAMPLES),
        ([60.0] * FEWEST, [], NoForecast.NO_HOURS),
        ([60.0] * FEWEST, [0.0] * 14, NoForecast.NO_HOURS),
        ([36000.0] * FEWEST, [1.0] * 14, NoForecast.TOO_LONG),
    ],
)
def test_without_data_there_is_no_forecast_and_a_reason(
    seconds: list[float], daily: list[float], why: NoForecast
) -> None:
    assert forecast(500, seconds, daily, TODAY) is why


def test_days_without_work_make_it_later_and_less_certain() -> None:
    steady = known(100, [600.0] * 30, [7200.0] * 14, TODAY)
    uneven = known(100, [600.0] * 30, [14400.0, 0.0] * 7, TODAY)
    assert uneven.late - uneven.early > steady.late - steady.early


def test_the_same_seed_gives_the_same_range() -> None:
    draw = np.random.default_rng(3)
    seconds, daily = list(draw.exponential(300, 40)), list(draw.exponential(5000, 14))
    assert forecast(300, seconds, daily, TODAY, seed=5) == forecast(300, seconds, daily, TODAY, seed=5)


@given(
    st.integers(1, 5000),
    st.lists(st.floats(1, 900), min_size=FEWEST, max_size=40),
    st.lists(st.floats(600, 30_000), min_size=1, max_size=14),
)
def test_a_range_is_in_order_and_never_in_the_past(remaining: int, seconds: list[float], daily: list[float]) -> None:
    found = forecast(remaining, seconds, daily, TODAY)
    if isinstance(found, Forecast):
        assert TODAY <= found.early <= found.middle <= found.late
        assert found.hours > 0


def test_many_samples_are_drawn_as_their_sum() -> None:
    draw = np.random.default_rng(1)
    seconds = list(draw.exponential(300, 200))
    few, many = known(2000, seconds, [20_000.0] * 14, TODAY), known(2001, seconds, [20_000.0] * 14, TODAY)
    assert abs((few.middle - many.middle).days) <= 2
    assert abs((few.late - few.early) - (many.late - many.early)) <= timedelta(days=3)


def test_the_true_day_is_in_the_range_in_most_repetitions() -> None:
    """Times of samples and hours of days are drawn from one distribution, in the past and in the future."""
    draw, inside = np.random.default_rng(11), 0
    for seed in range(100):
        seconds, daily = draw.gamma(2, 150, 60), draw.gamma(4, 2000, 14)
        found = known(200, list(seconds), list(daily), TODAY, seed=seed)
        needed, day, done = draw.gamma(2, 150, 200).sum(), -1, 0.0
        while done < needed:
            done, day = done + draw.gamma(4, 2000), day + 1
        inside += found.early <= TODAY + timedelta(days=day) <= found.late
    assert inside >= 85
