"""Tools that models drafted and the bank lacks: proposals that only leads see, and not of their own control arm."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.common.bank import bank_of
from annotation.common.sample import bank_json
from annotation.content.bank_file import bank_rows, import_bank
from annotation.content.checks import ChecksFailed
from annotation.content.drafted_tools import proposed_by_models
from annotation.content.samples import save_samples
from annotation.content.tools import NameDraft, know_names, propose_drafted
from annotation.drafting import Arm, Field
from annotation.models import BankTool, Benchmark, DraftedName, Drafting, ToolName
from annotation.portable.read.tables import TABLES, rows_of
from annotation.schema import SampleContent, SampleRecord, Target, ToolPlan
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.tool_bank import key_of
from annotation.tool_bank.table import BankRow
from annotation.tools.write import accept_tool, add_tool, merge_tool, refuse_tool
from tests.annotation import work_data
from tests.conftest import signed_in
from tests.evaluation.experiments.drafting_data import reseed
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TOOLS = "/benchmarks/kitchen/settings/tools/"
ANNOTATE = "/benchmarks/kitchen/annotate/"
SECRET = "Zebra rasp"


@made_once
def kitchen(lea: User, ana: User) -> Benchmark:
    """Three samples to do, a bank of one tool, and drafts of a model that name two others."""
    benchmark = work_data.to_annotate(3, lead=lea, annotator=ana)
    add_tool(actor=lea, benchmark=benchmark, name="hammer", segment="27", aliases=[])
    Drafting.objects.create(benchmark=benchmark, seed="0" * 32, control_share=0.05)
    reseed(benchmark, lea, Arm.SHOWN, *benchmark.samples.all())
    model_drafts(benchmark, SECRET, "glue gun")
    model_drafts(benchmark, " zebra  RASP", place=1)
    return benchmark


def model_drafts(benchmark: Benchmark, *names: str, place: int = 0, source: str = "m-1") -> None:
    sample = benchmark.samples.order_by("pk")[place]
    propose_drafted(benchmark, source, [NameDraft(sample.pk, Field.TARGETS, name) for name in names])


def tool(name: str) -> BankTool:
    return ToolName.objects.get(key=key_of(name)).tool


def with_plan(*targets: str) -> dict[str, object]:
    return {"targets": [{"tool": name, "step": number} for number, name in enumerate(targets, 1)], "distractors": []}


def of_lead(benchmark: Benchmark, lea: User) -> list[tuple[str, int]]:
    return [(one.tool.name, len(one.samples)) for one in proposed_by_models(lea, benchmark)]


def test_drafted_names_are_proposals_that_are_counted_by_sample_and_name_their_models(
    kitchen: Benchmark, lea: User
) -> None:
    model_drafts(kitchen, SECRET, place=1)
    model_drafts(kitchen, "zebra rasp", place=2, source="m-2")
    assert of_lead(kitchen, lea) == [(SECRET, 3), ("glue gun", 1)]
    assert proposed_by_models(lea, kitchen)[0].sources == ("m-1", "m-2")
    page = signed_in(lea).get(TOOLS)
    said = page.content.decode()
    assert "Proposed by models" in said
    assert "m-1, m-2" in said
    assert all(f"/samples/{one.key}/" in said for one in kitchen.samples.all())
    assert [entry.data for entry in AuditEntry.objects.filter(action="tool.draft")] == [{"model": "m-1", "tools": 2}]


def test_a_name_that_is_known_is_no_proposal(kitchen: Benchmark, ana: User, lea: User) -> None:
    know_names(ana, kitchen, ["awl"])
    model_drafts(kitchen, "HAMMER", "awl")
    assert {name for name, _ in of_lead(kitchen, lea)} == {SECRET, "glue gun"}
    assert not DraftedName.objects.filter(name__key__in=["hammer", "awl"]).exists()


def test_no_annotator_sees_what_only_a_model_proposed(kitchen: Benchmark, ana: User) -> None:
    refuse_tool(actor=None, tool=tool("glue gun"), reason="Not in any image.")
    sample = work_data.take_one(ana, kitchen)
    client = signed_in(ana)
    pk = tool(SECRET).pk
    pages = (
        ANNOTATE, f"{ANNOTATE}samples/{sample.key}/", "/benchmarks/kitchen/samples/",
        f"/benchmarks/kitchen/samples/?target={pk}", f"/benchmarks/kitchen/samples/?target={tool('glue gun').pk}",
        f"/api/v1/benchmarks/kitchen/samples/{sample.key}/",
    )  # fmt: skip
    for page in pages:
        said = client.get(page).content.decode().casefold()
        assert "rasp" not in said, page
        assert "glue gun" not in said, page
    bank = bank_json(kitchen)
    assert [one["name"] for one in bank["tools"]] == ["hammer"]
    assert bank["offered_n"] == 1
    assert client.get(f"{TOOLS}{pk}/").status_code == 403


def test_whoever_names_it_proposes_it_as_if_no_model_had(kitchen: Benchmark, ana: User, lea: User) -> None:
    sample = work_data.take_one(ana, kitchen)
    content = work_data.content(**with_plan("zebra rasp", "spoon"))
    saved = save_draft(actor=ana, sample=sample, version=0, content=content)
    hints = {one.text for one in saved.checks if "tool bank" in str(one.text)}
    assert hints == {
        f"{name} is not in the tool bank. It is proposed to the lead when you submit."
        for name in ("zebra rasp", "spoon")
    }
    before = tool(SECRET)
    submit(actor=ana, sample=sample, version=saved.version, content=content)
    mine = tool("zebra rasp")
    assert (mine.name, mine.state, mine.proposed_by, mine.drafted) == ("zebra rasp", "proposed", ana, False)
    assert mine.pk > before.pk
    assert mine.created_at > before.created_at
    assert not BankTool.objects.filter(pk=before.pk).exists()
    assert mine.names.get().drafts.count() == 2, "the lead still sees that models drafted it"
    assert of_lead(kitchen, lea) == [("glue gun", 1)]
    assert "zebra rasp" in {one["name"] for one in bank_json(kitchen)["tools"]}
    model_drafts(kitchen, "zebra rasp", place=2)
    assert tool("zebra rasp") == mine


def test_what_an_import_names_is_accepted_whether_a_model_proposed_it_or_not(kitchen: Benchmark, lea: User) -> None:
    plan = ToolPlan((Target("zebra rasp", 1),), ())
    save_samples(actor=lea, benchmark=kitchen, records=[SampleRecord("a", SampleContent("Which?", plan=plan))])
    assert (tool(SECRET).name, tool(SECRET).state, tool(SECRET).drafted) == ("zebra rasp", "accepted", False)


def test_a_lead_accepts_renames_and_merges_and_names_are_not_proposed_again(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    client.post(f"{TOOLS}{tool(SECRET).pk}/", {"name": "Rasp", "segment": "27"})
    client.post(f"{TOOLS}{tool('glue gun').pk}/merge/", {"into": "hammer"})
    assert (tool("rasp").state, tool("rasp").drafted) == ("accepted", False)
    found = {one["name"]: list(one["aliases"]) for one in bank_json(kitchen)["tools"]}
    assert found == {"Rasp": [SECRET], "hammer": ["glue gun"]}, "a drafted name stays an alias"
    model_drafts(kitchen, SECRET, "glue gun", place=2)
    assert of_lead(kitchen, lea) == []
    entries = AuditEntry.objects.filter(action__in=["tool.accept", "tool.merge"], actor=lea)
    assert set(entries.values_list("before", "after")) == {("proposed", "accepted"), ("proposed", "merged")}


def test_a_rejected_name_is_not_proposed_again_and_can_not_be_submitted(
    kitchen: Benchmark, lea: User, ana: User
) -> None:
    signed_in(lea).post(f"{TOOLS}{tool(SECRET).pk}/refuse/", {"reason": "No such tool."})
    model_drafts(kitchen, SECRET, place=2)
    assert (tool(SECRET).state, tool(SECRET).drafted) == ("refused", True)
    assert of_lead(kitchen, lea) == [("glue gun", 1)]
    assert "No such tool." not in json.dumps(bank_json(kitchen))
    with pytest.raises(ChecksFailed, match="No such tool"):
        work_data.submitted(ana, kitchen, **with_plan("zebra rasp"))
    accept_tool(actor=lea, tool=tool(SECRET), name=SECRET, segment="", aliases=[])
    assert tool(SECRET).drafted is False


def test_a_rejected_name_is_a_word_like_any_other(kitchen: Benchmark, lea: User) -> None:
    refuse_tool(actor=lea, tool=tool("glue gun"), reason="No tool.")
    assert bank_of(kitchen).named_in("Where is the glue gun and the hammer?") == ["hammer"]


def test_a_lead_can_not_see_drafts_of_their_own_control_arm_and_can_name_the_tool(
    kitchen: Benchmark, lea: User
) -> None:
    one, other = kitchen.samples.order_by("pk")[:2]
    reseed(kitchen, lea, Arm.WITHHELD, one)
    found = {one.tool.name: one.samples for one in proposed_by_models(lea, kitchen)}
    assert "glue gun" not in found
    assert set(found.get(SECRET, ())) <= {other.key}
    client = signed_in(lea)
    assert "glue gun" not in client.get(TOOLS).content.decode()
    assert client.get(f"{TOOLS}{tool('glue gun').pk}/").status_code == 404
    assert client.post(f"{TOOLS}{tool('glue gun').pk}/refuse/", {"reason": "No."}).status_code == 404
    assert "glue gun" not in client.get("/benchmarks/kitchen/settings/log/").content.decode()
    assert "glue gun" not in client.get(f"{TOOLS}bank.csv").content.decode()
    add_tool(actor=lea, benchmark=kitchen, name="Glue Gun", segment="", aliases=["zebra rasp"])
    assert (tool("glue gun").name, tool("zebra rasp").name) == ("Glue Gun", "Glue Gun")
    assert BankTool.objects.filter(benchmark=kitchen).count() == 2


def test_a_file_takes_over_what_only_a_model_proposed_and_no_file_has_it(kitchen: Benchmark, lea: User) -> None:
    assert [row.name for row in bank_rows(kitchen)] == ["hammer"]
    for table in TABLES:
        if table.model in (BankTool, ToolName):
            assert rows_of(table, kitchen).count() == 1
    counts = import_bank(actor=lea, benchmark=kitchen, rows=[BankRow("Zebra rasp", ("glue gun",), "27", line=2)])
    assert counts == {"new": 1, "changed": 0, "unchanged": 1}
    assert tool("glue gun") == tool(SECRET)
    assert (tool(SECRET).state, tool(SECRET).drafted) == ("accepted", False)


def test_merging_a_proposal_of_a_person_into_the_tool_keeps_the_drafts(
    kitchen: Benchmark, ana: User, lea: User
) -> None:
    work_data.submitted(ana, kitchen, **with_plan("zebra rasp"))
    merge_tool(actor=lea, tool=tool(SECRET), into=tool("hammer"))
    said = signed_in(lea).get(f"{TOOLS}{tool(SECRET).pk}/").content.decode()
    assert "Drafted by" in said


def test_the_page_takes_as_many_queries_for_many_drafts_as_for_few(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    client.get(TOOLS)
    with CaptureQueriesContext(connection) as few:
        client.get(TOOLS)
    model_drafts(kitchen, *(f"tool {number}" for number in range(30)), place=2)
    with CaptureQueriesContext(connection) as many:
        said = client.get(TOOLS).content.decode()
    assert len(few) == len(many)
    assert "32 to decide" in said
