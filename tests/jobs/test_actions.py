"""Starting, stopping and repeating."""

import pytest
from django.db import transaction

from tests.jobs.conftest import Enqueue
from webapp.accounts.models import User
from webapp.common.errors import ApplicationError, Conflict
from webapp.common.models import AuditEntry
from webapp.jobs.actions import cancel, enqueue_on_commit, retry
from webapp.jobs.claim import claim_next, finish
from webapp.jobs.messages import WAKE
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_the_message_is_sent_when_the_transaction_commits_and_not_before(enqueue: Enqueue) -> None:
    WAKE.clear()
    with transaction.atomic():
        enqueue()
        assert not WAKE.is_set()
    assert WAKE.is_set()


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_fails_leaves_no_job_and_sends_nothing(enqueue: Enqueue) -> None:
    WAKE.clear()

    @transaction.atomic
    def start_and_fail() -> None:
        enqueue()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        start_and_fail()
    assert not Job.objects.exists()
    assert not WAKE.is_set()


def test_a_key_has_one_live_job_and_another_once_that_is_over(enqueue: Enqueue) -> None:
    first = enqueue(key="score 7")
    assert enqueue(key="score 7") == first
    run_waiting()
    second = enqueue(key="score 7")
    assert second != first
    assert Job.objects.count() == 2


def test_an_unknown_kind_is_refused_before_a_row_is_made() -> None:
    with pytest.raises(ApplicationError, match="know jobs"):
        enqueue_on_commit("tests.unknown", payload={}, actor=None)
    assert not Job.objects.exists()


def test_a_waiting_job_is_stopped_at_once(enqueue: Enqueue, ana: User) -> None:
    job = cancel(enqueue(), actor=ana)
    assert (job.state, run_waiting()) == ("cancelled", 0)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.before, entry.after) == (ana, "job.cancel", "queued", "cancelled")
    assert entry.benchmark == "street"


def test_a_running_job_is_asked_to_stop(enqueue: Enqueue, ana: User) -> None:
    enqueue()
    running = claim_next()
    assert running is not None
    job = cancel(running, actor=ana)
    assert (job.state, job.cancel_requested) == ("running", True)
    with pytest.raises(Conflict, match="Only failed, rejected or stopped jobs can"):
        retry(job, actor=ana)


def test_a_job_that_is_over_cannot_be_stopped(enqueue: Enqueue, ana: User) -> None:
    job = enqueue()
    run_waiting()
    with pytest.raises(Conflict, match="already ended"):
        cancel(job, actor=ana)


def test_a_failed_job_is_repeated_from_its_checkpoint(enqueue: Enqueue, ana: User) -> None:
    job = enqueue("tests.count", to=4)
    claimed = claim_next()
    assert claimed is not None
    Job.objects.update(checkpoint={"next": 2})
    finish(claimed, Job.State.FAILED, error="The disk is full.")
    assert retry(job, actor=ana).error == ""
    run_waiting()
    job.refresh_from_db()
    assert job.state == "done"
    assert list(job.lines.values_list("text", flat=True)) == ["2", "3"]


def test_a_job_is_not_repeated_beside_a_live_one_of_its_key(enqueue: Enqueue, ana: User) -> None:
    stopped = cancel(enqueue(key="score 7"), actor=ana)
    enqueue(key="score 7")
    with pytest.raises(Conflict, match="already running"):
        retry(stopped, actor=ana)
