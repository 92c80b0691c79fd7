"""A month of work as a file: CSV, or a workbook."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook

from annotation.planning.read.pay import Line, Month
from annotation.spreadsheets import guarded

COLUMNS = (
    "month", "person", "email", "role", "submitted", "accepted", "reviewed", "adjudicated", "active_hours",
    "median_seconds", "decided", "returned", "return_rate", "return_rate_low", "return_rate_high", "paid_per", "rate",
    "amount", "currency", "closed_at", "verified",
)  # fmt: skip
"""Of both files. An empty cell is undefined, never 0."""
WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def rows_of(month: Month) -> Iterator[list[Any]]:
    """The cells of each line, in the order of ``COLUMNS``."""
    for line in month.lines:
        yield [_plain(value) for value in _cells(month, line)]


def _cells(month: Month, line: Line) -> list[Any]:
    interval = line.returned_interval
    return [
        f"{month.first:%Y-%m}", str(line.person), line.person.email, line.role.value, line.submitted, line.accepted,
        line.reviewed, line.adjudicated, line.hours, line.median_seconds, line.decided, line.returned,
        line.returned_share, interval.low if interval else None, interval.high if interval else None, line.per,
        line.rate, line.amount, month.currency if line.amount is not None else None,
        month.period.closed_at.isoformat() if month.period else None, line.verified,
    ]  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return guarded(value)
    return round(value, 6) if isinstance(value, float) else value


def csv_of(month: Month) -> bytes:
    """UTF-8 with a heading."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    table.writerows(rows_of(month))
    return out.getvalue().encode()


def workbook_of(month: Month) -> bytes:
    """One sheet; numbers are numbers."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(f"{month.first:%Y-%m}")
    sheet.append(COLUMNS)
    for row in rows_of(month):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
