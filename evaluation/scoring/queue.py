"""Scoring as a job: asking for it, and doing it, one part for each run."""

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
    """Score the runs of a benchmark whose scores are missing or stale; the job under way already, if there is one."""
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
    """The job that scores the runs now, or is about to. One query."""
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
    """The runs whose scores are missing or stale, as parts; once none is left to try, rank, and None.

    A run that has changed since its part, as by an import, is tried once more; one that failed as it is, is not.
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
    """The body of a part. A run is scored whole or not at all, and what is scored is not stale: running it twice
    repeats nothing. A run that was deleted meanwhile has no scores to make."""
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
