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


def amount_of(rate: Decimal, count: int | None, seconds: float) -> Decimal:
    """What ``count`` samples are paid; without a count, the active hours. Rounded half up to a hundredth.

    >>> amount_of(Decimal("0.35"), 3, 0), amount_of(Decimal("12"), None, 5400)
    (Decimal('1.05'), Decimal('18.00'))
    """
    paid = Decimal(count) if count is not None else Decimal(str(round(seconds, 3))) / 3600
    return (rate * paid).quantize(CENT, ROUND_HALF_UP)
