"""Drafts of models in the studio: gray and dotted until they are accepted or dismissed, each field by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.drafting import Arm
from annotation.models import Benchmark, Drafting, Proposal, ProposalUse, Sample
from annotation.queue.assignment import next_to_annotate
from tests.browser.annotate_data import Studio, sign_in
from tests.browser.conftest import bring_axe
from tests.evaluation.experiments.drafting_data import reseed
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DRAFTS: dict[str, Any] = {
    "question": "What color is the square?",
    "options": {"A": "black", "B": "white"},
    "answer": "black",
    "boxes": [{"box": [1176, 784, 1224, 816]}],
}
AXE = """() => axe.run(document, {resultTypes: ["violations"], preload: false}).then(({violations}) =>
    violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 160)}`)))"""


@pytest.fixture
def sample(benchmark: Benchmark, ana: User) -> Sample:
    """Ana's sample with drafts that she is shown."""
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


def draft(page: Page, field: str) -> Any:
    return page.locator(f'[data-draft="{field}"]')


def test_tab_accepts_and_escape_dismisses_each_field_by_itself(studio: Studio, page: Page) -> None:
    question = page.locator("#question")
    expect(question).to_have_value("")
    expect(question).to_have_attribute("placeholder", DRAFTS["question"])
    expect(page.locator(".marks .drafted:visible")).to_have_count(1)
    question.focus()
    page.keyboard.press("Tab")
    expect(question).to_have_value(DRAFTS["question"])
    expect(question).to_be_focused()
    expect(draft(page, "question")).to_be_hidden()
    expect(draft(page, "options")).to_be_visible()
    page.keyboard.press("Tab")
    expect(question).not_to_be_focused()
    draft(page, "options").get_by_role("button").first.focus()
    page.keyboard.press("Tab")
    expect(page.locator("[data-part=options] .input").nth(1)).to_have_value("white")
    page.locator("[data-part=options] .input").first.focus()
    page.keyboard.press("Tab")
    expect(page.locator("[data-part=options] [name=right]").first).to_be_checked()
    draft(page, "boxes").get_by_role("button").first.focus()
    page.keyboard.press("Escape")
    expect(draft(page, "boxes")).to_be_hidden()
    expect(page.locator(".marks .drafted:visible")).to_have_count(0)
    expect(page.locator("[data-part=box-rows] li")).to_have_count(0)


def test_what_a_person_wrote_is_not_replaced_by_tab(studio: Studio, page: Page) -> None:
    question = page.locator("#question")
    question.fill("Mine?")
    page.keyboard.press("Tab")
    expect(question).to_have_value("Mine?")
    expect(question).not_to_be_focused()
    expect(draft(page, "question")).to_be_visible()
    draft(page, "question").get_by_role("button").first.click()
    expect(question).to_have_value(DRAFTS["question"])
    page.keyboard.press("Control+z")
    expect(question).to_have_value("Mine?")


def test_an_accepted_box_keeps_its_source_and_decisions_come_with_the_submission(
    studio: Studio, page: Page, sample: Sample
) -> None:
    page.locator("#question").focus()
    page.keyboard.press("Tab")
    for field in ("options", "answer", "boxes"):
        draft(page, field).get_by_role("button").first.click()
    expect(page.locator("[data-part=box-rows] li")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(studio.url)
    uses = {one.proposal.field: one for one in ProposalUse.objects.select_related("proposal")}
    assert {name: (one.arm, one.decision, one.distance) for name, one in uses.items()} == dict.fromkeys(
        DRAFTS, ("shown", "accepted", 0.0)
    )
    assert uses["boxes"].seconds is not None
    assert uses["boxes"].seconds > 0
    annotation = uses["boxes"].annotation
    boxes = annotation.revisions.get().gold_boxes if annotation.revisions.exists() else None
    sources = [one.source for one in boxes.all()] if boxes else [annotation.draft.content["gold_boxes"][0]["source"]]
    assert sources == ["m-1"]


def test_the_list_of_keys_names_those_of_drafts(studio: Studio, page: Page) -> None:
    page.locator("body").press("?")
    expect(page.locator("dialog[open]")).to_contain_text("accept its draft")
    expect(page.locator("dialog[open]")).to_contain_text("dismiss its draft")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_fault_in_either_theme(studio: Studio, page: Page, theme: Any) -> None:
    page.emulate_media(color_scheme=theme)
    bring_axe(page)
    assert page.evaluate(AXE) == []


def test_an_adopted_planted_error_is_shown_at_its_field_and_disclosed_after_the_correction(
    studio: Studio, page: Page, sample: Sample, faults: list[str]
) -> None:
    Proposal.objects.filter(field="answer").update(planted_error="white")
    page.reload()
    expect(draft(page, "answer")).to_contain_text("white")
    for field in ("question", "options", "answer", "boxes"):
        draft(page, field).get_by_role("button").first.click()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("planted error, and you adopted it").first).to_be_visible()
    assert page.url == studio.url
    page.locator("[data-part=options] [name=right]").first.check()
    expect(page.get_by_text("planted error, and you adopted it")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(studio.url)
    expect(page.locator("#toasts")).to_contain_text("Your submission does not have it")
    assert ProposalUse.objects.get(proposal__field="answer").adopted is True
    # The refusal is the one answer that is no success.
    assert [one for one in faults if "422" not in one] == []
    faults.clear()
