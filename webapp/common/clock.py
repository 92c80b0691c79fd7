"""Moments of the database's clock. Leases are compared with this one alone: the clocks of hosts differ."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import DateTimeField, ExpressionWrapper, Value
from django.db.models.functions import Now


def from_now(distance: timedelta | Any) -> ExpressionWrapper:
    """The moment so far from now; ``distance`` may be a column of durations."""
    shift = Value(distance) if isinstance(distance, timedelta) else distance
    return ExpressionWrapper(Now() + shift, output_field=DateTimeField())
