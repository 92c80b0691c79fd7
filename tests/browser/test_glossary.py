"""A word explains itself where it stands: by mouse, key and touch, and without a script by its link."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from annotation.benchmarks.write.benchmark import set_public
from tests.browser.annotate_data import sign_in
from tests.evaluation.board_data import make_board
from tests.evaluation.run_pages import make_benchmark

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WORD = "th.c-accuracy sightline-term > a"
CARD = ".term-card:popover-open"


@pytest.fixture
def board(lea, live_server):
    set_public(actor=lea, benchmark=make_board(lea), public=True)
    return f"{live_server.url}/benchmarks/kitchen/leaderboard/"


@pytest.fixture
def touched(browser: Browser) -> Iterator[Page]:
    """A telephone."""
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


def opened(page: Page) -> Locator:
    """The card, inside the window, with the definition and the formula of its word."""
    card = page.locator(CARD)
    expect(card).to_be_visible()
    expect(card).to_contain_text("Share of evaluated samples")
    expect(card).to_contain_text("correct / evaluated")
    box, window = card.bounding_box(), page.viewport_size
    assert box
    assert window
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] + box["height"] <= window["height"]
    return card


def test_the_mouse_opens_a_word_and_a_second_press_or_one_elsewhere_closes_it(board, page, faults):
    page.goto(board)
    word = page.locator(WORD)
    word.click()
    card = opened(page)
    expect(word).to_have_attribute("aria-expanded", "true")
    assert page.url == board
    word.click()
    expect(card).to_be_hidden()
    expect(word).to_have_attribute("aria-expanded", "false")
    word.click()
    opened(page)
    page.locator("th.c-grounded sightline-term > a").click()
    expect(page.locator(CARD)).to_contain_text("grounding population")
    page.mouse.click(5, 5)
    expect(card).to_be_hidden()
    assert faults == []


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_opens_a_word_and_escape_closes_it_and_returns_to_it(board, page, faults, key):
    page.goto(board)
    word = page.locator(WORD)
    word.focus()
    page.keyboard.press(key)
    card = opened(page)
    page.keyboard.press("Tab")
    expect(card.get_by_role("link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(word).to_be_focused()
    assert faults == []


def test_a_finger_opens_a_word_as_a_sheet(board, touched):
    touched.goto(board)
    touched.locator(WORD).tap()
    card = opened(touched)
    assert card.bounding_box()["width"] > 350
    touched.touchscreen.tap(5, 5)
    expect(card).to_be_hidden()


def test_the_card_leads_to_the_entry_of_the_glossary(board, page):
    page.goto(board)
    page.locator(WORD).click()
    opened(page).get_by_role("link").click()
    page.wait_for_url("**/glossary/#accuracy")
    expect(page.locator("article#accuracy")).to_be_in_viewport()


def test_without_a_script_a_word_is_a_link_to_the_glossary(board, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(board)
    page.locator(WORD).click()
    page.wait_for_url("**/glossary/#accuracy")
    expect(page.locator("article#accuracy")).to_be_in_viewport()
    context.close()


def test_where_no_entry_can_be_had_the_link_is_followed(board, page):
    page.route("**/glossary/accuracy/", lambda route: route.abort())
    page.goto(board)
    page.locator(WORD).click()
    page.wait_for_url("**/glossary/#accuracy")
    expect(page.locator("article#accuracy")).to_be_in_viewport()


def test_the_quadrant_of_a_row_explains_itself_without_opening_the_row(lea, live_server, page, faults):
    make_benchmark(lea, {"seen": 2}, pictures=False)
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/street/trajectories/")
    at = page.url
    page.locator(".trajectory-row sightline-term > a").first.click()
    card = page.locator(CARD)
    expect(card).to_contain_text("Grounded & correct")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    assert page.url.partition("?")[0] == at
    assert faults == []
