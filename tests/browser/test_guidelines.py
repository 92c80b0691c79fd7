"""Guidelines in a real browser: beside the image at the focused field, on the next sample too, and before it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.guidelines.write import confirm_read, publish
from annotation.models import Benchmark
from tests.browser.annotate_data import kitchen, sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BODY = "# Question\n\nOne fact.\n\n" + "Words.\n\n" * 80 + "# Evidence\n\nTight boxes.\n"


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User, lea: User) -> Benchmark:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    made = kitchen(tmp_path, 2, annotator=ana, lead=lea)
    publish(actor=lea, benchmark=made, body=BODY, note="The first.", based_on=0)
    return made


def at_work(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/kitchen/annotate/")
    page.keyboard.press("c")
    expect(page.locator("sightline-studio .stage.is-drawn")).to_be_visible()


def test_f1_opens_the_guidelines_at_the_field_and_covers_nothing(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User
) -> None:
    confirm_read(actor=ana, guideline=benchmark.guidelines.get())
    sign_in(page.context, live_server.url, ana)
    at_work(page, live_server.url)
    panel = page.locator("sightline-guidelines")
    expect(panel).to_be_hidden()
    page.locator("#question").focus()
    page.keyboard.press("F1")
    expect(panel.get_by_role("heading", name="Question")).to_be_in_viewport()
    expect(panel.get_by_role("heading", name="Evidence")).not_to_be_in_viewport()
    # Whoever types goes on typing, and F1 in another field turns to its heading.
    expect(page.locator("#question")).to_be_focused()
    page.locator("[data-part=boxes] button").first.focus()
    page.keyboard.press("F1")
    expect(panel.get_by_role("heading", name="Evidence")).to_be_in_viewport()
    beside, stage = panel.bounding_box(), page.locator(".stage").bounding_box()
    assert beside is not None
    assert stage is not None
    assert beside["x"] + beside["width"] <= stage["x"]
    page.reload()
    expect(panel).to_be_visible()
    page.keyboard.press("F1")
    expect(panel).to_be_hidden()
    page.get_by_role("button", name="Guidelines").click()
    page.get_by_role("button", name="Close the guidelines").click()
    expect(panel).to_be_hidden()
    expect(page.get_by_role("button", name="Guidelines")).to_be_focused()
    assert faults == []


def test_what_is_new_is_read_before_the_next_sample(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User
) -> None:
    sign_in(page.context, live_server.url, ana)
    page.goto(f"{live_server.url}/benchmarks/kitchen/annotate/")
    page.keyboard.press("c")
    expect(page.get_by_role("heading", name="Read the guidelines")).to_be_visible()
    page.get_by_role("button", name="I have read them").click()
    page.wait_for_url("**/annotate/samples/*/")
    assert faults == []


def test_a_lead_sees_the_text_as_it_will_be_read_while_writing(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, lea: User
) -> None:
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/settings/guidelines/")
    preview = page.locator(".guide-form__page")
    expect(preview.get_by_role("heading", name="Evidence")).to_have_count(1)
    page.get_by_label("Guidelines", exact=True).fill("# Answer\n\nIn *small* letters.\n")
    expect(preview.get_by_role("heading", name="Answer")).to_be_visible()
    page.get_by_label("What changed").fill("Small letters.")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Version 2 is published.")).to_be_visible()
    assert benchmark.guidelines.count() == 2
    assert faults == []
