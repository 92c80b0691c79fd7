"""When work will be finished, as a range of dates: what is left times the time that samples took, over the hours that
people worked in the last two weeks. Both are drawn again and again from what was observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS = 500
DAYS = 14
"""The hours of a day are drawn from this number of past days."""
FEWEST = 5
"""With fewer samples that have a recorded time, there is no forecast."""
LONGEST = 730
"""Days. What takes longer has no forecast."""
_DRAWN_ONE_BY_ONE = 2000
"""Of more samples, the sum is drawn as that of a normal distribution."""


class NoForecast(StrEnum):
    """The reason why there is no forecast."""

    FEW_SAMPLES = "few_samples"
    NO_HOURS = "no_hours"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class Forecast:
    """The days on which work ends early, in the middle and late: 2.5, 50 and 97.5 of 100 draws. ``hours``: the median
    of what is left."""

    early: date
    middle: date
    late: date
    hours: float


def forecast(
    remaining: int, seconds: Sequence[float], daily_seconds: Sequence[float], today: date, seed: int = 0
) -> Forecast | NoForecast:
    """When ``remaining`` samples are finished. ``seconds``: active seconds of finished samples; ``daily_seconds``: of
    each of the last days, also those without work. Work goes on today.

    >>> forecast(8, [3600.0] * 5, [7200.0] * 14, date(2026, 3, 2)).late
    datetime.date(2026, 3, 5)
    """
    if remaining <= 0:
        return Forecast(today, today, today, 0.0)
    if len(seconds) < FEWEST:
        return NoForecast.FEW_SAMPLES
    if sum(daily_seconds) <= 0:
        return NoForecast.NO_HOURS
    draw = np.random.default_rng(seed)
    needed = _needed(draw, remaining, np.asarray(seconds, float))
    days = _days(draw, needed, np.asarray(daily_seconds, float))
    early, middle, late = (float(one) for one in np.percentile(days, [2.5, 50, 97.5], method="nearest"))
    if late > LONGEST:
        return NoForecast.TOO_LONG
    ends = [today + timedelta(days=int(one) - 1) for one in (early, middle, late)]
    return Forecast(ends[0], ends[1], ends[2], float(np.median(needed)) / 3600)


def _needed(draw: np.random.Generator, remaining: int, seconds: Floats) -> Floats:
    """The time of the remaining samples in each draw. Each draw takes the observed samples again with
    replacement, and from these the remaining ones."""
    observed = draw.choice(seconds, (DRAWS, len(seconds)))
    if remaining <= _DRAWN_ONE_BY_ONE:
        places = draw.integers(len(seconds), size=(DRAWS, remaining))
        return np.asarray(np.take_along_axis(observed, places, axis=1).sum(axis=1))
    spread = observed.std(axis=1) * np.sqrt(remaining)
    return np.asarray(np.maximum(observed.mean(axis=1) * remaining + spread * draw.standard_normal(DRAWS), 0.0))


def _days(draw: np.random.Generator, needed: Floats, daily: Floats) -> Floats:
    """The number of days, today included, after which the drawn hours reach what is needed; beyond ``LONGEST``: one
    more. Each draw takes the observed days again, and from these the coming ones."""
    observed = draw.choice(daily, (DRAWS, len(daily)))
    places = draw.integers(len(daily), size=(DRAWS, LONGEST))
    worked = np.take_along_axis(observed, places, axis=1).cumsum(axis=1)
    return np.asarray((worked < needed[:, None] - 1e-6).sum(axis=1) + 1)
