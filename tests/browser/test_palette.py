"""The search over the page, by keys, by touch and without scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.benchmarks.write.benchmark import set_public
from tests.evaluation.board_data import make_board
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
BASE = "/benchmarks/kitchen/"


@pytest.fixture
def runs(lea: User, live_server: Any) -> str:
    set_public(actor=lea, benchmark=make_board(lea, score=False), public=True)
    return f"{live_server.url}{BASE}runs/"


def chosen(page: Page) -> Any:
    return page.locator("#palette [role=option][aria-selected=true]")


def test_it_opens_by_key_moves_by_arrows_and_enter_opens_what_is_chosen(
    runs: str, page: Page, faults: list[str]
) -> None:
    page.goto(runs)
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    expect(chosen(page)).to_have_text(re.compile("Samples"))
    page.keyboard.type("model")
    expect(chosen(page)).to_have_text(re.compile("Model A"))
    page.keyboard.press("ArrowDown")
    expect(chosen(page)).to_have_text(re.compile("Model B"))
    assert field.get_attribute("aria-activedescendant") == chosen(page).get_attribute("id")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(chosen(page)).to_have_text(re.compile("Model A"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/\d+/$"))
    assert faults == []


def test_escape_closes_it_and_the_focus_returns(runs: str, page: Page) -> None:
    page.goto(runs)
    tab = page.get_by_role("link", name="Compare", exact=True)
    tab.focus()
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()
    expect(tab).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Meta+k")
    expect(page.locator("#palette")).to_be_hidden()


def test_enter_before_the_results_are_there_opens_the_first_of_them(runs: str, page: Page) -> None:
    page.goto(runs)
    page.keyboard.press("/")
    page.keyboard.type("mug")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/samples/mug/$"))


def test_a_page_with_a_field_of_its_own_keeps_its_key(runs: str, page: Page) -> None:
    page.goto(runs.replace("runs/", "trajectories/"))
    page.keyboard.press("/")
    expect(page.locator("[data-key='/']")).to_be_focused()
    expect(page.locator("#palette")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search benchmarks")).to_be_focused()


def test_the_list_of_keys_names_it(runs: str, page: Page) -> None:
    page.goto(runs)
    page.keyboard.press("?")
    row = page.locator("#key-help li", has_text="search").first
    assert row.locator("kbd").all_inner_texts() == ["Ctrl", "K"]


def test_it_opens_by_touch_and_fits_a_small_window(runs: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(runs)
    page.locator("[data-opens=palette]").tap()
    page.keyboard.type("mug")
    expect(chosen(page)).to_have_text(re.compile("mug"))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    chosen(page).tap()
    expect(page).to_have_url(re.compile("/samples/mug/$"))
    context.close()


def test_without_scripts_the_button_leads_to_the_same_results(runs: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(runs)
    page.locator("[data-opens=palette]").click()
    page.get_by_role("searchbox").fill("mug")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name=re.compile("^mug")).click()
    expect(page).to_have_url(re.compile("/samples/mug/$"))
    context.close()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_menu_behind_the_tabs_works_by_keys(runs: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(runs)
    more = page.locator(".tabs-more summary")
    more.focus()
    page.keyboard.press("Enter")
    first, *_, last = page.locator(".tabs-more a").all()
    expect(first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(last).to_be_focused()
    page.keyboard.press("Escape")
    expect(last).to_be_hidden()
    expect(more).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("End")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.keyboard.press("Enter")
    expect(page.locator(".tabs-more summary")).to_have_attribute("aria-current", "true")


def test_the_menu_behind_the_tabs_works_without_scripts(runs: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(runs)
    page.locator(".tabs-more summary").click()
    page.get_by_role("link", name="Versions", exact=True).click()
    expect(page).to_have_url(re.compile("/versions/$"))
    context.close()
