"""Models that draft samples to do: what is sent and kept, and that no draft reaches the control arm."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.proposals import offer_to
from annotation.drafting import CONTROL_SHARE, Arm, arm_of
from annotation.models import (
    Annotation,
    Benchmark,
    Drafting,
    Gold,
    GoldBox,
    GoldCheck,
    Image,
    Proposal,
    ProposalUse,
    QualityRules,
    Revision,
    Sample,
)
from annotation.queue.assignment import next_to_annotate
from annotation.workflow import Role
from evaluation.experiments.read.anchoring import _with_gold
from evaluation.experiments.write.drafts import DraftChoices, create_drafts, show_drafts
from evaluation.experiments.write.states import start_all
from evaluation.models import Endpoint, Experiment, Trajectory
from evaluation.runner.templates import load_prompt
from evaluation.stand_in.recorded import Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving
from tests.evaluation.experiments.drafting_data import DRAFT, SECRET, answering, arms, drafted
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]


def test_each_image_is_asked_once_without_anything_that_people_wrote(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(answering()) as server:
        experiment = drafted(to_do, endpoint_at(server.url), lea)
        [(path, _, body)] = server.seen.requests
    assert path.endswith("/chat/completions")
    assert "How many shapes?" not in body.decode(), "the question of a sample with gold"
    assert (experiment.state, experiment.kind) == ("done", "draft")
    assert experiment.attempts.filter(state="done").count() == 12, "samples with gold are not drafted"
    assert Proposal.objects.on(to_do).by_field() == dict.fromkeys(("question", "options", "answer", "boxes"), 12)
    one = Proposal.objects.filter(field="boxes").first()
    assert one is not None
    assert (one.content, one.source) == ([{"box": [10, 10, 60, 50]}], "m-1")
    assert one.prompt_digest == load_prompt("draft").digest
    assert not Trajectory.objects.exists(), "drafts are no run"


def test_a_malformed_response_is_a_failure_that_says_so_and_loses_no_sample(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(answering("The image shows zebras.")) as server:
        experiment = drafted(to_do, endpoint_at(server.url), lea)
    assert set(experiment.attempts.values_list("state", "error_kind")) == {("failed", "malformed")}
    assert experiment.attempts.count() == 12
    assert not Proposal.objects.exists()
    page = signed_in(lea).get(f"/benchmarks/kitchen/experiments/{experiment.pk}/").content.decode()
    assert "malformed" in page
    with serving(answering(DRAFT | {"boxes": "none"})) as server:
        endpoint = endpoint_at(server.url, "other", model="m-2")
        second = drafted(to_do, endpoint, lea)
    assert set(second.attempts.values_list("state", flat=True)) == {"done"}
    assert set(Proposal.objects.on(to_do).by_field()) == {"question", "options", "answer"}
    result = second.attempts.values_list("result", flat=True)[0]
    assert "list of 1 to 20 boxes" in result["unread"]["boxes"]


def test_the_first_draft_stays_and_the_control_share_too(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(answering()) as server:
        drafted(to_do, endpoint_at(server.url), lea, fields=["question"])
    with serving(answering(DRAFT | {"question": "Another?"})) as server:
        endpoint = endpoint_at(server.url, "other", model="m-2")
        drafted(to_do, endpoint, lea)
        with pytest.raises(Conflict, match="stays"):
            drafted(to_do, endpoint, lea, control_share=0.3)
    assert set(Proposal.objects.filter(field="question").values_list("source", flat=True)) == {"m-1"}
    assert set(Proposal.objects.filter(field="boxes").values_list("source", flat=True)) == {"m-2"}


def test_bad_choices_name_their_field_and_only_a_lead_drafts(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1")
    wrong: dict[str, Any] = {
        "fields": ["color"], "samples": "id=new-1", "control_share": 0.9, "images": "huge", "sampling": "hot",
        "prompt": "user@1",
    }  # fmt: skip
    for field, value in wrong.items():
        with pytest.raises(InvalidInput) as refused:
            create_drafts(actor=lea, benchmark=to_do, endpoint=endpoint, choices=DraftChoices(**{field: value}))
        assert refused.value.field == {"fields": "fields_drafted"}.get(field, field)
    with pytest.raises(NotAllowed):
        create_drafts(actor=ana, benchmark=to_do, endpoint=endpoint, choices=DraftChoices())
    assert not Drafting.objects.exists()


def responses(client: Client, sample: Sample, experiment: Experiment) -> str:
    """Everything that a person who works on a sample, or manages it, can ask about it."""
    base, api = "/benchmarks/kitchen", "/api/v1/benchmarks/kitchen"
    attempt = experiment.attempts.get(sample=sample)
    addresses = [
        f"{base}/annotate/samples/{sample.key}/", f"{base}/annotate/", f"{base}/samples/{sample.key}/",
        f"{base}/samples/",
        f"{base}/experiments/{experiment.pk}/", f"{base}/experiments/{experiment.pk}/attempts/{attempt.pk}/",
        f"{api}/samples/{sample.key}/", f"{api}/samples/{sample.key}/questions/",
        f"{api}/experiments/{experiment.pk}/attempts/{attempt.pk}/exchanges/",
    ]  # fmt: skip
    said = []
    for address in addresses:
        found = client.get(address)
        said.append(found.getvalue().decode())
    ahead = client.post(f"{base}/annotate/ahead/{sample.key}/", content_type="application/json")
    return "\n".join([*said, ahead.content.decode()])


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.RESEARCHER, Role.LEAD])
def test_no_response_in_the_control_arm_contains_a_draft(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, role: Role
) -> None:
    add_member(actor=None, benchmark=to_do, user=ana, role=role)
    with serving(answering()) as server:
        experiment = drafted(to_do, endpoint_at(server.url), lea, control_share=0.5)
    client, seen = signed_in(ana), {}
    for arm in Arm:
        sample = arms(to_do, ana, arm)[0]
        seen[arm] = responses(client, sample, experiment)
    assert SECRET in seen[Arm.SHOWN]
    assert "zebra" not in seen[Arm.WITHHELD]
    assert "eleven" not in seen[Arm.WITHHELD]


def studio(client: Client, sample: Sample) -> str:
    """The page of a sample without what differs between any two."""
    text = client.get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()
    return text.replace(sample.key, "KEY")


def test_a_gold_check_has_drafts_like_a_sample_to_do(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    gold = to_do.samples.get(key="one")
    to_do.public = False
    to_do.save()
    GoldCheck.objects.create(sample=gold, active=True, added_by=lea)
    QualityRules.objects.create(benchmark=to_do, check_first=1, check_share=0.0)
    with serving(answering()) as server:
        experiment = drafted(to_do, endpoint_at(server.url), lea)
    assert experiment.attempts.filter(sample=gold).exists()
    assert not experiment.attempts.filter(sample__key="two").exists()
    assert next_to_annotate(actor=ana, benchmark=to_do) == gold
    arm = arm_of(Drafting.objects.get().seed, ana.pk, gold.pk, CONTROL_SHARE)
    assert (SECRET in studio(signed_in(ana), gold)) == (arm is Arm.SHOWN)


def test_a_submission_is_compared_with_the_drafts_in_both_arms(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    with serving(answering()) as server:
        drafted(to_do, endpoint_at(server.url), lea, control_share=0.5)
    client = signed_in(ana)
    content = {
        "question": SECRET, "answer_type": "mc", "options": {"A": "five", "B": "seven"}, "answer": ["B"],
        "gold_boxes": [{"box": [10, 10, 60, 30], "label": ""}],
    }  # fmt: skip
    for arm in Arm:
        sample = arms(to_do, ana, arm)[0]
        body = {
            "version": 0, "content": content, "seconds": 12.5,
            "decisions": {"question": "accepted", "boxes": "dismissed"},
        }  # fmt: skip
        url = f"/benchmarks/kitchen/annotate/submit/{sample.key}/"
        assert client.post(url, body, content_type="application/json").status_code == 200
        assert (
            client.post(url, body | {"decisions": {"question": "eaten"}}, content_type="application/json").status_code
            == 400
        )
    uses = {(one.arm, one.proposal.field): one for one in ProposalUse.objects.select_related("proposal", "annotation")}
    assert len(uses) == 8
    assert {name: uses["shown", name].decision for name in ("question", "options", "answer", "boxes")} == {
        "question": "accepted", "options": "left", "answer": "left", "boxes": "dismissed",
    }  # fmt: skip
    assert {one.decision for (arm, _), one in uses.items() if arm == "withheld"} == {""}
    for arm in Arm:
        assert uses[arm, "boxes"].distance == pytest.approx(0.5)
        assert uses[arm, "question"].distance == 0.0
        assert uses[arm, "answer"].distance == 1.0
        assert uses[arm, "boxes"].seconds == 12.5


def test_who_began_before_the_draft_came_is_in_no_arm(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    sample = to_do.samples.get(key="new-0")
    with serving(answering()) as server:
        experiment = create_drafts(
            actor=lea, benchmark=to_do, endpoint=endpoint_at(server.url), choices=DraftChoices(control_share=0.05)
        )
        url = f"/benchmarks/kitchen/annotate/draft/{sample.key}/"
        sent = signed_in(ana).put(
            url, {"version": 0, "content": {"question": "Mine?"}}, content_type="application/json"
        )
        assert sent.status_code == 200
        # Their own annotation exists, so the sample is not to do any more; its draft was under way.
        Sample.objects.filter(pk=sample.pk).update(state="to_do")
        start_all(actor=lea, experiment=experiment)
        run_waiting()
    assert Proposal.objects.filter(sample=sample).exists()
    assert SECRET not in studio(signed_in(ana), sample)
    assert Annotation.objects.get(sample=sample).proposal_uses.count() == 0


def used(benchmark: Benchmark, ana: User, images: int) -> None:
    """Submissions on drafted samples of as many images: half of each arm, and closer to the drafts in the shown one."""
    drafting = Drafting.objects.create(benchmark=benchmark, seed="a" * 32)
    for number in range(images):
        image = Image.objects.create(sha256=f"{number:064x}", width=9, height=9, format="PNG", bytes=1)
        sample = Sample.objects.create(benchmark=benchmark, key=f"used-{number}", image=image, width=9, height=9)
        proposal = Proposal.objects.create(
            drafting=drafting, sample=sample, field="boxes", content=[{"box": [1, 1, 5, 5]}], source="m-1",
            prompt_digest="d" * 64,
        )  # fmt: skip
        arm = Arm.WITHHELD if number % 2 else Arm.SHOWN
        annotation = Annotation.objects.create(sample=sample, author=ana, state="submitted")
        distance = 0.5 + 0.2 * (number % 2) + number % 7 / 100
        ProposalUse.objects.create(
            annotation=annotation, proposal=proposal, arm=arm.value, distance=distance,
            seconds=30.0 + number, decision="" if number % 2 else "left",
        )  # fmt: skip


def test_the_page_and_the_api_state_anchoring_with_an_interval(
    to_do: Benchmark, lea: User, ana: User, django_assert_max_num_queries: Any
) -> None:
    used(to_do, ana, 40)
    client = signed_in(lea)
    page = client.get("/benchmarks/kitchen/drafting/").content.decode()
    assert "Boxes: IoU with the draft" in page
    assert "…" in page
    assert "undefined" not in page
    said = client.get("/api/v1/benchmarks/kitchen/drafting/").json()
    boxes = next(one for one in said["measures"] if one["measure"] == "boxes")
    assert boxes["low"] < 0.2 < boxes["high"]
    assert (boxes["shown_n"], boxes["withheld_n"], boxes["undefined"]) == (20, 20, "")
    assert said["decisions"] == {"boxes": {"left": 20}}
    assert "a" * 32 not in page + json.dumps(said), "the seed"
    with django_assert_max_num_queries(40):
        client.get("/benchmarks/kitchen/drafting/")


def test_with_few_images_anchoring_is_undefined_and_says_why(to_do: Benchmark, lea: User, ana: User) -> None:
    client = signed_in(lea)
    assert "Anchoring" not in client.get("/benchmarks/kitchen/drafting/").content.decode()
    used(to_do, ana, 12)
    page = client.get("/benchmarks/kitchen/drafting/").content.decode()
    assert "undefined: 6 images with drafts, 10 needed" in page
    said = client.get("/api/v1/benchmarks/kitchen/drafting/").json()
    assert [one["difference"] for one in said["measures"]] == [None, None]
    assert said["measures"][0]["undefined"] == "few-shown"


def test_a_draft_follows_the_image_of_its_sample(to_do: Benchmark, lea: User, ana: User) -> None:
    """Boxes that were drafted on an image of another shape are not offered; the other fields are."""
    drafting = Drafting.objects.create(benchmark=to_do, seed="a" * 32)
    sample = to_do.samples.get(key="new-1")
    size = (sample.width, sample.height)
    about = {"drafting": drafting, "sample": sample, "source": "m-1", "prompt_digest": "d" * 64}
    Proposal.objects.create(field="boxes", content=[{"box": [1, 1, 5, 5], "label": "mug"}], **about)
    Proposal.objects.create(field="question", content="Which mug?", **about)
    another_size(sample, (2 * size[0], 2 * size[1]), lea)
    sample.refresh_from_db()
    offer = offer_to(ana, sample, None)
    assert offer is not None
    assert [one.content for one in offer.proposals if one.field == "question"] == ["Which mug?"]
    assert [one.content for one in offer.proposals if one.field == "boxes"] == [
        [{"box": [2, 2, 10, 10], "label": "mug"}]
    ]
    another_size(sample, (size[1] + 7, size[0]), lea)
    sample.refresh_from_db()
    offer = offer_to(ana, sample, None)
    assert offer is not None
    assert [one.field for one in offer.proposals] == ["question"]


@pytest.mark.parametrize(("new", "values"), [((18, 18), [1.0]), ((9, 18), [])])
def test_likeness_to_gold_is_measured_in_pixels_of_one_image(
    to_do: Benchmark, lea: User, ana: User, rui: User, new: tuple[int, int], values: list[float]
) -> None:
    used(to_do, ana, 1)
    annotation = Annotation.objects.get(sample__key="used-0")
    revisions = []
    for number, author, box in ((1, ana, (1, 1, 5, 5)), (2, rui, (2, 2, 10, 10))):
        one = Revision.objects.create(
            annotation=annotation, number=number, author=author, answer_type="open", answers=["x"],
            submitted_at=timezone.now(),
        )  # fmt: skip
        GoldBox.objects.create(revision=one, position=0, **dict(zip(("x1", "y1", "x2", "y2"), box, strict=True)))
        revisions.append(one)
        if author == ana:
            another_size(annotation.sample, new, lea)
    Gold.objects.create(sample=annotation.sample, revision=revisions[1], accepted_at=timezone.now())
    rows = _with_gold(to_do, {annotation.pk: (False, 0)})
    assert [value for value, *_ in rows] == values


def test_a_lead_drafts_on_the_page_and_over_the_api(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    client, url = signed_in(lea), "/benchmarks/kitchen/drafting/"
    assert "No endpoints yet" in client.get(url).content.decode()
    with serving(answering()) as server:
        endpoint = endpoint_at(server.url)
        assert client.post(f"{url}share/", {"control_share": "0.25"}).status_code == 302
        form = {
            "endpoint": endpoint.pk, "fields_drafted": ["question", "boxes"], "sampling": "greedy",
             "budget_usd": "5", "budget_calls": "20", "start": "yes",
        }  # fmt: skip
        assert client.post(url, form | {"samples": "id=new-1"}).status_code == 400
        assert client.post(url, form | {"fields_drafted": []}).status_code == 400
        assert client.post(url, form).status_code == 302
        run_waiting()
        assert Proposal.objects.on(to_do).by_field() == {"question": 12, "boxes": 12}
        page = client.get(url).content.decode()
        assert "Control share: 25.0" in page
        assert "undefined: no drafted sample is submitted yet" in page
        assert client.get(f"/benchmarks/kitchen/experiments/{Experiment.objects.get().pk}/").status_code == 200
        body = {"endpoint": endpoint.name, "control_share": 0.25, "fields_drafted": ["answer"], "start": "all"}
        sent = client.post("/api/v1/benchmarks/kitchen/drafting/", body, content_type="application/json")
        assert (sent.status_code, sent.json()["kind"]) == (201, "draft")
        run_waiting()
    assert Proposal.objects.on(to_do).by_field()["answer"] == 12
    client.post(f"{url}show/", {"shows": "no"})
    assert not Drafting.objects.get().shows


@pytest.mark.endurance
def test_the_stand_in_drafts_images_that_it_has_never_seen(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with StandIn(Recorded.read(), Options()) as server:
        experiment = drafted(to_do, endpoint_at(server.base_url, model="drafter"), lea)
    assert set(experiment.attempts.values_list("state", flat=True)) == {"done"}
    assert set(Proposal.objects.on(to_do).by_field()) == {"question", "options", "answer", "boxes"}


def test_a_lead_stops_showing_drafts(to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User) -> None:
    with serving(answering()) as server:
        drafted(to_do, endpoint_at(server.url), lea)
    sample = arms(to_do, ana, Arm.SHOWN)[0]
    assert SECRET in studio(signed_in(ana), sample)
    assert show_drafts(actor=lea, benchmark=to_do, shows=False)
    assert not show_drafts(actor=lea, benchmark=to_do, shows=False)
    assert SECRET not in studio(signed_in(ana), sample)
    assert AuditEntry.objects.filter(action="benchmark.drafts").count() == 1
    with pytest.raises(NotAllowed):
        show_drafts(actor=ana, benchmark=to_do, shows=True)
