"""Pay: months, and the amount of work at a rate."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def month_of(day: date) -> date:
    """The first day of its month."""
    return day.replace(day=1)


def next_month(month: date) -> date:
    """
    >>> next_month(date(2026, 12, 1))
    datetime.date(2027, 1, 1)
    """
    return month_of(month + timedelta(days=31))


def amount_of_samples(rate: Decimal, count: int) -> Decimal:
    """The pay for ``count`` samples at a rate per sample, rounded half up to a hundredth.

    >>> amount_of_samples(Decimal("0.35"), 3)
    Decimal('1.05')
    """
    return (rate * count).quantize(CENT, ROUND_HALF_UP)


def amount_of_time(rate: Decimal, seconds: float) -> Decimal:
    """The pay for active time at a rate per hour, rounded half up to a hundredth.

    >>> amount_of_time(Decimal("12"), 5400)
    Decimal('18.00')
    """
    return (rate * Decimal(str(round(seconds, 3))) / 3600).quantize(CENT, ROUND_HALF_UP)
