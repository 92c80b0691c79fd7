"""Items of the building board: what each stage enforces, who may decide, and what an accepted item becomes."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.read.card import making_of
from annotation.board.read.items import board_of
from annotation.board.write.audits import check_text
from annotation.board.write.items import (
    accept_item,
    confirm_targets,
    draw_items,
    move_tool,
    reject_item,
    set_description,
    set_distractors,
    set_image,
    set_instruction,
    set_steps,
)
from annotation.building import Distractor, Stage
from annotation.building.rules import Finding
from annotation.common.tabs import tabs_of
from annotation.content.json import content_from_json, content_to_json
from annotation.content.records import record_of
from annotation.exporters.native import sample_row
from annotation.importers.fields import Report, RowRefused
from annotation.importers.samples import sample_from
from annotation.models import Annotation, BankTool, Benchmark, BuildDecision, BuildItem, PlanTool, Sample
from annotation.payroll import month_of
from annotation.planning.read.pay import counted_lines
from annotation.queue.progress import my_progress
from annotation.schema import Likeness, SampleContent, Target, ToolPlan
from annotation.task.write import activate, save_draft
from annotation.tools.write import add_tool, merge_tool, refuse_tool
from annotation.validation import blocking, check
from annotation.workflow import Right
from tests.annotation.board_data import DISTRACTORS, TOOLS, accepted, brought, drawn, findings, photo, scene, workshop
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(autouse=True)
def files_elsewhere(tmp_path: Any, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


@made_once
def bench(lea: User, ana: User, rui: User) -> Benchmark:
    return workshop(lea, annotator=ana, reviewer=rui)


def at(lea: User, bench: Benchmark, stage: Stage, size: int = 1) -> BuildItem:
    return brought(lea, drawn(lea, bench, size), stage)


def now(item: BuildItem) -> BuildItem:
    return BuildItem.objects.select_related("benchmark", "image").get(pk=item.pk)


def test_each_combination_is_drawn_with_its_scenarios(bench: Benchmark, lea: User) -> None:
    items = draw_items(actor=lea, benchmark=bench, count=6, scenarios=2)
    assert [(item.number, item.scenario, len(item.targets)) for item in items] == [
        *((number, 1 + (number + 1) % 2, 1) for number in range(1, 11)), (11, 1, 2), (12, 2, 2),
    ]  # fmt: skip
    assert {tool for item in items[:10] for tool in item.targets} == set(TOOLS)
    assert AuditEntry.objects.get(action="build.draw").data["items"] == [1, 12]
    [again] = draw_items(actor=lea, benchmark=bench, count=1, scenarios=1)
    assert (again.number, len(again.targets)) == (13, 3)


def test_a_board_without_tools_or_without_new_combinations_draws_nothing(lea: User) -> None:
    empty = workshop(lea, tools=())
    with pytest.raises(Conflict, match="no accepted tool"):
        draw_items(actor=lea, benchmark=empty, count=1, scenarios=1)
    add_tool(actor=lea, benchmark=empty, name="torch", segment="", aliases=[])
    assert len(draw_items(actor=lea, benchmark=empty, count=50, scenarios=1)) == 1
    with pytest.raises(Conflict, match="Every combination"):
        draw_items(actor=lea, benchmark=empty, count=1, scenarios=1)
    with pytest.raises(InvalidInput, match="1 to 100"):
        draw_items(actor=lea, benchmark=empty, count=101, scenarios=1)


def test_a_single_target_needs_no_stage_for_its_step(bench: Benchmark, lea: User) -> None:
    assert confirm_targets(actor=lea, item=(one := drawn(lea, bench)), version=1).stage == Stage.INSTRUCTION
    assert now(one).steps == [1]
    two = at(lea, bench, Stage.STEPS, 2)
    with pytest.raises(InvalidInput, match="Step 1 has no tool"):
        set_steps(actor=lea, item=two, version=two.version, steps=[2, 2])
    set_steps(actor=lea, item=two, version=two.version, steps=[1, 1], either=two.targets)
    assert (now(two).steps, now(two).either, now(two).stage) == ([1, 1], two.targets, "instruction")


@pytest.mark.both_databases
def test_of_two_people_who_decide_at_once_the_second_is_told(bench: Benchmark, lea: User) -> None:
    item = at(lea, bench, Stage.INSTRUCTION)
    set_instruction(actor=lea, item=item, version=item.version, instruction="Fix the shelf.")
    with pytest.raises(Conflict, match="changed after you opened it"):
        set_instruction(actor=lea, item=item, version=item.version, instruction="Fix the table.")
    back = reject_item(actor=lea, item=now(item), version=now(item).version, to=Stage.INSTRUCTION, reasons=["other"])
    with pytest.raises(Conflict):
        set_instruction(actor=lea, item=item, version=item.version, instruction="Fix the table.")
    assert (back.instruction, now(item).version) == ("Fix the shelf.", item.version + 2)


def test_an_instruction_with_a_leak_is_refused(bench: Benchmark, lea: User) -> None:
    item = at(lea, bench, Stage.INSTRUCTION)
    with pytest.raises(InvalidInput, match="gives away") as found:
        set_instruction(actor=lea, item=item, version=item.version, instruction=f"Find two {item.targets[0]}s.")
    assert found.value.field == "instruction"
    assert now(item).stage == "instruction"
    assert not item.decisions.filter(stage="instruction").exists()


def test_two_scenarios_of_the_same_targets_have_different_instructions(bench: Benchmark, lea: User) -> None:
    one, other = draw_items(actor=lea, benchmark=bench, count=1, scenarios=2)
    for item in one, other:
        confirm_targets(actor=lea, item=item, version=1)
    set_instruction(actor=lea, item=one, version=2, instruction="Put up the shelf in the hall.")
    with pytest.raises(InvalidInput, match="nearly the same instruction"):
        set_instruction(actor=lea, item=other, version=2, instruction="Put up the shelf in the cellar.")


def test_new_distractors_are_proposed_for_the_bank(bench: Benchmark, lea: User) -> None:
    item = at(lea, bench, Stage.DISTRACTORS)
    wrong = [*DISTRACTORS, Distractor(item.targets[0].upper(), Likeness.VISUAL)]
    with pytest.raises(InvalidInput, match="is the target"):
        set_distractors(actor=lea, item=item, version=item.version, distractors=wrong)
    assert not BankTool.objects.proposed().exists()
    set_distractors(actor=lea, item=item, version=item.version, distractors=DISTRACTORS)
    proposed = BankTool.objects.proposed().order_by("name")
    assert [(tool.name, tool.proposed_by) for tool in proposed] == [
        ("garden rake", lea), ("peeler", lea), ("whisk", lea),
    ]  # fmt: skip
    assert board_of(bench).growth[0].new == 3
    peeler, whisk, rake = (BankTool.objects.get(name=name) for name in ("peeler", "whisk", "garden rake"))
    refuse_tool(actor=lea, tool=peeler, reason="No tool.")
    merge_tool(actor=lea, tool=whisk, into=BankTool.objects.get(name="ladle"))
    assert board_of(bench).growth[0].new == 1
    assert rake.state == "proposed"


def test_a_tool_that_another_item_calls_interchangeable_is_no_distractor(bench: Benchmark, lea: User) -> None:
    pair = at(lea, bench, Stage.STEPS, 2)
    set_steps(actor=lea, item=pair, version=pair.version, steps=[1, 1], either=pair.targets)
    one = BuildItem.objects.select_related("benchmark").filter(targets=[pair.targets[0]]).get()
    one = brought(lea, one, Stage.DISTRACTORS)
    replacing = [*DISTRACTORS, Distractor(pair.targets[1], Likeness.FUNCTIONAL)]
    with pytest.raises(InvalidInput, match="can replace the target"):
        set_distractors(actor=lea, item=one, version=one.version, distractors=replacing)


def test_faults_of_the_text_stop_an_item_until_a_tool_is_moved(bench: Benchmark, lea: User) -> None:
    item = at(lea, bench, Stage.TEXT_CHECK)
    found = [Finding(one.tool, one.essential or one.tool == "whisk", True) for one in findings(item)]
    item = check_text(actor=lea, item=item, version=item.version, findings=found, valid_sequence=True)
    assert item.stage == Stage.TEXT_CHECK
    last = item.decisions.last()
    assert (last.verdict, last.details["faults"]) == ("stopped", ["The task needs whisk, which is a distractor."])
    with pytest.raises(InvalidInput, match="There are 2 distractors"):
        move_tool(actor=lea, item=item, version=item.version, tool="whisk", step=2, likeness=None)
    item = reject_item(actor=lea, item=item, version=item.version, to=Stage.DISTRACTORS, reasons=["target_missing"])
    more = [*DISTRACTORS, Distractor("chisel", Likeness.VISUAL)]
    item = set_distractors(actor=lea, item=item, version=item.version, distractors=more)
    item = set_description(actor=lea, item=item, version=item.version, description=scene(item))
    item = move_tool(actor=lea, item=item, version=item.version, tool="whisk", step=2, likeness=None)
    assert (item.targets[1:], item.steps, len(item.distractors)) == (["whisk"], [1, 2], 3)
    item = check_text(actor=lea, item=item, version=item.version, findings=findings(item), valid_sequence=True)
    assert now(item).stage == Stage.IMAGE
    assert list(item.decisions.order_by("pk").values_list("stage", "verdict"))[-3:] == [
        ("text_check", "moved"), ("text_check", "passed"), ("mention_check", "passed"),
    ]  # fmt: skip


def test_a_name_without_a_literal_mention_stops_an_item(bench: Benchmark, lea: User) -> None:
    item = at(lea, bench, Stage.DESCRIPTION)
    loose = scene(item).replace("whisk", "whisks")
    item = set_description(actor=lea, item=item, version=item.version, description=loose)
    item = check_text(actor=lea, item=item, version=item.version, findings=findings(item), valid_sequence=True)
    assert item.stage == Stage.MENTION_CHECK
    last = item.decisions.last()
    assert (last.person, last.verdict, last.details) == (None, "stopped", {"missing": ["whisk"]})
    with pytest.raises(Conflict):
        set_image(actor=lea, item=item, version=item.version, data=photo())
    item = reject_item(actor=lea, item=item, version=item.version, to=Stage.DESCRIPTION, reasons=["other"])
    assert brought(lea, item, Stage.IMAGE).stage == Stage.IMAGE


def test_an_accepted_item_is_a_sample_with_its_image_and_its_plan_as_gold(
    bench: Benchmark, lea: User, rui: User
) -> None:
    item = accepted(lea, rui, bench, 2)
    sample = Sample.objects.select_related("image").with_gold().get(pk=item.sample_id)
    assert (sample.key, sample.state, sample.image) == (f"plan-{item.number:04d}", "accepted", item.image)
    assert (sample.width, sample.height) == (320, 240)
    record = record_of(sample)
    assert record.content.question == item.instruction
    assert [(one.tool, one.step) for one in record.content.plan.targets] == list(zip(item.targets, [1, 2], strict=True))
    assert record.content.plan.distractors == ("garden rake", "whisk", "peeler")
    assert record.extra["description"] == item.description
    annotation = Annotation.objects.get(sample=sample)
    assert (annotation.author, annotation.state) == (lea, "accepted")
    assert PlanTool.objects.of_gold(bench.pk).count() == 5
    last = item.decisions.last()
    assert (last.person, last.stage, last.verdict, last.details) == (
        rui,
        "image_check",
        "passed",
        {"sample": sample.key},
    )
    entry = AuditEntry.objects.filter(action="build.decide").latest("pk")
    assert (entry.actor, entry.before, entry.after) == (rui, "image_check", "accepted")


def test_nobody_decides_about_the_image_of_their_own_item(bench: Benchmark, lea: User, rui: User, ana: User) -> None:
    item = at(lea, bench, Stage.IMAGE_CHECK)
    with pytest.raises(NotAllowed, match="You worked on this item"):
        accept_item(actor=lea, item=item, version=item.version)
    with pytest.raises(InvalidInput, match="has a fault"):
        accept_item(actor=ana, item=item, version=item.version, faults=["artificial_cue"])
    item = reject_item(
        actor=ana, item=item, version=item.version, to=Stage.IMAGE, reasons=["artificial_cue"], note="A red arrow."
    )
    assert item.stage == Stage.IMAGE
    assert board_of(bench).rejects == {"artificial_cue": 1}
    item = set_image(actor=lea, item=item, version=item.version, data=photo("white"))
    # Ana sent it back, which made it no item of hers.
    assert accept_item(actor=ana, item=item, version=item.version).sample is not None


def test_people_who_check_images_cannot_do_anything_else(bench: Benchmark, lea: User, rui: User, sam: User) -> None:
    item = at(lea, bench, Stage.IMAGE_CHECK)
    with pytest.raises(NotAllowed, match="goes back to its image"):
        reject_item(actor=rui, item=item, version=item.version, to=Stage.STEPS, reasons=["other"])
    with pytest.raises(NotAllowed):
        accept_item(actor=sam, item=item, version=item.version)
    with pytest.raises(NotAllowed):
        draw_items(actor=rui, benchmark=bench, count=1, scenarios=1)
    first = drawn(lea, bench)
    with pytest.raises(NotAllowed):
        confirm_targets(actor=rui, item=first, version=first.version)
    with pytest.raises(NotAllowed):
        set_image(actor=rui, item=first, version=first.version, data=photo())


def test_what_the_bank_learned_since_is_held_against_an_item_before_it_is_accepted(
    bench: Benchmark, lea: User, rui: User
) -> None:
    item = at(lea, bench, Stage.IMAGE_CHECK)
    refuse_tool(actor=lea, tool=BankTool.objects.get(name="whisk"), reason="Not in this benchmark.")
    with pytest.raises(InvalidInput, match="whisk was rejected from the tool bank"):
        accept_item(actor=rui, item=item, version=item.version)
    assert (now(item).stage, Sample.objects.count()) == ("image_check", 0)


def test_an_item_goes_back_only_to_earlier_stages_and_for_a_reason(bench: Benchmark, lea: User) -> None:
    item = at(lea, bench, Stage.DISTRACTORS)
    about: dict[str, Any] = {"actor": lea, "item": item, "version": item.version}
    with pytest.raises(InvalidInput, match="earlier stage"):
        reject_item(**about, to=Stage.IMAGE, reasons=["other"])
    with pytest.raises(InvalidInput, match="at least one reason"):
        reject_item(**about, to=Stage.STEPS, reasons=[])
    with pytest.raises(InvalidInput, match="Unknown reason"):
        reject_item(**about, to=Stage.STEPS, reasons=["mood"])
    gone = reject_item(**about, to=Stage.DISCARDED, reasons=["other"])
    with pytest.raises(Conflict):
        reject_item(actor=lea, item=gone, version=gone.version, to=Stage.TARGETS, reasons=["other"])


def test_a_discarded_combination_can_be_drawn_again(bench: Benchmark, lea: User) -> None:
    first = drawn(lea, bench)
    reject_item(actor=lea, item=first, version=1, to=Stage.DISCARDED, reasons=["other"])
    items = draw_items(actor=lea, benchmark=bench, count=5, scenarios=1)
    assert first.targets in [item.targets for item in items]


def test_an_image_that_cannot_be_read_is_refused(bench: Benchmark, lea: User) -> None:
    item = at(lea, bench, Stage.IMAGE)
    with pytest.raises(InvalidInput) as found:
        set_image(actor=lea, item=item, version=item.version, data=b"no image")
    assert found.value.field == "image"
    assert BuildDecision.objects.filter(item=item, stage="image").count() == 0


@pytest.mark.both_databases
def test_every_stage_works_on_both_databases(bench: Benchmark, lea: User, rui: User) -> None:
    item = accepted(lea, rui, bench, 3)
    board = board_of(bench)
    assert board.column(Stage.ACCEPTED).count == 1
    assert board.column(Stage.TARGETS).items[0].stage == "targets"
    assert board.uses[2].most == 1
    assert item.sample is not None


def test_likeness_and_interchangeable_targets_are_stored_shown_and_written(
    bench: Benchmark, lea: User, rui: User
) -> None:
    item = at(lea, bench, Stage.STEPS, 2)
    item = set_steps(actor=lea, item=item, version=item.version, steps=[1, 1], either=item.targets)
    item = brought(lea, item, Stage.IMAGE_CHECK)
    sample = accept_item(actor=rui, item=item, version=item.version).sample
    assert sample is not None
    tools = PlanTool.objects.of_gold(bench)
    assert set(tools.filter(step__isnull=False).values_list("either", "likeness")) == {(1, "")}
    assert set(tools.filter(step=None).values_list("tool", "likeness")) == {
        ("garden rake", "visual"), ("whisk", "domain"), ("peeler", "domain"),
    }  # fmt: skip
    record = record_of(Sample.objects.with_gold().get(pk=sample.pk))
    assert record.content == content_from_json(content_to_json(record.content))[0]
    row = sample_row(record)
    assert row["likeness"] == {"garden rake": "visual", "whisk": "domain", "peeler": "domain"}
    assert [target["either"] for target in row["targets"]] == [1, 1]
    page = signed_in(lea).get(f"/benchmarks/workshop/samples/{sample.key}/").content.decode()
    assert "looks alike" in page
    assert "interchangeable (group 1)" in page


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ({"distractors": ["whisk"], "likeness": {"whisk": "odd"}}, "unknown-likeness"),
        ({"distractors": ["whisk"], "likeness": {"saw": "visual"}}, "unknown-likeness"),
        ({"targets": [{"tool": "saw", "step": 1, "either": 0}]}, "group-below-one"),
    ],
)
def test_a_file_with_an_unknown_likeness_or_group_is_refused(row: dict[str, Any], rule: str) -> None:
    with pytest.raises(RowRefused) as refused:
        sample_from({"id": "a", "question": "Fix it.", **row}, Report("samples.jsonl", None))
    assert refused.value.issue.rule == rule


def test_targets_of_a_group_share_a_step_and_are_at_least_two() -> None:
    def found(*targets: Target) -> list[str]:
        return [one.text for one in blocking(check(SampleContent("Fix it.", plan=ToolPlan(targets)), None, None))]

    assert not found(Target("saw", 1, 1), Target("knife", 1, 1), Target("tape", 2))
    assert "no other target" in " ".join(found(Target("saw", 1, 1), Target("tape", 2)))
    assert "share a step" in " ".join(found(Target("saw", 1, 1), Target("tape", 2, 1)))


ROOM = {"name": "room", "kind": "single", "required": "accept", "closed": True, "values": [{"value": "cellar"}]}


def in_force(lea: User, bench: Benchmark, content: dict[str, Any]) -> None:
    draft = save_draft(actor=lea, benchmark=bench, content=content)
    activate(actor=lea, benchmark=bench, version=draft.version)


def test_a_required_facet_is_needed_to_accept_an_item(bench: Benchmark, lea: User, rui: User) -> None:
    in_force(lea, bench, {"facets": [ROOM]})
    item = at(lea, bench, Stage.IMAGE_CHECK)
    with pytest.raises(InvalidInput, match="room is missing"):
        accept_item(actor=rui, item=item, version=item.version)
    with pytest.raises(InvalidInput, match="not one of its values"):
        accept_item(actor=rui, item=item, version=item.version, facets={"room": ["moon"]})
    with pytest.raises(InvalidInput, match="no facet color"):
        accept_item(actor=rui, item=item, version=item.version, facets={"color": ["red"]})
    done = accept_item(actor=rui, item=item, version=item.version, facets={"room": ["cellar"]})
    assert done.sample is not None
    assert list(done.sample.facets.values_list("name", "value")) == [("room", "cellar")]


def test_a_check_of_an_image_counts_as_a_review_in_progress_pay_and_card(
    bench: Benchmark, lea: User, rui: User
) -> None:
    accepted(lea, rui, bench)
    item = at(lea, bench, Stage.IMAGE_CHECK)
    reject_item(actor=rui, item=item, version=item.version, to=Stage.IMAGE, reasons=["artificial_cue"])
    assert my_progress(rui, bench).reviewed == 2
    [row] = [row for row in counted_lines(bench, month_of(timezone.now().date())) if row.person == rui]
    assert row.reviewed == 2
    assert making_of(bench).reviewers == 1


def test_a_benchmark_without_plans_has_no_tab_of_the_board(bench: Benchmark, lea: User) -> None:
    rights = {right.value: True for right in Right}

    def tabs() -> set[str]:
        return {link.href for link in tabs_of(Benchmark.objects.get(pk=bench.pk), rights, "")["more_tabs"].links}

    assert "/benchmarks/workshop/board/" in tabs()
    in_force(lea, bench, {"plan": {"use": "off"}})
    assert "/benchmarks/workshop/board/" not in tabs()
