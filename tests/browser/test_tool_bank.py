"""The tool bank in the plan editor: found by any name, grouped by segment, proposed where the bank has no such tool."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Benchmark, Draft
from annotation.queue.assignment import next_to_annotate
from annotation.tools.write import add_tool, refuse_tool
from tests.browser.annotate_data import Studio, kitchen, sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TOOLS = (("wrench", "27", ["spanner"]), ("wrecking bar", "22", []), ("pipe wrench", "27", []), ("wren nest", "", []))


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User) -> Benchmark:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    benchmark = kitchen(tmp_path, 1, annotator=ana)
    for name, segment, aliases in TOOLS:
        add_tool(actor=None, benchmark=benchmark, name=name, segment=segment, aliases=aliases)
    refused = add_tool(actor=None, benchmark=benchmark, name="wrap", segment="", aliases=[])
    refuse_tool(actor=None, tool=refused, reason="No tool.")
    return benchmark


@pytest.fixture
def plan(benchmark: Benchmark, page: Page, live_server: Any, ana: User) -> Studio:
    """Ana has the tool plan of the sample open, and the caret where tools are found."""
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    sign_in(page.context, live_server.url, ana)
    studio = Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    page.get_by_role("tab", name="Tool plan").click()
    page.get_by_label("Add a tool").focus()
    return studio


def test_tools_are_found_by_any_name_and_grouped_by_segment(plan: Studio) -> None:
    page = plan.page
    page.keyboard.type("wr")
    tools = page.get_by_role("listbox").get_by_role("group", name="Tools and General Machinery").get_by_role("option")
    expect(tools).to_have_text(["wrench", "pipe wrench"])
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options.filter(has_text="wrap")).to_have_count(0)
    page.get_by_label("Segment", exact=True).select_option("22")
    expect(options.first).to_have_text("wrecking bar")
    page.get_by_label("Segment", exact=True).select_option("")
    page.get_by_label("Add a tool").fill("span")
    expect(options.first).to_contain_text("also “spanner”")
    page.keyboard.press("Enter")
    expect(page.get_by_label("wrench, step 1")).to_contain_text("Tools and General Machinery")


def test_a_tool_is_shown_as_the_picture_has_it(plan: Studio) -> None:
    page = plan.page
    page.keyboard.type("wren")
    pictures = page.get_by_role("option").locator("canvas")
    expect(pictures.locator("visible=true")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Evidence").click()
    plan.drag((400, 400), (500, 500))
    page.get_by_label("Label of box G1").fill("Spanner")
    page.keyboard.press("Tab")
    page.get_by_role("tab", name="Tool plan").click()
    page.get_by_label("Add a tool").fill("wren")
    expect(page.get_by_role("option").filter(has_text="wrench").first.locator("canvas")).to_be_visible()
    expect(page.get_by_role("option").filter(has_text="wren nest").locator("canvas")).to_have_attribute("hidden", "")


def test_a_name_that_the_bank_lacks_is_taken_and_said_to_be_proposed(plan: Studio) -> None:
    page = plan.page
    page.keyboard.type("wr")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_label("wr, step 1")).to_contain_text("new: proposed when you submit")
    page.keyboard.type("wrap")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("[data-part=distractors]")).to_contain_text("rejected: No tool.")
    plan.saved()
    expect(page.locator("[data-checks=distractors]")).to_contain_text("Choose another tool.")
    assert Draft.objects.get().content["targets"] == [{"tool": "wr", "step": 1}]
