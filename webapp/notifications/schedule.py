"""When an email is due, and when events are one entry. Pure: no clock, no database."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

DIGEST_AT = time(8)
ALIKE_WITHIN = timedelta(minutes=5)
ALIKE_MOST = 10
"""This number of alike events within ``ALIKE_WITHIN`` makes one entry."""


def next_digest(now: datetime, zone: str) -> datetime:
    """The next 08:00 in this zone after ``now``. Where clocks change, it is 08:00 by the clock of that day."""
    local = now.astimezone(ZoneInfo(zone))
    due = datetime.combine(local.date(), DIGEST_AT, ZoneInfo(zone))
    if due <= local:
        due = datetime.combine(local.date() + timedelta(days=1), DIGEST_AT, ZoneInfo(zone))
    return due.astimezone(now.tzinfo)


def at_once(now: datetime, mailed: datetime | None) -> datetime:
    """When an event is emailed, of which an alike one was emailed at ``mailed``: now, or once ``ALIKE_WITHIN`` is
    over."""
    return now if mailed is None else max(now, mailed + ALIKE_WITHIN)
