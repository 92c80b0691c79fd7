"""Exactly one worker has a job, whatever the others try."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone

from tests.jobs.conftest import Enqueue
from webapp.jobs.claim import claim, claim_next, finish, give_back, new_worker, renew
from webapp.jobs.models import Job


def expire(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.django_db(transaction=True)
def test_of_many_threads_that_claim_a_job_at_once_exactly_one_has_it(enqueue: Enqueue) -> None:
    jobs = [enqueue() for _ in range(5)]
    together, won = Barrier(6), []

    def take() -> None:
        together.wait()
        won.extend(job.pk for job in (claim(job.pk, worker=new_worker()) for job in jobs) if job)
        connection.close()

    threads = [Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == sorted(job.pk for job in jobs)


@pytest.mark.django_db
def test_a_running_job_is_not_claimed_while_its_lease_holds(enqueue: Enqueue) -> None:
    job = enqueue()
    assert claim(job.pk, worker="first")
    assert claim(job.pk, worker="second") is None
    assert claim_next() is None


@pytest.mark.django_db
def test_a_job_whose_lease_is_over_is_taken_over_and_the_first_worker_cannot_write_any_more(enqueue: Enqueue) -> None:
    first = claim(enqueue().pk, worker="first")
    assert first is not None
    expire(first)
    second = claim(first.pk, worker="second")
    assert second is not None
    assert (second.attempts, second.vanished) == (2, 1)
    assert [renew(first), give_back(first), finish(first, Job.State.DONE)] == [False, False, False]
    assert Job.objects.get().worker == "second"


@pytest.mark.django_db
def test_the_oldest_job_is_taken_first(enqueue: Enqueue) -> None:
    older, newer = enqueue(), enqueue()
    assert [claim_next(), claim_next(), claim_next()] == [older, newer, None]


@pytest.mark.django_db
def test_a_job_that_was_given_back_can_be_claimed_at_once_and_nobody_vanished(enqueue: Enqueue) -> None:
    job = claim(enqueue().pk, worker="first")
    assert job is not None
    assert give_back(job)
    again = claim_next()
    assert again is not None
    assert (again.attempts, again.vanished) == (2, 0)
