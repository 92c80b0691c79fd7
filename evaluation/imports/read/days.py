"""The day on which the rows of a file were recorded, chosen by the person who imports them."""

from __future__ import annotations

from datetime import date, datetime, time

from django.utils import timezone
from django.utils.translation import gettext

from evaluation.importers.interface import ImportProblem

RECORDED_ON = "recorded_on"
"""The option of an import: a day as 2026-03-31, or empty."""


def begin_of_day(text: str) -> datetime | None:
    """Return when this day began, None for an empty text: rows are on the image that a sample had at that time. Raises
    ``ImportProblem``."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ImportProblem(gettext("Enter the day as year-month-day, such as 2026-03-31.")) from error
    return timezone.make_aware(datetime.combine(day, time.min))
