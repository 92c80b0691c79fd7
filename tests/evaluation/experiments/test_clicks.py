"""Shapes from a click: what is asked, what counts, who may ask, and what is kept."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotation.content.records import sample_records
from annotation.content.revisions import make_gold, revision_json
from annotation.drafting import Arm
from annotation.models import Benchmark, BenchmarkSchema, ClickedShape, Drafting, ImageReplacement, Proposal, Sample
from annotation.queue import editor
from annotation.task_schema import Shape
from evaluation.endpoints.client import Client as EndpointClient
from evaluation.experiments.read import image_links
from evaluation.experiments.write import clicks
from evaluation.experiments.write.clicks import ClickChoices, set_click
from evaluation.models import Endpoint
from tests.annotation.work_data import another_size, content
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving
from tests.evaluation.experiments.drafting_data import arms
from tests.evaluation.experiments.ml_backend_server import VERSION, Backend, backing, predicted, region
from tests.unit.test_ml_backend_read import packed
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
SMALL = region(score=0.8, label="cup", width=20, height=20)
LARGE = region(score=0.6)
ELSEWHERE = region(score=0.99, label="plate", x=60, y=60, width=20, height=20)
TRIANGLE = region("polygonlabels", score=0.9, label="cup", points=[[0, 0], [40, 0], [0, 40]])


def set_up(benchmark: Benchmark, endpoint: Endpoint, lea: User, **choices: Any) -> None:
    given = ClickChoices(**{"control_share": 0.5, "names": "cup", **choices})
    set_click(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=given)


def point_of(sample: Sample, x: float, y: float) -> dict[str, float]:
    """A point at these percents of the image."""
    assert sample.width
    assert sample.height
    return {"x": sample.width * x / 100, "y": sample.height * y / 100}


def click(person: User, sample: Sample, x: float = 10, y: float = 10) -> Any:
    address = f"/benchmarks/kitchen/annotate/click/{sample.key}/"
    return signed_in(person).post(address, point_of(sample, x, y), content_type="application/json")


def click_by_api(person: User, sample: Sample, **given: Any) -> Any:
    address = f"/api/v1/benchmarks/kitchen/clicks/{sample.key}/"
    return signed_in(person).post(address, given or point_of(sample, 10, 10), content_type="application/json")


def page(person: User, sample: Sample) -> Any:
    return signed_in(person).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/")


def allow(benchmark: Benchmark, *shapes: Shape, categories: Sequence[str] = ()) -> None:
    """Let the task have these shapes, and these values of the facet category."""
    content: dict[str, Any] = {"evidence": {"shapes": [one.value for one in shapes]}}
    if categories:
        values = [{"value": one} for one in categories]
        content["facets"] = [{"name": "category", "kind": "single", "closed": True, "values": values}]
    BenchmarkSchema.objects.create(
        benchmark=benchmark, number=9, state="active", activated_at=timezone.now(), content=content
    )


@pytest.fixture
def asking(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> Callable[..., Any]:
    """Lets Ana ask an ML backend that answers so; returns the backend's context."""

    def begin(server: Backend, **choices: Any) -> Endpoint:
        endpoint = endpoint_at(server.url, preset="label-studio", model="finder")
        set_up(to_do, endpoint, lea, **choices)
        return endpoint

    return begin


def test_a_click_sends_the_point_and_gives_the_best_shape_that_contains_it(
    to_do: Benchmark, asking: Any, ana: User
) -> None:
    with backing(predicted(LARGE, ELSEWHERE, SMALL)) as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        said = click(ana, sample, 12.5, 10)
    assert said.status_code == 200, said.content
    assert server.paths == ["GET /health", "POST /setup", "POST /predict"]
    [body] = server.predictions
    [point] = body["params"]["context"]["result"]
    assert (point["type"], point["is_positive"], point["image_rotation"]) == ("keypointlabels", True, 0)
    assert (point["value"]["x"], point["value"]["y"]) == pytest.approx((12.5, 10))
    assert point["value"]["keypointlabels"] == ["cup"]
    assert f'<KeyPointLabels name="{point["from_name"]}" toName="{point["to_name"]}">' in body["label_config"]
    assert "How many shapes?" not in json.dumps(body)
    width, height = sample.width or 0, sample.height or 0
    one = ClickedShape.objects.get()
    assert said.json() == {
        "id": one.pk, "box": pytest.approx([0, 0, width / 5, height / 5]), "points": None, "label": "cup",
        "score": 0.8, "source": f"finder {VERSION}",
    }  # fmt: skip
    assert (one.person, one.sample, one.decision, one.source) == (ana, sample, "left", f"finder {VERSION}")
    assert (one.x, one.y) == pytest.approx((width / 8, height / 10))
    assert AuditEntry.objects.get(action="shape.propose").actor == ana
    assert not Proposal.objects.exists(), "other people are not shown it"


def test_a_shape_that_does_not_contain_the_point_is_none(to_do: Benchmark, asking: Any, ana: User) -> None:
    with backing(predicted(ELSEWHERE)) as server:
        asking(server)
        said = click(ana, arms(to_do, ana, Arm.SHOWN)[0])
    assert (said.status_code, said.json()["error"]["code"]) == (409, "no_shape")
    assert not ClickedShape.objects.exists()


@pytest.mark.parametrize(
    ("shapes", "wanted"),
    [((Shape.BOX,), "box"), ((Shape.BOX, Shape.POLYGON), "polygon"), ((Shape.POLYGON,), "polygon")],
)
def test_a_polygon_is_one_where_the_task_allows_it(
    to_do: Benchmark, asking: Any, ana: User, shapes: tuple[Shape, ...], wanted: str
) -> None:
    allow(to_do, *shapes)
    with backing(predicted(TRIANGLE)) as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        said = click(ana, sample)
        outside = click(ana, sample, 35, 35)
    assert said.status_code == 200, said.content
    assert (said.json()["points"] is not None) == (wanted == "polygon")
    if wanted == "polygon":
        width, height = sample.width or 0, sample.height or 0
        assert said.json()["points"][1] == pytest.approx([0.4 * width, 0])
        assert said.json()["box"] == pytest.approx([0, 0, 0.4 * width, 0.4 * height])
        assert outside.status_code == 409, "in its bounding box, and not in the polygon"


def test_a_mask_is_the_polygon_of_the_area_that_was_clicked(to_do: Benchmark, asking: Any, ana: User) -> None:
    allow(to_do, Shape.BOX, Shape.POLYGON)
    with backing(predicted(painted((slice(0, 12), slice(0, 10)), (slice(15, 30), slice(20, 40))))) as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        first, second, none = click(ana, sample), click(ana, sample, 75, 75), click(ana, sample, 75, 25)
    width, height = sample.width or 0, sample.height or 0
    assert first.json()["box"] == pytest.approx([0, 0, width / 4, height * 0.4], abs=0.01)
    assert len(first.json()["points"]) == 4
    assert second.json()["box"] == pytest.approx([width / 2, height / 2, width, height], abs=0.01)
    assert none.json()["error"]["code"] == "no_shape"


def test_a_mask_is_a_box_where_the_task_allows_no_polygons(to_do: Benchmark, asking: Any, ana: User) -> None:
    with backing(predicted(painted((slice(0, 12), slice(0, 10))))) as server:
        asking(server)
        said = click(ana, arms(to_do, ana, Arm.SHOWN)[0])
    assert said.json()["points"] is None


def painted(*areas: tuple[slice, slice]) -> dict[str, Any]:
    mask = np.zeros((30, 40), np.uint8)
    for rows, columns in areas:
        mask[rows, columns] = 255
    size = {"original_width": 40, "original_height": 30}
    return region("brushlabels", label="cup", format="rle", rle=packed(mask)) | size


def test_boxes_are_left_out_where_the_task_allows_polygons_alone(to_do: Benchmark, asking: Any, ana: User) -> None:
    allow(to_do, Shape.POLYGON)
    with backing(predicted(SMALL)) as server:
        asking(server)
        assert click(ana, arms(to_do, ana, Arm.SHOWN)[0]).status_code == 409


def test_the_control_arm_has_no_clicks_and_asks_nothing(to_do: Benchmark, asking: Any, ana: User) -> None:
    with backing() as server:
        asking(server)
        shown, withheld = arms(to_do, ana, Arm.SHOWN)[0], arms(to_do, ana, Arm.WITHHELD)[0]
        assert 'data-tool="click"' in page(ana, shown).content.decode()
        hidden = page(ana, withheld)
        assert hidden.context["studio"]["click"] is None
        assert "data-click" not in hidden.content.decode()
        assert not any(one["name"] == "click" for one in hidden.context["studio"]["keys"])
        said = click(ana, withheld)
    assert (said.status_code, said.json()["error"]["code"]) == (409, "no_model")
    assert server.seen == []


def test_the_request_is_sent_outside_of_transactions(
    to_do: Benchmark, asking: Any, ana: User, monkeypatch: Any
) -> None:
    depths: list[int] = []
    complete = EndpointClient.complete

    def spied(self: Any, *args: Any, **options: Any) -> Any:
        depths.append(len(connection.atomic_blocks))
        return complete(self, *args, **options)

    monkeypatch.setattr(EndpointClient, "complete", spied)
    with backing() as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        outside = len(connection.atomic_blocks)
        assert click(ana, sample).status_code == 200
    assert depths == [outside]


def test_a_silent_model_is_left_in_time(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, monkeypatch: Any
) -> None:
    monkeypatch.setattr(clicks, "SECONDS", 0.5)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        endpoint = endpoint_at(f"http://127.0.0.1:{silent.getsockname()[1]}", preset="label-studio")
        set_up(to_do, endpoint, lea)
        said = click(ana, arms(to_do, ana, Arm.SHOWN)[0])
    assert (said.status_code, said.json()["error"]["code"]) == (503, "unavailable")
    assert "0.5 s" in said.json()["error"]["message"]
    assert clicks._SLOTS.acquire(blocking=False), "its place is free again"
    clicks._SLOTS.release()


@pytest.mark.parametrize("answer", [500, 429, "<html>", {"results": "none"}])
def test_a_model_that_fails_is_asked_once(to_do: Benchmark, asking: Any, ana: User, answer: Any) -> None:
    with backing(answer) as server:
        asking(server)
        said = click(ana, arms(to_do, ana, Arm.SHOWN)[0])
    assert said.status_code == 503
    assert "127.0.0.1" not in said.content.decode(), "annotators do not learn the address"
    assert len(server.predictions) == 1


def test_two_are_asked_for_at_once_and_a_third_is_told_to_wait(to_do: Benchmark, asking: Any, ana: User) -> None:
    with backing() as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        with clicks._slot(), clicks._slot():
            said = click(ana, sample)
        assert said.status_code == 429
        assert "Try again" in said.json()["error"]["message"]
        assert server.seen == []
        assert click(ana, sample).status_code == 200


def test_a_detector_gives_the_box_that_contains_the_point(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    seen = [
        {"label": "saw", "score": 0.9, "box": [100, 100, 150, 160]},
        {"label": "saw", "score": 0.5, "box": [1, 1, 40, 40]},
        {"label": "hammer", "score": 0.5, "box": [1, 1, 20, 20]},
    ]
    with serving(Answer(body=json.dumps({"detections": seen}).encode())) as server:
        set_up(to_do, endpoint_at(server.url, preset="detector", model="owl"), lea, names="saw, hammer")
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        address = f"/benchmarks/kitchen/annotate/click/{sample.key}/"
        said = signed_in(ana).post(address, {"x": 5, "y": 5}, content_type="application/json")
        [body] = server.seen.bodies()
    assert body["names"] == ["saw", "hammer"]
    assert (said.json()["label"], said.json()["box"]) == ("hammer", [1, 1, 20, 20]), "the smaller of equal scores"


def test_a_submission_notes_what_was_decided_on_own_shapes_alone(
    to_do: Benchmark, asking: Any, ana: User, rui: User, lea: User
) -> None:
    with backing() as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        first, second = (click(ana, sample).json()["id"] for _ in range(2))
    other = ClickedShape.objects.get(pk=first)
    other.pk, other.person = None, rui
    other.save()
    box = {"box": [10, 10, 60, 50], "label": "cup", "source": f"finder {VERSION}"}
    decisions = {str(first): "dismissed", str(second): "accepted", str(other.pk): "accepted"}
    body = {"version": 0, "content": content(gold_boxes=[box]), "decisions": {}, "clicks": decisions, "seconds": 3}
    address = f"/benchmarks/kitchen/annotate/submit/{sample.key}/"
    bad = signed_in(ana).post(address, body | {"clicks": {"x": "accepted"}}, content_type="application/json")
    assert bad.status_code == 400
    sent = signed_in(ana).post(address, body, content_type="application/json")
    assert sent.status_code == 200, sent.content
    assert dict(ClickedShape.objects.values_list("pk", "decision")) == {
        first: "dismissed",
        second: "accepted",
        other.pk: "left",
    }
    assert sample.annotations.get(author=ana).revisions.get().gold_boxes.get().source == f"finder {VERSION}"
    shown = signed_in(lea).get("/benchmarks/kitchen/drafting/")
    row = shown.context["clicks"]
    assert (row.proposed, row.accepted, row.dismissed, row.left) == (2, 1, 1, 0)


def test_an_accepted_polygon_names_its_model_like_a_box(to_do: Benchmark, ana: User, lea: User, rui: User) -> None:
    allow(to_do, Shape.BOX, Shape.POLYGON)
    sample = to_do.samples.filter(state="to_do").earliest("pk")
    box = {"box": [10, 10, 60, 50], "label": "cup", "source": "finder 1"}
    polygon = {"kind": "polygon", "points": [[0, 0], [40, 0], [0, 40]], "label": "cup", "source": "finder 2"}
    body = {"version": 0, "content": content(gold_boxes=[box, polygon])}
    sent = signed_in(ana).post(
        f"/benchmarks/kitchen/annotate/submit/{sample.key}/", body, content_type="application/json"
    )
    assert sent.status_code == 200, sent.content
    revision = sample.annotations.get(author=ana).revisions.get()
    assert revision.gold_shapes.get().source == "finder 2"
    assert [one["source"] for one in revision_json(revision)["gold_boxes"]] == ["finder 1", "finder 2"]
    make_gold(revision)
    Benchmark.objects.filter(pk=to_do.pk).update(public=True)
    for client, shown in ((signed_in(lea), True), (Client(), False)):
        said = client.get(f"/benchmarks/kitchen/samples/{sample.key}/")
        assert [one.source for one in said.context["boxes"]] == (["finder 1", "finder 2"] if shown else ["", ""])
        assert ("finder 2" in said.content.decode()) is shown, "members see it, and visitors do not"
    [record] = [one for one in sample_records(to_do) if one.id == sample.key]
    assert record.extra["box_sources"] == ["finder 1", "finder 2"], "in exports"


def test_an_accepted_polygon_without_a_source_says_that_it_is_not_recorded(
    to_do: Benchmark, ana: User, lea: User, rui: User
) -> None:
    allow(to_do, Shape.BOX, Shape.POLYGON)
    sample = to_do.samples.filter(state="to_do").earliest("pk")
    points = [[0, 0], [40, 0], [0, 40]]
    drafting = Drafting.objects.create(benchmark=to_do, seed="0" * 32)
    about: dict[str, Any] = {
        "drafting": drafting,
        "sample": sample,
        "person": ana,
        "x": 5,
        "y": 5,
        "source": "finder 1",
    }
    elsewhere = {"box": [60, 60, 90, 90], "points": [[60, 60], [90, 60], [60, 90]]}
    ClickedShape.objects.create(**about, shape={"box": [0, 0, 40, 40], "points": points}, decision="accepted")
    ClickedShape.objects.create(**about, shape=elsewhere, decision="dismissed")
    boxes = [
        {"box": [10, 10, 60, 50], "label": ""},
        {"kind": "polygon", "points": [[0, 0], [38, 1], [0, 40]], "label": ""},
        {"kind": "polygon", "points": elsewhere["points"], "label": ""},
    ]
    address = f"/benchmarks/kitchen/annotate/submit/{sample.key}/"
    body = {"version": 0, "content": content(gold_boxes=boxes)}
    assert signed_in(ana).post(address, body, content_type="application/json").status_code == 200
    revision = sample.annotations.get(author=ana).revisions.get()
    make_gold(revision)
    Benchmark.objects.filter(pk=to_do.pk).update(public=True)
    page, api = f"/benchmarks/kitchen/samples/{sample.key}/", f"/api/v1/benchmarks/kitchen/samples/{sample.key}/"
    for client, shown in ((signed_in(lea), True), (Client(), False)):
        said = client.get(page)
        assert [one.unrecorded for one in said.context["boxes"]] == [False, shown, False]
        assert ("source not recorded" in said.content.decode()) is shown
    assert signed_in(lea).get(api).json()["sources_not_recorded"] == [1]
    ClickedShape.objects.update(decision="left")
    assert "sources_not_recorded" not in signed_in(lea).get(api).json(), "drawn by Ana"


def test_a_point_outside_or_none_is_refused(to_do: Benchmark, asking: Any, ana: User) -> None:
    with backing() as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        assert click(ana, sample, 101, 1).status_code == 400
        address = f"/benchmarks/kitchen/annotate/click/{sample.key}/"
        assert signed_in(ana).post(address, {"x": 1}, content_type="application/json").status_code == 400
    assert server.seen == []


def test_the_backend_fetches_the_image_by_an_address_that_expires(
    to_do: Benchmark, asking: Any, ana: User, settings: Any, monkeypatch: Any
) -> None:
    settings.SITE_URL = "https://sightline.example.org"
    with backing() as server:
        asking(server)
        click(ana, arms(to_do, ana, Arm.SHOWN)[0])
    address = server.predictions[0]["tasks"][0]["data"]["image"]
    path, stranger = urlsplit(address).path, Client()
    found = stranger.get(path)
    assert (found.status_code, found["Cache-Control"]) == (200, "private, no-store")
    assert found.content
    assert stranger.get(path.replace("/clicks/", "/clicks/x")).status_code == 404
    assert stranger.get(path.replace("/clicks/", "/images/")).status_code == 404, "a key of one kind opens no other"
    monkeypatch.setattr(image_links, "CLICK_SECONDS", -1)
    assert stranger.get(path).status_code == 404


def test_a_lead_chooses_the_model_and_turns_it_off(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    chat = endpoint_at("http://127.0.0.1:9/v1", "chat")
    finder = endpoint_at("http://127.0.0.1:9", "finder", preset="label-studio")
    client, url = signed_in(lea), "/benchmarks/kitchen/drafting/click/"
    form = {"click-endpoint": finder.pk, "click-names": "cup", "click-threshold": "0.4"}
    assert client.post(url, form | {"click-endpoint": chat.pk}).status_code == 400
    assert client.post(url, form | {"click-label_config": "<View>"}).status_code == 400
    assert not Drafting.objects.exists()
    assert client.post(url, form).status_code == 302
    drafting = Drafting.objects.get()
    assert (drafting.click["endpoint"], drafting.click["recipe"]["threshold"]) == ("finder", 0.4)
    shown = client.get("/benchmarks/kitchen/drafting/").context["click"]
    assert (shown["endpoint"].value(), shown["names"].value(), shown["threshold"].value()) == (finder.pk, "cup", 0.4)
    finder.delete()
    sample = arms(to_do, ana, Arm.SHOWN)[0]
    assert click(ana, sample).json()["error"]["code"] == "no_model"
    assert client.post(url, {"click-endpoint": ""}).status_code == 302
    assert Drafting.objects.get().click is None
    assert page(ana, sample).context["studio"]["click"] is None
    with pytest.raises(NotAllowed):
        set_click(actor=ana, benchmark=to_do, endpoint=chat, choices=ClickChoices())
    with pytest.raises(InvalidInput):
        set_click(actor=lea, benchmark=to_do, endpoint=chat, choices=ClickChoices())


def test_no_image_leaves_the_server_without_consent(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    far = endpoint_at("https://finder.example.org", preset="label-studio")
    Benchmark.objects.update(remote_allowed=False)
    to_do.refresh_from_db()
    with pytest.raises(Conflict):
        set_up(to_do, far, lea)


def test_the_api_asks_as_the_page_does(to_do: Benchmark, asking: Any, ana: User) -> None:
    allow(to_do, Shape.BOX, Shape.POLYGON)
    with backing(predicted(LARGE, SMALL), predicted(TRIANGLE), predicted(ELSEWHERE)) as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        box, polygon, none = (click_by_api(ana, sample) for _ in range(3))
    width, height = sample.width or 0, sample.height or 0
    first = ClickedShape.objects.earliest("pk")
    assert box.json() == {
        "id": first.pk, "box": pytest.approx([0, 0, width / 5, height / 5]), "points": None, "label": "cup",
        "score": 0.8, "source": f"finder {VERSION}",
    }  # fmt: skip
    assert (first.person, first.sample, first.x) == (ana, sample, pytest.approx(width / 10))
    assert polygon.json()["points"][1] == pytest.approx([0.4 * width, 0])
    assert (none.status_code, none.json()["error"]["code"]) == (409, "no_shape")
    assert AuditEntry.objects.filter(action="shape.propose", actor=ana).count() == 2


def test_a_click_on_an_image_that_was_replaced_is_refused(to_do: Benchmark, asking: Any, ana: User, lea: User) -> None:
    with backing() as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        another_size(sample, (sample.width or 0, sample.height or 0), lea, old=(90, 90))
        point, old = point_of(sample, 10, 10), ImageReplacement.objects.get().image.sha256
        address = f"/benchmarks/kitchen/annotate/click/{sample.key}/"
        by_page = signed_in(ana).post(address, point | {"image": old}, content_type="application/json")
        for answer in (by_page, click_by_api(ana, sample, **point, image_sha256=old)):
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "image_replaced")
    assert server.predictions == []
    assert not ClickedShape.objects.exists()


def test_the_api_has_no_clicks_where_the_page_has_none(
    to_do: Benchmark, asking: Any, ana: User, sam: User, monkeypatch: Any
) -> None:
    with backing() as server:
        asking(server)
        shown, withheld = arms(to_do, ana, Arm.SHOWN)[0], arms(to_do, ana, Arm.WITHHELD)[0]
        hidden = click_by_api(ana, withheld)
        assert click_by_api(sam, shown).status_code == 404
        monkeypatch.setattr(editor, "fixed_question", lambda *given: "What is it?")
        monkeypatch.setattr(editor, "with_fixed", lambda content, fixed: content)
        fixed = click_by_api(ana, shown)
        monkeypatch.setattr("evaluation.experiments.read.clicks.require_handed", refuse)
        other = click_by_api(ana, shown)
    for said in (hidden, fixed):
        assert (said.status_code, said.json()["error"]["code"]) == (409, "no_model")
    assert other.status_code == 403, "not assigned to a person who gets gold checks"
    assert server.seen == []
    assert not ClickedShape.objects.exists()


def refuse(*given: Any) -> None:
    raise NotAllowed("It is not assigned to you.")


def test_the_api_has_the_limits_of_the_page(to_do: Benchmark, asking: Any, ana: User) -> None:
    with backing(500) as server:
        asking(server)
        sample = arms(to_do, ana, Arm.SHOWN)[0]
        with clicks._slot(), clicks._slot():
            third = click_by_api(ana, sample)
        assert (third.status_code, third["Retry-After"]) == (429, "5")
        refused = [click_by_api(ana, sample, **given) for given in ({"x": 1}, {"x": "1", "y": 1}, {"x": 10**6, "y": 0})]
        assert [said.status_code for said in refused] == [400] * 3
        assert server.seen == []
        failed = click_by_api(ana, sample)
    assert (failed.status_code, failed.json()["error"]["code"]) == (503, "unavailable")
    assert len(server.predictions) == 1, "no request is repeated"
