"""Each minute, submissions that can no longer be taken back go to review."""

from __future__ import annotations

from datetime import datetime

from annotation.queue.hand_over import hand_over_due
from webapp.jobs.registry import each_minute


@each_minute
def held_submissions(now: datetime) -> int:
    return hand_over_due()
