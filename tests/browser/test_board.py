"""The building board by mouse: a lead brings an item to its image, and a reviewer makes it a sample."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.models import Benchmark, BuildItem, Sample
from tests.annotation.board_data import photo, workshop
from tests.browser.annotate_data import sign_in
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DISTRACTORS = (("garden rake", "visual"), ("whisk", "domain"), ("peeler", "functional"))


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, lea: User, rui: User) -> Benchmark:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    return workshop(lea, reviewer=rui)


def at(page: Page, stage: str) -> None:
    expect(page.get_by_role("heading", level=2)).to_contain_text(stage)


def builds(page: Page) -> None:
    """From the targets to the image, on the pages of item 6, which has two targets."""
    page.get_by_role("button", name="Keep these targets").click()
    at(page, "Steps")
    page.get_by_role("button", name="Save steps").click()
    at(page, "Instruction")
    targets = BuildItem.objects.get(number=6).targets
    page.get_by_role("textbox", name="Instruction").fill(f"Take the {targets[0]}s and start.")
    page.get_by_role("button", name="Save instruction").click()
    expect(page.get_by_text("gives away").first).to_be_visible()
    page.get_by_role("textbox", name="Instruction").fill("Get everything ready before the guests arrive.")
    page.get_by_role("button", name="Save instruction").click()
    at(page, "Distractors")
    for number, (name, likeness) in enumerate(DISTRACTORS, start=1):
        page.get_by_label(f"Distractor {number}", exact=True).fill(name)
        page.get_by_label(f"Likeness of distractor {number}", exact=True).select_option(likeness)
    page.get_by_role("button", name="Save distractors").click()
    at(page, "Description")
    names = ", ".join([*targets, *(name for name, _ in DISTRACTORS)])
    page.get_by_role("textbox", name="Description of the scene").fill(f"A bench in a bright room with {names} on it.")
    page.get_by_role("button", name="Save description").click()
    at(page, "QC-I")
    for name in [*targets, *(name for name, _ in DISTRACTORS)]:
        asked = page.get_by_role("radiogroup", name=f"Does the task need {name}?")
        asked.get_by_text("Yes" if name in targets else "No").click()
        page.get_by_role("radiogroup", name=f"Does {name} fit?").get_by_text("Yes").click()
    page.get_by_role("radiogroup", name="Is the order of the steps valid?").get_by_text("Yes").click()
    page.get_by_role("button", name="Save check").click()
    at(page, "Image")


def test_a_lead_brings_an_item_to_its_image_and_a_reviewer_makes_it_a_sample(
    benchmark: Benchmark, page: Page, browser: Browser, live_server: Any, lea: User, rui: User
) -> None:
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/workshop/board/")
    page.get_by_label("Combinations", exact=True).fill("6")
    page.get_by_label("Scenarios of each").select_option("1")
    page.get_by_role("button", name="Draw items").click()
    column = page.get_by_role("region", name="Targets 6")
    column.get_by_role("link").filter(has_text=", ").click()
    builds(page)
    page.locator("input[type=file]").set_input_files({"name": "bench.png", "mimeType": "image/png", "buffer": photo()})
    page.get_by_role("button", name="Upload image").click()
    at(page, "QC-III")
    expect(page.get_by_text("You worked on this item.")).to_be_visible()
    run_waiting()
    other = browser.new_context()
    sign_in(other, live_server.url, rui)
    review = other.new_page()
    review.goto(f"{live_server.url}/benchmarks/workshop/board/")
    review.get_by_role("region", name="QC-III: image 1").get_by_role("link").last.click()
    expect(review.get_by_role("img", name="Image of item 6")).to_be_visible()
    for fault in ("unrealistic scene", "tool not visible", "artificial cue"):
        review.get_by_role("radiogroup", name=fault).get_by_text("no", exact=True).click()
    review.get_by_role("button", name="Accept as sample").click()
    at(review, "Accepted")
    review.get_by_role("link", name="plan-0006").click()
    expect(review.get_by_text("Get everything ready before the guests arrive.").first).to_be_visible()
    expect(review.get_by_role("link", name="item 6")).to_be_visible()
    gold = Sample.objects.get(key="plan-0006").gold.revision
    assert [(tool.step is None) for tool in gold.plan_tools.all()] == [False, False, True, True, True]
    other.close()
