"""A start on an endpoint whose test found something that the recipe does not fit."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Benchmark
from evaluation.endpoints.findings import NO, Finding
from evaluation.endpoints.frames import FrameFound
from evaluation.endpoints.probe import Report
from evaluation.experiments.write.states import resume, retry_failed, start_all, start_trial
from evaluation.models import Attempt, Endpoint, Experiment
from tests.conftest import signed_in
from tests.evaluation.experiments.conftest import Make
from webapp.accounts.models import User
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
URL = "http://127.0.0.1:9/v1"
BOTH = "frame norm1000, but the recipe reads them in the frame pixels"


def found(endpoint: Endpoint, frame: str = "", **findings: Finding) -> Endpoint:
    """The endpoint with the results of a test."""
    boxes = {"frame": Finding(FrameFound(frame, {}, 3).to_json())} if frame else {}
    endpoint.capabilities = Report("m-1", **boxes, **findings).to_json()
    endpoint.save()
    return endpoint


@pytest.mark.parametrize("start", [start_all, start_trial])
def test_a_frame_probe_that_found_another_frame_blocks_the_start_until_it_is_confirmed(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, start: Any
) -> None:
    experiment = experiment_on(found(endpoint_at(URL), "norm1000"), "zoom")
    with pytest.raises(Conflict, match=BOTH):
        start(actor=lea, experiment=experiment)
    experiment.refresh_from_db()
    assert experiment.state == "draft"
    start(actor=lea, experiment=experiment, confirm=["frame"])
    assert experiment.state in ("trial", "running")
    last = AuditEntry.objects.filter(action__in=("experiment.start", "experiment.trial")).get()
    assert last.data["overruled"] == {"frame": "norm1000"}


@pytest.mark.parametrize(
    ("frame", "protocol", "choices"),
    [
        ("", "zoom", {}),
        ("sent", "zoom", {}),
        ("norm1000", "base", {}),
        ("norm1000", "zoom", {"dialect": "qwen3-vl"}),
        ("sent", "interface", {}),
    ],
)
def test_an_agreeing_an_unknown_and_an_unused_frame_need_nothing(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, frame: str, protocol: str, choices: Any
) -> None:
    experiment = experiment_on(found(endpoint_at(URL), frame), protocol, **choices)
    start_all(actor=lea, experiment=experiment)
    assert experiment.state == "running"


def test_an_endpoint_without_images_or_without_native_calls_is_refused_in_words(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    blind = found(endpoint_at(URL), vision=Finding(NO))
    with pytest.raises(Conflict, match="does not see images"):
        start_all(actor=lea, experiment=experiment_on(blind))
    mute = found(endpoint_at(URL, name="mute"), tools=Finding(NO, "The response has no call: 7"))
    for protocol in ("zoom", "interface"):
        with pytest.raises(Conflict, match="the dialect tools needs"):
            start_all(actor=lea, experiment=experiment_on(mute, protocol), confirm=["frame", "vision"])
    text = experiment_on(mute, "zoom", dialect="json", setting="json")
    start_all(actor=lea, experiment=text)
    start_all(actor=lea, experiment=experiment_on(mute))


def test_page_api_and_command_ask_for_the_confirmation(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    endpoint = found(endpoint_at(URL), "norm1000")
    experiment, client = experiment_on(endpoint, "zoom"), signed_in(lea)
    page = f"/benchmarks/kitchen/experiments/{experiment.pk}/"
    assert 'name="confirm_frame"' in client.get(page).content.decode()
    assert BOTH in client.post(f"{page}start/", follow=True).content.decode()
    client.post(f"{page}start/", {"confirm_frame": "yes"})
    experiment.refresh_from_db()
    assert experiment.state == "running"
    assert 'name="confirm_frame"' not in client.get(page).content.decode()

    body = {"endpoint": "local", "protocol": "zoom", "start": "all"}
    refused = client.post("/api/v1/benchmarks/kitchen/experiments/", body, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "frame")
    body |= {"confirm_frame": True}
    made = client.post("/api/v1/benchmarks/kitchen/experiments/", body, content_type="application/json")
    assert made.status_code == 201

    number, more = Experiment.objects.count(), {"endpoint": "local", "protocol": "zoom", "stdout": io.StringIO()}
    with pytest.raises(CommandError, match=BOTH):
        call_command("run", "kitchen", **more)
    assert Experiment.objects.count() == number
    call_command("run", "kitchen", confirm_frame=True, **more)
    assert Experiment.objects.count() == number + 1


def test_who_knows_better_than_the_test_starts_on_a_model_that_saw_no_images(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    endpoint = found(endpoint_at(URL), vision=Finding(NO, "The response was: 7"))
    experiment, client = experiment_on(endpoint), signed_in(lea)
    with pytest.raises(Conflict, match=r"does not see images.*The response was: 7"):
        start_all(actor=lea, experiment=experiment, confirm=["frame"])
    page = f"/benchmarks/kitchen/experiments/{experiment.pk}/"
    assert 'name="confirm_vision"' in client.get(page).content.decode()
    client.post(f"{page}start/", {"confirm_vision": "yes"})
    experiment.refresh_from_db()
    assert (experiment.state, experiment.design["overruled"]) == ("running", {"vision": "no"})
    assert "a person confirmed that it does" in client.get(page).content.decode()
    assert AuditEntry.objects.get(action="experiment.start").data["overruled"] == {"vision": "no"}

    digest = experiment.recipe_digest
    body = {"endpoint": "local", "protocol": "base", "start": "trial"}
    url = "/api/v1/benchmarks/kitchen/experiments/"
    refused = client.post(url, body, content_type="application/json").json()["error"]
    assert (refused["code"], refused["field"]) == ("vision", "confirm_vision")
    made = client.post(url, body | {"confirm_vision": True}, content_type="application/json").json()
    assert (made["design"], made["recipe_digest"]) == ({"overruled": {"vision": "no"}}, digest)
    with pytest.raises(CommandError, match="does not see images"):
        call_command("run", "kitchen", endpoint="local", protocol="base")
    call_command("run", "kitchen", endpoint="local", protocol="base", confirm_vision=True, stdout=io.StringIO())


@pytest.mark.parametrize("state", ["paused", "ready", "done"])
def test_an_endpoint_that_was_tested_again_is_confirmed_before_an_experiment_goes_on(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, state: str
) -> None:
    endpoint = found(endpoint_at(URL), "norm1000")
    experiment, client = experiment_on(endpoint, "zoom"), signed_in(lea)
    start_all(actor=lea, experiment=experiment, confirm=["frame"])
    sample = experiment.benchmark.samples.first()
    Attempt.objects.create(experiment=experiment, sample=sample, digest="0" * 64, state="failed")

    def ended() -> Experiment:
        Experiment.objects.filter(pk=experiment.pk).update(state=state)
        Attempt.objects.filter(experiment=experiment).update(state="failed")
        return Experiment.objects.get(pk=experiment.pk)

    go_on = {"paused": resume, "ready": start_all, "done": retry_failed}[state]
    go_on(actor=lea, experiment=ended())
    found(endpoint, "norm1000", vision=Finding(NO))
    for finding, confirm in (("vision", "vision"), ("norm1", "frame")):
        if finding == "norm1":
            found(endpoint, "norm1", vision=Finding(NO))
        with pytest.raises(Conflict) as refused:
            go_on(actor=lea, experiment=ended())
        assert refused.value.code == confirm
        page = f"/benchmarks/kitchen/experiments/{experiment.pk}/"
        assert f'name="confirm_{confirm}"' in client.get(page).content.decode()
        go_on(actor=lea, experiment=ended(), confirm=[confirm])
    experiment.refresh_from_db()
    assert experiment.design["overruled"] == {"frame": "norm1", "vision": "no"}
    found(endpoint, tools=Finding(NO))
    with pytest.raises(Conflict, match="does not call tools"):
        go_on(actor=lea, experiment=ended(), confirm=["frame", "vision"])


def test_the_api_and_the_command_resume_with_a_confirmation(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    endpoint = endpoint_at(URL)
    experiment, client = experiment_on(endpoint), signed_in(lea)
    start_all(actor=lea, experiment=experiment)
    found(endpoint, vision=Finding(NO))
    url, sent = f"/api/v1/benchmarks/kitchen/experiments/{experiment.pk}/", {"content_type": "application/json"}
    Experiment.objects.update(state="paused")
    assert client.patch(url, {"state": "running"}, **sent).json()["error"]["code"] == "vision"
    done = client.patch(url, {"state": "running", "confirm_vision": True}, **sent)
    assert done.json()["experiment"]["state"] == "running"
    Experiment.objects.update(state="paused", design={})
    with pytest.raises(CommandError, match="does not see images"):
        call_command("experiment", "resume", experiment.pk)
    call_command("experiment", "resume", experiment.pk, confirm_vision=True, stdout=io.StringIO())
    experiment.refresh_from_db()
    assert experiment.state == "running"
