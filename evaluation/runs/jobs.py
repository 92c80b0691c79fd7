"""Jobs of runs, and the sweep of those that were deleted long ago."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from evaluation.runs.write import KIND as DELETE_RUN
from evaluation.runs.write import purge_old, purge_run
from webapp.jobs.context import JobContext
from webapp.jobs.registry import each_hour, job


@job(DELETE_RUN, title=gettext_noop("Delete %(run)s from %(benchmark)s"))
def delete_run(context: JobContext, run_id: int) -> dict[str, Any]:
    return purge_run(context, run_id=run_id)


@each_hour
def old_runs(now: datetime) -> int:
    return purge_old(now)
