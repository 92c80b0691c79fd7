"""Each minute, people are reminded of work packages that are due soon."""

from __future__ import annotations

from datetime import datetime

from annotation.planning.write.packages import send_reminders
from webapp.jobs.registry import each_minute


@each_minute
def remind_of_packages(now: datetime) -> int:
    return len(send_reminders(now))
