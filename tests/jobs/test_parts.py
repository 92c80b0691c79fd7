"""A job in parts: any worker runs them, people see one entry, and it goes on when the last has ended."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tests.conftest import signed_in
from tests.jobs.conftest import Enqueue
from webapp.accounts.models import User
from webapp.common.models import AuditEntry
from webapp.jobs import parts
from webapp.jobs.actions import cancel, retry
from webapp.jobs.claim import claim, claim_next, finish, finish_failed, new_worker
from webapp.jobs.context import JobCancelled, JobContext
from webapp.jobs.embedded import EmbeddedWorker
from webapp.jobs.models import Job
from webapp.jobs.runner import MOST_VANISHED, run, run_waiting
from webapp.jobs.sweeper import prune, resend

pytestmark = pytest.mark.django_db


def handed_out(job: Job) -> Job:
    """The job, its parts in the queue."""
    claimed = claim(job.pk, worker=new_worker())
    assert claimed is not None
    run(claimed)
    job.refresh_from_db()
    return job


def taken() -> Job:
    found = claim_next()
    assert found is not None
    return found


def test_a_job_says_how_many_of_its_parts_have_ended_and_goes_on_after_the_last(enqueue: Enqueue) -> None:
    job = handed_out(enqueue("tests.parts", of=3))
    assert (job.state, job.done, job.total, job.unit) == ("running", 0, 3, "parts")
    run(taken())
    run(taken())
    job.refresh_from_db()
    assert (job.state, job.done, job.share) == ("running", 2, 2 / 3)
    assert job.seconds_left is not None
    began = job.started
    assert run_waiting() == 2  # the last part, and the job
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.result) == ("done", 3, 3, {"numbers": [0, 1, 2]})
    assert (job.started, job.attempts) == (began, 1), "the time it took is that of its parts too"
    said = ["part 0: ran", "part 1: ran", "part 2: ran", "all parts have ended"]
    assert list(job.lines.values_list("text", flat=True)) == said


def test_a_part_that_fails_stops_no_other_and_the_job_names_it_with_the_reason(enqueue: Enqueue) -> None:
    job = enqueue("tests.parts", of=4, failing=[1])
    run_waiting()
    job.refresh_from_db()
    assert (job.state, job.error) == ("rejected", "1 of 4 parts failed.\npart 1: Number 1 is odd.")
    assert "all parts have ended" in job.lines.values_list("text", flat=True)
    assert job.lines.filter(level="warning").first().text == "part 1: Number 1 is odd."  # type: ignore[union-attr]


def test_of_many_failed_parts_the_first_are_named(enqueue: Enqueue) -> None:
    job = enqueue("tests.parts", of=12, failing=list(range(12)))
    run_waiting()
    job.refresh_from_db()
    lines = job.error.splitlines()
    assert (len(lines), lines[0], lines[-1]) == (12, "12 of 12 parts failed.", "2 more are in the log.")


def test_a_job_without_anything_to_hand_out_goes_on_at_once(enqueue: Enqueue) -> None:
    job = claim(enqueue("tests.parts", of=2).pk, worker="mine")
    assert job is not None
    assert parts.hand_out(job, parts.Parts("tests.part", "parts", ()))
    assert Job.objects.get().state == "queued"


def test_people_see_one_entry(enqueue: Enqueue, ana: User, admin: User) -> None:
    job = handed_out(enqueue("tests.parts", of=3))
    part = job.parts.first()
    assert part is not None
    for person, address in [(ana, "/jobs/"), (admin, "/jobs/?who=everyone")]:
        context = signed_in(person).get(address).context
        assert (context["page"].rows, context["counts"]["all"], context["live"]) == ([job], 1, True)
    assert signed_in(ana).get("/jobs/indicator/").context["live"] == 1
    assert signed_in(ana).get(f"/jobs/{part.pk}/").status_code == 404
    rows = signed_in(ana).get("/api/v1/jobs/").json()["results"]
    assert [(row["id"], row["state"], row["done"], row["total"]) for row in rows] == [(str(job.pk), "running", 0, 3)]


def test_a_stop_reaches_the_parts_that_wait_and_those_that_run(enqueue: Enqueue, ana: User) -> None:
    job = handed_out(enqueue("tests.parts", of=3))
    ended, running = taken(), taken()
    finish(ended, Job.State.DONE)
    job = cancel(job, actor=ana)
    assert (job.state, job.cancel_requested) == ("running", True)
    assert sorted(job.parts.values_list("state", flat=True)) == ["cancelled", "done", "running"]
    with pytest.raises(JobCancelled):
        JobContext(running).progress(1, 2)
    run(running)
    job.refresh_from_db()
    assert (job.state, run_waiting()) == ("cancelled", 0)
    assert AuditEntry.objects.filter(action="job.cancel").count() == 1


def test_a_stop_is_at_once_while_no_part_runs(enqueue: Enqueue, ana: User) -> None:
    job = cancel(handed_out(enqueue("tests.parts", of=3)), actor=ana)
    assert (job.state, set(job.parts.values_list("state", flat=True))) == ("cancelled", {"cancelled"})
    assert AuditEntry.objects.get().after == "cancelled"


def test_a_job_that_is_stopped_while_it_finds_its_parts_hands_none_out(enqueue: Enqueue) -> None:
    job = claim(enqueue("tests.parts", of=3).pk, worker="mine")
    assert job is not None
    Job.objects.update(cancel_requested=True)
    run(job)
    assert Job.objects.get().state == "cancelled"


def test_a_retry_has_the_body_find_anew_what_is_left(enqueue: Enqueue, ana: User) -> None:
    job = enqueue("tests.parts", of=2, failing=[0])
    run_waiting()
    Job.objects.filter(pk=job.pk).update(payload={"of": 2})
    job = retry(job, actor=ana)
    assert (job.state, job.done, job.parts.count()) == ("queued", 0, 0)
    run_waiting()
    job.refresh_from_db()
    assert (job.state, job.result) == ("done", {"numbers": [0, 1]})


@pytest.mark.django_db(transaction=True)
def test_parts_that_end_at_the_same_moment_send_the_job_on_once(enqueue: Enqueue) -> None:
    for end in (finish, finish_failed):
        job = handed_out(enqueue("tests.parts", of=4))
        held = [taken() for _ in range(4)]
        together = Barrier(4)

        def end_it(part: Job, end: Any = end, together: Barrier = together) -> None:
            together.wait()
            end(part, Job.State.DONE if end is finish else "It broke.")
            connection.close()

        threads = [Thread(target=end_it, args=(part,)) for part in held]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        job.refresh_from_db()
        assert (job.state, job.done) == ("queued", 4)
        assert run_waiting() == 1
        assert list(job.lines.values_list("text", flat=True)).count("all parts have ended") == 1


def test_other_jobs_do_not_wait_behind_parts(enqueue: Enqueue) -> None:
    handed_out(enqueue("tests.parts", of=3))
    short = enqueue()
    assert taken() == short


def test_a_part_whose_worker_keeps_vanishing_fails_alone(enqueue: Enqueue) -> None:
    job = handed_out(enqueue("tests.parts", of=2))
    first = taken()
    Job.objects.filter(pk=first.pk).update(
        vanished=MOST_VANISHED - 1, lease_until=timezone.now() - timedelta(seconds=1)
    )
    run_waiting()
    job.refresh_from_db()
    assert (job.state, job.result) == ("failed", {})
    assert job.error.startswith("1 of 2 parts failed.\npart 0: The worker stopped 3 times")


@pytest.mark.django_db(transaction=True)
def test_messages_of_one_job_do_not_fill_the_broker(enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    monkeypatch.setattr("webapp.jobs.parts.send", sent.append)
    monkeypatch.setattr("webapp.jobs.sweeper.send", sent.append)
    monkeypatch.setattr("webapp.jobs.parts.SENT_AT_ONCE", 2)
    job = handed_out(enqueue("tests.parts", of=4))
    numbers = {part.pk: part.payload["number"] for part in job.parts.all()}
    assert [numbers.get(pk) for pk in sent] == [0, 1]
    assert resend(all_queued=True) == 2, "the others wait for their turn"
    sent.clear()
    finish(taken(), Job.State.DONE)
    assert [numbers.get(pk) for pk in sent] == [2]
    sent.clear()
    # A worker that is told to end gives its part back, which takes its turn again.
    Job.objects.filter(pk=sorted(numbers, key=lambda pk: numbers[pk])[1]).update(sent_at=None)
    parts.go_on_with_parents()
    assert [numbers.get(pk) for pk in sent] == [1]


def test_a_job_whose_parts_are_gone_goes_on(enqueue: Enqueue) -> None:
    job = handed_out(enqueue("tests.parts", of=2))
    job.parts.all().delete()
    with transaction.atomic():
        parts.go_on_with_parents()
    job.refresh_from_db()
    assert job.state == "queued"


def test_parts_are_pruned_with_their_job_and_not_before(enqueue: Enqueue) -> None:
    job = handed_out(enqueue("tests.parts", of=2))
    run(taken())
    long_ago = timezone.now() - timedelta(days=400)
    Job.objects.exclude(finished=None).update(finished=long_ago)
    prune(timezone.now())
    assert job.parts.count() == 2
    run_waiting()
    Job.objects.filter(pk=job.pk).update(finished=long_ago)
    prune(timezone.now())
    assert not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_worker_beside_the_web_threads_runs_one_part_at_a_time(enqueue: Enqueue) -> None:
    handed_out(enqueue("tests.parts", of=3))
    worker = EmbeddedWorker(2)
    first, other = worker._claim_next(), worker._claim_next()
    assert (first is not None, other) == (True, None)
    short = enqueue()
    assert worker._claim_next() == short
