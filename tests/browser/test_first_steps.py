"""A newcomer in a real browser: from a server without accounts to the first accepted sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from annotation.models import Gold
from tests.browser.annotate_data import picture
from tests.factories import PASSWORD
from webapp.accounts.links import set_up_path
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_CLICKS = 25


class Mouse:
    """Counts what is pressed with it: also links that a person gets outside of the site, and the field of a file."""

    def __init__(self) -> None:
        self.clicks = 0

    def press(self, what: Locator) -> None:
        self.clicks += 1
        what.click()

    def open(self, page: Page, link: str) -> None:
        self.clicks += 1
        page.goto(link)

    def choose(self, field: Locator, file: Path) -> None:
        self.clicks += 1
        field.set_input_files(file)


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


def review(browser: Browser, link: str, address: str, mouse: Mouse) -> None:
    """Rui accepts the invitation and what waits."""
    other = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    mouse.open(other, link)
    other.get_by_label("Name shown to others").fill("Rui Costa")
    other.get_by_label("Password", exact=False).first.fill(PASSWORD)
    mouse.press(other.get_by_role("button", name="Create account"))
    mouse.press(other.get_by_role("button", name="Continue C"))
    expect(other.locator("sightline-blind .stage.is-live")).to_be_visible(timeout=15_000)
    other.get_by_label("Your answer").fill("black")
    other.keyboard.press("Control+Enter")
    expect(other.locator("sightline-review .stage.is-drawn")).to_be_visible(timeout=15_000)
    mouse.press(other.get_by_role("button", name="Accept").first)
    expect(other).to_have_url(address)


def test_a_newcomer_gets_from_an_empty_server_to_an_accepted_sample(
    page: Page, browser: Browser, faults: list[str], live_server: Any, tmp_path: Path, settings: Any
) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    (tmp_path / "mug.png").write_bytes(picture())
    mouse = Mouse()

    mouse.open(page, f"{live_server.url}{set_up_path()}")
    page.get_by_label("Email").fill("lea@example.org")
    page.get_by_label("Name shown to others").fill("Lea Moreau")
    page.get_by_label("Password", exact=False).first.fill(PASSWORD)
    mouse.press(page.get_by_role("button", name="Create account"))

    expect(page).to_have_url(f"{live_server.url}/")
    page.get_by_label("Title").fill("Street signs")
    mouse.press(page.get_by_role("button", name="Create benchmark"))
    expect(page).to_have_url(f"{live_server.url}/benchmarks/street-signs/")

    mouse.press(page.get_by_role("link", name="Upload images"))
    mouse.choose(page.locator("#id_files"), tmp_path / "mug.png")
    mouse.press(page.get_by_role("button", name="Upload images"))
    expect(page).not_to_have_url(f"{live_server.url}/benchmarks/street-signs/upload/")
    run_waiting()

    mouse.press(page.get_by_role("link", name="Annotate"))
    mouse.press(page.get_by_role("button", name="Continue"))
    expect(page.locator(".stage.is-drawn")).to_be_visible(timeout=15_000)
    page.keyboard.press("b")
    mouse.press(page.get_by_label("Question"))
    page.keyboard.type("Which color is the mug?")
    mouse.press(page.get_by_label("Open-ended"))
    mouse.press(page.get_by_label("Accepted answers"))
    page.keyboard.type("black")
    mouse.press(page.get_by_role("button", name="Submit and next"))
    expect(page).to_have_url(f"{live_server.url}/benchmarks/street-signs/annotate/")

    mouse.press(page.get_by_role("link", name="My work"))
    mouse.press(page.get_by_role("link", name="mug", exact=True))
    mouse.press(page.get_by_role("button", name="Send to review now"))
    expect(page.get_by_role("button", name="Send to review now")).to_have_count(0)

    mouse.press(page.get_by_role("link", name="Street signs", exact=True))
    mouse.press(page.get_by_role("link", name="Invite annotators and a reviewer"))
    page.get_by_label("Email of the person").fill("rui@example.org")
    mouse.press(page.locator("#invite").get_by_label("reviewer", exact=True))
    mouse.press(page.locator("#invite").get_by_role("button", name="Invite"))
    link = page.locator("code.secret").inner_text()

    review(browser, link, f"{live_server.url}/benchmarks/street-signs/review/", mouse)

    assert Gold.objects.get().revision.question == "Which color is the mug?"
    assert mouse.clicks <= MOST_CLICKS
    assert faults == []
