"""Scripts speak the language of their page: the catalog is there before they run, and an English page asks for none."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.pseudo_locale import END, START, pseudo_site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def catalogs(page: Page) -> list[str]:
    """The catalogs that a page asks for, from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/texts/" in request.url else None)
    return asked


def test_texts_of_scripts_are_in_the_language_of_the_page(page: Page, live_server) -> None:
    asked = catalogs(page)
    with pseudo_site():
        page.goto(f"{live_server.url}/glossary/", timeout=120_000)
        expect(page.locator("sightline-theme button")).to_have_attribute(
            "aria-label", f"{START}Theme: follow system{END}"
        )
        page.keyboard.press("?")
        expect(page.get_by_text(f"{START}this list{END}")).to_be_visible()
    assert asked == [f"{live_server.url}/texts/eo.json"]


def test_an_english_page_asks_for_no_catalog(page: Page, live_server) -> None:
    asked = catalogs(page)
    page.goto(f"{live_server.url}/glossary/", timeout=120_000)
    expect(page.locator("sightline-theme button")).to_have_attribute("aria-label", "Theme: follow system")
    assert asked == []
