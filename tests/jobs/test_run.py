"""What a body can say and do, and how a job ends."""

from datetime import timedelta
from threading import Event

import pytest
from django.db import OperationalError, transaction
from django.utils import timezone

from tests.jobs.conftest import Enqueue
from webapp.common.errors import ApplicationError
from webapp.jobs import registry, sweeper
from webapp.jobs.claim import claim, claim_next
from webapp.jobs.context import JobCancelled, JobContext, LeaseLost, WorkerStopping
from webapp.jobs.models import Job, JobLog
from webapp.jobs.runner import MOST_VANISHED, run, run_waiting
from webapp.jobs.sweeper import prune, resend, sweep

pytestmark = pytest.mark.django_db


def begin(job: Job) -> JobContext:
    claimed = claim(job.pk, worker="mine")
    assert claimed is not None
    return JobContext(claimed)


def test_a_job_runs_to_its_result_and_says_how_far_it_came(enqueue: Enqueue) -> None:
    counted, stepped = enqueue("tests.count", to=3), enqueue("tests.steps", of=4)
    assert run_waiting() == 2
    counted.refresh_from_db()
    stepped.refresh_from_db()
    assert (counted.state, counted.result, counted.checkpoint) == ("done", {"counted": 3}, {"next": 3})
    assert list(counted.lines.values_list("text", flat=True)) == ["0", "1", "2"]
    assert (stepped.done, stepped.total, stepped.unit, stepped.share) == (4, 4, "steps", 1.0)
    assert stepped.finished is not None
    assert stepped.lease_until is None


def test_a_refusal_is_kept_as_its_sentence(enqueue: Enqueue) -> None:
    job = enqueue("tests.refuses")
    run_waiting()
    job.refresh_from_db()
    assert (job.state, job.error) == ("rejected", "sh-0207.jpg is cut off after 3.1 MB. Replace it or leave it out.")
    assert job.lines.get().level == JobLog.Level.WARNING


def test_an_error_of_the_server_is_no_refusal(enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch) -> None:
    def body(context: JobContext) -> None:
        raise ApplicationError("The store of images is full.", status=507)

    monkeypatch.setitem(registry.KINDS, "tests.once", registry.Kind("tests.once", "Full", body))
    job = enqueue("tests.once")
    run_waiting()
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "The store of images is full.")


def test_a_fault_ends_in_the_row_without_its_inner_details_and_the_worker_goes_on(enqueue: Enqueue) -> None:
    broken, after = enqueue("tests.breaks"), enqueue("tests.once")
    run_waiting()
    broken.refresh_from_db()
    after.refresh_from_db()
    assert broken.state == "failed"
    assert "KeyError" in broken.error
    assert "secret detail" not in broken.error
    assert after.state == "done"


def test_progress_is_written_at_most_twice_a_second_but_always_at_the_end(
    enqueue: Enqueue, django_assert_num_queries: object
) -> None:
    context = begin(enqueue())
    with django_assert_num_queries(2):  # type: ignore[operator]  # the first and the last
        for number in range(1, 1001):
            context.progress(number, 1000)
    assert Job.objects.get().done == 1000


def test_a_body_stops_at_its_next_step_after_a_cancel(enqueue: Enqueue) -> None:
    context = begin(enqueue())
    Job.objects.update(cancel_requested=True)
    with pytest.raises(JobCancelled):
        context.progress(1, 10)
    with pytest.raises(JobCancelled):
        context.save({"next": 1})


def test_a_worker_that_was_overtaken_loses_its_writes_with_its_checkpoint(enqueue: Enqueue) -> None:
    context = begin(enqueue())
    Job.objects.update(worker="another")

    @transaction.atomic
    def write_too_late() -> None:
        context.log("written too late")
        context.save({"next": 1})

    with pytest.raises(LeaseLost):
        write_too_late()
    assert Job.objects.get().checkpoint == {}
    assert not JobLog.objects.exists()


def test_a_worker_that_ends_puts_the_job_back_with_its_checkpoint(enqueue: Enqueue) -> None:
    enqueue("tests.count", to=3)
    stopping = Event()
    stopping.set()
    job = claim_next()
    assert job is not None
    run(job, stopping=stopping)
    assert Job.objects.get().state == "queued"
    with pytest.raises(WorkerStopping):
        JobContext(job, stopping=stopping).save({"next": 1})
    run_waiting()
    assert Job.objects.get().result == {"counted": 3}


def test_a_taken_over_job_goes_on_from_its_checkpoint(enqueue: Enqueue) -> None:
    job = enqueue("tests.count", to=4)
    context = begin(job)
    context.save({"next": 2}, done=2)
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_waiting()
    assert list(job.lines.values_list("text", flat=True)) == ["2", "3"]


def test_a_job_that_keeps_ending_its_worker_is_given_up(enqueue: Enqueue) -> None:
    enqueue()
    for _ in range(MOST_VANISHED):
        assert claim_next() is not None
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_waiting()
    job = Job.objects.get()
    assert job.state == "failed"
    assert job.error.startswith("The worker stopped 3 times")


def test_the_time_left_counts_only_what_this_attempt_has_done() -> None:
    started = timezone.now() - timedelta(seconds=10)
    job = Job(state="running", started=started, done_at_start=50, done=60, total=100)
    assert job.seconds_left == pytest.approx(40, abs=0.5)
    assert Job(state="running", started=started, done_at_start=50, done=50, total=100).seconds_left is None
    assert Job(state="done", started=started, done=60, total=100).seconds_left is None


def test_the_sweeper_sends_again_what_waits_without_a_message_and_what_lost_its_worker(
    enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []
    monkeypatch.setattr("webapp.jobs.sweeper.send", sent.append)
    fresh, stale, lost, running = (enqueue() for _ in range(4))
    now = timezone.now()
    long_ago = now - timedelta(minutes=1)
    Job.objects.filter(pk=stale.pk).update(sent_at=long_ago)
    for job in (lost, running):
        claim(job.pk, worker=str(job.pk))
    Job.objects.filter(pk=lost.pk).update(lease_until=long_ago, sent_at=long_ago)
    assert resend() == 2
    assert set(sent) == {stale.pk, lost.pk}
    assert resend() == 0
    assert resend(all_queued=True) == 2
    assert fresh.pk in sent
    assert running.pk not in sent


def test_only_jobs_that_are_long_over_are_pruned(enqueue: Enqueue, settings: object) -> None:
    old, young, live = (enqueue() for _ in range(3))
    now = timezone.now()
    Job.objects.filter(pk=old.pk).update(state="done", finished=now - timedelta(days=31))
    Job.objects.filter(pk=young.pk).update(state="done", finished=now - timedelta(days=29))
    prune(now)
    assert set(Job.objects.all()) == {young, live}


def test_sweeps_run_when_they_are_due(monkeypatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(sweeper, "sweep", lambda now: ran.append("hour"))
    monkeypatch.setattr(sweeper, "MINUTE_SWEEPS", [lambda now: ran.append("minute")])
    schedule, start = sweeper.Schedule(), timezone.now()
    for seconds in (0, 59, 60, 3600):
        schedule.run(start + timedelta(seconds=seconds))
    assert ran == ["hour", "minute", "minute", "hour", "minute"]


def test_files_that_cannot_be_swept_now_do_not_keep_the_next_sweep_from_its_work(monkeypatch, caplog) -> None:
    swept = []

    def stuck(now: object) -> int:
        raise PermissionError("held open")

    monkeypatch.setattr(sweeper, "SWEEPS", [stuck, swept.append])
    sweep(now := timezone.now())
    assert swept == [now]
    assert "held open" in caplog.text


def test_a_sweep_that_failed_is_tried_again_at_once(monkeypatch) -> None:
    asked = []

    def fails_once(now) -> None:
        asked.append(now)
        if len(asked) == 1:
            raise OperationalError("gone")

    monkeypatch.setattr(sweeper, "sweep", fails_once)
    monkeypatch.setattr(sweeper, "sweep_each_minute", lambda now: None)
    schedule, now = sweeper.Schedule(), timezone.now()
    with pytest.raises(OperationalError):
        schedule.run(now)
    schedule.run(now)
    schedule.run(now)
    assert len(asked) == 2
