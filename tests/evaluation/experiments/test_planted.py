"""Planted errors in drafts: hidden before a submission; an adopted one keeps the sample open, and none becomes gold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.planted import planted_for, unresolved_in, withdraw_error
from annotation.content.proposals import keep_proposals
from annotation.content.revisions import content_of
from annotation.drafting import Arm
from annotation.models import (
    Annotation,
    Benchmark,
    CheckAnswer,
    Drafting,
    Gold,
    GoldCheck,
    Image,
    Proposal,
    ProposalUse,
    QualityRules,
    Revision,
    Sample,
)
from annotation.queue.assignment import next_to_annotate
from annotation.queue.settings import set_queue
from annotation.queue.timeline import timeline
from annotation.review.write.decisions import Decision, answer_blind, decide
from annotation.workflow import Role
from evaluation.experiments.write.drafts import DraftChoices, create_drafts
from evaluation.models import Endpoint
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving
from tests.evaluation.experiments.drafting_data import DRAFT, SECRET, answering, arms, drafted, reseed
from tests.evaluation.experiments.test_drafts import studio
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
OPTIONS = {"A": "five", "B": "eleven"}
"""The model drafts eleven, so that the planted answer is five."""


@pytest.fixture
def planted(to_do: Benchmark, endpoint_at: EndpointAt, lea: User, rui: User) -> Benchmark:
    """Every draft of a sample to do carries the planted answer; submissions are final at once."""
    add_member(actor=None, benchmark=to_do, user=rui, role=Role.REVIEWER)
    set_queue(actor=lea, benchmark=to_do, order="sequential", take_back_minutes=0, blind="picture")
    with serving(answering()) as server:
        drafted(to_do, endpoint_at(server.url), lea, fields=["question", "options", "answer"], planted_share=0.2)
    rows = list(Proposal.objects.filter(field="answer"))
    for row in rows:
        row.planted_error = "five"
    Proposal.objects.bulk_update(rows, ["planted_error"])
    return to_do


def written(answer: str) -> dict[str, Any]:
    return {
        "question": DRAFT["question"], "answer_type": "mc", "options": OPTIONS, "answer": [answer],
        "gold_boxes": [{"box": [10, 10, 60, 50], "label": ""}],
    }  # fmt: skip


def shown_sample(benchmark: Benchmark, person: User, place: int = 0) -> Sample:
    return arms(benchmark, person, Arm.SHOWN)[place]


def hand_in(client: Client, sample: Sample, answer: str, version: int = 1, **more: Any) -> Any:
    """Save a draft and submit it, as the page does."""
    base = "/benchmarks/kitchen/annotate"
    body = {"version": version - 1, "content": written(answer)}
    saved = client.put(f"{base}/draft/{sample.key}/", body, content_type="application/json")
    assert saved.status_code == 200, saved.content
    sent = {"version": saved.json()["version"], "content": written(answer), **more}
    return client.post(f"{base}/submit/{sample.key}/", sent, content_type="application/json")


def test_a_share_of_the_drafts_carries_an_error_and_the_page_looks_the_same(to_do: Benchmark, ana: User) -> None:
    image = Image.objects.get()
    Sample.objects.bulk_create(
        Sample(benchmark=to_do, key=f"more-{n}", image=image, width=image.width, height=image.height) for n in range(40)
    )
    drafting = Drafting.objects.create(benchmark=to_do, seed="a" * 32)
    kept = {"question": SECRET, "options": OPTIONS, "answer": "eleven", "boxes": [{"box": [10, 10, 60, 50]}]}
    for one in to_do.samples.filter(state="to_do"):
        keep_proposals(drafting, one.pk, kept, "m-1", "d" * 64, 0.2)
    drafts = Proposal.objects.filter(field__in=["answer", "boxes"])
    assert 5 <= drafts.planted().count() <= 40, "of 104"
    assert not Proposal.objects.filter(field__in=["question", "options"]).planted().exists()
    wrong = drafts.planted().filter(field="answer").values("sample")
    sample = next(one for one in arms(to_do, ana, Arm.SHOWN) if drafts.filter(sample__in=wrong, sample=one).exists())
    page = studio(signed_in(ana), sample)
    assert '"content": "five"' in page
    assert '"content": "eleven"' not in page
    assert "planted" not in page.casefold()


def test_off_by_default_and_within_its_limits(to_do: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(answering()) as server:
        endpoint = endpoint_at(server.url)
        drafted(to_do, endpoint, lea)
        assert not Proposal.objects.planted().exists()
        for share in (-0.1, 0.5):
            with pytest.raises(InvalidInput) as refused:
                create_drafts(actor=lea, benchmark=to_do, endpoint=endpoint, choices=DraftChoices(planted_share=share))
            assert refused.value.field == "planted_share"


def test_an_adopted_error_keeps_the_sample_open_and_is_disclosed(planted: Benchmark, ana: User, lea: User) -> None:
    sample, client = shown_sample(planted, ana), signed_in(ana)
    sent = hand_in(client, sample, "A", decisions={"answer": "accepted"})
    assert sent.status_code == 422
    [finding] = [one for one in sent.json()["checks"] if one["level"] == "error"]
    assert finding["field"] == "answer"
    assert "planted error" in finding["text"]
    annotation = Annotation.objects.get(sample=sample)
    assert (annotation.state, Revision.objects.filter(annotation=annotation).count()) == ("draft", 0)
    assert ProposalUse.objects.get(annotation=annotation, proposal__field="answer").adopted is True
    assert hand_in(client, sample, "A", 2).status_code == 422, "it is not taken a second time either"
    sent = hand_in(client, sample, "B", 3)
    assert sent.status_code == 200
    assert "planted error" in sent.json()["disclosed"]
    annotation.refresh_from_db()
    assert annotation.state == "submitted"
    assert ProposalUse.objects.get(annotation=annotation, proposal__field="answer").adopted is True, "the first counts"
    assert AuditEntry.objects.filter(action="annotation.planted_error").count() >= 1
    assert any("planted" in one.words for one in timeline(sample, lea))


def test_an_error_that_is_not_adopted_is_disclosed_after_the_submission(planted: Benchmark, ana: User) -> None:
    sample = shown_sample(planted, ana)
    sent = hand_in(signed_in(ana), sample, "B")
    assert sent.status_code == 200
    assert sample.key in sent.json()["disclosed"]
    assert ProposalUse.objects.get(annotation__sample=sample, proposal__field="answer").adopted is False


def test_the_control_arm_meets_no_error(planted: Benchmark, ana: User) -> None:
    sample = planted.samples.filter(state="to_do").first()
    assert sample is not None
    reseed(planted, ana, Arm.WITHHELD, sample)
    sent = hand_in(signed_in(ana), sample, "A")
    assert (sent.status_code, sent.json()["disclosed"]) == (200, "")
    assert ProposalUse.objects.get(annotation__sample=sample, proposal__field="answer").adopted is None


def test_a_gold_check_behaves_like_any_sample(to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User) -> None:
    """The same requests on a check and on a sample to do have the same answers, apart from the id."""
    gold = to_do.samples.get(key="one")
    GoldCheck.objects.create(sample=gold, active=True, added_by=lea)
    QualityRules.objects.create(benchmark=to_do, check_first=1, check_share=0.0)
    set_queue(actor=lea, benchmark=to_do, order="sequential", take_back_minutes=0, blind="picture")
    with serving(answering()) as server:
        drafted(to_do, endpoint_at(server.url), lea, planted_share=0.2)
    for row in Proposal.objects.filter(field="answer"):
        Proposal.objects.filter(pk=row.pk).update(planted_error="five")
    reseed(to_do, ana, Arm.SHOWN, *to_do.samples.all())
    client, said, others = signed_in(ana), [], []
    for _ in range(2):
        sample = next_to_annotate(actor=ana, benchmark=to_do)
        assert sample is not None
        others.append(sample)
        first, second = hand_in(client, sample, "A"), hand_in(client, sample, "B", 2)
        assert (first.status_code, second.status_code) == (422, 200)
        disclosed = second.json()["disclosed"].replace(sample.key, "KEY")
        said.append((first.json()["checks"], disclosed))
    assert others[0] == gold
    assert others[1] != gold
    assert said[0] == said[1]
    assert CheckAnswer.objects.get().state == "handed_in"
    assert not any("planted" in one.words for one in timeline(others[1], ana))


def test_gold_never_has_an_adopted_error_whoever_accepts_it(
    planted: Benchmark, ana: User, rui: User, lea: User
) -> None:
    sample = shown_sample(planted, ana)
    client = signed_in(ana)
    hand_in(client, sample, "A")
    hand_in(client, sample, "B", 2)
    sample.refresh_from_db()
    sample.benchmark = planted
    answer_blind(actor=rui, sample=sample, answer="A", unsure=False, seconds=2.0)
    whole = written("A") | {"facets": {}}
    with pytest.raises(Exception, match="planted error"):
        decide(actor=rui, sample=sample, decision=Decision("fix_and_accept", content=whole))
    assert not Gold.objects.filter(sample=sample).exists()
    withdraw_error(actor=lea, benchmark=planted, key=sample.key, field="answer")
    decide(actor=rui, sample=sample, decision=Decision("fix_and_accept", content=whole))
    assert Gold.objects.get(sample=sample).revision.answers == ["A"]


def test_a_revision_that_has_an_adopted_error_cannot_be_accepted(planted: Benchmark, ana: User, rui: User) -> None:
    """Such as one that was submitted before an update of Sightline."""
    sample = shown_sample(planted, ana)
    hand_in(signed_in(ana), sample, "B")
    annotation = Annotation.objects.get(sample=sample)
    ProposalUse.objects.filter(annotation=annotation, proposal__field="answer").update(adopted=True)
    Proposal.objects.filter(sample=sample, field="answer").update(planted_error="eleven", content="five")
    sample.refresh_from_db()
    sample.benchmark = planted
    assert unresolved_in(sample, content_of(Revision.objects.get(annotation=annotation)))
    answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=2.0)
    with pytest.raises(Exception, match="planted error"):
        decide(actor=rui, sample=sample, decision=Decision("accept"))
    assert not Gold.objects.filter(sample=sample).exists()


def test_a_lead_withdraws_an_error_whose_content_is_correct(
    planted: Benchmark, ana: User, lea: User, rui: User
) -> None:
    sample, client = shown_sample(planted, ana), signed_in(lea)
    assert hand_in(signed_in(ana), sample, "A").status_code == 422
    page = client.get("/benchmarks/kitchen/drafting/").content.decode()
    assert f"<bdi>{sample.key}</bdi>" in page
    said = client.get("/api/v1/benchmarks/kitchen/drafting/").json()["planted"]
    assert said["open"] == [{"sample": sample.key, "field": "answer"}]
    assert (said["shown"], said["adopted"], said["rate"]) == (1, 1, 1.0)
    with pytest.raises(NotAllowed):
        withdraw_error(actor=ana, benchmark=planted, key=sample.key, field="answer")
    form = {"sample": sample.key, "field": "answer"}
    assert client.post("/benchmarks/kitchen/drafting/planted/", form).status_code == 302
    assert hand_in(signed_in(ana), sample, "A", 2).status_code == 200
    api = "/api/v1/benchmarks/kitchen/drafting/planted/"
    assert client.post(api, form, content_type="application/json").status_code == 409
    with pytest.raises(Conflict):
        withdraw_error(actor=lea, benchmark=planted, key="one", field="answer")
    said = client.get("/api/v1/benchmarks/kitchen/drafting/").json()["planted"]
    assert (said["withdrawn"], said["shown"], said["rate"], said["open"]) == (1, 0, None, [])


def test_the_rate_has_an_interval_by_image_and_planted_drafts_are_in_no_measure(
    planted: Benchmark, ana: User, lea: User
) -> None:
    drafting = Drafting.objects.get()
    for number in range(40):
        image = Image.objects.create(sha256=f"{number:064x}", width=9, height=9, format="PNG", bytes=1)
        sample = Sample.objects.create(benchmark=planted, key=f"used-{number}", image=image, width=9, height=9)
        proposal = Proposal.objects.create(
            drafting=drafting, sample=sample, field="answer", content="eleven", planted_error="five", source="m-1",
            prompt_digest="d" * 64,
        )  # fmt: skip
        annotation = Annotation.objects.create(sample=sample, author=ana, state="submitted")
        ProposalUse.objects.create(
            annotation=annotation, proposal=proposal, arm="shown", decision="left", distance=0.5,
            adopted=number % 4 == 0,
        )  # fmt: skip
    said = signed_in(lea).get("/api/v1/benchmarks/kitchen/drafting/").json()
    assert (said["planted"]["adopted"], said["planted"]["shown"], said["planted"]["rate"]) == (10, 40, 0.25)
    assert said["planted"]["low"] == pytest.approx(0.1419, abs=1e-4), "Wilson: one question for each image"
    assert said["planted"]["high"] == pytest.approx(0.4019, abs=1e-4)
    assert said["measures"] == []
    page = signed_in(lea).get("/benchmarks/kitchen/drafting/").content.decode()
    assert "Adopted: 10 of 40 shown (25.0%, 95% interval 14.2% … 40.2%)." in page
    assert timezone.now() > drafting.created_at


def test_planted_boxes_are_found_in_pixels_of_the_image_that_replaced_theirs(
    planted: Benchmark, ana: User, lea: User
) -> None:
    sample = shown_sample(planted, ana)
    width, height = sample.width or 0, sample.height or 0
    drafting = Drafting.objects.get(benchmark=planted)
    row = Proposal.objects.filter(sample=sample, field="answer").get()
    row.pk, row.field, row.content = None, "boxes", [{"box": [10, 10, 60, 50]}]
    row.planted_error, row.drafting = [{"box": [80, 60, 120, 100]}], drafting
    row.save(force_insert=True)
    another_size(sample, (2 * width, 2 * height), lea, boxes="scaled")
    sample.refresh_from_db()
    boxes = [one.planted_error for one in planted_for(ana, sample, None) if one.field == "boxes"]
    assert boxes == [[{"box": [160, 120, 240, 200]}]]
