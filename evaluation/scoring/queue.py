"""Scoring as a job with one part per run."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from annotation.common.access import require
from annotation.content.freeze import gold_digest
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.models import Run
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.columns import forget_samples, kept_samples
from evaluation.scoring.settings import settings_of
from evaluation.scoring.write import after_scoring, is_stale, rank_again, score_one, stale_runs
from evaluation.store.list_file import write_list
from evaluation.store.words.index import index_run_text
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job
from webapp.jobs.registry import Part, Parts

KIND = "evaluation.score"
PART = "evaluation.score_run"
RANK = "evaluation.rank"


@transaction.atomic
def queue_scoring(*, actor: User | None, benchmark: Benchmark) -> Job:
    """Score the runs of a benchmark whose scores are missing or stale. Return the running job if there is one."""
    require(actor, benchmark, Right.SCORE)
    return enqueue_on_commit(
        KIND,
        payload={"benchmark_id": benchmark.pk},
        actor=actor,
        values={"benchmark": benchmark.title},
        benchmark=benchmark.slug,
        key=_key(benchmark),
    )


def queue_ranking(*, actor: User | None, benchmark: Benchmark) -> Job:
    """Rank the runs of a benchmark again, after some were removed or came back."""
    return enqueue_on_commit(
        RANK, payload={"benchmark_id": benchmark.pk}, actor=actor, values={"benchmark": benchmark.title},
        benchmark=benchmark.slug,
    )  # fmt: skip


def rank_in_job(context: JobContext, *, benchmark_id: int) -> None:
    """The body of the job."""
    benchmark = Benchmark.objects.filter(pk=benchmark_id).first()
    if benchmark is not None:
        context.result_url = f"{benchmark.get_absolute_url()}leaderboard/"
        rank_again(benchmark)
        write_list(benchmark)


def scoring_under_way(benchmark: Benchmark) -> Job | None:
    """The queued or running job that scores the benchmark. One query."""
    return Job.objects.live().filter(key=_key(benchmark)).first()


def _key(benchmark: Benchmark) -> str:
    return f"{KIND}:{benchmark.pk}"


def score_in_job(context: JobContext, *, benchmark_id: int) -> dict[str, Any] | Parts:
    """The body of the job: queue what is stale, then rank."""
    benchmark = Benchmark.objects.get(pk=benchmark_id)
    context.result_url = f"{benchmark.get_absolute_url()}leaderboard/"
    runs = sum(part.state == Job.State.DONE for part in context.parts)
    return score_in_parts(context, benchmark) or {"runs": runs}


def score_in_parts(context: JobContext, benchmark: Benchmark) -> Parts | None:
    """Return the runs with missing or stale scores as parts. If none is left to try, rank the runs and return None.

    A run that changed since its part, for example by an import, is tried once more. A run that failed unchanged is not.
    """
    require(context.job.created_by, benchmark, Right.SCORE)
    tried = {(part.payload["run_id"], part.payload["revision"]) for part in context.parts}
    left = [run for run in stale_runs(benchmark, gold_digest(benchmark)) if (run.pk, run.revision) not in tried]
    if left:
        parts = (Part(str(run), {"run_id": run.pk, "revision": run.revision}) for run in left)
        return Parts(PART, gettext_noop("runs"), tuple(parts))
    after_scoring(benchmark, kept_samples(benchmark), settings_of(benchmark), changed=bool(tried))
    forget_samples()
    return None


def score_part(context: JobContext, *, run_id: int) -> None:
    """The body of a part. A run is scored completely or not at all.

    Scored runs are not stale, so a repeated part does nothing. A run that was deleted meanwhile is skipped."""
    run = Run.objects.select_related("model", "benchmark", "scoring", "file").filter(pk=run_id).first()
    if run is None:
        return
    actor = context.job.created_by
    require(actor, run.benchmark, Right.SCORE)
    samples = kept_samples(run.benchmark)
    if is_stale(run, samples.digest, StalenessChecker(run.benchmark)):
        settings = settings_of(run.benchmark)
        score_one(actor=actor, run=run, samples=samples, settings=settings, checkpoint=context.checkpoint)
    index_run_text(run)
