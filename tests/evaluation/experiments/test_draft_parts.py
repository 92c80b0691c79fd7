"""Drafted toolchains and tool plans: from the response of a model to the submission, and never in the control arm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.chains.read import digest_of
from annotation.content.json import calls_from_json
from annotation.content.revisions import revision_json
from annotation.content.samples import save_samples
from annotation.drafting import Arm
from annotation.images.store import store_pictures
from annotation.models import (
    BankTool,
    Benchmark,
    DraftedName,
    GoldCheck,
    Image,
    Proposal,
    ProposalUse,
    ReferenceCall,
    Revision,
    Sample,
    ToolName,
)
from annotation.schema import SampleContent, SampleRecord
from annotation.tool_bank import key_of
from annotation.tools.write import accept_tool, refuse_tool
from annotation.workflow import Role
from evaluation.experiments.write.drafts import OTHER_QUESTION, DraftChoices, create_drafts
from evaluation.models import Endpoint, Experiment
from evaluation.stand_in.recorded import Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.annotation.task.test_task import in_force
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving
from tests.evaluation.experiments.drafting_data import DRAFT, answering, arms, drafted
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
CHAIN: list[dict[str, Any]] = [
    {"tool": "Crop", "arguments": {"x": 10, "y": 12, "width": 37, "height": 29}},
    {"tool": "resize", "arguments": {"preset": "double"}},
]
PLAN: dict[str, Any] = {
    "targets": [{"tool": "hammer", "step": 2}, {"tool": "laser", "step": 3}, {"tool": "Hand saw", "step": 1}],
    "distractors": ["zebra pliers", "glue gun"],
}
WHOLE = DRAFT | {"toolchain": CHAIN} | PLAN
FIELDS = ("question", "toolchain", "targets", "distractors")


def known(benchmark: Benchmark, name: str, *aliases: str) -> None:
    tool = BankTool.objects.create(benchmark=benchmark, name=name, state="accepted")
    for each in (name, *aliases):
        ToolName.objects.create(benchmark=benchmark, tool=tool, name=each, key=key_of(each))


@pytest.fixture
def planned(to_do: Benchmark) -> Benchmark:
    """The kitchen with a tool bank."""
    known(to_do, "claw hammer", "hammer")
    known(to_do, "hand saw")
    known(to_do, "zebra pliers")
    return to_do


def studio_of(user: User, sample: Sample) -> list[dict[str, Any]]:
    page = signed_in(user).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/")
    return list(page.context["studio"]["drafts"])


def submitted(user: User, sample: Sample, **content: Any) -> None:
    whole = {"question": "Mine?", "answer_type": "open", "answer": ["2"], "gold_boxes": [{"box": [1, 1, 30, 30]}]}
    body = {"version": 0, "content": whole | content}
    url = f"/benchmarks/kitchen/annotate/submit/{sample.key}/"
    sent = signed_in(user).post(url, body, content_type="application/json")
    assert sent.status_code == 200, sent.content


def test_a_toolchain_is_run_and_shown_with_its_source_in_the_studio_and_the_workbench(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    with serving(answering(WHOLE)) as server:
        experiment = drafted(planned, endpoint_at(server.url), lea, fields=FIELDS)
        [body] = server.seen.bodies()
    assert "* crop(" in str(body), "the model is given the tools"
    assert set(experiment.attempts.values_list("state", flat=True)) == {"done"}
    sample = arms(planned, ana, Arm.SHOWN)[0]
    chain = next(one for one in studio_of(ana, sample) if one["field"] == "toolchain")
    assert chain["source"] == "m-1"
    assert [call["tool"] for call in chain["content"]] == ["crop", "resize"]
    bench = signed_in(ana).get(f"/benchmarks/kitchen/toolchain/samples/{sample.key}/").context["bench"]
    assert bench["draft"] == chain
    assert bench["content"]["reference_toolchain"] == [], "it is a proposal until the annotator accepts it"


def test_a_toolchain_that_fails_is_left_out_with_the_reason_on_its_attempt(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    stops = [*CHAIN, {"tool": "crop", "arguments": {"x": 9000, "y": 0, "width": 9, "height": 9}}]
    with serving(answering(WHOLE | {"toolchain": stops})) as server:
        experiment = drafted(planned, endpoint_at(server.url), lea, fields=FIELDS)
    assert set(experiment.attempts.values_list("state", flat=True)) == {"done"}
    assert not Proposal.objects.filter(field="toolchain").exists()
    attempt = experiment.attempts.get(sample=arms(planned, lea, Arm.SHOWN)[0])
    assert "step 3, crop" in attempt.result["unread"]["toolchain"]
    page = signed_in(lea).get(f"/benchmarks/kitchen/experiments/{experiment.pk}/attempts/{attempt.pk}/")
    assert "step 3, crop" in page.content.decode()
    listed = signed_in(lea).get(f"/benchmarks/kitchen/experiments/{experiment.pk}/").content.decode()
    assert "does not run: step 3" in listed


def test_names_of_a_plan_are_those_of_the_bank_and_unknown_ones_are_proposed_and_noted_at_the_attempt(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    with serving(answering(WHOLE)) as server:
        experiment = drafted(planned, endpoint_at(server.url), lea, fields=FIELDS)
    sample = arms(planned, ana, Arm.SHOWN)[0]
    found = {one["field"]: one["content"] for one in studio_of(ana, sample)}
    assert found["targets"] == [{"tool": "claw hammer", "step": 2}, {"tool": "hand saw", "step": 1}]
    assert found["distractors"] == ["zebra pliers"]
    attempt = experiment.attempts.first()
    assert attempt is not None
    assert attempt.result["unread"]["targets"] == "Not in the tool bank: laser."
    assert attempt.result["unread"]["distractors"] == "Not in the tool bank: glue gun."
    proposals = {one.name: one for one in BankTool.objects.filter(benchmark=planned, state="proposed")}
    assert set(proposals) == {"laser", "glue gun"}
    assert all(one.drafted for one in proposals.values())
    rows = DraftedName.objects.filter(name__tool=proposals["laser"])
    assert set(rows.values_list("field", "source")) == {("targets", "m-1")}
    assert rows.count() == experiment.attempts.count()
    assert "laser" not in signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()
    assert "2 drafted tools are not in the" in signed_in(lea).get("/benchmarks/kitchen/drafting/").content.decode()


def test_names_of_a_plan_without_a_tool_of_the_bank_are_proposed_too(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(answering(WHOLE)) as server:
        drafted(to_do, endpoint_at(server.url), lea, fields=FIELDS)
    assert Proposal.objects.on(to_do).by_field().keys() == {"question", "toolchain"}
    names = set(BankTool.objects.filter(benchmark=to_do, drafted=True).values_list("name", flat=True))
    assert names == {"hammer", "laser", "Hand saw", "zebra pliers", "glue gun"}


def test_an_accepted_name_is_part_of_later_drafts_and_a_rejected_one_is_not_proposed_again(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(answering(WHOLE)) as server:
        drafted(planned, endpoint_at(server.url), lea, fields=FIELDS)
    laser, glue = (BankTool.objects.get(name=name) for name in ("laser", "glue gun"))
    accept_tool(actor=lea, tool=laser, name="Laser level", segment="", aliases=[])
    refuse_tool(actor=lea, tool=glue, reason="Not in any image.")
    Proposal.objects.all().delete()
    with serving(answering(WHOLE)) as server:
        second = drafted(planned, endpoint_at(server.url, "other", model="m-2"), lea, fields=FIELDS)
    targets = Proposal.objects.filter(field="targets").values_list("content", flat=True)[0]
    assert {"tool": "Laser level", "step": 3} in targets
    assert "glue gun" in second.attempts.values_list("result", flat=True)[0]["unread"]["distractors"]
    assert not BankTool.objects.filter(state="proposed").exists()


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.LEAD])
def test_no_page_of_the_control_arm_contains_a_drafted_toolchain_or_plan(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, role: Role
) -> None:
    add_member(actor=None, benchmark=planned, user=ana, role=role)
    with serving(answering(WHOLE)) as server:
        experiment = drafted(planned, endpoint_at(server.url), lea, fields=FIELDS, control_share=0.5)
    client, said = signed_in(ana), {}
    for arm in Arm:
        key = arms(planned, ana, arm)[0].key
        attempt = experiment.attempts.get(sample__key=key).pk
        pages = (
            f"/benchmarks/kitchen/annotate/samples/{key}/", f"/benchmarks/kitchen/toolchain/samples/{key}/",
            f"/benchmarks/kitchen/samples/{key}/", f"/api/v1/benchmarks/kitchen/samples/{key}/",
            f"/benchmarks/kitchen/experiments/{experiment.pk}/attempts/{attempt}/",
        )  # fmt: skip
        said[arm] = [client.get(page).getvalue().decode() for page in pages]
    assert all('"width": 37' in page for page in said[Arm.SHOWN][:2])
    assert '"step": 2' in said[Arm.SHOWN][0]
    for page in said[Arm.WITHHELD]:
        assert '"width": 37' not in page
        assert '"step": 2' not in page
        assert "Drafted toolchain" not in page


def test_a_gold_check_has_a_drafted_toolchain_and_plan_like_a_sample_to_do(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    gold = planned.samples.get(key="one")
    planned.public = False
    planned.save()
    GoldCheck.objects.create(sample=gold, active=True, added_by=lea)
    with serving(answering(WHOLE)) as server:
        drafted(planned, endpoint_at(server.url), lea, fields=FIELDS)
    other = planned.samples.get(key="new-0")
    mine = {one.field: one.content for one in Proposal.objects.filter(sample=gold)}
    assert mine == {one.field: one.content for one in Proposal.objects.filter(sample=other)}
    assert set(mine) == set(FIELDS)


def test_accepted_steps_keep_their_source_and_submissions_of_both_arms_are_compared(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    with serving(answering(WHOLE)) as server:
        drafted(planned, endpoint_at(server.url), lea, fields=FIELDS, control_share=0.5)
    shown, withheld = (arms(planned, ana, arm)[0] for arm in Arm)
    calls = [{"tool": "crop", "arguments": CHAIN[0]["arguments"]}, {"tool": "canny", "arguments": {}}]
    adopted = [calls[0] | {"source": "m-1"}, calls[1]]
    targets = [{"tool": "hand saw", "step": 1}, {"tool": "claw hammer", "step": 2}]
    submitted(ana, shown, reference_toolchain=adopted, targets=targets, distractors=["zebra pliers"])
    submitted(ana, withheld, reference_toolchain=calls, targets=targets[:1])
    uses = {(one.arm, one.proposal.field): one for one in ProposalUse.objects.select_related("proposal")}
    assert uses["shown", "toolchain"].distance == uses["withheld", "toolchain"].distance == pytest.approx(0.5)
    assert (uses["shown", "targets"].distance, uses["withheld", "targets"].distance) == (0.0, 0.5)
    assert (uses["shown", "distractors"].distance, uses["withheld", "distractors"].distance) == (0.0, 1.0)
    assert uses["withheld", "toolchain"].decision == ""
    rows = ReferenceCall.objects.filter(revision__annotation__sample=shown).values_list("tool", "source")
    assert list(rows) == [("crop", "m-1"), ("canny", None)]
    revision = Revision.objects.with_content().get(annotation__sample=shown)
    kept = revision_json(revision)["reference_toolchain"]
    assert [one.get("source") for one in kept] == ["m-1", None]
    page = signed_in(lea).get("/benchmarks/kitchen/drafting/").content.decode()
    for words in ("Toolchain: equal steps", "Targets: equal tools and steps", "Distractors: equal tools"):
        assert words in page
    said = signed_in(lea).get("/api/v1/benchmarks/kitchen/drafting/").json()
    assert {"toolchain", "targets", "distractors"} <= {one["measure"] for one in said["measures"]}


def test_a_submitted_call_can_not_change_its_source(planned: Benchmark, ana: User) -> None:
    sample = planned.samples.get(key="new-0")
    submitted(ana, sample, reference_toolchain=[{"tool": "canny", "arguments": {}, "source": "m-1"}])
    with pytest.raises(DatabaseError), transaction.atomic():
        ReferenceCall.objects.filter(revision__annotation__sample=sample).update(source=None)


def test_the_source_of_a_step_does_not_make_another_toolchain(planned: Benchmark) -> None:
    plain, adopted = ([{"tool": "canny", "arguments": {}} | more] for more in ({}, {"source": "m-1"}))
    assert digest_of(calls_from_json(plain)) == digest_of(calls_from_json(adopted))
    assert calls_from_json(plain) == calls_from_json(adopted)


def test_a_toolchain_for_another_question_than_the_one_that_stays_is_left_out(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(answering(WHOLE)) as server:
        drafted(planned, endpoint_at(server.url), lea, fields=["question"])
    with serving(answering(WHOLE | {"question": "Which tool is red?"})) as server:
        second = drafted(planned, endpoint_at(server.url, "other", model="m-2"), lea, fields=FIELDS)
    assert Proposal.objects.on(planned).by_field() == {"question": 12}
    result = second.attempts.values_list("result", flat=True)[0]
    assert result["unread"]["toolchain"] == result["unread"]["targets"] == OTHER_QUESTION


def test_fields_that_the_task_does_not_have_or_without_the_question_are_refused(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1")
    with pytest.raises(InvalidInput, match="with the question"):
        create_drafts(actor=lea, benchmark=planned, endpoint=endpoint, choices=DraftChoices(fields=["toolchain"]))
    in_force(lea, planned, toolchain={"use": "off"})
    planned.forget_schema()
    with pytest.raises(InvalidInput, match="toolchain") as refused:
        create_drafts(
            actor=lea, benchmark=planned, endpoint=endpoint, choices=DraftChoices(fields=["question", "toolchain"])
        )
    assert refused.value.field == "fields_drafted"
    page = signed_in(lea).get("/benchmarks/kitchen/drafting/").content.decode()
    assert 'value="toolchain"' not in page
    assert 'value="boxes"' in page


@pytest.mark.endurance
def test_the_stand_in_drafts_a_toolchain_that_runs_on_an_image_that_it_has_never_seen(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with StandIn(Recorded.read(), Options()) as server:
        experiment: Experiment = drafted(
            planned, endpoint_at(server.base_url, model="drafter"), lea, fields=("question", "toolchain")
        )
    assert set(experiment.attempts.values_list("state", flat=True)) == {"done"}
    assert Proposal.objects.on(planned).by_field() == {"question": 12, "toolchain": 12}


@pytest.mark.endurance
def test_the_stand_in_drafts_the_plan_of_an_image_that_it_knows(
    planned: Benchmark, endpoint_at: EndpointAt, lea: User, tmp_path: Any
) -> None:
    recorded = Recorded.read()
    found = next(one for one in recorded.samples if one.row.get("targets") and one.row.get("distractors"))
    for name in {*(one["tool"] for one in found.row["targets"]), *found.row["distractors"]}:
        known(planned, name)
    record = SampleRecord("workshop", SampleContent(), "w.png")
    data = found.image.read_bytes()
    pictures = store_pictures(
        actor=None, benchmark=planned, records=[record], folder=tmp_path, embedded={"w.png": data}
    )
    save_samples(actor=None, benchmark=planned, records=[record], pictures=pictures)
    Image.objects.update(state=Image.State.READY)
    with StandIn(recorded, Options()) as server:
        drafted(
            planned, endpoint_at(server.base_url, model="drafter"), lea, fields=("question", "targets", "distractors")
        )
    plan = {one.field: one.content for one in Proposal.objects.filter(sample__key="workshop")}
    assert {one["tool"] for one in plan["targets"]} == {one["tool"] for one in found.row["targets"]}
    assert set(plan["distractors"]) == set(found.row["distractors"])
