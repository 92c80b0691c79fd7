"""Scoring as a job: asking for it, and doing it."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotation.actions.access import require
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.actions.score_run import score_benchmark
from evaluation.models import Run
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job

KIND = "evaluation.score"


@transaction.atomic
def queue_scoring(*, actor: User | None, benchmark: Benchmark) -> Job:
    """Score the runs of a benchmark whose scores are missing or stale; the job under way already, if there is one."""
    require(actor, benchmark, Right.SCORE)
    return enqueue_on_commit(
        KIND,
        payload={"benchmark_id": benchmark.pk},
        actor=actor,
        title=f"Score the runs of {benchmark.title}",
        benchmark=benchmark.slug,
        key=_key(benchmark),
    )


def scoring_under_way(benchmark: Benchmark) -> Job | None:
    """The job that scores the runs now, or is about to. One query."""
    return Job.objects.live().filter(key=_key(benchmark)).first()


def _key(benchmark: Benchmark) -> str:
    return f"{KIND}:{benchmark.pk}"


def score_in_job(context: JobContext, *, benchmark_id: int) -> dict[str, Any]:
    """Each run is scored whole or not at all, and what is scored is not stale: running it twice repeats nothing."""
    benchmark = Benchmark.objects.get(pk=benchmark_id)

    def report(done: int, total: int, run: Run) -> None:
        context.progress(done, total, unit="runs")

    scored = score_benchmark(
        actor=context.job.created_by, benchmark=benchmark, only_stale=True, report=report,
        checkpoint=context.checkpoint,
    )  # fmt: skip
    context.result_url = f"{benchmark.get_absolute_url()}leaderboard/"
    return {"runs": len(scored)}
