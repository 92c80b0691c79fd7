"""Models that draft samples to do: what is sent, what is kept, and that nobody in the control arm can read a draft."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member
from annotation.drafting import CONTROL_SHARE, Arm, arm_of
from annotation.models import (
    Annotation,
    Benchmark,
    Drafting,
    GoldCheck,
    Image,
    Proposal,
    ProposalUse,
    QualityRules,
    Sample,
)
from annotation.queue.assignment import next_to_annotate
from annotation.workflow import Role
from evaluation.experiments.write.drafts import DraftChoices, create_drafts, show_drafts
from evaluation.experiments.write.states import start_all
from evaluation.models import Endpoint, Experiment, Trajectory
from evaluation.runner.templates import load_prompt
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
SECRET = "How many zebras hide here?"
DRAFT = {"question": SECRET, "options": ["five", "eleven"], "answer": "eleven", "boxes": [[10, 10, 60, 50]]}


def answering(said: Any = DRAFT) -> Answer:
    text = said if isinstance(said, str) else json.dumps(said)
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "model": "m-1"}
    return Answer(body=json.dumps(body).encode())


@pytest.fixture
def to_do(benchmark: Benchmark, ana: User) -> Benchmark:
    """The kitchen with twelve samples to do besides two with gold; Ana annotates."""
    add_member(actor=None, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    image = Image.objects.get()
    Sample.objects.bulk_create(
        Sample(benchmark=benchmark, key=f"new-{n}", image=image, width=image.width, height=image.height)
        for n in range(12)
    )
    return benchmark


def drafted(benchmark: Benchmark, endpoint: Endpoint, lea: User, **choices: Any) -> Experiment:
    experiment = create_drafts(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=DraftChoices(**choices))
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def arms(benchmark: Benchmark, person: User, arm: Arm) -> list[Sample]:
    """The samples to do in this arm of a person, in the order of their ids."""
    drafting = Drafting.objects.get(benchmark=benchmark)
    found = benchmark.samples.filter(state="to_do").order_by("pk")
    return [one for one in found if arm_of(drafting.seed, person.pk, one.pk, drafting.control_share) is arm]


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
        assert refused.value.field == field
    with pytest.raises(NotAllowed):
        create_drafts(actor=ana, benchmark=to_do, endpoint=endpoint, choices=DraftChoices())
    assert not Drafting.objects.exists()


def responses(client: Client, sample: Sample, experiment: Experiment) -> str:
    """Everything that a person who works on a sample, or manages it, can ask about it."""
    base, api = "/benchmarks/kitchen", "/api/v1/benchmarks/kitchen"
    attempt = experiment.attempts.get(sample=sample)
    addresses = [
        f"{base}/annotate/samples/{sample.key}/", f"{base}/annotate/", f"{base}/samples/{sample.key}/", f"{base}/samples/",
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
