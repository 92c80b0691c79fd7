"""Endpoints and experiments over the API."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.models import Endpoint, Experiment, SentImage
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving, spoken
from tests.factories import make_user
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

AT = "/api/v1/benchmarks/kitchen"
TWO = spoken("<answer>2</answer>")
SECRET = "sk-planted-0123456789"


def send(client: Client, method: str, path: str, body: dict[str, Any]) -> Any:
    return getattr(client, method)(f"{AT}/{path}", body, content_type="application/json")


@pytest.mark.both_databases
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


def test_an_endpoint_of_the_site_is_not_changed_at_an_address_of_a_benchmark(benchmark: Benchmark) -> None:
    """A token can be limited to one benchmark, and an endpoint of the site serves all."""
    admin = make_user("Ada Kern", is_staff=True, is_superuser=True)
    site = Endpoint.objects.create(name="site", base_url="http://127.0.0.1:9/v1", model="m")
    _, secret = create_token(name="t", actor=admin, scopes=[Scope.MANAGE, Scope.IMPORT], benchmark="kitchen")
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    assert send(client, "patch", f"endpoints/{site.pk}/", {"model": "other"}).status_code == 404
    assert send(client, "post", f"endpoints/{site.pk}/test/", {}).status_code == 404
    site.refresh_from_db()
    assert site.model == "m"


@pytest.mark.both_databases
def test_the_same_key_of_a_request_makes_one_experiment(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    send(client, "post", "endpoints/", {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1"})
    body = {"endpoint": "local", "protocol": "base"}
    ids = {
        client.post(
            f"{AT}/experiments/", body, content_type="application/json", headers={"Idempotency-Key": "k"}
        ).json()["id"]
        for _ in range(2)
    }
    assert len(ids) == Experiment.objects.count() == 1


def test_limits_and_sampling_that_are_sent_are_part_of_the_recipe(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    prices = {"input": 1.5, "output": 2}
    send(
        client,
        "post",
        "endpoints/",
        {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1", "prices": prices},
    )
    more = {"rounds": 3, "calls": 2, "parameters": {"temperature": 0.5}}
    recipe = send(client, "post", "experiments/", {"endpoint": "local", "protocol": "zoom", **more}).json()["recipe"]
    assert (recipe["limits"], recipe["sampling"]["temperature"]) == ({"rounds": 3, "calls": 2}, 0.5)
    assert Endpoint.objects.get().prices == prices


@pytest.mark.parametrize(
    ("field", "value"),
    [("dialect", "dance"), ("frame", "dance"), ("family", "dance"), ("limits", {"speed": 1}),
     ("limits", {"in_flight": "many"}), ("prices", {"input": -1, "output": 1}), ("prices", {"input": 1})],
)  # fmt: skip
def test_values_that_no_endpoint_can_have_are_refused(benchmark: Benchmark, lea: User, field: str, value: Any) -> None:
    body = {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1", field: value}
    answer = send(signed_in(lea), "post", "endpoints/", body)
    assert (answer.status_code, Endpoint.objects.exists()) == (400, False)


def test_attempts_are_listed_by_state_and_arm(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        send(client, "post", "endpoints/", {"name": "local", "base_url": server.url, "model": "m-1"})
        made = send(client, "post", "experiments/", {"endpoint": "local", "protocol": "base", "start": "all"}).json()
        run_waiting()
    path = f"{AT}/experiments/{made['id']}/attempts/"
    assert [len(client.get(path, {"state": state}).json()["results"]) for state in ("done", "failed")] == [2, 0]
    assert client.get(path, {"state": "dancing"}).status_code == 400
    assert [len(client.get(path, {"arm": arm}).json()["results"]) for arm in ("", "sham@prefix")] == [2, 0]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "endpoints/", {"name": "b", "base_url": "http://127.0.0.1:9/v1", "model": "m", "modle": "m"}),
        ("patch", "endpoints/{endpoint}/", {"modle": "m"}),
        ("post", "experiments/", {"endpoint": "local", "protocol": "base", "modle": "m"}),
        ("patch", "experiments/{experiment}/", {"budget_usd": 9, "modle": "m"}),
    ],
)
def test_an_unknown_field_is_refused_with_its_name(
    benchmark: Benchmark, lea: User, method: str, path: str, body: dict[str, Any]
) -> None:
    client = signed_in(lea)
    added = send(client, "post", "endpoints/", {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1"})
    made = send(client, "post", "experiments/", {"endpoint": "local", "protocol": "base"})
    answer = send(client, method, path.format(endpoint=added.json()["id"], experiment=made.json()["id"]), body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "modle")
    assert (Endpoint.objects.get().model, Experiment.objects.get().budget_usd) == ("m-1", 5.0)


def test_an_endpoint_is_removed_by_its_lead_only_while_nothing_runs_on_it(
    benchmark: Benchmark, lea: User, rui: User
) -> None:
    add_member(actor=None, benchmark=benchmark, user=rui, role=Role.RESEARCHER)
    client, other = signed_in(lea), signed_in(rui)
    added = send(client, "post", "endpoints/", {"name": "local", "base_url": "http://127.0.0.1:9/v1", "model": "m-1"})
    path = f"endpoints/{added.json()['id']}/"
    made = send(client, "post", "experiments/", {"endpoint": "local", "protocol": "base", "start": "all"}).json()
    assert [one["name"] for one in other.get(f"{AT}/endpoints/").json()["results"]] == ["local"]
    assert send(other, "delete", path, {}).status_code == 403
    assert send(client, "delete", path, {}).status_code == 409
    send(client, "patch", f"experiments/{made['id']}/", {"state": "paused"})
    assert send(client, "delete", path, {}).status_code == 204
    assert not Endpoint.objects.exists()
    assert Experiment.objects.get().endpoint_name == "local"


def test_the_images_of_a_request_are_read_by_their_digest(benchmark: Benchmark, lea: User, sam: User) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        send(client, "post", "endpoints/", {"name": "local", "base_url": server.url, "model": "m-1"})
        begun = send(client, "post", "experiments/", {"endpoint": "local", "protocol": "base", "start": "all"}).json()
        run_waiting()
    attempt = Experiment.objects.get().attempts.first()
    [image] = SentImage.objects.all()
    path = f"{AT}/experiments/{begun['id']}/attempts/{attempt.pk}/exchanges"
    answer = client.get(f"{path}/0/images/{image.sha256}/")
    assert (answer.status_code, answer["Content-Type"]) == (200, image.media_type)
    assert hashlib.sha256(answer.content).hexdigest() == image.sha256
    for missing in (f"{path}/0/images/{'0' * 64}/", f"{path}/7/images/{image.sha256}/"):
        assert client.get(missing).status_code == 404
    assert signed_in(sam).get(f"{path}/0/images/{image.sha256}/").status_code == 404
