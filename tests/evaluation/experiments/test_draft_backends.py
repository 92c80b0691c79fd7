"""ML backends of Label Studio and detectors as sources of drafts: what is asked, read and kept."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils.html import escape

from annotation.content.proposals import offer_to
from annotation.content.proposals_on_image import scaled_content
from annotation.drafting import Arm, Field, likeness
from annotation.models import Benchmark, Image, Proposal
from annotation.schema import Box, Outline, OutlineKind, SampleContent
from annotation.task_schema import Shape
from evaluation.endpoints.client import Client as EndpointClient
from evaluation.experiments.read import image_links
from evaluation.experiments.read.image_links import image_link
from evaluation.experiments.write.clicks import ClickChoices, set_click
from evaluation.experiments.write.control_share import set_control_share
from evaluation.experiments.write.drafts import DraftChoices, create_drafts
from evaluation.experiments.write.probe import probe_endpoint
from evaluation.experiments.write.states import resume, retry_failed
from evaluation.models import Attempt, Endpoint, Exchange, Experiment, SentImage
from evaluation.runner.label_config import label_config
from evaluation.runner.ml_backend import BackendRecipe
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving
from tests.evaluation.experiments.drafting_data import arms, drafted, reseed
from tests.evaluation.experiments.ml_backend_server import VERSION, Backend, backing, predicted, region
from tests.evaluation.experiments.test_clicks import allow, painted
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import InvalidInput
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
KEY = "sightline:a-long-password"
"""A name and a password."""


@pytest.fixture
def sizes() -> tuple[int, int]:
    image = Image.objects.get()
    return image.width, image.height


def backend_at(endpoint_at: EndpointAt, server: Backend, **more: Any) -> Endpoint:
    return endpoint_at(server.url, preset="label-studio", model="finder", **more)


def test_a_backend_is_asked_for_each_image_once_after_health_and_setup(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, sizes: tuple[int, int]
) -> None:
    with backing() as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, names="mug, plate")
    assert server.paths == ["GET /health", "POST /setup", "POST /predict"]
    _, _, setup = server.seen[1]
    [body] = server.predictions
    assert '<Label value="mug"/>' in body["label_config"]
    assert setup == {
        "project": body["project"], "schema": body["label_config"], "hostname": "", "access_token": "",
    }  # fmt: skip
    [task] = body["tasks"]
    assert set(task["data"]) == {"image"}
    assert "How many shapes?" not in json.dumps(body), "the question of a sample with gold"
    assert experiment.state == "done"
    assert Proposal.objects.on(to_do).by_field() == {"boxes": 12}
    one = Proposal.objects.first()
    assert one is not None
    width, height = sizes
    assert one.content == [{"box": [0, 0, width / 2, height / 2], "label": "mug", "score": 0.9}]
    assert one.source == f"finder {VERSION}"


def test_a_backend_fetches_the_image_without_an_account_by_an_address_that_expires(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, settings: Any, monkeypatch: Any
) -> None:
    settings.SITE_URL = "https://sightline.example.org"
    with backing() as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, names="mug")
    address = server.predictions[0]["tasks"][0]["data"]["image"]
    assert address.startswith("https://sightline.example.org/drafting/images/")
    assert address.endswith((".png", ".jpg")), "backends read the format from the name"
    path, sent = urlsplit(address).path, SentImage.objects.get()
    stranger = Client()
    found = stranger.get(path)
    assert (found.status_code, found.content) == (200, objects.read(sent.name))
    assert found["Cache-Control"] == "private, no-store"
    assert stranger.get(path.replace("/drafting/images/", "/drafting/images/x")).status_code == 404
    other = urlsplit(image_link(experiment.pk, "0" * 64, "image/png")).path
    assert stranger.get(other).status_code == 404
    stored = bytes(Exchange.objects.get().request).decode()
    assert sent.sha256 in stored
    assert "/drafting/images/" not in stored, "no address that gives access is kept"
    monkeypatch.setattr(image_links, "SECONDS", -1)
    assert stranger.get(path).status_code == 404


def test_polygons_and_masks_stay_polygons_where_the_task_allows_them(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, sizes: tuple[int, int]
) -> None:
    width, height = sizes
    allow(to_do, Shape.BOX, Shape.POLYGON)
    triangle = region("polygonlabels", score=0.9, label="cup", points=[[0, 0], [40, 0], [0, 40]])
    mask = painted((slice(0, 12), slice(0, 10)), (slice(15, 30), slice(20, 40)))
    with backing(predicted(triangle, mask)) as server:
        drafted(to_do, backend_at(endpoint_at, server), lea, names="cup", control_share=0.05)
    sample = to_do.samples.filter(state="to_do").earliest("pk")
    reseed(to_do, ana, Arm.SHOWN, sample)
    content = sample.proposals.get().content
    assert [len(one["points"]) for one in content] == [3, 4, 4]
    assert content[1]["box"] == [width / 2, height / 2, width, height]
    shown = signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").context["studio"]["drafts"]
    assert shown == [{"field": "boxes", "content": content, "source": f"finder {VERSION}"}]
    offer = offer_to(ana, sample, None)
    assert offer is not None
    [use] = offer.shown
    outlines = [Outline.of(OutlineKind.POLYGON, [(x, y) for x, y in one["points"]]) for one in content]
    assert likeness(Field.BOXES, use.content, SampleContent(gold_boxes=tuple(outlines))) == pytest.approx(1)
    boxes = [Box(*one["box"]) for one in content]
    assert (likeness(Field.BOXES, use.content, SampleContent(gold_boxes=tuple(boxes))) or 0) < 0.99


POINT = region("keypointlabels", score=0.8, label="cup", x=50, y=50, width=1)


def asked_for(body: Any) -> dict[str, list[str]]:
    """The labels of each control in the labeling configuration of a request."""
    view = ElementTree.fromstring(body["label_config"])
    return {one.tag: [label.get("value") or "" for label in one] for one in view if one.tag != "Image"}


def test_a_backend_is_asked_for_the_shapes_and_categories_of_the_task(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, sizes: tuple[int, int]
) -> None:
    width, height = sizes
    allow(to_do, Shape.POLYGON, Shape.POINT, categories=["cup", "plate"])
    mask = painted((slice(0, 12), slice(0, 10)))
    with backing(predicted(mask, POINT, region())) as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, control_share=0.05)
    labels = ["cup", "plate"]
    assert asked_for(server.predictions[0]) == {
        "PolygonLabels": labels, "BrushLabels": labels, "KeyPointLabels": labels,
    }  # fmt: skip
    sample = to_do.samples.filter(state="to_do").earliest("pk")
    point, polygon = sorted(sample.proposals.get().content, key=lambda one: len(one["points"]))
    assert point["points"] == [[width / 2, height / 2]]
    assert len(polygon["points"]) == 4
    attempt = experiment.attempts.first()
    assert attempt is not None
    assert "does not allow boxes" in attempt.result["unread"]["boxes"]
    reseed(to_do, ana, Arm.SHOWN, sample)
    shown = signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").context["studio"]["drafts"]
    assert shown[0]["content"] == sample.proposals.get().content


def test_without_categories_a_backend_is_asked_for_any_object(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with backing() as server:
        drafted(to_do, backend_at(endpoint_at, server), lea)
    assert asked_for(server.predictions[0]) == {"RectangleLabels": ["object"]}


def test_the_lead_sees_the_configuration_of_the_task_and_states_another_one(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    client, url = signed_in(lea), "/benchmarks/kitchen/drafting/"
    endpoint = endpoint_at("http://127.0.0.1:9", preset="label-studio")
    allow(to_do, Shape.POLYGON, categories=["cup"])
    said = '<BrushLabels name="masks" toName="image">'
    pages = (url, f"/benchmarks/kitchen/endpoints/{endpoint.pk}/")
    for page in pages:
        assert escape(said) in client.get(page).content.decode(), page
    assert said in client.get("/api/v1/benchmarks/kitchen/drafting/").json()["label_config"]
    given = {"config": "draft", "endpoint": endpoint.pk, "names": "saw", "fields_drafted": ["boxes", "answer"]}
    piece = client.get(url, given, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in piece
    for part in ('<Label value="saw"/>', '<TextArea name="answer" toName="image"/>'):
        assert escape(part) in piece
    set_click(actor=lea, benchmark=to_do, endpoint=endpoint, choices=ClickChoices(names="mug"))
    click = client.get(url, {"config": "click", "click-names": "saw"}, headers={"HX-Request": "true"}).content.decode()
    assert escape('<KeyPointLabels name="click" toName="image">\n    <Label value="saw"/>') in click
    many = client.get(url, {**given, "names": ",".join(map(str, range(501)))}, headers={"HX-Request": "true"})
    assert "Enter from 1 to 500 labels" in many.content.decode()
    own = '<View><Image name="i" value="$image"/><BrushLabels name="m" toName="i"/></View>'
    form = {
        "endpoint": endpoint.pk, "fields_drafted": ["boxes"], "budget_usd": "0", "budget_calls": "9",
        "label_config": own,
    }  # fmt: skip
    assert client.post(url, form).status_code == 302
    assert Experiment.objects.get().recipe["label_config"] == own


def test_drafted_polygons_follow_an_image_of_another_size(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, sizes: tuple[int, int]
) -> None:
    one = {"box": [10, 10, 40, 30], "points": [[10, 10], [40, 20], [10, 30]], "label": "cup", "score": None}
    [scaled] = scaled_content(Field.BOXES, [one], (100, 50), (200, 100))
    assert scaled == one | {"box": [20, 20, 80, 60], "points": [[20, 20], [80, 40], [20, 60]]}


def test_a_recipe_without_polygons_has_the_digest_that_it_had() -> None:
    config = label_config(["cup"])
    plain = BackendRecipe((Field.BOXES,), "m", "http://x", config)
    assert set(plain.to_json()) == {"fields", "model", "base_url", "label_config", "threshold", "images", "project"}
    both = BackendRecipe((Field.BOXES,), "m", "http://x", config, shapes=(Shape.BOX, Shape.POLYGON), most=3)
    assert both.to_json() == plain.to_json() | {"outlines": True, "most": 3}
    for shapes in ((Shape.BOX,), (Shape.BOX, Shape.POLYGON), (Shape.POLYGON,), tuple(Shape)):
        one = BackendRecipe((Field.BOXES,), "m", "http://x", config, shapes=shapes)
        assert BackendRecipe.from_json(json.loads(json.dumps(one.to_json()))) == one
        assert (one.digest() == plain.digest()) == (shapes == plain.shapes)


RED = {"width": 30, "height": 0}
READ: dict[str, tuple[Any, str, str]] = {
    "not JSON": ("<html>", "failed", "not JSON"),
    "an incomplete object": ('{"results": [', "failed", "incomplete"),
    "a list": ("[]", "failed", "no JSON object"),
    "no results": ({"model_version": "1"}, "failed", "no list of results"),
    "an error": ({"error": "no GPU"}, "failed", "no GPU"),
    "no prediction": ({"results": []}, "done", "found no boxes"),
    "a prediction without regions": ({"results": [{"score": 1}]}, "done", "no list result"),
    "a region that is no object": (predicted("mug"), "done", "no object with a value"),
    "a region without numbers": (predicted(region(x="left")), "done", "needs the numbers"),
    "an empty region": (predicted(region(**RED)), "done", "empty or outside"),
    "a region outside": (predicted(region(x=200)), "done", "empty or outside"),
    "infinite numbers": ('{"results": [{"result": [{"type": "rectanglelabels", "value": {"x": 1e999}}]}]}', "done",
                         "needs the numbers"),
    "a polygon of two points": (
        predicted(region("polygonlabels", points=[[1, 2], [3, 4]])), "done", "at least 3 points",
    ),
    "a brush without a code": (
        predicted(region("brushlabels", format="rle", rle="AA==")), "done", "needs the format rle",
    ),
    "an ellipse": (predicted(region("ellipselabels")), "done", "'ellipselabels' are not read"),
    "a rotated image": (predicted(region() | {"image_rotation": 90}), "done", "rotated image"),
    "another image": (predicted(region() | {"original_width": 10, "original_height": 90}), "done", "another shape"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_malformed_answer_has_its_reason_on_the_attempt_and_drafts_nothing(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, name: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(EndpointClient, "_pause", lambda *_: None)
    to_do.samples.filter(key__startswith="new").exclude(key="new-0").delete()
    answer, state, reason = READ[name]
    with backing(answer) as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, names="mug")
    attempt = experiment.attempts.first()
    assert attempt is not None
    said = attempt.error + json.dumps((attempt.result or {}).get("unread", {}))
    assert (attempt.state, reason in said) == (state, True), said
    assert not Proposal.objects.exists()


def test_one_bad_region_does_not_take_the_others_and_low_scores_are_left_out(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, sizes: tuple[int, int]
) -> None:
    width, height = sizes
    regions = [
        region(score=0.1), region("ellipselabels"), region(score=0.5, label="plate", x=50, y=50),
        region("polygonlabels", score=None, points=[[10, 10], [20, 10], [15, 30]]),
        region(score=0.8, rotation=90, x=50, y=0, width=10, height=20),
    ]  # fmt: skip
    with backing(predicted(*regions)) as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, names="mug", threshold=0.3)
    content = Proposal.objects.filter(field="boxes")[0].content
    assert [(one["label"], one["score"]) for one in content] == [("mug", 0.8), ("mug", 0.7), ("plate", 0.5)]
    turned, polygon, plain = (one["box"] for one in content)
    assert turned == pytest.approx([0.5 * width - 0.2 * height, 0, 0.5 * width, 0.1 * width])
    assert polygon == pytest.approx([0.1 * width, 0.1 * height, 0.2 * width, 0.3 * height])
    assert plain == pytest.approx([0.5 * width, 0.5 * height, width, height])
    attempt = experiment.attempts.first()
    assert attempt is not None
    for words in ("ellipselabels", "polygon became its bounding box", "rotated rectangle became its bounding box"):
        assert words in attempt.result["unread"]["boxes"]


def test_choices_and_texts_are_drafts_of_the_answer_with_score_and_version_as_source(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    choices = '<Choices name="c" toName="i"><Choice value="two"/></Choices>'
    config = f'<View><Image name="i" value="$picture"/>{choices}</View>'
    regions = [
        {"type": "textarea", "score": 0.4, "value": {"text": ["three", "mugs"]}},
        {"type": "choices", "score": 0.85, "value": {"choices": ["two"]}},
    ]
    with backing(predicted(*regions)) as server:
        drafted(to_do, backend_at(endpoint_at, server), lea, fields=["answer"], label_config=config)
        assert list(server.predictions[0]["tasks"][0]["data"]) == ["picture"]
    one = Proposal.objects.filter(field="answer")[0]
    assert (one.content, one.source) == ("two", f"finder {VERSION}, score 0.85")


def test_a_sample_that_fails_is_listed_and_retried_and_the_others_have_their_drafts(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with backing(400, predicted(region())) as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, names="mug")
        failed = experiment.attempts.get(state="failed")
        assert failed.error_kind == "input_rejected"
        # Of samples in the control arm of a person, the page lists nothing.
        reseed(to_do, lea, Arm.SHOWN, failed.sample)
        assert Proposal.objects.on(to_do).by_field() == {"boxes": 11}
        page = signed_in(lea).get(f"/benchmarks/kitchen/experiments/{experiment.pk}/").content.decode()
        assert "input_rejected" in page
        assert retry_failed(actor=lea, experiment=experiment) == 1
        run_waiting()
        assert len(server.predictions) == 3, "the others are linked to the one that was answered"
    assert Proposal.objects.on(to_do).by_field() == {"boxes": 12}


def test_after_a_kill_no_image_is_asked_about_again(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    with backing() as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, names="mug")
        # As if the worker was killed between the response and the drafts.
        Proposal.objects.all().delete()
        Attempt.objects.update(state="queued", claim="", result=None, finished_at=None)
        Experiment.objects.update(state="paused")
        experiment.refresh_from_db()
        resume(actor=lea, experiment=experiment)
        run_waiting()
        assert len(server.predictions) == 1
    assert Proposal.objects.on(to_do).by_field() == {"boxes": 12}


def test_a_backend_that_is_down_pauses_the_drafting_before_any_image_is_sent(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with backing(up=False) as server:
        experiment = drafted(to_do, backend_at(endpoint_at, server), lea, names="mug")
        assert server.predictions == []
        assert (experiment.state, experiment.pause_reason) == ("paused", "endpoint")
        server.up = True
        resume(actor=lea, experiment=experiment)
        run_waiting()
    assert Proposal.objects.on(to_do).by_field() == {"boxes": 12}


def test_name_and_password_are_sent_as_basic_auth_and_are_in_no_log_export_or_page(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, settings: Any, caplog: Any
) -> None:
    settings.SEAL_KEY = "s" * 40
    caplog.set_level(logging.DEBUG)
    wanted = f"Basic {base64.b64encode(KEY.encode()).decode()}"
    echo = predicted(region(label=f"{KEY} {wanted}"), region(label="a-long-password"))
    with backing(echo, user=wanted) as server:
        endpoint = backend_at(endpoint_at, server, key=KEY)
        probe_endpoint(None, endpoint_id=endpoint.pk)  # type: ignore[arg-type]
        endpoint.refresh_from_db()
        assert endpoint.capabilities["authentication"]["value"] == "yes"
        assert endpoint.capabilities["served_model"] == VERSION
        experiment = drafted(to_do, endpoint, lea, names="mug")
    assert Proposal.objects.exists()
    client, attempt = signed_in(lea), experiment.attempts.get(sample=arms(to_do, lea, Arm.SHOWN)[0])
    base, api = "/benchmarks/kitchen", "/api/v1/benchmarks/kitchen"
    pages = (
        f"{base}/endpoints/", f"{base}/drafting/", f"{base}/experiments/{experiment.pk}/",
        f"{base}/experiments/{experiment.pk}/attempts/{attempt.pk}/", f"{api}/endpoints/", f"{api}/drafting/",
        f"{api}/experiments/{experiment.pk}/attempts/{attempt.pk}/exchanges/",
        f"{api}/experiments/{experiment.pk}/exchanges/",
    )  # fmt: skip
    said = [caplog.text, str(list(Proposal.objects.values())), str(list(Exchange.objects.values()))]
    said += [client.get(page).getvalue().decode() for page in pages]
    for text in said:
        assert "a-long-password" not in text
        assert wanted.removeprefix("Basic ").rstrip("=") not in text


def test_a_wrong_password_pauses_without_naming_it(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, settings: Any
) -> None:
    settings.SEAL_KEY = "s" * 40
    with backing(user="Basic other") as server:
        endpoint = backend_at(endpoint_at, server, key=KEY)
        probe_endpoint(None, endpoint_id=endpoint.pk)  # type: ignore[arg-type]
        endpoint.refresh_from_db()
        assert endpoint.capabilities["authentication"]["value"] == "no"
        experiment = drafted(to_do, endpoint, lea, names="mug")
    assert experiment.state == "paused"
    assert "a-long-password" not in experiment.pause_note


def test_bad_choices_for_a_backend_name_their_field(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9", preset="label-studio")
    bomb = '<!DOCTYPE x [<!ENTITY a "b">]><View><Image name="i" value="$image"/></View>'
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("fields_drafted", {"fields": ["question"], "names": "mug"}),
        ("names", {"names": ",".join(map(str, range(501)))}),
        ("label_config", {"label_config": "<View>"}), ("label_config", {"label_config": "<View/>"}),
        ("label_config", {"label_config": bomb}), ("threshold", {"threshold": 2.0, "names": "mug"}),
        ("images", {"images": "huge", "names": "mug"}),
    ]  # fmt: skip
    for field, choices in wrong:
        with pytest.raises(InvalidInput) as refused:
            create_drafts(actor=lea, benchmark=to_do, endpoint=endpoint, choices=DraftChoices(**choices))
        assert refused.value.field == field, choices
    with pytest.raises(InvalidInput, match="not public"):
        endpoint_at("http://192.168.7.7:9090", "inside", preset="label-studio")


def test_a_detector_drafts_boxes_with_labels_and_scores(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    seen = [
        {"label": "saw", "score": 0.4, "box": [100, 10, 150, 60]},
        {"label": "hammer", "score": 0.9, "box": [10, 10, 60, 50]},
        {"label": "saw", "score": 0.2, "box": [1, 1, 9, 9]}, {"label": "spoon", "score": "high", "box": [0, 0, 9, 9]},
    ]  # fmt: skip
    with serving(Answer(body=json.dumps({"detections": seen}).encode())) as server:
        endpoint = endpoint_at(server.url, preset="detector", model="owl")
        experiment = drafted(to_do, endpoint, lea, names="hammer, saw")
        [body] = server.seen.bodies()
    assert body["names"] == ["hammer", "saw"]
    assert experiment.attempts.filter(state="done").count() == 12
    one = Proposal.objects.filter(field="boxes")[0]
    assert one.source == "owl"
    assert one.content == [
        {"box": [10, 10, 60, 50], "label": "hammer", "score": 0.9},
        {"box": [100, 10, 150, 60], "label": "saw", "score": 0.4},
    ]  # fmt: skip
    sample = arms(to_do, ana, Arm.SHOWN)[0]
    page = signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert page.context["studio"]["drafts"][0]["content"] == one.content
    withheld = arms(to_do, ana, Arm.WITHHELD)
    assert (
        not withheld
        or "hammer"
        not in signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{withheld[0].key}/").content.decode()
    )


def test_a_detector_that_finds_nothing_did_not_fail(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(Answer(body=b'{"detections": []}')) as server:
        experiment = drafted(to_do, endpoint_at(server.url, preset="detector"), lea, names="hammer")
    assert set(experiment.attempts.values_list("state", flat=True)) == {"done"}
    assert not Proposal.objects.exists()
    result = experiment.attempts.values_list("result", flat=True)[0]
    assert result["unread"] == {"boxes": "The detector found no box with a score of at least 0.3."}


def test_a_lead_drafts_with_a_backend_on_the_page_and_over_the_api(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    client, url = signed_in(lea), "/benchmarks/kitchen/drafting/"
    with backing() as server:
        endpoint = backend_at(endpoint_at, server)
        set_control_share(actor=lea, benchmark=to_do, share=0.25)
        form = {
            "endpoint": endpoint.pk, "fields_drafted": ["boxes"], "sampling": "greedy",
            "budget_usd": "0", "budget_calls": "20", "names": "mug\nplate", "threshold": "0.5", "start": "yes",
        }  # fmt: skip
        refused = client.post(url, form | {"fields_drafted": ["question", "boxes"]})
        assert refused.status_code == 400
        assert "This endpoint drafts: boxes, answer." in refused.content.decode().replace(
            "answer, boxes", "boxes, answer"
        )
        assert client.post(url, form).status_code == 302
        run_waiting()
        experiment = Experiment.objects.get()
        page = client.get(f"/benchmarks/kitchen/experiments/{experiment.pk}/").content.decode()
        assert "Labeling configuration" in page
        body = {"endpoint": endpoint.name, "control_share": 0.25, "names": "mug", "start": "all"}
        sent = client.post("/api/v1/benchmarks/kitchen/drafting/", body, content_type="application/json")
        assert sent.status_code == 201, sent.content
        run_waiting()
    assert Proposal.objects.on(to_do).by_field() == {"boxes": 12}


def test_other_experiments_refuse_a_backend(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9", preset="label-studio")
    body = {"endpoint": endpoint.name, "protocol": "base"}
    sent = signed_in(lea).post("/api/v1/benchmarks/kitchen/experiments/", body, content_type="application/json")
    assert (sent.status_code, sent.json()["error"]["field"]) == (400, "endpoint")
