"""The tool bank: annotators propose by naming, the lead decides, and nothing submitted is written to."""

from __future__ import annotations

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.common.bank import bank_of
from annotation.content.bank_file import bank_rows, import_bank
from annotation.content.checks import ChecksFailed
from annotation.content.samples import save_samples
from annotation.content.tools import know_names
from annotation.models import BankTool, Benchmark, FacetValue, PlanTool, Sample, ToolName
from annotation.schema import SampleContent, SampleRecord, Target, ToolPlan
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.tool_bank.segments import SEGMENTS
from annotation.tool_bank.table import BadTable, BankRow, read, written
from annotation.tools.write import accept_tool, add_tool, merge_tool, refuse_tool
from annotation.workflow import Role
from tests.annotation import work_data
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TOOLS = "/benchmarks/kitchen/settings/tools/"
ANNOTATE = "/benchmarks/kitchen/annotate/"


@made_once
def kitchen(lea: User, ana: User) -> Benchmark:
    """Two imported plans and three samples to do; the lead has put hammer and saw into their segments."""
    benchmark = work_data.to_annotate(3, lead=lea, annotator=ana)
    save_samples(
        actor=lea, benchmark=benchmark, records=[planned("a", "hammer", "nail"), planned("b", "Saw", "hammer")]
    )
    for name, segment in (("hammer", "27"), ("Saw", "27"), ("nail", "31")):
        tool = BankTool.objects.get(name=name)
        accept_tool(actor=lea, tool=tool, name=name, segment=segment, aliases=[])
    return benchmark


def planned(key: str, target: str, distractor: str, **about: object) -> SampleRecord:
    plan = ToolPlan((Target(target, 1),), (distractor,))
    return SampleRecord(key, SampleContent("Which tools?", plan=plan), **about)  # type: ignore[arg-type]


def tool(name: str) -> BankTool:
    return ToolName.objects.get(name=name).tool


def with_plan(*targets: str, distractors: tuple[str, ...] = ()) -> dict[str, object]:
    steps = [{"tool": name, "step": number} for number, name in enumerate(targets, 1)]
    return {"targets": steps, "distractors": list(distractors)}


def segments(key: str) -> list[str]:
    found = FacetValue.objects.filter(sample__key=key, name="segment").order_by("position")
    return list(found.values_list("value", flat=True))


def words() -> list[tuple[str, int | None]]:
    return list(PlanTool.objects.order_by("pk").values_list("tool", "step"))


def test_what_an_import_names_is_accepted_and_what_ana_names_is_proposed(kitchen: Benchmark, ana: User) -> None:
    work_data.submitted(ana, kitchen, **with_plan("HAMMER", "fret  saw"))
    proposed = BankTool.objects.get(state="proposed")
    assert (proposed.name, proposed.proposed_by) == ("fret saw", ana)
    assert AuditEntry.objects.get(action="tool.propose").data == {"tool": "fret saw"}
    assert set(BankTool.objects.filter(state="accepted").values_list("name", flat=True)) == {"hammer", "Saw", "nail"}


def test_a_lead_who_annotates_needs_nobodys_leave(kitchen: Benchmark, lea: User) -> None:
    work_data.submitted(lea, kitchen, **with_plan("rasp"))
    assert tool("rasp").state == "accepted"
    assert not AuditEntry.objects.filter(action="tool.propose").exists()


def test_ana_goes_on_working_with_what_she_proposed_and_sees_what_became_of_it(
    kitchen: Benchmark, ana: User, lea: User
) -> None:
    for name in ("fret saw", "claw hammer", "thing"):
        work_data.submitted(ana, kitchen, **with_plan(name))
    said = signed_in(ana).get(ANNOTATE).content.decode()
    assert said.count("Waiting for the lead") == 3
    accept_tool(actor=lea, tool=tool("fret saw"), name="Coping saw", segment="27", aliases=[])
    merge_tool(actor=lea, tool=tool("claw hammer"), into=tool("hammer"))
    refuse_tool(actor=lea, tool=tool("thing"), reason="Say which one.")
    said = signed_in(ana).get(ANNOTATE).content.decode()
    for became in ("fret saw", "<bdi>Coping saw</bdi>", "<bdi>hammer</bdi>", "Rejected: Say which one."):
        assert became in said


def test_the_checks_say_what_the_bank_has_to_say_of_a_name(kitchen: Benchmark, ana: User, lea: User) -> None:
    accept_tool(actor=lea, tool=tool("Saw"), name="Hand saw", segment="27", aliases=["ripsaw"])
    refuse_tool(actor=lea, tool=tool("nail"), reason="No tool.")
    know_names(ana, kitchen, ["awl"])
    content = work_data.content(**with_plan("saw", "ripsaw", "awl", "rasp", distractors=("Nail",)))
    sample = work_data.take_one(ana, kitchen)
    saved = save_draft(actor=ana, sample=sample, version=0, content=content)
    found = {
        (one.field, one.level.value): one.text for one in saved.checks if "targets" in one.field or "distr" in one.field
    }
    assert found == {
        ("targets[0]", "hint"): "saw is called Hand saw in the tool bank.",
        ("targets[1]", "hint"): "ripsaw is called Hand saw in the tool bank.",
        ("targets[1]", "error"): "saw and ripsaw are the same tool in the tool bank: Hand saw. Remove one.",
        ("targets[2]", "hint"): "awl is proposed. The lead has not decided yet.",
        ("targets[3]", "hint"): "rasp is not in the tool bank. It is proposed to the lead when you submit.",
        ("distractors[0]", "error"): "The lead removed Nail from the tool bank: No tool. Choose another tool.",
    }
    with pytest.raises(ChecksFailed):
        submit(actor=ana, sample=sample, version=saved.version, content=content)
    assert not ToolName.objects.filter(name="rasp").exists()


@pytest.mark.both_databases
def test_renaming_and_merging_write_to_no_submitted_plan(kitchen: Benchmark, lea: User) -> None:
    before = words()
    accept_tool(actor=lea, tool=tool("Saw"), name="Hand saw", segment="27", aliases=["ripsaw"])
    merge_tool(actor=lea, tool=tool("hammer"), into=tool("nail"))
    bank = bank_of(kitchen)
    meant = {name: found.name for name in ("saw", "RIPSAW", "hammer") if (found := bank.find(name))}
    assert meant == {"saw": "Hand saw", "RIPSAW": "Hand saw", "hammer": "nail"}
    assert words() == before


def test_a_name_that_a_plan_says_stays_and_others_can_be_taken_away(kitchen: Benchmark, lea: User) -> None:
    accept_tool(actor=lea, tool=tool("Saw"), name="Hand saw", segment="", aliases=["ripsaw"])
    changed = accept_tool(actor=lea, tool=tool("Saw"), name="Panel saw", segment="", aliases=[])
    assert set(changed.names.values_list("name", flat=True)) == {"Panel saw", "Saw"}


def test_a_name_means_one_tool(kitchen: Benchmark, lea: User) -> None:
    with pytest.raises(Conflict, match="hammer is a name of hammer"):
        add_tool(actor=lea, benchmark=kitchen, name=" HAMMER ", segment="", aliases=[])
    with pytest.raises(Conflict, match="nail is a name of nail"):
        accept_tool(actor=lea, tool=tool("Saw"), name="Saw", segment="", aliases=["nail"])
    assert BankTool.objects.count() == 3


def test_what_was_merged_follows_and_can_be_taken_out_again(kitchen: Benchmark, lea: User) -> None:
    merge_tool(actor=lea, tool=tool("Saw"), into=tool("hammer"))
    merge_tool(actor=lea, tool=tool("hammer"), into=tool("nail"))
    assert tool("Saw").merged_into == tool("nail")
    with pytest.raises(InvalidInput, match="into an accepted tool"):
        merge_tool(actor=lea, tool=tool("nail"), into=tool("Saw"))
    with pytest.raises(Conflict, match="Other tools are merged into nail"):
        refuse_tool(actor=lea, tool=tool("nail"), reason="No.")
    accept_tool(actor=lea, tool=tool("Saw"), name="Saw", segment="27", aliases=[])
    assert bank_of(kitchen).find("saw").name == "Saw"  # type: ignore[union-attr]


def test_only_leads_decide(kitchen: Benchmark, ana: User) -> None:
    for attempt in (
        lambda: accept_tool(actor=ana, tool=tool("Saw"), name="Saw", segment="", aliases=[]),
        lambda: merge_tool(actor=ana, tool=tool("Saw"), into=tool("nail")),
        lambda: refuse_tool(actor=ana, tool=tool("Saw"), reason="No."),
        lambda: add_tool(actor=ana, benchmark=kitchen, name="awl", segment="", aliases=[]),
        lambda: import_bank(actor=ana, benchmark=kitchen, rows=[BankRow("awl")]),
    ):
        with pytest.raises(NotAllowed):
            attempt()


def test_a_sample_without_segments_has_those_of_its_targets(kitchen: Benchmark, lea: User, ana: User) -> None:
    assert (segments("a"), segments("b")) == ([SEGMENTS["27"]], [SEGMENTS["27"]])
    merge_tool(actor=lea, tool=tool("hammer"), into=tool("nail"))
    assert (segments("a"), segments("b")) == ([SEGMENTS["31"]], [SEGMENTS["27"]])
    save_samples(
        actor=lea, benchmark=kitchen, records=[planned("a", "hammer", "nail", facets={"segment": ("kitchen",)})]
    )
    assert segments("a") == ["kitchen"]
    save_samples(actor=lea, benchmark=kitchen, records=[planned("a", "hammer", "nail")])
    assert segments("a") == [SEGMENTS["31"]]


def test_importing_the_same_file_again_changes_nothing(kitchen: Benchmark, lea: User) -> None:
    again = save_samples(actor=lea, benchmark=kitchen, records=[planned("a", "hammer", "nail")])
    assert (again.unchanged, again.changed, again.new) == (1, 0, 0)


def test_the_bank_as_a_file_reads_back_as_it_was_written(kitchen: Benchmark, lea: User, ana: User) -> None:
    know_names(ana, kitchen, ["=SUM(A1)", "fret saw"])
    accept_tool(actor=lea, tool=tool("Saw"), name="Hand saw", segment="27", aliases=["ripsaw", "saw, large"])
    merge_tool(actor=lea, tool=tool("nail"), into=tool("hammer"))
    refuse_tool(actor=lea, tool=tool("=SUM(A1)"), reason="No tool.")
    text = written(bank_rows(kitchen))
    other = work_data.to_annotate(1, slug="garage", lead=lea)
    counts = import_bank(actor=lea, benchmark=other, rows=read(text.encode()))
    assert counts["new"] == 5
    assert written(bank_rows(other)) == text
    again = import_bank(actor=lea, benchmark=other, rows=read(text.encode()))
    assert (again["new"], again["changed"]) == (0, 0)


@pytest.mark.both_databases
def test_a_file_is_taken_whole_or_not_at_all(kitchen: Benchmark, lea: User) -> None:
    rows = [BankRow("awl", line=2), BankRow("drill", ("hammer",), line=3), BankRow("x", merged_into="y", line=4)]
    with pytest.raises(BadTable) as refused:
        import_bank(actor=lea, benchmark=kitchen, rows=rows)
    assert [problem.partition(":")[0] for problem in refused.value.problems] == ["Line 3", "Line 4"]
    assert not ToolName.objects.filter(name="awl").exists()


@pytest.mark.both_databases
def test_the_page_lists_proposals_first_and_links_to_exactly_the_samples(
    kitchen: Benchmark, lea: User, ana: User, django_assert_max_num_queries
) -> None:
    merge_tool(actor=lea, tool=tool("nail"), into=tool("hammer"))
    work_data.submitted(ana, kitchen, **with_plan("fret saw"))
    page = signed_in(lea)
    with django_assert_max_num_queries(24):
        answer = page.get(TOOLS)
    text = answer.content.decode()
    assert text.index("fret saw") < text.index("hammer")
    [hammer] = [one for one in answer.context["rows"] if one.tool.name == "hammer"]
    assert (hammer.targets, hammer.distractors, hammer.names) == (1, 2, ("nail",))
    for role, wanted in (("target", ["a"]), ("distractor", ["a", "b"])):
        found = page.get(f"/benchmarks/kitchen/samples/?{role}={hammer.tool.pk}")
        assert [tile.sample.key for tile in found.context["tiles"]] == wanted
        assert f"Remove {role} hammer" in found.content.decode()


def test_the_lead_decides_on_the_pages(kitchen: Benchmark, lea: User, ana: User) -> None:
    know_names(ana, kitchen, ["fret saw", "claw hammer", "thing"])
    page = signed_in(lea)
    address = {name: f"{TOOLS}{tool(name).pk}/" for name in ("fret saw", "claw hammer", "thing")}
    page.post(address["fret saw"], {"name": "Coping saw", "segment": "27", "aliases": "fret saw\nbow saw"})
    page.post(address["claw hammer"] + "merge/", {"into": "HAMMER"})
    page.post(address["thing"] + "refuse/", {"reason": "Say which."})
    assert [(tool(name).name, tool(name).state) for name in ("bow saw", "claw hammer", "thing")] == [
        ("Coping saw", "accepted"), ("claw hammer", "merged"), ("thing", "refused"),
    ]  # fmt: skip
    wrong = page.post(address["thing"] + "merge/", {"into": "nothing"})
    assert wrong.status_code == 400
    assert list(wrong.context["merging"].errors) == ["into"]
    taken = page.post(TOOLS, {"name": "hammer", "segment": "", "aliases": ""})
    assert (taken.status_code, "is a name of hammer" in taken.content.decode()) == (400, True)


def test_a_tool_of_another_benchmark_is_not_there(kitchen: Benchmark, lea: User, ana: User) -> None:
    garage = work_data.to_annotate(1, slug="garage", lead=ana)
    other = add_tool(actor=ana, benchmark=garage, name="jack", segment="", aliases=[])
    assert signed_in(lea).get(f"{TOOLS}{other.pk}/").status_code == 404
    add_member(actor=None, benchmark=garage, user=lea, role=Role.LEAD)
    assert signed_in(lea).get(f"{TOOLS}{other.pk}/").status_code == 404
    assert not Sample.objects.filter(benchmark=kitchen).planning_with(str(other.pk), target=True).exists()
