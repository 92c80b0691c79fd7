"""Deleted benchmarks are purged by a job. Other jobs of them end, and notifications about them are hidden."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from annotation.benchmarks.write.trash import KIND, purge_in_job, purge_old
from annotation.models import Benchmark
from webapp.jobs.context import JobContext
from webapp.jobs.registry import benchmark_gone, each_hour, job
from webapp.notifications.querysets import benchmarks_hidden_by


@job(KIND, title=gettext_noop("Delete %(benchmark)s permanently"))
def purge(context: JobContext, benchmark_id: int) -> dict[str, Any]:
    return purge_in_job(context, benchmark_id=benchmark_id)


@each_hour
def old_benchmarks(now: datetime) -> int:
    return purge_old(now)


@benchmarks_hidden_by
def slugs_in_trash() -> QuerySet[Any, Any]:
    return Benchmark.everything.filter(deleted_at__isnull=False).order_by().values("slug")


@benchmark_gone
def in_trash(slug: str) -> bool:
    return Benchmark.everything.filter(slug=slug, deleted_at__isnull=False).exists()
