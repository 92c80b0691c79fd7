"""Detectors that are asked over HTTP: what is sent, what comes of it, and that it is what a file would give."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.content.samples import save_samples
from annotation.images.store import store_pictures
from annotation.models import Benchmark, Image, ImportRecord
from annotation.schema import SampleContent, SampleRecord, Target, ToolPlan
from evaluation.experiments.write.create import Choices, create_experiment
from evaluation.experiments.write.detectors import DetectorChoices, create_detection
from evaluation.experiments.write.probe import probe_endpoint
from evaluation.experiments.write.states import change_budget, resume, start_all
from evaluation.imports.write.runs import import_runs
from evaluation.models import Attempt, Endpoint, Exchange, Experiment, Run, Trajectory
from evaluation.stand_in.recorded import Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving
from tests.unit.toolbox_cases import scene
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
SEEN = [
    {"label": "hammer", "score": 0.9, "box": [10, 10, 60, 60]},
    {"label": "saw", "score": 0.2, "box": [100, 10, 150, 60]},
    {"label": "spoon", "score": "high", "box": [0, 0, 9, 9]},
]


def answering(detections: Any = SEEN, **more: Any) -> Answer:
    return Answer(body=json.dumps({"detections": detections, **more}).encode())


@pytest.fixture
def tools(benchmark: Benchmark) -> Benchmark:
    """The kitchen, whose samples have tool plans: hammer, and nail as a distractor."""
    image = Image.objects.get()
    plan = ToolPlan((Target("hammer", 1),), ("nail",))
    record = SampleRecord("three", SampleContent("Which tools?", answers=("?",), plan=plan), "s.png")
    save_samples(actor=None, benchmark=benchmark, records=[record], pictures={"s.png": image})
    return benchmark


def asked(benchmark: Benchmark, endpoint: Endpoint, lea: User, **choices: Any) -> Experiment:
    experiment = create_detection(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=DetectorChoices(**choices))
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def detector_at(endpoint_at: EndpointAt, url: str, **values: Any) -> Endpoint:
    return endpoint_at(url, "finder", preset="detector", model="finder-1", **values)


def test_each_image_is_asked_once_with_all_names_and_becomes_a_detectors_run(
    tools: Benchmark, endpoint_at: EndpointAt, lea: User, tmp_path: Path
) -> None:
    with serving(answering()) as server:
        experiment = asked(tools, detector_at(endpoint_at, server.url), lea)
        [(path, _, body)] = server.seen.requests
        assert path == "/v1/detect"
        sent = json.loads(body)
        assert (sent["model"], sent["names"]) == ("finder-1", ["hammer", "nail"])
        assert sent["image"].startswith("data:image/png;base64,")
    assert (experiment.state, experiment.calls, experiment.attempts.filter(state="done").count()) == ("done", 1, 3)
    [record] = ImportRecord.objects.filter(kind="runs")
    assert experiment.import_record == record
    run = Run.objects.get(benchmark=tools)
    assert (run.setting, run.detector_threshold) == ("detector@0.3", 0.3)
    row = Trajectory.objects.get(run=run, sample__key="three")
    assert (row.recognition, row.answer, row.input_tokens, row.usd) == (["hammer"], None, None, None)
    assert (row.extra["detections"]["below"], row.extra["detections"]["unread"]) == (1, 1)
    exchange = Exchange.objects.get()
    assert (exchange.state, exchange.input_tokens, exchange.usd) == ("answered", None, None)
    assert b'"sha256:' in bytes(exchange.request)

    file = tmp_path / "found.jsonl"
    file.write_text("".join(json.dumps({"sample": key, "detections": SEEN}) + "\n" for key in ("one", "two", "three")))
    import_runs(actor=None, benchmark=tools, path=file, format="detector", model="From a file")
    for imported in Trajectory.objects.filter(run__model__name="From a file").select_related("sample"):
        own = Trajectory.objects.get(run=run, sample=imported.sample)
        same = {name: value for name, value in own.extra["detections"].items() if name != "unread"}
        assert (own.recognition, same) == (imported.recognition, imported.extra["detections"])


def test_boxes_of_a_reduced_image_are_placed_on_the_original(
    tools: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    width = scene().shape[1]
    with serving(answering([{"label": "hammer", "score": 1, "box": [10, 10, 20, 20]}])) as server:
        asked(tools, detector_at(endpoint_at, server.url), lea, images=f"fit:{width // 2}")
        assert len(server.seen.requests) == 1
    row = Trajectory.objects.filter(run__setting="detector@0.3").first()
    assert row is not None
    assert row.extra["detections"]["boxes"][0]["box"] == [20, 20, 40, 40]
    assert row.extra["sent"]["images"][0]["width"] == width // 2


def test_a_frame_that_nobody_knows_is_a_failure_and_an_empty_list_is_none(
    tools: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(answering(frame="polar")) as server:
        experiment = asked(tools, detector_at(endpoint_at, server.url), lea)
    assert set(experiment.attempts.values_list("state", "error_kind")) == {("failed", "server")}
    with serving(answering([])) as server:
        endpoint = endpoint_at(server.url, "blank", preset="detector", model="blank")
        experiment = asked(tools, endpoint, lea)
    assert set(experiment.attempts.values_list("state", flat=True)) == {"done"}
    assert Trajectory.objects.filter(run__model__name="blank", recognition=[]).count() == 3


def test_the_budget_counts_requests_and_answered_ones_are_not_sent_again(
    tools: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(answering()) as server:
        endpoint = detector_at(endpoint_at, server.url)
        first = asked(tools, endpoint, lea)
        again = asked(tools, endpoint, lea)
        assert (first.calls, again.calls, len(server.seen.requests)) == (1, 0, 1)
        other = asked(tools, endpoint, lea, threshold=0.5)
        assert (other.calls, other.setting) == (1, "detector@0.5")
        with pytest.raises(Conflict, match="another recipe"):
            asked(tools, endpoint, lea, names="hammer")
        limited = create_detection(
            actor=lea, benchmark=tools, endpoint=endpoint,
            choices=DetectorChoices(names="hammer", setting="limited", budget_calls=1),
        )  # fmt: skip
        Experiment.objects.filter(pk=limited.pk).update(calls=1)
        start_all(actor=lea, experiment=limited)
        run_waiting()
        limited.refresh_from_db()
        assert (limited.state, limited.pause_reason) == ("paused", "budget")
        change_budget(actor=lea, experiment=limited, budget_calls=9)
        resume(actor=lea, experiment=limited)
        run_waiting()
        limited.refresh_from_db()
        assert (limited.state, limited.calls) == ("done", 2)


def test_detectors_and_models_are_not_asked_in_each_others_place(
    tools: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    finder, model = detector_at(endpoint_at, "http://127.0.0.1:9/v1"), endpoint_at("http://127.0.0.1:9/v1")
    with pytest.raises(InvalidInput, match="only finds tools"):
        create_experiment(actor=lea, benchmark=tools, endpoint=finder, choices=Choices("base"))
    with pytest.raises(InvalidInput, match="no detector"):
        create_detection(actor=lea, benchmark=tools, endpoint=model, choices=DetectorChoices())
    wrong: dict[str, Any] = {"threshold": 2, "images": "huge", "samples": "state=none"}
    for field, value in wrong.items():
        with pytest.raises(InvalidInput) as refused:
            create_detection(actor=lea, benchmark=tools, endpoint=finder, choices=DetectorChoices(**{field: value}))
        assert refused.value.field == field


def test_images_go_to_a_detector_elsewhere_only_with_consent(
    tools: Benchmark, endpoint_at: EndpointAt, lea: User, settings: Any
) -> None:
    settings.ENDPOINT_HOSTS = ("192.0.2.7:443",)
    elsewhere = detector_at(endpoint_at, "https://192.0.2.7/v1")
    with pytest.raises(Conflict, match="does not allow images"):
        create_detection(actor=lea, benchmark=tools, endpoint=elsewhere, choices=DetectorChoices())


@pytest.mark.endurance
def test_page_api_and_command_ask_a_detector(tools: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    client = signed_in(lea)
    url = "/benchmarks/kitchen/experiments/detector/"
    assert "A detector is an endpoint of the server" in client.get(url).content.decode()
    with serving(answering()) as server:
        endpoint = detector_at(endpoint_at, server.url)
        form = {"endpoint": endpoint.pk, "names": "hammer\nnail", "threshold": "0.4", "budget_calls": 5, "start": "yes"}
        assert client.post(url, form).status_code == 302
        run_waiting()
        made = Experiment.objects.get()
        assert (made.state, made.kind, made.recipe["names"]) == ("done", "detect", ["hammer", "nail"])
        page = client.get(f"/benchmarks/kitchen/experiments/{made.pk}/").content.decode()
        assert "hammer, nail" in page
        assert "Input tokens" not in page
        assert "Export exchanges" in page
        assert "Budget in USD" not in page
        changed = client.post(f"/benchmarks/kitchen/experiments/{made.pk}/budget/", {"budget_calls": 7}, follow=True)
        assert "The budget is changed." in changed.content.decode()
        made.refresh_from_db()
        assert made.budget_calls == 7
        refused = client.post(f"/benchmarks/kitchen/experiments/{made.pk}/budget/", {}, follow=True)
        assert "Enter a number of requests." in refused.content.decode()
        assert client.post(url, form | {"threshold": "7"}).status_code == 400
        body = {"endpoint": "finder", "threshold": 0.5, "start": "all"}
        sent = client.post("/api/v1/benchmarks/kitchen/experiments/detector/", body, content_type="application/json")
        assert (sent.status_code, sent.json()["kind"], sent.json()["setting"]) == (201, "detect", "detector@0.5")
        run_waiting()
        call_command("detect", "kitchen", endpoint="finder", threshold=0.6, wait=True, stdout=io.StringIO())
        assert set(Experiment.objects.values_list("state", flat=True)) == {"done"}
        images = client.get(f"/api/v1/benchmarks/kitchen/experiments/{made.pk}/exchanges/?images=yes")
        [line] = [json.loads(one) for one in b"".join(images).splitlines()][:1]  # type: ignore[arg-type]
        assert line["request"]["image"].startswith("data:image/png;base64,")


def test_a_test_of_a_detector_sends_one_request(tools: Benchmark, endpoint_at: EndpointAt) -> None:
    with serving(answering([{"label": "red square", "score": 1, "box": [0, 0, 1, 1]}])) as server:
        endpoint = detector_at(endpoint_at, server.url)
        assert probe_endpoint(None, endpoint_id=endpoint.pk) == {"requests": 1}  # type: ignore[arg-type]  # unused
    endpoint.refresh_from_db()
    assert endpoint.capabilities["authentication"]["value"] == "yes"
    assert endpoint.capabilities["vision"]["value"] == "unknown", "it may know other things"


def test_the_stand_in_finds_tools_of_the_demo_with_planned_errors(
    benchmark: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    recorded = Recorded.read()
    known = next(one for one in recorded.samples if one.row.get("targets"))
    targets = [one["tool"] for one in known.row["targets"]]
    with StandIn(recorded, Options()) as server:
        plan = ToolPlan(tuple(Target(tool, 1) for tool in targets), tuple(known.row["distractors"]))
        record = SampleRecord(known.id, SampleContent("?", answers=("?",), plan=plan), "tools.jpg")
        pictures = store_pictures(
            actor=None, benchmark=benchmark, records=[record], folder=known.image.parent,
            embedded={"tools.jpg": known.image.read_bytes()},
        )  # fmt: skip
        save_samples(actor=None, benchmark=benchmark, records=[record], pictures=pictures)
        Image.objects.update(state=Image.State.READY)
        experiment = asked(benchmark, detector_at(endpoint_at, server.base_url), lea, images="fit:1024")
    assert (experiment.state, experiment.attempts.filter(state="done").count()) == ("done", 3)
    row = Trajectory.objects.get(sample__key=known.id)
    assert row.recognition is not None
    assert set(row.recognition) & set(targets)
    assert Attempt.objects.filter(reused_from=None).count() < 3, "two samples have one image"
