"""The probe of an endpoint: at most 14 requests, and what it finds is what was planted."""

from __future__ import annotations

import json
from datetime import datetime
from random import Random
from typing import Any

import httpx
import pytest

from evaluation.endpoints.client import Settings
from evaluation.endpoints.errors import CallCancelled
from evaluation.endpoints.findings import found_number, found_tools
from evaluation.endpoints.probe import Probe, Report
from tests.evaluation.endpoints.fake_model import EVERYTHING, FakeModel
from tests.evaluation.endpoints.server import Answer, Time, client, no_images, serving, spoken, whole

AT = "2026-01-02T03:04:05+00:00"
NAMES = (
    "authentication", "vision", "tools", "image_in_tool_message", "prefix", "seed", "usage", "streaming", "logprobs",
    "reasoning_text", "rejected_parameters", "largest_image", "image_tokens", "frame",
)  # fmt: skip


def probe_of(model: Any, *, rng: Random | None = None, **settings: Any) -> Probe:
    time = Time()
    options: dict[str, Any] = {"model": "m", "preset": "vllm", "allowed_hosts": ("127.0.0.0/8",), **settings}
    made = Probe(
        Settings("http://127.0.0.1:1/v1", **options), rng=rng or Random(5), now=lambda: datetime.fromisoformat(AT),
        clock=time.clock, sleep=time.sleep, transport=httpx.MockTransport(model),
    )  # fmt: skip
    if isinstance(model, FakeModel):
        model.numbers = (made.number, made.second)
    return made


def values(report: Report) -> dict[str, Any]:
    return {name: getattr(report, name).value for name in NAMES}


def test_everything_that_works_is_found_with_14_requests() -> None:
    model = FakeModel(frame="norm1000")
    report = probe_of(model).run()
    assert (report.model, report.served_model, report.requests, len(model.bodies)) == ("m", "m-1", 14, 14)
    found = values(report)
    frame, tokens, largest = (found.pop(name) for name in ("frame", "image_tokens", "largest_image"))
    assert found == {**dict.fromkeys(found, "yes"), "rejected_parameters": []}
    assert frame["frame"] == "norm1000"
    assert [(one["width"], one["height"], one["tokens"]) for one in tokens] == [
        (267, 181, 61), (181, 267, 61), (405, 293, 151),
    ]  # fmt: skip
    assert (largest["width"], largest["height"]) == (4096, 4096)
    assert 6_000_000 < largest["bytes"] < 8_000_000
    assert {getattr(report, name).at for name in NAMES} == {AT}


@pytest.mark.parametrize(
    ("ability", "name", "value", "words"),
    [
        ("vision", "vision", "no", "The image shows"),
        ("tools", "tools", "no", "no call"),
        ("inside", "image_in_tool_message", "no", "Unknown part type"),
        ("prefix", "prefix", "no", "extra fields"),
        ("seed", "seed", "no", "two different responses"),
        ("usage", "usage", "no", "Not in JSON and a stream"),
        ("stream", "streaming", "no", "one JSON object"),
        ("logprobs", "logprobs", "no", ""),
        ("sampling", "rejected_parameters", ["top_k"], "Unrecognized"),
        ("large", "largest_image", "no", "4096 × 4096 pixels"),
        ("reasoning", "reasoning_text", "no", ""),
    ],
)
def test_what_does_not_work_is_found_with_its_reason(ability: str, name: str, value: Any, words: str) -> None:
    quiet = values(probe_of(FakeModel()).run())
    report = probe_of(FakeModel(abilities=EVERYTHING - {ability})).run()
    finding = getattr(report, name)
    assert finding.value == value
    assert words in finding.note
    different = {other for other, one in values(report).items() if one != quiet[other]}
    assert different - {name} <= {"image_tokens"} | ({"image_in_tool_message"} if ability == "vision" else set())


def test_a_prefix_that_is_ignored_is_found() -> None:
    """Without the two parameters the model begins again."""
    report = probe_of(FakeModel(abilities=EVERYTHING - {"prefix"}), preset="openai").run()
    assert report.prefix.value == "no"
    assert "begins again" in report.prefix.note


def test_parameters_that_a_preset_does_not_send_are_unknown() -> None:
    report = probe_of(FakeModel(), drop=("seed", "logprobs", "top_k")).run()
    assert (report.seed.value, report.logprobs.value) == ("unknown", "unknown")
    assert report.rejected_parameters.value == []


@pytest.mark.parametrize(
    ("answer", "authentication", "words"),
    [
        (Answer(401, b'{"error": "bad key"}'), "no", "bad key"),
        (Answer(404, b'{"error": "no such model"}'), "unknown", "no such model"),
        (Answer(500), "unknown", "answered 500"),
        (Answer(body=b"<html>", kind="text/html"), "unknown", "web page"),
    ],
)
def test_after_a_failed_first_request_nothing_else_is_sent(answer: Answer, authentication: str, words: str) -> None:
    sent: list[int] = []

    def failing(request: httpx.Request) -> httpx.Response:
        sent.append(1)
        return whole(answer)

    report = probe_of(failing).run()
    assert len(sent) == report.requests == 1
    assert report.authentication.value == authentication
    assert words in report.authentication.note
    found = values(report)
    found.pop("authentication")
    assert set(found.values()) == {"unknown"}
    assert report.vision.at == ""


def test_a_server_that_breaks_on_the_way_leaves_the_rest_unknown() -> None:
    model = FakeModel()

    def breaking(request: httpx.Request) -> httpx.Response:
        if len(model.bodies) >= 5:
            model.bodies.append(None)
            return whole(Answer(503))
        return model(request)

    probe = probe_of(breaking)
    model.numbers = (probe.number, probe.second)
    report = probe.run()
    assert report.requests == 14
    assert (report.vision.value, report.tools.value, report.largest_image.value) == ("yes", "unknown", "unknown")
    assert "503" in report.tools.note


def test_an_empty_first_response_does_not_stop_the_probe() -> None:
    """A model may say nothing about an image that is not there."""
    report = probe_of(lambda request: whole(spoken(""))).run()
    assert report.requests == 14
    assert set(values(report).values()) == {"unknown"}


def test_a_probe_can_be_cancelled() -> None:
    model = FakeModel()
    with pytest.raises(CallCancelled):
        probe_of(model).run(cancelled=lambda: len(model.bodies) >= 3)
    assert len(model.bodies) == 3


def test_a_report_survives_storing() -> None:
    report = probe_of(FakeModel()).run()
    stored = json.loads(json.dumps(report.to_json()))
    assert Report.from_json(stored) == report
    older = {name: value for name, value in stored.items() if name != "vision"} | {"of_a_newer_version": 1}
    assert Report.from_json(older).vision.value == "unknown"


@pytest.mark.parametrize(
    ("text", "value"),
    [("4821", "yes"), ("It is 4,821.", "yes"), ("4 821", "yes"), ("14821", "no"), ("", "no"), ("482", "no")],
)
def test_a_number_is_read_with_separators_and_as_a_whole(text: str, value: str) -> None:
    with serving(spoken(text, reasoning="so")) as running, client(running.url) as endpoint:
        reply = endpoint.complete({"messages": []}, no_images)
    assert found_number(reply, 4821).value == value


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("report_number", '{"number": 4821}', "yes"),
        ("report_number", '{"number": "4821"}', "yes"),
        ("report_number", '{"number": 4820}', "no"),
        ("report_number", '{"number": 48', "no"),
        ("report_number", "[4821]", "no"),
        ("other", '{"number": 4821}', "no"),
    ],
)
def test_a_call_counts_with_the_name_and_the_number(name: str, arguments: str, value: str) -> None:
    call = {"id": "c", "function": {"name": name, "arguments": arguments}}
    with serving(spoken(None, calls=[call])) as running, client(running.url) as endpoint:
        reply = endpoint.complete({"messages": []}, no_images)
    assert found_tools(reply, 4821).value == value
