"""Jobs that delete runs and samples permanently, and the sweep of those that were deleted long ago."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from evaluation.trash.write.runs import KIND as DELETE_RUN
from evaluation.trash.write.runs import purge_old, purge_run
from evaluation.trash.write.samples import KIND as DELETE_SAMPLES
from evaluation.trash.write.samples import purge_old_samples, purge_samples
from webapp.jobs.context import JobContext
from webapp.jobs.registry import each_hour, job


@job(DELETE_RUN, title=gettext_noop("Delete %(run)s from %(benchmark)s"))
def delete_run(context: JobContext, run_id: int) -> dict[str, Any]:
    return purge_run(context, run_id=run_id)


@job(DELETE_SAMPLES, title=gettext_noop("Delete samples of %(benchmark)s permanently"))
def delete_samples(context: JobContext, benchmark_id: int) -> dict[str, Any]:
    return purge_samples(context, benchmark_id=benchmark_id)


@each_hour
def old_runs(now: datetime) -> int:
    return purge_old(now)


@each_hour
def old_samples(now: datetime) -> int:
    return purge_old_samples(now)
