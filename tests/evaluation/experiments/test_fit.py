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
from evaluation.experiments.write.states import start_all, start_trial
from evaluation.models import Endpoint, Experiment
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
def test_another_frame_is_refused_with_both_and_can_be_confirmed(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, start: Any
) -> None:
    experiment = experiment_on(found(endpoint_at(URL), "norm1000"), "zoom")
    with pytest.raises(Conflict, match=BOTH):
        start(actor=lea, experiment=experiment)
    experiment.refresh_from_db()
    assert experiment.state == "draft"
    start(actor=lea, experiment=experiment, confirm_frame=True)
    assert experiment.state in ("trial", "running")
    last = AuditEntry.objects.filter(action__in=("experiment.start", "experiment.trial")).get()
    assert last.data["confirm_frame"] is True


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
            start_all(actor=lea, experiment=experiment_on(mute, protocol), confirm_frame=True)
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
