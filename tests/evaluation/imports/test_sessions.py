"""Agents elsewhere: the toolbox over the Model Context Protocol and over the API; a session becomes a trajectory."""

from __future__ import annotations

import base64
import json
import tracemalloc
from datetime import timedelta
from typing import Any

import cv2
import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.images import chain_runs
from annotation.images.store import store_pictures
from annotation.imaging.encoding import encode
from annotation.imaging.model_view import POLICY
from annotation.models import Benchmark, Image, ImageReplacement, ImportRecord, Sample
from annotation.schema import SampleContent, SampleRecord
from annotation.toolbox import geometry, outlines
from annotation.toolbox.cache import picture_key
from annotation.toolbox.table import TOOLS
from annotation.toolbox.vtc import Profile
from annotation.tools.api import CALLS
from annotation.workflow import Role
from evaluation.agents import tool_session
from evaluation.agents.tool_session import MOST_CALLS, ToolSession
from evaluation.experiments.present.experiment import crops_of
from evaluation.imports.write.sessions import IDLE, close_idle_sessions, record_session
from evaluation.management import toolbox_server
from evaluation.management.toolbox_server import ToolboxDesk, guarded, served
from evaluation.models import Attempt, Experiment, Run, Step, Trajectory
from evaluation.scoring.replays.trajectory import replay_trajectory
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.processes import ROOT
from tests.unit.toolbox_cases import one_color, scene, template
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.common.errors import InvalidInput

QUERIES = 27
"""Of one answer in an open session at most."""
DAMAGED = (ROOT / "tests/fuzz/regressions/images.strip-offsets-of-text").read_bytes()[1:]
"""A TIFF whose strips begin at a text (D3.5)."""


@pytest.fixture
def benchmark(db: None, tmp_path: Any, settings: Any) -> Benchmark:
    """Two samples of one picture, with gold."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    chain_runs.CACHE.clear()
    chain_runs.PREVIEWS.clear()
    benchmark = create_benchmark(actor=None, slug="kitchen", title="Kitchen")
    asked = SampleContent("How many shapes?", answers=("2",))
    records = [SampleRecord(key, asked, "s.png") for key in ("one", "two")]
    embedded = {"s.png": encode(scene())}
    found = store_pictures(actor=None, benchmark=benchmark, records=records, folder=tmp_path, embedded=embedded)
    save_samples(actor=None, benchmark=benchmark, records=records, pictures=found)
    Image.objects.update(state=Image.State.READY)
    return benchmark


def close(data: bytes, expected: Any) -> bool:
    """Whether a file shows these pixels, as near as JPEG of quality 95 keeps them."""
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    return found.shape == expected.shape and float(np.abs(found.astype(int) - expected).mean()) < 3


def opened(desk: ToolboxDesk, sample: str = "one") -> str:
    text, view, ok = desk.call("open_sample", {"sample": sample})
    assert ok
    assert view is not None
    told = json.loads(text)
    assert (told["question"], told["width"], "answers" in told) == ("How many shapes?", 160, False)
    return str(told["session"])


def test_a_session_is_recorded_as_a_trajectory_with_its_crop_and_its_failed_call(benchmark: Benchmark) -> None:
    desk = ToolboxDesk(benchmark, "agent-7", "interface")
    assert json.loads(desk.call("list_samples", {})[0]) == ["one", "two"]
    session = opened(desk)
    box = {"session": session, "image": "original", "x": 80, "y": 40, "width": 60, "height": 60}
    text, view, ok = desk.call("crop", box)
    assert (text.split(":")[0], ok) == ("image_1", True)
    expected = geometry.crop(scene(), x=80, y=40, width=60, height=60).image
    assert view is not None
    assert close(view.data, expected)
    assert desk.call("blur", {"session": session, "image": "image_1", "method": "median", "ksize": 4})[2] is False
    measured = desk.call("contour_area", {"session": session, "image": "image_1"})
    assert str(outlines.contour_area(expected).measurements["total_contours"]) in measured[0]  # type: ignore[arg-type]
    assert desk.call("answer", {"session": session, "text": "2"}) == ("Recorded: 3 calls on one.", None, True)
    assert desk.call("answer", {"session": session, "text": "2"})[2] is False

    trajectory = Trajectory.objects.get()
    assert (str(trajectory.run.model), trajectory.run.setting, trajectory.answer) == ("agent-7", "interface", "2")
    steps = list(Step.objects.filter(trajectory=trajectory).order_by("position"))
    assert [(step.tool, step.ok) for step in steps] == [("crop", True), ("blur", False), ("contour_area", True)]
    assert [steps[0].x1, steps[0].y1, steps[0].x2, steps[0].y2] == [80, 40, 140, 100]


def test_a_session_on_an_image_that_was_replaced_is_not_recorded(benchmark: Benchmark, lea: User) -> None:
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    client, calls = signed_in(lea), "/api/v1/benchmarks/kitchen/sessions/calls/one/"
    begun = client.post(calls, {"calls": []}, "application/json").json()["image_sha256"]
    desk = ToolboxDesk(benchmark, "agent-7", "interface")
    session, sample = opened(desk), Sample.objects.select_related("image").get(key="one")
    assert begun == sample.image.sha256
    another = Image.objects.create(sha256="b" * 64, width=90, height=90, format="PNG", bytes=1, state="ready")
    another_size(sample, (90, 90), lea)
    ImageReplacement.objects.update(image=sample.image)
    Sample.objects.filter(pk=sample.pk).update(image=another)
    text, _, ok = desk.call("answer", {"session": session, "text": "2"})
    assert (ok, "was replaced" in text) == (False, True)
    for address in (calls, "/api/v1/benchmarks/kitchen/sessions/answer/one/"):
        more = {"answer": "2", "model": "agent-7"} if "answer" in address else {}
        answer = client.post(address, {"calls": [], "image_sha256": begun, **more}, "application/json")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "image_replaced")
    assert not Trajectory.objects.exists()


def test_the_crops_of_an_experiment_follow_the_image(benchmark: Benchmark, lea: User) -> None:
    desk = ToolboxDesk(benchmark, "agent-7", "interface")
    session, sample = opened(desk), Sample.objects.select_related("image").get(key="one")
    desk.call("crop", {"session": session, "image": "original", "x": 40, "y": 20, "width": 60, "height": 60})
    desk.call("answer", {"session": session, "text": "2"})
    experiment = Experiment.objects.select_related("benchmark").get()
    assert "/40,20,100,80/" in crops_of(experiment)[0].src
    width, height = sample.width or 0, sample.height or 0
    another_size(sample, (2 * width, 2 * height), lea, boxes="scaled")
    assert "/80,40,200,160/" in crops_of(experiment)[0].src
    another_size(sample, (width, width), lea, old=(2 * width, 2 * height))
    [crop] = crops_of(experiment)
    assert crop.src == ""
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.LEAD)
    page = signed_in(lea).get(f"/benchmarks/kitchen/experiments/{experiment.pk}/").content.decode()
    assert "one: image replaced" in page


def test_sessions_on_several_samples_are_one_run(benchmark: Benchmark) -> None:
    desk = ToolboxDesk(benchmark, "agent-7", "interface")
    for sample in ("one", "two"):
        desk.call("answer", {"session": opened(desk, sample), "text": "3"})
    assert Run.objects.count() == 1
    assert Trajectory.objects.count() == 2


def test_the_sessions_of_one_model_and_setting_are_one_import(benchmark: Benchmark, lea: User) -> None:
    """D10.3: ten answers made ten import records. Over both ways in, for two people, and after a quiet day."""
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    desk, client = ToolboxDesk(benchmark, "agent-7", "interface"), signed_in(lea)

    def sent(key: str, model: str = "agent-7") -> Any:
        given = {"calls": [], "answer": "2", "model": model}
        return client.post(f"/api/v1/benchmarks/kitchen/sessions/answer/{key}/", given, "application/json")

    for sample in ("one", "two", "one"):
        desk.call("answer", {"session": opened(desk, sample), "text": "3"})
        assert sent(sample).status_code == 201
    records = ImportRecord.objects.filter(kind="runs").order_by("pk")
    assert [(one.created_by, one.counts["trajectories"], one.state) for one in records] == [
        (None, 3, "done"),
        (lea, 3, "done"),
    ]
    sent("one", model="agent-8")
    assert records.all().count() == 3, "another model"
    records.update(finished_at=timezone.now() - IDLE - timedelta(minutes=1))
    sent("one")
    assert records.all().count() == 4, "after a day without one"
    assert Trajectory.objects.filter(run__model__name="agent-7").count() == 2


@pytest.mark.endurance
def test_session_records_of_an_agent_are_one_experiment_with_one_import_each_way_in(
    benchmark: Benchmark, lea: User, django_assert_max_num_queries: Any
) -> None:
    """62 answers over the API and 62 over MCP are two experiments and two imports, each answer in as many queries."""
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    image = Image.objects.get()
    asked = SampleContent("How many shapes?", answers=("2",))
    keys = [f"s{number:02d}" for number in range(60)]
    records = [SampleRecord(key, asked, "s.png") for key in keys]
    save_samples(actor=None, benchmark=benchmark, records=records, pictures={"s.png": image})
    keys += ["one", "two"]
    desk, client = ToolboxDesk(benchmark, "agent-7", "over MCP"), signed_in(lea)
    given = {"calls": [], "answer": "2", "model": "agent-7"}
    for number, key in enumerate(keys):
        desk.call("answer", {"session": opened(desk, key), "text": "2"})
        if number in (1, 60):  # Into an open experiment: with few answers in it, and with many.
            row = ToolSession(key, scene()).trajectory("2", "agent-7", "interface")
            with django_assert_max_num_queries(QUERIES):
                record_session(actor=lea, benchmark=benchmark, row=row, profile=Profile.STRICT)
        else:
            client.post(f"/api/v1/benchmarks/kitchen/sessions/answer/{key}/", given, "application/json")
    made = Experiment.objects.filter(kind="session").order_by("pk")
    assert [(one.created_by, one.state, one.attempts.count()) for one in made] == [
        (None, "running", 62), (lea, "running", 62),
    ]  # fmt: skip
    assert ImportRecord.objects.filter(kind="runs").count() == 2
    answered = {(one.trajectory.sample_id, one.trajectory.run.setting) for one in Attempt.objects.all()}
    assert len(answered) == Trajectory.objects.count() == 124

    listed = client.get("/benchmarks/kitchen/experiments/").content.decode()
    assert listed.count("agent-7") >= 2
    page = client.get(f"/benchmarks/kitchen/experiments/{made[1].pk}/").content.decode()
    assert "Open" in page
    assert "Change budget" not in page
    assert "Export exchanges" not in page, "nothing was sent"
    one = made[1].attempts.first()
    shown = client.get(f"/benchmarks/kitchen/experiments/{made[1].pk}/attempts/{one.pk}/").content.decode()
    assert "The model was asked elsewhere." in shown
    assert f'data-src="/benchmarks/kitchen/experiments/{made[1].pk}/"' not in page, "it is not asked for again"


def test_a_session_closes_after_a_quiet_day_or_when_it_is_stopped_or_undone(benchmark: Benchmark, lea: User) -> None:
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    row = ToolSession("one", scene()).trajectory("2", "agent-7", "interface")

    def answered() -> Experiment:
        record_session(actor=lea, benchmark=benchmark, row=row, profile=Profile.STRICT)
        return Experiment.objects.filter(kind="session").latest("pk")

    first = answered()
    assert close_idle_sessions(timezone.now()) == 0
    assert close_idle_sessions(timezone.now() + IDLE) == 1
    second, client = answered(), signed_in(lea)
    assert second != first
    page = f"/benchmarks/kitchen/experiments/{second.pk}/"
    assert "You can only stop it" in client.post(f"{page}pause/", follow=True).content.decode()
    client.post(f"{page}stop/")
    third = answered()
    assert third != second
    ImportRecord.objects.filter(experiments=third).update(state="undone")
    assert answered() != third
    states = Experiment.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["done", "stopped", "done", "running"]


def test_an_answer_that_cannot_be_kept_begins_no_session(benchmark: Benchmark) -> None:
    row = ToolSession("one", scene()).trajectory("2", "agent-7", "interface") | {"rollout": 2**40}
    with pytest.raises(InvalidInput):
        record_session(actor=None, benchmark=benchmark, row=row, profile=Profile.STRICT)
    assert (Experiment.objects.count(), ImportRecord.objects.filter(kind="runs").count()) == (0, 0)


def test_messages_and_tokens_of_a_session_are_kept_and_shown(benchmark: Benchmark, lea: User) -> None:
    """D10.6: what the model wrote before each call, its transcript and its usage."""
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    client = signed_in(lea)
    calls = [{"tool": "flip", "arguments": {"direction": "vertical"}}] * 2
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "How many shapes?"}, picture]},
        {"role": "assistant", "reasoning_content": "Upside <b>down</b> first.", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": "image_1: 160 × 120 pixels."},
        {"role": "assistant", "content": "And back.", "tool_calls": [{}]},
        {"role": "assistant", "content": "There are 2."},
    ]
    given = {"calls": calls, "answer": "2", "model": "agent-9", "messages": messages}
    given["usage"] = {"input_tokens": 900, "output_tokens": 41, "usd": 0.01}
    address = "/api/v1/benchmarks/kitchen/sessions/answer/one/"
    assert client.post(address, given, "application/json").status_code == 201
    trajectory = Trajectory.objects.get()
    assert list(trajectory.steps.order_by("position").values_list("text", flat=True)) == [
        "Upside <b>down</b> first.",
        "And back.",
    ]
    assert (trajectory.input_tokens, trajectory.output_tokens, float(trajectory.usd)) == (900, 41, 0.01)
    page = client.get(f"/benchmarks/kitchen/trajectories/{trajectory.pk}/?tab=messages").content.decode()
    assert "There are 2." in page
    assert "Upside &lt;b&gt;down&lt;/b&gt; first." in page
    assert "base64" not in page
    wrong = client.post(address, given | {"messages": ["hello"]}, "application/json")
    assert wrong.status_code == 400
    wrong = client.post(address, given | {"messages": [{"content": "hello"}]}, "application/json")
    assert wrong.status_code == 400
    assert wrong.json()["error"]["field"] == "messages.0"


@pytest.mark.one_database
def test_an_agent_gets_the_stored_file_or_a_jpeg_of_full_color_resolution(benchmark: Benchmark, lea: User) -> None:
    """D10.4: everything was sent as PNG. The policy is recorded with the trajectory."""
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    client = signed_in(lea)

    def sent(*calls: dict[str, Any]) -> dict[str, Any]:
        given = {"calls": list(calls)}
        return dict(client.post("/api/v1/benchmarks/kitchen/sessions/calls/one/", given, "application/json").json())

    first = sent()
    assert (first["media_type"], base64.b64decode(first["image"])) == ("image/png", encode(scene()))
    crop = {"tool": "crop", "arguments": {"x": 80, "y": 40, "width": 60, "height": 60}}
    assert sent(crop)["media_type"] == "image/jpeg"
    assert sent(crop) == sent(crop), "the second time from memory"
    assert sent({"tool": "canny", "arguments": {}})["media_type"] == "image/png"
    desk = ToolboxDesk(benchmark, "agent-7", "interface")
    desk.call("answer", {"session": opened(desk), "text": "2", "output_tokens": 7, "reasoning": "I counted."})
    trajectory = Trajectory.objects.get()
    assert trajectory.extra["sent"] == {"images": POLICY, "longest_side": 1568}
    assert (trajectory.output_tokens, trajectory.extra["messages"][0]["text"]) == (7, "I counted.")


@pytest.mark.one_database
def test_agents_work_with_the_profile_of_the_published_interface(benchmark: Benchmark, lea: User) -> None:
    """D10.2: over MCP and the API alike; the profile is recorded, and a replay makes the same values."""
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    desk, client = ToolboxDesk(benchmark, "agent-7", "interface", Profile.VTC), signed_in(lea)
    listed = [name for name, _, _ in desk.tools() if name.startswith("opencv_")]
    served_by_api = client.get("/api/v1/toolbox/?profile=vtc").json()["tools"]
    assert listed == [one["function"]["name"] for one in served_by_api]
    assert (
        client.get("/api/v1/toolbox/").json()["tools"] == client.get("/api/v1/toolbox/?profile=strict").json()["tools"]
    )
    assert client.get("/api/v1/toolbox/?profile=telescope").status_code == 400
    reduced = client.get("/api/v1/toolbox/?profile=vtc&omit=additionalProperties&omit=emptyObjects").json()["tools"]
    assert not any("additionalProperties" in one["function"]["parameters"] for one in reduced)
    assert "Allowed: additionalProperties" in str(client.get("/api/v1/toolbox/?omit=telescope").json())

    session = opened(desk)
    cut = {"image": "original", "param": {"x": 80, "y": 40, "width": 60, "height": 60, "why": "disc"}}
    fill = {"image": "/out/1.png", "param": {"x": 30, "y": 30, "newVal": [9, 9, 9]}}
    assert desk.call("opencv_zoom_in", {"session": session, **cut})[2]
    assert desk.call("opencv_floodfill", {"session": session, **fill})[2]
    assert not desk.call("opencv_threshold", {"session": session, "image": "original", "param": {}})[2]
    desk.call("answer", {"session": session, "text": "2"})

    calls = [{"tool": "opencv_zoom_in", "arguments": cut}, {"tool": "opencv_floodfill", "arguments": fill}]
    refused = {"tool": "opencv_canny", "arguments": {"image": "original", "param": "x=1"}}
    given = {"calls": [*calls, refused], "profile": "vtc", "answer": "2", "model": "agent-8"}
    address = "/api/v1/benchmarks/kitchen/sessions/{}/one/"
    shown = client.post(address.format("calls"), {"calls": calls, "profile": "vtc"}, "application/json").json()
    assert (shown["ok"], shown["image_id"], shown["width"]) == (True, "image_2", 60)
    assert not client.post(address.format("calls"), {"calls": calls}, "application/json").json()["ok"]
    wrong = client.post(address.format("calls"), {"calls": [], "profile": "telescope"}, "application/json")
    assert wrong.status_code == 400
    assert client.post(address.format("answer"), given, "application/json").status_code == 201
    for trajectory in Trajectory.objects.all():
        assert trajectory.extra["profile"] == "vtc"
        found = [one.outcome.value for one in replay_trajectory(trajectory)]
        assert found == ["same", "same", "failed"][: len(found)]
    assert Trajectory.objects.count() == 2


@pytest.mark.one_database
def test_what_an_agent_gets_wrong_is_said_and_nothing_is_raised(benchmark: Benchmark) -> None:
    desk = ToolboxDesk(benchmark, "agent-7", "interface")
    assert "no sample three" in desk.call("open_sample", {"sample": "three"})[0]
    assert "open_sample first" in desk.call("canny", {"session": "no"})[0]
    session = opened(desk)
    assert "known are" in desk.call("telescope", {"session": session})[0]
    assert "there is no image" in desk.call("canny", {"session": session, "image": "image_9"})[0]


def test_a_session_ends_by_itself_after_so_many_calls() -> None:
    session = ToolSession("one", scene())
    for _ in range(MOST_CALLS):
        assert session.call("flip", {"direction": "vertical"}).ok
    assert "Give your answer" in session.call("flip", {"direction": "vertical"}).text
    assert len(session.steps) == MOST_CALLS


@pytest.mark.one_database
def test_every_tool_is_offered_with_its_session_and_its_pictures(benchmark: Benchmark) -> None:
    offered = {name: schema for name, _, schema in ToolboxDesk(benchmark, "a", "b").tools()}
    assert set(offered) == set(TOOLS) | {"list_samples", "open_sample", "answer"}
    assert offered["template_match"]["required"] == ["session", "image", "template"]


def test_the_server_serves_this_machine_only(benchmark: Benchmark) -> None:
    with pytest.raises(CommandError, match="not encrypted"):
        call_command("toolbox_mcp", "kitchen", "--model", "a", "--http", "1", "--host", "0.0.0.0")


@pytest.mark.parametrize(("sent", "status"), [("", 401), ("Bearer other", 401), ("Bearer known", 200)])
def test_the_server_over_http_wants_its_secret(sent: str, status: int) -> None:
    """D4.10: whatever runs on this machine reaches its port."""
    import anyio
    import httpx

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"tools"})

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=guarded(behind, "known"))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.post("/mcp", headers={"Authorization": sent})

    answer = anyio.run(ask)
    assert answer.status_code == status
    assert (answer.content == b"tools") is (status == 200)


@pytest.mark.django_db(transaction=True)
def test_a_real_client_lists_opens_calls_and_answers(benchmark: Benchmark) -> None:
    """In one process, through the SDK's own client, which may send calls at once; importing it takes the longest."""
    import anyio
    import mcp

    desk = ToolboxDesk(benchmark, "agent-7", "interface")

    async def visit() -> Any:
        async with mcp.Client(served(desk)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            told = await client.call_tool("open_sample", {"sample": "one"})
            session = json.loads(told.content[0].text)["session"]
            edges: list[Any] = []

            async def called() -> None:
                edges.append(await client.call_tool("canny", {"session": session, "image": "original"}))

            async with anyio.create_task_group() as together:
                together.start_soon(called)
                together.start_soon(called)
            wrong = await client.call_tool(
                "blur", {"session": session, "image": "original", "method": "mean", "ksize": 3}
            )
            done = await client.call_tool("answer", {"session": session, "text": "2"})
            return names, edges, wrong, done

    names, edges, wrong, done = anyio.run(visit)
    assert len(names) == 39
    assert sorted(one.content[0].text.split(":")[0] for one in edges) == ["image_1", "image_2"]
    shown = cv2.imdecode(np.frombuffer(base64.b64decode(edges[0].content[1].data), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert shown.shape == (120, 160)
    assert wrong.is_error
    assert done.content[0].text == "Recorded: 3 calls on one."
    assert Trajectory.objects.get().answer == "2"


def test_a_session_over_the_api_is_its_calls_and_its_answer_records_it(benchmark: Benchmark, lea: User) -> None:
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    client = Client(headers={"Authorization": f"Bearer {create_token(name='agent', actor=lea, scopes=list(Scope))[1]}"})

    def sent(what: str, key: str = "one", **given: Any) -> Any:
        return client.post(f"/api/v1/benchmarks/kitchen/sessions/{what}/{key}/", given, "application/json")

    asked = sent("calls", calls=[]).json()
    assert (asked["question"], asked["image_id"], asked["width"], "answers" in asked) == (
        "How many shapes?", "original", 160, False,
    )  # fmt: skip
    calls: list[dict[str, Any]] = [
        {"tool": "opencv_crop", "arguments": {"image": "original", "x": 80, "y": 40, "width": 60, "height": 60}},
        {"tool": "blur", "arguments": {"image": "image_1", "method": "median", "ksize": 4}},
        {"tool": "contour_area", "arguments": {"image": "image_1"}},
    ]
    told = [sent("calls", calls=calls[: n + 1]).json() for n in range(3)]
    assert [(one["ok"], one["image_id"]) for one in told] == [(True, "image_1"), (False, None), (True, "image_3")]
    assert "odd" in told[1]["text"]
    assert close(base64.b64decode(told[0]["image"]), scene()[40:100, 80:140])
    done = sent("answer", calls=calls, answer="2", model="agent-8", seconds=4.5)
    assert (done.status_code, done.json()["calls"]) == (201, 3)
    trajectory = Trajectory.objects.get(run=done.json()["run"])
    assert (str(trajectory.run.model), trajectory.answer, trajectory.seconds) == ("agent-8", "2", 4.5)
    steps = trajectory.steps.order_by("position")
    assert [step.ok for step in steps] == [True, False, True]
    assert (steps[0].tool, steps[0].x1, steps[0].y2) == ("opencv_crop", 80, 100), "by whatever name, it is a crop"
    assert steps[0].extra["out_digest"] == picture_key(scene()[40:100, 80:140])
    assert sent("calls", "three", calls=[]).status_code == 404
    assert sent("calls", calls="crop").status_code == 400


@pytest.mark.one_database
def test_the_pictures_of_all_sessions_have_a_limit_and_the_oldest_session_gives_way(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, turned = ToolboxDesk(benchmark, "agent-7", "interface"), {"direction": "vertical"}
    monkeypatch.setattr(toolbox_server, "MOST_PIXELS", 160 * 120)
    monkeypatch.setattr(tool_session, "MOST_PIXELS", 160 * 120)
    first, second = opened(desk), opened(desk)
    assert desk.call("flip", {"session": first, **turned})[2]
    assert desk.call("flip", {"session": second, **turned})[2]
    assert "no session" in desk.call("flip", {"session": first, **turned})[0]
    assert desk.call("flip", {"session": second, **turned})[2]
    assert "Give your answer" in desk.call("flip", {"session": second, **turned})[0]


def test_the_api_lists_the_tools_and_runs_one_for_a_token(ana: User, benchmark: Benchmark) -> None:
    add_member(actor=None, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    client = Client(headers={"Authorization": f"Bearer {create_token(name='agent', actor=ana, scopes=list(Scope))[1]}"})
    listed = client.get("/api/v1/toolbox/").json()["tools"]
    assert [tool["function"]["name"] for tool in listed] == list(TOOLS)

    def sent(name: str, **fields: Any) -> Any:
        files = {"image": SimpleUploadedFile("a.png", encode(scene())), **fields}
        return client.post(f"/api/v1/toolbox/{name}/", files)

    told = sent("crop", arguments='{"x": 5, "y": 7, "width": 20, "height": 10}').json()
    assert (told["width"], told["height"], told["to_input"]) == (20, 10, [[1.0, 0.0, 5.0], [0.0, 1.0, 7.0]])
    part = cv2.imdecode(np.frombuffer(base64.b64decode(told["image"]), np.uint8), cv2.IMREAD_COLOR_RGB)
    assert part.tolist() == scene()[7:17, 5:25].tolist()
    found = sent("template_match", template=SimpleUploadedFile("t.png", encode(template()))).json()
    assert found["measurements"]["box"] == [50, 55, 60, 65]
    for answer, words in [
        (sent("blur", arguments='{"method": "median", "ksize": 4}'), "a whole number from 1 to 99, odd"),
        (sent("blur", arguments="["), "not JSON"),
        (sent("template_match"), "'template'"),
        (sent("canny", image=SimpleUploadedFile("a.png", b"no picture")), ""),
        (sent("canny", image=SimpleUploadedFile("a.tif", DAMAGED)), "damaged"),
    ]:
        assert answer.status_code == 400
        assert words in answer.json()["error"]["message"]
    assert sent("telescope").status_code == 404


def test_a_person_runs_two_tools_at_once_and_a_stranger_none(ana: User, sam: User, benchmark: Benchmark) -> None:
    """D3.3: what a call costs is taken by those who work on a benchmark, and not all of it by one of them."""
    add_member(actor=None, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)

    def sent(user: User) -> Any:
        return signed_in(user).post("/api/v1/toolbox/canny/", {"image": SimpleUploadedFile("a.png", encode(scene()))})

    assert sent(sam).status_code == 403
    with CALLS.one_of(ana.pk), CALLS.one_of(ana.pk):
        refused = sent(ana)
    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    assert sent(ana).status_code == 200


@pytest.mark.one_database
def test_a_picture_is_measured_before_it_is_decoded(ana: User, benchmark: Benchmark) -> None:
    """D3.3: by its header, and by the limit of what tools give; the second picture of a call too."""
    add_member(actor=None, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    client, large = signed_in(ana), one_color(8_000, 7_000)
    small = encode(scene())
    for name, image, template_ in (("canny", large, small), ("template_match", small, large)):
        files = {"image": SimpleUploadedFile("a.png", image), "template": SimpleUploadedFile("t.png", template_)}
        tracemalloc.start()
        answer = client.post(f"/api/v1/toolbox/{name}/", files)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        assert peak < 20_000_000
