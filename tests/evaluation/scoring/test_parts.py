"""Scoring is one job with a part for each run: everything is scored once, wherever a worker is killed."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

from annotation.benchmarks.write.people import set_roles
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.models import Comparison, Metric, Run, Scoring, Standing, Trajectory, WordFile
from evaluation.scoring import queue as scoring
from evaluation.scoring import rank as rank_runs
from evaluation.scoring.queue import queue_scoring, scoring_under_way
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import rows_changed
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.scores import with_scores
from tests.jobs.conftest import (  # noqa: F401  fixtures
    Start,
    database_address,
    start_worker,
    store_of_workers,
    wait_until,
    worker_home,
)
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput
from webapp.common.models import AuditEntry
from webapp.jobs.actions import retry
from webapp.jobs.claim import claim_next
from webapp.jobs.models import Job
from webapp.jobs.runner import run, run_waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def lease_seconds() -> int:
    """A run takes longer than the steps of other jobs in tests, and two workers write in turn."""
    return 4


def numbers(benchmark: Benchmark) -> dict[str, Any]:
    """All that a scoring leaves, without keys and times."""
    runs = {"run__model__name": "model", "run__setting": "setting"}
    of = {f"scoring__{name}": word for name, word in runs.items()}
    pair = [f"{side}__{name}" for side in "ab" for name in runs]
    return {
        "scores": sorted(
            (one.run.model.name, one.sample.key, one.rollout, str(one.score.correct), one.score.quadrant)
            for one in with_scores(Trajectory.objects.of(benchmark).select_related("run__model", "sample"))
        ),
        "metrics": sorted(map(repr, Metric.objects.values_list(*of, "metric", "slice_by", "slice", "value", "n"))),
        "standings": sorted(map(repr, Standing.objects.values_list(*of, "metric", "rank", "low", "high"))),
        "pairs": sorted(map(repr, Comparison.objects.values_list(*pair, "n", "difference", "p_value"))),
    }  # fmt: skip


def step() -> Job:
    job = claim_next()
    assert job is not None
    run(job)
    return job


@pytest.mark.endurance
def test_each_run_is_a_part_and_the_numbers_are_those_of_one_process(unscored_board: Benchmark, lea: User) -> None:
    job = queue_scoring(actor=lea, benchmark=unscored_board)
    runs = Run.objects.count()
    assert run_waiting() == runs + 2  # once to hand them out, once to rank
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.unit, job.result) == ("done", runs, runs, "runs", {"runs": runs})
    assert AuditEntry.objects.filter(action="run.score").count() == runs
    assert WordFile.objects.count() == runs
    parted = numbers(unscored_board)
    score_benchmark(actor=lea, benchmark=unscored_board)
    assert numbers(unscored_board) == parted


def test_pages_show_the_sum_while_the_parts_run(unscored_board: Benchmark, lea: User) -> None:
    job = queue_scoring(actor=lea, benchmark=unscored_board)
    step()
    step()
    total = Run.objects.count()
    client = signed_in(lea)
    board = client.get(f"{unscored_board.get_absolute_url()}leaderboard/").context
    assert (board["scoring_job"].done, board["scoring_job"].total) == (1, total)
    assert queue_scoring(actor=lea, benchmark=unscored_board) == job, "it is under way"
    assert [row.pk for row in client.get("/jobs/").context["page"].rows] == [job.pk]
    answer = client.get(f"/api/v1/jobs/{job.pk}/").json()
    assert (answer["state"], answer["done"], answer["total"], answer["unit"]) == ("running", 1, total, "runs")
    run_waiting()
    assert scoring_under_way(unscored_board) is None


@pytest.mark.endurance
def test_a_run_that_fails_stops_no_other_and_the_job_names_it(
    unscored_board: Benchmark, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_one = scoring.score_one

    def fail_one(*, run: Run, **more: Any) -> Scoring:
        if run.model.name == "Model C":
            raise InvalidInput("A column is missing.")
        return score_one(run=run, **more)

    monkeypatch.setattr(scoring, "score_one", fail_one)
    job = queue_scoring(actor=lea, benchmark=unscored_board)
    run_waiting()
    job.refresh_from_db()
    runs = Run.objects.count()
    failed = Run.objects.get(model__name="Model C")
    assert (job.state, job.error) == ("rejected", f"1 of {runs} runs failed.\n{failed}: A column is missing.")
    assert Scoring.objects.count() == runs - 1
    assert rank_runs.is_ranked(unscored_board), "the others are ranked"
    monkeypatch.undo()
    before = set(Scoring.objects.values_list("pk", flat=True))
    retry(job, actor=lea)
    run_waiting()
    job.refresh_from_db()
    assert (job.state, job.total, Scoring.objects.count()) == ("done", 1, runs)
    assert before < set(Scoring.objects.values_list("pk", flat=True)), "what was scored is not scored again"
    assert rank_runs.is_ranked(unscored_board)


@pytest.mark.endurance
def test_ranks_are_made_once_however_often_the_end_is_begun(
    unscored_board: Benchmark, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked = Counter[int]()
    monkeypatch.setattr("evaluation.scoring.write.rank_runs", lambda benchmark, *_: ranked.update([benchmark.pk]))
    queue_scoring(actor=lea, benchmark=unscored_board)
    run_waiting()
    assert ranked == {unscored_board.pk: 1}


def test_ranks_that_an_earlier_scoring_left_out_are_made(board: Benchmark, lea: User) -> None:
    before = numbers(board)
    Standing.objects.all().delete()
    queue_scoring(actor=lea, benchmark=board)
    assert run_waiting() == 1
    assert numbers(board) == before


@pytest.mark.endurance
def test_a_run_that_changes_after_its_part_is_scored_once_more(unscored_board: Benchmark, lea: User) -> None:
    job = queue_scoring(actor=lea, benchmark=unscored_board)
    step()
    step()
    changed = Run.objects.get(pk=Scoring.objects.get().run_id)
    Scoring.objects.update(stale=True)
    rows_changed([changed.pk])
    run_waiting()
    job.refresh_from_db()
    runs = Run.objects.count()
    assert (job.state, job.done, job.total) == ("done", runs + 1, runs + 1)
    assert not Scoring.objects.filter(stale=True).exists()


def test_a_run_that_is_deleted_meanwhile_and_a_person_who_may_score_no_more(
    unscored_board: Benchmark, lea: User, rui: User
) -> None:
    set_roles(actor=lea, benchmark=unscored_board, user=rui, roles={Role.RESEARCHER})
    job = queue_scoring(actor=rui, benchmark=unscored_board)
    step()
    Run.objects.filter(model__name="Model D").delete()
    step()
    set_roles(actor=lea, benchmark=unscored_board, user=rui, roles={Role.ANNOTATOR})
    run_waiting()
    job.refresh_from_db()
    assert (job.state, Scoring.objects.count()) == ("rejected", 1)


@pytest.mark.endurance
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_killing_workers_in_the_middle_scores_every_run_exactly_once(
    lea: User,
    start_worker: Start,  # noqa: F811
    store_of_workers: None,  # noqa: F811
) -> None:
    benchmark = make_board(lea, score=False, more=12)
    runs = Run.objects.count()
    job = queue_scoring(actor=lea, benchmark=benchmark)
    for pause in (0.0, 0.07, 0.13):
        ended = Job.objects.get(pk=job.pk).done
        worker = start_worker()
        wait_until(lambda ended=ended: Job.objects.get(pk=job.pk).done > ended)
        time.sleep(pause)
        worker.kill()
    assert Job.objects.live().filter(parent=job).exists(), "the kills came after the work; nothing was tried"
    workers = [start_worker(), start_worker()]
    wait_until(lambda: not Job.objects.live().exists())
    job.refresh_from_db()
    assert (job.state, job.done, job.error) == ("done", runs, ""), [worker.output for worker in workers]
    scored = AuditEntry.objects.filter(action="run.score").values_list("subject_id", flat=True)
    assert Counter(scored) == {str(pk): 1 for pk in Run.objects.values_list("pk", flat=True)}
    found = numbers(benchmark)
    score_benchmark(actor=lea, benchmark=benchmark)
    assert numbers(benchmark) == found
