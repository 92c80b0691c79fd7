"""Drafted toolchains and tool plans in the studio and the workbench: proposals until a person decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.drafting import Arm
from annotation.models import Annotation, BankTool, Benchmark, Draft, Drafting, Proposal, ProposalUse, Sample, ToolName
from annotation.queue.assignment import next_to_annotate
from annotation.tool_bank import key_of
from tests.browser.annotate_data import Studio, sign_in
from tests.browser.conftest import bring_axe
from tests.browser.test_drafts import AXE, draft
from tests.evaluation.experiments.drafting_data import reseed
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CALLS: list[dict[str, Any]] = [
    {"tool": "crop", "arguments": {"x": 10, "y": 20, "width": 80, "height": 60}, "image_in": None, "image_out": None},
    {"tool": "resize", "arguments": {"preset": "double"}, "image_in": None, "image_out": None},
]
DRAFTS: dict[str, Any] = {
    "question": "Which tool loosens the nut?",
    "toolchain": CALLS,
    "targets": [{"tool": "wrench", "step": 2}, {"tool": "gloves", "step": 1}],
    "distractors": ["hammer"],
}


@pytest.fixture
def sample(benchmark: Benchmark, ana: User) -> Sample:
    """Ana's sample with drafts that she is shown."""
    for name in ("wrench", "gloves", "hammer"):
        tool = BankTool.objects.create(benchmark=benchmark, name=name)
        ToolName.objects.create(benchmark=benchmark, tool=tool, name=name, key=key_of(name))
    found = next_to_annotate(actor=ana, benchmark=benchmark)
    assert found is not None
    drafting = Drafting.objects.create(benchmark=benchmark, seed="0" * 32, control_share=0.05)
    reseed(benchmark, ana, Arm.SHOWN, found)
    Proposal.objects.bulk_create(
        Proposal(drafting=drafting, sample=found, field=name, content=content, source="m-1", prompt_digest="d" * 64)
        for name, content in DRAFTS.items()
    )
    return found


@pytest.fixture
def studio(sample: Sample, page: Page, faults: list[str], live_server: Any, ana: User) -> Iterator[Studio]:
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert faults == []


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def test_an_accepted_toolchain_is_in_the_editor_with_its_source_and_undo_brings_the_draft_back(
    studio: Studio, page: Page, ana: User
) -> None:
    open_tab(page, "Toolchain")
    proposed = draft(page, "toolchain")
    expect(proposed).to_contain_text("crop(x = 10, y = 20, width = 80, height = 60) → resize(preset = double)")
    expect(proposed).to_contain_text("Draft by m-1")
    expect(page.locator("#chain .chain > li")).to_have_count(0)
    proposed.get_by_role("button").first.click()
    expect(page.locator("#chain .chain > li")).to_have_count(2)
    expect(page.locator("#chain .chain > li").first).to_contain_text("Draft by m-1")
    expect(proposed).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(page.locator("#chain .chain > li")).to_have_count(0)
    expect(proposed).to_be_visible()
    proposed.get_by_role("button").first.click()
    expect(page.locator("#saving")).to_contain_text("Saved", timeout=15_000)
    content = Draft.objects.get(annotation__author=ana).content
    assert content["reference_toolchain"] == [call | {"source": "m-1"} for call in CALLS]


def test_targets_and_distractors_are_accepted_each_by_itself(studio: Studio, page: Page, ana: User) -> None:
    open_tab(page, "Tool plan")
    expect(draft(page, "targets")).to_contain_text("2 wrench · 1 gloves")
    draft(page, "targets").get_by_role("button").first.click()
    expect(page.locator(".plan-target b")).to_have_text(["gloves", "wrench"])
    expect(draft(page, "targets")).to_be_hidden()
    expect(draft(page, "distractors")).to_be_visible()
    draft(page, "distractors").get_by_role("button").nth(1).click()
    expect(draft(page, "distractors")).to_be_hidden()
    expect(page.locator("[data-part=distractors] li")).to_have_count(0)
    expect(page.locator("#saving")).to_contain_text("Saved", timeout=15_000)
    content = Draft.objects.get(annotation__author=ana).content
    assert sorted((one["step"], one["tool"]) for one in content["targets"]) == [(1, "gloves"), (2, "wrench")]
    page.reload()
    open_tab(page, "Tool plan")
    expect(page.locator(".plan-target")).to_have_count(2)
    expect(draft(page, "distractors")).to_be_hidden()


def test_the_workbench_proposes_the_toolchain_and_the_submission_has_the_decisions(
    studio: Studio, page: Page, live_server: Any, sample: Sample, ana: User
) -> None:
    bench = f"{live_server.url}/benchmarks/kitchen/toolchain/samples/{sample.key}/"
    page.goto(bench)
    proposed = page.locator("[data-part=drafted]")
    expect(proposed).to_contain_text("Draft by m-1")
    expect(page.locator(".bstep")).to_have_count(0)
    proposed.get_by_role("button", name="Accept draft").click()
    expect(page.locator(".bstep__tool")).to_have_text(["crop", "resize"])
    expect(proposed).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(proposed).to_be_visible()
    proposed.get_by_role("button", name="Accept draft").click()
    expect(page.locator("#saving")).to_contain_text("Saved", timeout=15_000)
    page.goto(studio.url)
    open_tab(page, "Toolchain")
    expect(draft(page, "toolchain")).to_be_hidden()
    open_tab(page, "Evidence")
    studio.fill_all()
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(studio.url)
    uses = {one.proposal.field: one for one in ProposalUse.objects.select_related("proposal")}
    assert (uses["toolchain"].arm, uses["toolchain"].decision, uses["toolchain"].distance) == ("shown", "accepted", 0.0)
    assert uses["targets"].decision == "left"
    assert Annotation.objects.get(author=ana).state != "draft"


def test_a_draft_that_is_dismissed_in_the_workbench_is_dismissed_in_the_studio(
    studio: Studio, page: Page, live_server: Any, sample: Sample
) -> None:
    page.goto(f"{live_server.url}/benchmarks/kitchen/toolchain/samples/{sample.key}/")
    page.get_by_role("button", name="Dismiss draft").click()
    expect(page.locator("[data-part=drafted]")).to_be_hidden()
    page.goto(studio.url)
    open_tab(page, "Toolchain")
    expect(draft(page, "toolchain")).to_be_hidden()
    expect(page.locator("#chain .chain > li")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_fault_where_parts_are_drafted(
    studio: Studio, page: Page, live_server: Any, sample: Sample, theme: Any
) -> None:
    page.emulate_media(color_scheme=theme)
    for tab in ("Toolchain", "Tool plan"):
        open_tab(page, tab)
        bring_axe(page)
        assert page.evaluate(AXE) == []
    page.goto(f"{live_server.url}/benchmarks/kitchen/toolchain/samples/{sample.key}/")
    expect(page.locator("[data-part=drafted]")).to_be_visible()
    bring_axe(page)
    assert page.evaluate(AXE) == []
