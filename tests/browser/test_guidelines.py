"""Guidelines in a real browser: beside the image at the focused field, on the next sample too, and before it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.guidelines.write import confirm_read, publish
from annotation.models import Benchmark
from tests.annotation.portable.files import png
from tests.browser.annotate_data import kitchen, sign_in
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

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


HAND_OVER = """([kind, name, type, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name, { type }));
  const about = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
  const event = kind === "paste" ? new ClipboardEvent(kind, about) : new DragEvent(kind, about);
  document.querySelector("[name=body]").dispatchEvent(event);
}"""
"""A file that is pasted or dropped."""


def test_a_lead_puts_images_into_the_text_by_button_paste_and_drop(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User, lea: User
) -> None:
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/settings/guidelines/")
    # From here on the browser hands its choosers over; asked only when one opens, it can be too late.
    page.on("filechooser", lambda _: None)
    text, status = page.get_by_label("Guidelines", exact=True), page.locator("[data-status]")
    preview = page.locator(".guide-form__page")
    expect(preview.get_by_role("heading", name="Evidence")).to_have_count(1)
    text.fill("# Evidence\n\n")
    # By keyboard: the cursor is then where the description belongs.
    page.get_by_role("button", name="Add image").focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files({"name": "handle.png", "mimeType": "image/png", "buffer": png(7)})
    expect(status).to_contain_text("handle.png is uploaded")
    expect(text).to_be_focused()
    page.keyboard.type("The handle")
    expect(text).to_have_value(re.compile(r"^# Evidence\n\n!\[The handle\]\(image:[0-9a-f]{12}\)$"))
    expect(preview.get_by_text("is being prepared")).to_be_visible()
    run_waiting()
    expect(preview.get_by_role("img", name="The handle")).to_be_visible()
    for kind, shade in (("paste", 8), ("drop", 9)):
        page.keyboard.press("Control+End")
        page.keyboard.press("Enter")
        page.evaluate(HAND_OVER, [kind, f"{kind}.png", "image/png", list(png(shade))])
        expect(status).to_contain_text(f"{kind}.png is uploaded")
        page.keyboard.type(f"By {kind}")
    assert text.input_value().count("](image:") == 3
    page.evaluate(HAND_OVER, ["drop", "words.txt", "text/plain", list(b"words")])
    expect(status).to_contain_text("words.txt")
    assert text.input_value().count("](image:") == 3
    expect(page.locator(".guide-uploads__row")).to_have_count(3)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Version 2 is published.")).to_be_visible()
    [fault] = faults
    assert "400" in fault, "The file that is no image."
    run_waiting()
    confirm_read(actor=ana, guideline=benchmark.guidelines.latest("number"))
    page.context.clear_cookies()
    sign_in(page.context, live_server.url, ana)
    at_work(page, live_server.url)
    page.keyboard.press("F1")
    shown = page.locator("sightline-guidelines").get_by_role("img", name="The handle")
    expect(shown).to_be_visible()
    assert shown.evaluate("(image) => image.decode().then(() => [image.clientWidth, image.clientHeight])") == [100, 80]
    assert faults == [fault]
