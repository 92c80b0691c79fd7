"""Pay: months and amounts."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from annotation.payroll import amount_of_samples, amount_of_time, month_of, next_month


@pytest.mark.parametrize(
    ("rate", "count", "paid"), [("0.35", 3, "1.05"), ("5", 0, "0.00"), ("0", 7, "0.00"), ("0.05", 1, "0.05")]
)
def test_an_amount_for_samples_is_exact_to_a_hundredth(rate: str, count: int, paid: str) -> None:
    assert amount_of_samples(Decimal(rate), count) == Decimal(paid)


@pytest.mark.parametrize(
    ("rate", "seconds", "paid"), [("12", 5400, "18.00"), ("0.01", 1800, "0.01"), ("10", 1, "0.00"), ("10", 0, "0.00")]
)
def test_an_amount_for_time_is_exact_to_a_hundredth(rate: str, seconds: float, paid: str) -> None:
    assert amount_of_time(Decimal(rate), seconds) == Decimal(paid)


@pytest.mark.parametrize(
    ("day", "month"), [(date(2026, 2, 28), date(2026, 2, 1)), (date(2026, 1, 1), date(2026, 1, 1))]
)
def test_a_month_is_its_first_day(day: date, month: date) -> None:
    assert month_of(day) == month


def test_months_follow_each_other_over_the_year() -> None:
    month, seen = date(2025, 11, 1), []
    for _ in range(15):
        month = next_month(month)
        seen.append((month.year, month.month))
    assert seen == [(2025, 12), *((2026, number) for number in range(1, 13)), (2027, 1), (2027, 2)]
