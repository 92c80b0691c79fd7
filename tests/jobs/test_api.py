import pytest

from tests.conftest import signed_in
from tests.jobs.conftest import Enqueue
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.django_db


def test_a_program_follows_its_job_to_the_end(enqueue: Enqueue, ana: User) -> None:
    address = f"/api/v1/jobs/{enqueue('tests.steps', of=4).pk}/"
    client = signed_in(ana)
    assert client.get(address).json()["state"] == "queued"
    run_waiting()
    ended = client.get(address).json()
    assert (ended["state"], ended["done"], ended["share"], ended["error"]) == ("done", 4, 1.0, "")
    assert "payload" not in ended


def test_a_program_stops_and_repeats_its_job(enqueue: Enqueue, ana: User) -> None:
    address = f"/api/v1/jobs/{enqueue().pk}/"
    client = signed_in(ana)
    assert client.post(f"{address}cancel/").json()["state"] == "cancelled"
    assert client.post(f"{address}retry/").json()["state"] == "queued"
    refused = client.post(f"{address}retry/")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")


def test_a_stranger_is_told_that_there_is_nothing(enqueue: Enqueue, sam: User) -> None:
    address = f"/api/v1/jobs/{enqueue().pk}/"
    assert signed_in(sam).get(address).json()["error"]["code"] == "not_found"
    assert signed_in(sam).post(f"{address}cancel/").status_code == 404
