"""A service that goes away fails no job: it is tried again, later each time, and its import follows it."""

from __future__ import annotations

import errno
import logging
import time
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from django.db import connection
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from annotation.models import ImportRecord
from tests.conftest import signed_in
from tests.evaluation.import_data import kitchen
from tests.jobs.bodies import lose_the_database
from tests.jobs.conftest import Enqueue
from webapp.accounts.models import User
from webapp.common import request_id
from webapp.common.clock import from_now
from webapp.common.outages import outage_of
from webapp.jobs import registry
from webapp.jobs.actions import cancel, enqueue_on_commit, retry
from webapp.jobs.claim import claim, claim_next, give_back
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job
from webapp.jobs.runner import MOST_VANISHED, run, run_waiting
from webapp.jobs.sweeper import resend


def let_time_pass() -> None:
    Job.objects.filter(not_before__isnull=False).update(not_before=from_now(timedelta(seconds=-1)))


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_postpones_the_job_longer_each_time_and_it_ends_well(
    enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6.7: the job waits and is tried again; only what was committed stays. Each wait is an hour
    here, so that a slow machine does not reach its end."""
    ranges: list[tuple[float, float]] = []

    def an_hour(low: float, high: float) -> float:
        ranges.append((low, high))
        return 3600.0

    monkeypatch.setattr("webapp.jobs.claim.random.uniform", an_hour)
    job = enqueue("tests.meets_an_outage", times=2)
    for failures in (1, 2):
        assert run_waiting() == 1
        job.refresh_from_db()
        assert (job.state, job.failures, job.vanished) == ("queued", failures, 0)
        assert "No response from the database" in job.error
        assert ranges[-1] == (2**failures / 2, 2**failures)
        assert job.seconds_to_next_try == pytest.approx(3600, abs=600)
        assert run_waiting() == 0, "it is not tried before its time"
        assert resend() == 0, "nor sent"
        let_time_pass()
        assert resend() == 1
    assert run_waiting() == 1
    job.refresh_from_db()
    assert (job.state, job.result, job.error) == ("done", {"attempts": 3}, "")
    texts = list(job.lines.values_list("level", "text"))
    assert [level for level, _ in texts] == ["warning", "warning", "info"]
    assert texts[-1] == ("info", "attempt 3")


@pytest.mark.django_db
def test_a_checkpoint_forgets_outages_and_vanished_workers(enqueue: Enqueue) -> None:
    """D6.9: progress resets both counts, also for bodies that keep their place in their own rows."""
    job = enqueue()
    Job.objects.update(vanished=2, failures=5, failing_since=timezone.now())
    claimed = claim_next()
    assert claimed is not None
    JobContext(claimed).checkpoint()
    job.refresh_from_db()
    assert (job.vanished, job.failures, job.failing_since) == (0, 0, None)


@pytest.mark.django_db(transaction=True)
def test_a_job_that_outages_stop_for_a_day_needs_a_person(enqueue: Enqueue, ana: User) -> None:
    """D6.7: in the end a person is asked, and a retry counts anew."""
    job = enqueue("tests.meets_an_outage", times=1)
    Job.objects.update(failing_since=from_now(timedelta(hours=-25)), failures=40)
    run_waiting()
    job.refresh_from_db()
    assert job.state == "failed"
    assert "24 hours" in job.error
    assert retry(job, actor=ana).failures == 0
    run_waiting()
    job.refresh_from_db()
    assert job.state == "done"


@pytest.mark.django_db
def test_a_postponed_job_can_be_stopped_and_its_page_says_when_it_is_tried_again(enqueue: Enqueue, ana: User) -> None:
    job = enqueue()
    Job.objects.update(not_before=from_now(timedelta(seconds=12)), error="The database does not answer.")
    assert "next try in" in signed_in(ana).get(f"/jobs/{job.pk}/").text
    assert cancel(job, actor=ana).state == "cancelled"


@pytest.mark.django_db
def test_an_import_says_that_its_job_stopped_until_it_is_tried_again(
    lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6.7: the record of an import follows its job."""
    benchmark = kitchen(lea)
    record = ImportRecord.objects.create(
        benchmark=benchmark, kind="runs", state="running", file_name="a.jsonl", created_by=lea
    )
    kind = registry.KINDS["evaluation.import"]

    def breaks(context: JobContext, record_id: int) -> None:
        raise KeyError

    monkeypatch.setitem(registry.KINDS, kind.name, registry.Kind(kind.name, kind.title, breaks, kind.stopped))
    job = enqueue_on_commit(kind.name, payload={"record_id": record.pk}, actor=lea)
    run_waiting()
    record.refresh_from_db()
    assert record.error == Job.objects.get().error != ""
    address = f"/benchmarks/{benchmark.slug}/import/"
    assert "Stopped" in signed_in(lea).get(address).text
    assert "Import failed" in signed_in(lea).get(f"{address}{record.pk}/").text
    job.refresh_from_db()
    retry(job, actor=lea)
    record.refresh_from_db()
    assert record.error == ""
    cancel(job, actor=lea)
    record.refresh_from_db()
    assert record.error != ""


@pytest.mark.django_db
def test_an_import_that_makes_progress_survives_any_number_of_vanished_workers(enqueue: Enqueue) -> None:
    """D6.9: each attempt reaches a checkpoint before its worker is gone."""
    job = enqueue()
    for _ in range(MOST_VANISHED + 2):
        claimed = claim_next()
        assert claimed is not None
        assert claimed.vanished < MOST_VANISHED
        JobContext(claimed).checkpoint()
        Job.objects.update(lease_until=from_now(timedelta(seconds=-1)))
    run_waiting()
    job.refresh_from_db()
    assert job.state == "done"


@pytest.mark.django_db
def test_leases_are_held_against_the_clock_of_the_database_alone(
    enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6.6: a worker whose clock is ahead takes no live job, and one whose clock is behind holds none for longer."""
    job = enqueue()
    real = timezone.now
    for minutes in (1, -1):
        monkeypatch.setattr("django.utils.timezone.now", lambda minutes=minutes: real() + timedelta(minutes=minutes))
        claimed = claim(job.pk, worker=f"{minutes} min")
        assert claimed is not None
        assert claimed.lease_until is not None
        assert abs(claimed.lease_until - real() - timedelta(seconds=15)) < timedelta(seconds=5)
        assert claim_next() is None
        assert resend() == 0
        give_back(claimed)


@pytest.mark.django_db
def test_log_lines_of_a_job_carry_the_reference_of_the_request_that_started_it(
    enqueue: Enqueue, caplog: pytest.LogCaptureFixture
) -> None:
    """D6.14: from the page to the worker one reference; none for what a command started."""
    caplog.handler.addFilter(request_id.RequestIdFilter())
    token = request_id.begin("abc123def456")
    enqueue("tests.writes_logs")
    request_id.end(token)
    enqueue("tests.writes_logs")
    with caplog.at_level(logging.WARNING):
        run_waiting()
    said: list[Any] = [line for line in caplog.records if line.name == "tests.jobs"]
    assert [line.request_id for line in said] == ["abc123def456", "-"]
    assert request_id.current() == "-"


@pytest.mark.django_db
def test_a_job_that_is_done_has_done_all_of_it(enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch) -> None:
    """D7.7: whatever the last report of the body said."""

    def body(context: JobContext) -> None:
        context.progress(11, 12, unit="runs")

    monkeypatch.setitem(registry.KINDS, "tests.once", registry.Kind("tests.once", "Once", body))
    job = enqueue()
    run_waiting()
    job.refresh_from_db()
    assert (job.done, job.total) == (12, 12)


@pytest.mark.django_db(transaction=True)
def test_a_result_that_cannot_be_kept_fails_its_job_and_the_worker_goes_on(
    enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        registry.KINDS, "tests.steps", registry.Kind("tests.steps", "Odd", lambda context: {"a": object})
    )
    odd, after = enqueue("tests.steps"), enqueue()
    run_waiting()
    odd.refresh_from_db()
    after.refresh_from_db()
    assert (odd.state, after.state) == ("failed", "done")
    assert "TypeError" in odd.error


def test_an_outage_is_told_from_a_fault() -> None:
    """D6.7, D3.8: a refused request of the store, and a full name of anything, are not outages."""
    unavailable = {"Error": {"Code": "503"}, "ResponseMetadata": {"HTTPStatusCode": 503}}
    missing = {"Error": {"Code": "404"}, "ResponseMetadata": {"HTTPStatusCode": 404}}
    for error, service in [
        (ReadTimeoutError(endpoint_url="http://store"), "file store"),
        (ClientError(unavailable, "GetObject"), "file store"),  # type: ignore[arg-type]
        (ClientError(missing, "GetObject"), None),  # type: ignore[arg-type]
        (BrokerError("gone"), "message broker"),
        (OSError(errno.ENOSPC, "full"), "disk"),
        (FileNotFoundError(errno.ENOENT, "no such file"), None),
        (KeyError("database"), None),
    ]:
        found = outage_of(error)
        assert (found.service if found else None) == service, error


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_is_wrong_is_a_fault_and_a_lost_connection_is_not() -> None:
    """D6.7: on both databases, by what their drivers say."""
    with pytest.raises(Exception, match="no_such_table") as wrong, connection.cursor() as cursor:
        cursor.execute("SELECT * FROM no_such_table")
    assert outage_of(wrong.value) is None
    with pytest.raises(Exception, match=r".") as lost:
        lose_the_database()
    connection.close()
    assert outage_of(lost.value) is not None


@pytest.mark.django_db(transaction=True)
def test_a_deaf_body_loses_its_job_soon_after_its_worker_is_told_to_end(
    enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6.8: it comes to no progress, so its lease is given back for it, and what it writes later is refused."""
    monkeypatch.setattr("webapp.jobs.runner.GIVE_BACK_AFTER_SECONDS", 0.0)
    monkeypatch.setattr("webapp.jobs.runner._LOOK_EVERY_SECONDS", 0.02)
    stopping, given_back = Event(), []

    def deaf(context: JobContext) -> None:
        stopping.set()
        end = time.monotonic() + 5
        while not given_back and time.monotonic() < end:
            given_back.extend(Job.objects.filter(state="queued"))

    monkeypatch.setitem(registry.KINDS, "tests.once", registry.Kind("tests.once", "Once", deaf))
    job = enqueue()
    claimed = claim_next()
    assert claimed is not None
    run(claimed, stopping=stopping)
    job.refresh_from_db()
    assert given_back == [job]
    assert (job.state, job.vanished, job.worker) == ("queued", 0, "")
