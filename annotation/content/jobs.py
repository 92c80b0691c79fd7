"""Hourly sweeps: the log is sealed, change numbers are folded, and files of removed images are deleted."""

from __future__ import annotations

from datetime import datetime

from annotation.content.changes import fold_changes
from annotation.content.takedown import sweep_removed
from webapp.common import audit
from webapp.jobs.registry import each_hour


@each_hour
def audit_seals(now: datetime) -> int:
    return audit.seal()


@each_hour
def folded_changes(now: datetime) -> int:
    return fold_changes()


@each_hour
def removed_images(now: datetime) -> int:
    return sweep_removed(now)
