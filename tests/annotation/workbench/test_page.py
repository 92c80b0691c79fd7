"""The toolchain workbench: chains run on the sample's picture, are saved, verified and accepted beside the gold."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.chains.read import digest_of, known_chains, mark_of
from annotation.content.json import calls_from_json, calls_to_json
from annotation.images import chain_runs
from annotation.images.store import store_pictures
from annotation.models import AcceptedChain, Benchmark, Draft, Image, Sample, VerifiedChain
from annotation.schema import AnswerType, SampleContent, SampleRecord, ToolCall
from annotation.toolbox.lanes import BusyError, SupersededError
from annotation.toolbox.runner import run_chain
from annotation.toolbox.templates import CATEGORIES, template
from annotation.workbench.write import accept_chain, verify_chain
from annotation.workflow import Role
from tests.annotation.work_data import to_annotate
from tests.conftest import signed_in
from tests.factories import make_user
from tests.unit.toolbox_cases import scene
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.one_database

CHAIN = (
    ToolCall("crop", {"x": 300, "y": 150, "width": 500, "height": 400}),
    ToolCall("colorspace_gray"),
    ToolCall("Binarize"),
    ToolCall("connected_components_with_stats"),
)


def ends(answer: str, *calls: ToolCall) -> SampleContent:
    """A toolchain that is said to end at this answer."""
    return SampleContent(answers=(answer,), answer_type=AnswerType.OPEN, reference_toolchain=calls or CHAIN)


@pytest.fixture
def sample(tmp_path: Any, settings: Any, ana: User, rui: User, lea: User) -> Sample:
    """One sample whose picture is here, 800 × 600; Ana annotates, Rui reviews, Lea leads."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    chain_runs.CACHE.clear()
    chain_runs.PREVIEWS.clear()
    benchmark = to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    large = cv2.resize(scene(), (800, 600), interpolation=cv2.INTER_NEAREST)
    data = bytes(cv2.imencode(".png", large[:, :, ::-1])[1])
    sample = benchmark.samples.get()
    records = [SampleRecord("s", SampleContent(), "s.png")]
    found = store_pictures(actor=None, benchmark=benchmark, records=records, folder=tmp_path, embedded={"s.png": data})
    image = found["s.png"]
    assert isinstance(image, Image)
    Image.objects.filter(pk=image.pk).update(state=Image.State.READY)
    Sample.objects.filter(pk=sample.pk).update(image=image, width=800, height=600, image_name="s.png")
    sample = Sample.objects.select_related("image").get(pk=sample.pk)
    sample.benchmark = Benchmark.objects.get()
    return sample


def asked(client: Client, verb: str, **body: Any) -> tuple[int, dict[str, Any]]:
    whole = {"calls": calls_to_json(CHAIN), "focus": 4, "side": 320, "known": []} | body
    answer = client.post(
        f"/benchmarks/kitchen/toolchain/{verb}/s-0000/", json.dumps(whole), content_type="application/json"
    )
    return answer.status_code, answer.json()


def picture_of(address: str) -> Any:
    return cv2.imdecode(np.frombuffer(base64.b64decode(address.split(",")[1]), np.uint8), cv2.IMREAD_COLOR_RGB)


def test_a_chain_is_answered_with_its_pictures_measurements_and_places_on_the_original(
    sample: Sample, ana: User
) -> None:
    status, told = asked(signed_in(ana), "run", full=True)
    assert status == 200
    assert told["whole"]
    assert [step["tool"] for step in told["steps"]] == [
        "crop", "colorspace_gray", "threshold", "connected_components_with_stats",
    ]  # fmt: skip
    direct = run_chain(chain_runs.original_of(sample), CHAIN)
    assert direct.last is not None
    last = told["steps"][-1]
    assert last["measurements"]["values"] == {"total_components": direct.last.measurements["total_components"]}
    table = last["measurements"]["tables"][0]
    assert table["columns"] == ["area", "box", "centre"]
    left, top = direct.last.measurements["components"][0]["box"][:2]
    assert last["places"][0]["points"][0] == [left + 300, top + 150]
    assert picture_of(told["view"]["after"]["address"]).shape == (256, 320, 3)
    assert told["view"]["before"]["tool"] == "threshold"
    assert sum(told["view"]["histogram"][0]) == pytest.approx(1)
    assert "cv2.connectedComponentsWithStats" in told["python"]["code"]


def test_a_preview_shows_no_measurement_of_a_reduced_picture(sample: Sample, ana: User) -> None:
    calls = calls_to_json([ToolCall("sharpen"), ToolCall("contour_area")])
    _, told = asked(signed_in(ana), "run", calls=calls, focus=2, full=False)
    assert not told["whole"]
    assert [("measurements" in step, step["width"]) for step in told["steps"]] == [(False, 800), (False, 800)]
    assert told["view"]["before"]["tool"] == "sharpen"


def test_a_thumbnail_that_the_page_has_is_not_sent_again_and_a_step_is_not_run_again(sample: Sample, ana: User) -> None:
    client = signed_in(ana)
    _, first = asked(client, "run", full=True)
    _, again = asked(client, "run", full=True, known=[step["key"] for step in first["steps"]])
    assert all("thumbnail" in step for step in first["steps"])
    assert not any("thumbnail" in step for step in again["steps"])
    assert all(step["cached"] for step in again["steps"])


def test_what_can_be_foreseen_is_refused_without_a_whole_run(sample: Sample, ana: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(chain_runs, "show_whole", None)
    calls = calls_to_json(
        [ToolCall("sharpen"), ToolCall("resize", {"width": 3200, "height": 2400}), ToolCall("denoise")]
    )
    status, told = asked(signed_in(ana), "run", calls=calls, focus=3, full=False)
    assert status == 200
    assert [step["tool"] for step in told["steps"]] == ["sharpen", "resize"]
    assert told["error"]["message"] == (
        "Step 3 (denoise): denoise: image = 3200 × 2400 is not possible. "
        "Allowed: an image of at most 2,000,000 pixels; crop or resize it first."
    )


@pytest.mark.parametrize(("error", "said"), [(BusyError, "busy"), (SupersededError, "superseded")])
def test_a_run_whose_turn_it_is_not_is_told_so(
    sample: Sample, ana: User, monkeypatch: Any, error: type[Exception], said: str
) -> None:
    def work(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(chain_runs.LANES, "work", work)
    assert asked(signed_in(ana), "run", full=True, editor="one") == (202, {"later": said})


def test_a_chain_that_stops_says_where_and_shows_what_ran(sample: Sample, ana: User) -> None:
    calls = calls_to_json([*CHAIN[:1], ToolCall("blur", {"method": "median", "ksize": 4})])
    status, told = asked(signed_in(ana), "run", calls=calls, focus=2, full=False)
    assert status == 200
    assert len(told["steps"]) == 1
    assert {key: told["error"][key] for key in ("number", "tool", "parameter", "value", "allowed")} == {
        "number": 2, "tool": "blur", "parameter": "ksize", "value": "4", "allowed": "a whole number from 1 to 99, odd",
    }  # fmt: skip
    assert not told["python"]["whole"]


@pytest.mark.parametrize(
    "body", [{"side": 5}, {"side": "wide"}, {"calls": {}}, {"calls": [{"tool": 5}]}, {"known": 3}, {"focus": -1}]
)
def test_a_request_of_the_wrong_shape_is_refused(sample: Sample, ana: User, body: dict[str, Any]) -> None:
    status, told = asked(signed_in(ana), "run", **body)
    assert status == 400
    assert told["error"]["message"]


def test_a_picture_that_is_not_here_cannot_be_worked_on(sample: Sample, ana: User) -> None:
    Sample.objects.update(image=None, image_problem="s.png was not in the file")
    status, told = asked(signed_in(ana), "run")
    assert status == 409
    assert "s.png was not in the file" in told["error"]["message"]


def test_running_writes_nothing_and_a_stranger_finds_nothing(sample: Sample, ana: User) -> None:
    client = signed_in(ana)
    before = AuditEntry.objects.count()
    asked(client, "run")
    assert AuditEntry.objects.count() == before
    assert asked(signed_in(make_user("Sam Ode")), "run")[0] == 404


def test_the_page_saves_through_the_draft_of_the_studio(sample: Sample, ana: User) -> None:
    client = signed_in(ana)
    page = client.get("/benchmarks/kitchen/toolchain/samples/s-0000/")
    assert page.status_code == 200
    bench = page.context["bench"]
    assert bench["editable"]
    content = bench["content"] | {"reference_toolchain": calls_to_json(CHAIN), "answer_type": "open", "answer": ["red"]}
    saved = client.put(
        bench["urls"]["draft"], json.dumps({"version": 0, "content": content}), content_type="application/json"
    )
    assert saved.status_code == 200
    assert Draft.objects.get().content["reference_toolchain"] == calls_to_json(CHAIN)
    again = client.get("/benchmarks/kitchen/toolchain/samples/s-0000/").context["bench"]
    assert (again["version"], len(again["content"]["reference_toolchain"])) == (saved.json()["version"], 4)
    assert again["mark"] is None
    verify_chain(actor=ana, sample=sample, content=ends("red"))
    assert client.get("/benchmarks/kitchen/toolchain/samples/s-0000/").context["bench"]["mark"]["by"] == "Ana Lind"


def test_a_reviewer_without_gold_to_see_has_no_chain_yet(sample: Sample, rui: User) -> None:
    assert signed_in(rui).get("/benchmarks/kitchen/toolchain/samples/s-0000/").status_code == 403


def test_a_verified_chain_names_who_saw_it_and_keeps_what_its_end_was(sample: Sample, ana: User, lea: User) -> None:
    status, told = asked(signed_in(ana), "verify", answer=["red"])
    assert (status, told["by"]) == (200, "Ana Lind")
    mark = VerifiedChain.objects.get()
    assert mark.measurements["total_components"] >= 1
    assert verify_chain(actor=ana, sample=sample, content=ends("red")).pk == mark.pk
    entry = AuditEntry.objects.get(action="chain.verify")
    assert (entry.actor, entry.data["sample"], entry.data["chain"]) == (ana, "s-0000", mark.digest)
    assert verify_chain(actor=lea, sample=sample, content=ends("red")).person == lea
    assert mark_of(sample, ends("red")) == mark


def test_a_chain_is_compared_with_the_answer_and_another_number_wants_a_reason(sample: Sample, ana: User) -> None:
    """D8.11."""
    client = signed_in(ana)
    _, told = asked(client, "run", full=True, answer=["0"])
    (name, count), *_ = told["end"]["measured"]
    assert (name, told["end"]["agrees"]) == ("total_components", count == 0)
    status, told = asked(client, "verify", answer=["twenty"])
    assert (status, told["error"]["code"], told["error"]["field"]) == (400, "measured_otherwise", "reason")
    assert f"measures {count:g}," in told["error"]["message"]
    assert not VerifiedChain.objects.exists()
    status, told = asked(client, "verify", answer=["twenty"], reason="Most are hidden.")
    assert (status, told["how"], told["reason"], told["answer"]) == (200, "seen", "Most are hidden.", ["twenty"])
    status, told = asked(client, "verify", answer=[f"{count:g} dots"], reason="Not needed.")
    assert (status, told["how"], told["reason"], told["observed"]) == (200, "measured", "", f"{count:g}")
    assert asked(client, "verify", answer=[f"{count:g} dots"])[1] == told
    mark = VerifiedChain.objects.get()
    assert (mark.how, mark.answer) == ("measured", f"{count:g} dots")
    assert [entry.after for entry in AuditEntry.objects.filter(action="chain.verify").order_by("pk")] == [
        "seen",
        "measured",
    ]
    assert asked(client, "verify", answer=["red"])[1]["how"] == "seen"
    assert asked(client, "verify", answer="red")[0] == 400


def test_a_changed_chain_or_picture_is_not_verified(sample: Sample, ana: User) -> None:
    verify_chain(actor=ana, sample=sample, content=ends("red"))
    assert known_chains(sample, ends("red"))[0].mark is not None
    assert known_chains(sample, ends("red", *CHAIN[:3]))[0].mark is None
    assert sample.image is not None
    assert mark_of(sample, ends("red")) is not None
    assert mark_of(sample, ends("blue")) is None
    choice = replace(ends("A"), answer_type=AnswerType.MULTIPLE_CHOICE, options={"A": "red", "B": "blue"})
    assert mark_of(sample, choice) is None
    verify_chain(actor=ana, sample=sample, content=choice)
    assert mark_of(sample, choice) is not None
    assert mark_of(sample, replace(choice, options={"A": "red", "B": "green"})) is None
    verify_chain(actor=ana, sample=sample, content=ends("red"))
    sample.image.sha256 = "0" * 64
    assert known_chains(sample, ends("red"))[0].mark is None


@pytest.mark.parametrize(
    ("calls", "words"), [((), "no step"), ((ToolCall("crop", {"width": 9000, "height": 1}),), "Step 1")]
)
def test_a_chain_that_does_not_replay_is_not_verified(sample: Sample, ana: User, calls: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        verify_chain(actor=ana, sample=sample, content=replace(ends("red"), reference_toolchain=calls))
    assert not VerifiedChain.objects.exists()


def test_a_researcher_confirms_nothing(sample: Sample, lea: User) -> None:
    mira = make_user("Mira Sato")
    add_member(actor=lea, benchmark=sample.benchmark, user=mira, role=Role.RESEARCHER)
    with pytest.raises(NotAllowed):
        verify_chain(actor=mira, sample=sample, content=ends("red"))


@pytest.mark.both_databases
def test_a_reviewer_accepts_a_further_chain_once_and_takes_it_away(sample: Sample, ana: User, rui: User) -> None:
    client = signed_in(rui)
    for _ in range(2):
        status, told = asked(client, "accept", note="by colour")
        assert status == 200
    assert [(chain["note"], chain["by"], chain["gold"]) for chain in told["chains"]] == [
        ("by colour", "Rui Costa", False)
    ]
    assert asked(signed_in(ana), "accept")[0] == 403
    assert client.post(told["chains"][0]["remove"]).json() == {"chains": []}
    actions = list(AuditEntry.objects.filter(action__startswith="chain.").values_list("action", flat=True))
    assert sorted(actions) == ["chain.accept", "chain.remove"]


def test_a_sample_has_so_many_further_chains_and_no_more(sample: Sample, rui: User, monkeypatch: Any) -> None:
    monkeypatch.setattr("annotation.content.chains.write.MOST_CHAINS", 1)
    accept_chain(actor=rui, sample=sample, calls=CHAIN[:1])
    with pytest.raises(InvalidInput, match="Remove one first"):
        accept_chain(actor=rui, sample=sample, calls=CHAIN)
    assert AcceptedChain.objects.count() == 1


def test_a_stored_chain_that_is_longer_than_a_page_sends_is_shown(sample: Sample, rui: User) -> None:
    stored = [{"tool": "zoom", "arguments": {"note": "x" * 30_000}, "image_in": ["a", "b"], "image_out": None}] * 101
    AcceptedChain.objects.create(sample=sample, digest="0" * 64, calls=stored, accepted_by=rui)
    chains = [chain.calls for chain in known_chains(sample, SampleContent())]
    assert [(len(calls), calls[0].image_in) for calls in chains] == [(101, ("a", "b"))]
    with pytest.raises(InvalidInput):
        calls_from_json(stored)


def test_chains_that_say_the_same_have_one_name() -> None:
    again = calls_from_json(json.loads(json.dumps(calls_to_json(CHAIN))))
    assert digest_of(again) == digest_of(CHAIN)
    assert digest_of(CHAIN[:3]) != digest_of(CHAIN)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_chain_of_every_category_runs_on_any_picture(category: str) -> None:
    large = cv2.resize(scene(), (640, 480))
    for picture in (large, scene(), np.zeros((7, 5, 3), np.uint8)):
        height, width = picture.shape[:2]
        assert run_chain(picture, template(category, width, height)).error is None


def test_the_page_of_the_toolbox_describes_every_tool(ana: User) -> None:
    page = signed_in(ana).get("/toolbox/").content.decode()
    assert page.count('<article class="toolbox__tool"') == 36
    assert "a whole number from 3 to 999, odd" in page
