"""Jobs of scoring."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from evaluation.scoring.queue import KIND as SCORE
from evaluation.scoring.queue import PART as SCORE_RUN
from evaluation.scoring.queue import RANK, rank_in_job, score_in_job, score_part
from evaluation.scoring.replays.run import KIND as REPLAY_RUN
from evaluation.scoring.replays.run import keep_run_replays
from evaluation.store.files import sweep_files
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Parts, each_hour, job


@job(SCORE, title=gettext_noop("Score the runs of %(benchmark)s"))
def score(context: JobContext, benchmark_id: int) -> dict[str, Any] | Parts:
    return score_in_job(context, benchmark_id=benchmark_id)


@job(SCORE_RUN, title=gettext_noop("Score a run"))
def score_run(context: JobContext, run_id: int, revision: int) -> None:
    """``revision``: of the run when the part was queued."""
    score_part(context, run_id=run_id)


@job(RANK, title=gettext_noop("Rank the runs of %(benchmark)s"))
def rank(context: JobContext, benchmark_id: int) -> None:
    rank_in_job(context, benchmark_id=benchmark_id)


@job(REPLAY_RUN, title=gettext_noop("Replay %(run)s of %(benchmark)s"))
def replay_run(context: JobContext, run_id: int) -> dict[str, Any]:
    return keep_run_replays(context, run_id=run_id)


@each_hour
def unnamed_files(now: datetime) -> int:
    return sweep_files(now)
