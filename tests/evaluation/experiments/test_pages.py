"""The pages of endpoints and experiments: from an address to a run, and what each person may see."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.experiments.write.states import start_all
from evaluation.models import Attempt, Endpoint, Experiment, Run, SentImage, Trajectory
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.endpoints.server import serving, spoken
from tests.evaluation.experiments.conftest import Make
from webapp.accounts.models import User
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
AT = "/benchmarks/kitchen"
TWO = spoken("<answer>2</answer>")
SECRET = "sk-planted-0123456789"
POLLS = f'data-src="{AT}/'
NEW = {"name": "local", "preset": "generic", "model": "m-1", "dialect": "tools", "frame": "pixels"}
EXPERIMENT = {
    "protocol": "base", "rollouts": 1, "budget_usd": 5, "budget_calls": 100, "sampling": "greedy",
}  # fmt: skip


@pytest.mark.both_databases
def test_a_lead_adds_an_endpoint_runs_a_trial_and_all_and_opens_the_run(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        assert client.post(f"{AT}/endpoints/", {**NEW, "base_url": server.url}).status_code == 302
        endpoint = Endpoint.objects.get()
        made = client.post(f"{AT}/experiments/", {**EXPERIMENT, "endpoint": endpoint.pk, "rollouts": 2})
        experiment = Experiment.objects.get()
        page = f"{AT}/experiments/{experiment.pk}/"
        assert (made.status_code, made["Location"]) == (302, page)
        client.post(f"{page}trial/")
        run_waiting()
        shown = client.get(page).content.decode()
        assert "Trial done" in shown
        client.post(f"{page}start/")
        run_waiting()
    shown = client.get(page).content.decode()
    assert "100.0%" in shown
    assert f"{AT}/runs/{Trajectory.objects.all()[0].run_id}/" in shown
    assert client.get(f"{AT}/experiments/").content.decode().count("m-1") >= 1


def test_the_page_asks_again_only_while_the_experiment_runs(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        experiment = experiment_on(endpoint_at(server.url))
        page = f"{AT}/experiments/{experiment.pk}/"
        assert POLLS not in client.get(page).content.decode()
        start_all(actor=lea, experiment=experiment)
        assert POLLS in client.get(page).content.decode()
        piece = client.get(page, headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in piece
        assert "data-live" in piece
        run_waiting()
    assert POLLS not in client.get(page).content.decode()


def test_requests_and_responses_of_an_attempt_are_shown_as_text(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    hostile = "<script>alert(1)</script>"
    with serving(spoken(hostile)) as server:
        experiment = experiment_on(endpoint_at(server.url))
        start_all(actor=lea, experiment=experiment)
        run_waiting()
    attempt = Attempt.objects.all()[0]
    shown = signed_in(lea).get(f"{AT}/experiments/{experiment.pk}/attempts/{attempt.pk}/").content.decode()
    assert hostile not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "sha256:" in shown
    [image] = SentImage.objects.all()
    address = f"{AT}/experiments/{experiment.pk}/images/{image.sha256}/"
    assert shown.count(f'src="{address}"') == 1
    received = signed_in(lea).get(address)
    assert (received["Content-Type"], len(received.content)) == (image.media_type, image.bytes)
    trajectory = signed_in(lea).get(f"{AT}/trajectories/{attempt.trajectory_id}/").content.decode()
    assert f"/attempts/{attempt.pk}/" in trajectory


def test_a_key_is_never_shown_again_and_a_new_address_deletes_it(
    benchmark: Benchmark, endpoint_at: EndpointAt, lea: User, settings: Any
) -> None:
    pytest.importorskip("cryptography")
    settings.SEAL_KEY = "s" * 40
    client = signed_in(lea)
    client.post(f"{AT}/endpoints/", {**NEW, "base_url": "http://127.0.0.1:9/v1", "key": SECRET})
    endpoint = Endpoint.objects.get()
    assert endpoint.sealed_key
    assert SECRET not in endpoint.sealed_key
    pages = [f"{AT}/endpoints/", f"{AT}/endpoints/{endpoint.pk}/", f"{AT}/experiments/"]
    assert not [page for page in pages if SECRET in client.get(page).content.decode()]
    assert not AuditEntry.objects.filter(data__icontains=SECRET).exists()
    client.post(f"{AT}/endpoints/{endpoint.pk}/", {**NEW, "base_url": "http://127.0.0.1:10/v1"})
    endpoint.refresh_from_db()
    assert (endpoint.base_url, endpoint.sealed_key) == ("http://127.0.0.1:10/v1", "")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_url", "http://10.0.0.1/v1"),
        ("base_url", "https://user:password@example.com/v1"),
        ("base_url", "https://2130706433/v1"),
        ("name", "Not A Name"),
        ("key_name", "small"),
    ],
)
def test_a_wrong_value_is_said_at_its_field_and_nothing_is_stored(
    benchmark: Benchmark, lea: User, field: str, value: str
) -> None:
    answer = signed_in(lea).post(f"{AT}/endpoints/", {**NEW, "base_url": "http://127.0.0.1:9/v1", field: value})
    assert answer.status_code == 400
    assert answer.context["form"].errors[field]
    assert not Endpoint.objects.exists()


def test_an_experiment_without_samples_or_with_an_unknown_size_is_refused_at_its_field(
    benchmark: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1")
    for field, value in (("samples", "id=none"), ("images", "fit:1"), ("rollouts", "0")):
        answer = signed_in(lea).post(f"{AT}/experiments/", {**EXPERIMENT, "endpoint": endpoint.pk, field: value})
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, [field])
    assert not Experiment.objects.exists()


def test_a_second_click_says_what_the_experiment_does_now(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    experiment = experiment_on(endpoint_at("http://127.0.0.1:9/v1"))
    client, page = signed_in(lea), f"{AT}/experiments/{experiment.pk}/"
    client.post(f"{page}start/")
    answer = client.post(f"{page}start/", follow=True)
    assert "running now" in answer.content.decode()
    assert Experiment.objects.get().state == "running"


def test_a_researcher_runs_experiments_but_adds_no_endpoint(
    benchmark: Benchmark, endpoint_at: EndpointAt, lea: User, sam: User
) -> None:
    add_member(actor=lea, benchmark=benchmark, user=sam, role=Role.RESEARCHER)
    endpoint = endpoint_at("http://127.0.0.1:9/v1")
    client = signed_in(sam)
    assert 'name="base_url"' not in client.get(f"{AT}/endpoints/").content.decode()
    assert client.post(f"{AT}/endpoints/", NEW).status_code == 403
    assert client.post(f"{AT}/experiments/", {**EXPERIMENT, "endpoint": endpoint.pk}).status_code == 302


def test_the_number_of_queries_does_not_grow_with_attempts_and_experiments(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url)
        experiments = [experiment_on(endpoint, rollouts=n, setting=f"base {n}") for n in (1, 4)]
        for experiment in experiments:
            start_all(actor=lea, experiment=experiment)
            run_waiting()
    # The first page after a change writes the file of the samples.
    client.get(f"{AT}/experiments/{experiments[0].pk}/")
    counts = []
    for experiment in experiments:
        with CaptureQueriesContext(connection) as asked:
            client.get(f"{AT}/experiments/{experiment.pk}/")
        counts.append(len(asked))
    assert counts[0] == counts[1]
    with CaptureQueriesContext(connection) as few:
        client.get(f"{AT}/experiments/")
    for n in range(3):
        experiment_on(endpoint, setting=f"more {n}")
    with CaptureQueriesContext(connection) as many:
        client.get(f"{AT}/experiments/")
    assert len(few) == len(many)


def test_every_number_of_attempts_opens_as_many(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    """One of two attempts fails; the page, and the list of experiments."""
    client = signed_in(lea)
    with serving(TWO) as server:
        experiment = experiment_on(endpoint_at(server.url), rollouts=2)
        start_all(actor=lea, experiment=experiment)
        run_waiting()
    failed = experiment.attempts.order_by("pk").first()
    experiment.attempts.filter(pk=failed.pk).update(state="failed", error_kind="timeout")
    score_benchmark(actor=lea, benchmark=benchmark)
    page = client.get(f"{AT}/experiments/{experiment.pk}/")
    here = f"{AT}/experiments/{experiment.pk}/"
    shown = {href: n for href, n in counted_links(page).items() if href.startswith(here)}
    assert shown == {
        f"{here}?state=done": 3, f"{here}?state=failed": 1, here: 4, f"{here}?state=failed&error=timeout": 1
    }  # fmt: skip
    assert page.context["accuracy_n"].href
    assert wrong_links(client, page, client.get(f"{AT}/experiments/")) == {}


@pytest.mark.endurance
def test_a_trajectory_leads_to_a_form_that_asks_its_model_again(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        endpoint_at(server.url, "another", model="m-2")
        experiment = experiment_on(endpoint_at(server.url), samples="id=one")
        start_all(actor=lea, experiment=experiment)
        run_waiting()
        trajectory = Trajectory.objects.get()
        page = client.get(f"/benchmarks/kitchen/trajectories/{trajectory.pk}/").content.decode()
        [address] = re.findall(r'href="([^"]*arms=sham:2,noise:100)"', page)
        form = client.get(address.replace("&amp;", "&")).context["form"]
        assert form["samples"].value() == "id=one"
        chosen = form["endpoint"].value()
        assert Endpoint.objects.get(pk=chosen).model == "m-1", "the endpoint that serves the model of the run"
        assert [value for value, _ in form.fields["injector"].choices] == ["", "injector@1"]
        posted = {name: form[name].value() or "" for name in form.fields}
        posted |= {"endpoint": chosen, "run": trajectory.run_id, "estimand": "turn", "arms": "sham:2"}
        answer = client.post("/benchmarks/kitchen/experiments/arms/", posted | {"start": "yes"})
        assert answer.status_code == 302
        run_waiting()
    assert Trajectory.objects.filter(condition="sham@turn").count() == 2


def test_a_judge_is_created_as_a_draft_and_a_wrong_query_is_named(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    client = signed_in(lea)
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url)
        start_all(actor=lea, experiment=experiment_on(endpoint))
        run_waiting()
    run = Run.objects.get()
    posted = {
        "run": run.pk, "endpoint": endpoint.pk, "question": "paraphrase", "votes": 1, "sampling": "greedy",
        "budget_usd": 5, "budget_calls": 100, "samples": "id=none", "images": "",
    }  # fmt: skip
    refused = client.post("/benchmarks/kitchen/experiments/judge/", posted)
    assert (refused.status_code, list(refused.context["form"].errors)) == (400, ["samples"])
    unfit = client.post("/benchmarks/kitchen/experiments/judge/", posted | {"samples": "", "prompt": "injector@1"})
    assert (unfit.status_code, list(unfit.context["form"].errors)) == (400, ["prompt"])
    made = client.post("/benchmarks/kitchen/experiments/judge/", posted | {"samples": "", "prompt": "paraphrase@1"})
    assert made.status_code == 302
    assert client.get(made["Location"]).status_code == 200
    assert Experiment.objects.get(kind="judge").state == "draft"
