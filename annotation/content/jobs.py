"""Hourly sweeps: the log is sealed, and change numbers are folded."""

from __future__ import annotations

from datetime import datetime

from annotation.content.changes import fold_changes
from webapp.common import audit
from webapp.jobs.registry import each_hour


@each_hour
def audit_seals(now: datetime) -> int:
    return audit.seal()


@each_hour
def folded_changes(now: datetime) -> int:
    return fold_changes()
