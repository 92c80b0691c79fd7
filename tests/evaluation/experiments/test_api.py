"""Endpoints and experiments over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Benchmark
from evaluation.models import Endpoint, Experiment
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving, spoken
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

AT = "/api/v1/benchmarks/kitchen"
TWO = spoken("<answer>2</answer>")
SECRET = "sk-planted-0123456789"


def send(client: Client, method: str, path: str, body: dict[str, Any]) -> Any:
    return getattr(client, method)(f"{AT}/{path}", body, content_type="application/json")


def test_an_experiment_is_created_run_and_read(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        made = send(client, "post", "endpoints/", {"name": "local", "base_url": server.url, "model": "m-1"})
        assert made.status_code == 201
        begun = send(client, "post", "experiments/", {"endpoint": "local", "protocol": "base", "start": "all"}).json()
        assert begun["state"] == "running"
        run_waiting()
    found = client.get(f"{AT}/experiments/{begun['id']}/").json()
    assert (found["experiment"]["state"], found["attempts"], found["accuracy"]) == ("done", {"done": 2}, 1.0)
    attempts = client.get(f"{AT}/experiments/{begun['id']}/attempts/").json()["results"]
    assert [one["sample"] for one in attempts] == ["one", "two"]
    [exchange] = client.get(f"{AT}/experiments/{begun['id']}/attempts/{attempts[0]['id']}/exchanges/").json()["results"]
    assert exchange["response"] == TWO.body.decode()
    assert "sha256:" in exchange["request"]


def test_a_key_is_accepted_and_never_returned(benchmark: Benchmark, lea: User, settings: Any) -> None:
    pytest.importorskip("cryptography")
    settings.SEAL_KEY = "s" * 40
    client = signed_in(lea)
    body = {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1", "key": SECRET}
    made = send(client, "post", "endpoints/", body)
    assert (made.status_code, made.json()["has_key"]) == (201, True)
    changed = send(client, "patch", f"endpoints/{made.json()['id']}/", {"model": "m-2"})
    listed = client.get(f"{AT}/endpoints/")
    assert not [one for one in (made, changed, listed) if SECRET in one.content.decode()]
    assert Endpoint.objects.get().model == "m-2"


def test_a_state_that_is_not_possible_is_answered_with_409(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    send(client, "post", "endpoints/", {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1"})
    made = send(client, "post", "experiments/", {"endpoint": "local", "protocol": "base"}).json()
    path = f"experiments/{made['id']}/"
    assert send(client, "patch", path, {"state": "paused"}).status_code == 409
    assert send(client, "patch", path, {"budget_calls": 7}).json()["experiment"]["budget_calls"] == 7
    assert send(client, "patch", path, {"state": "stopped"}).json()["experiment"]["state"] == "stopped"
    assert send(client, "patch", path, {"state": "running"}).status_code == 409
    assert Experiment.objects.get().state == "stopped"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"endpoint": "none", "protocol": "base"}, 404),
        ({"endpoint": "local", "protocol": "dance"}, 400),
        ({"endpoint": "local", "protocol": "base", "images": "fit:1"}, 400),
        ({"endpoint": "local", "protocol": "base", "samples": "id=none"}, 400),
        ({"endpoint": "local", "protocol": "code"}, 400),
    ],
)
def test_choices_that_cannot_be_run_are_refused(benchmark: Benchmark, lea: User, body: Any, status: int) -> None:
    client = signed_in(lea)
    send(client, "post", "endpoints/", {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1"})
    assert send(client, "post", "experiments/", body).status_code == status
    assert not Experiment.objects.exists()
