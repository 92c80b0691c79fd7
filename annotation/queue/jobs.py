"""Each minute, submissions that can no longer be taken back go to review. Each hour, acceptances of the last days are
counted."""

from __future__ import annotations

from datetime import datetime

from annotation.queue.accepted import count_days
from annotation.queue.hand_over import hand_over_due
from webapp.jobs.registry import each_hour, each_minute


@each_minute
def held_submissions(now: datetime) -> int:
    return hand_over_due()


@each_hour
def accepted_by_day(now: datetime) -> int:
    return count_days(now)
