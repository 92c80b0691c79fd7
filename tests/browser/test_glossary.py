"""A word explains itself where it stands: by mouse, key and touch, and without a script by its link."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.queue.assignment import next_to_annotate
from annotation.workflow import Role
from tests.browser.annotate_data import Studio, sign_in
from tests.evaluation import import_data
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


def opened(page: Page, *words: str) -> Locator:
    """The card, inside the window, with these words: by default the definition and the formula of accuracy."""
    card = page.locator(CARD)
    expect(card).to_be_visible()
    for said in words or ("Share of evaluated samples", "correct / evaluated"):
        expect(card).to_contain_text(said)
    box, window = card.bounding_box(), page.viewport_size
    assert box
    assert window
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] + box["height"] <= window["height"]
    return card


@pytest.mark.endurance
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
@pytest.mark.endurance
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


EVIDENCE = "[data-part=boxes] .sec-h sightline-term > a"


@pytest.fixture
def sample(benchmark, ana, live_server) -> str:
    """Where Ana annotates."""
    taken = next_to_annotate(actor=ana, benchmark=benchmark)
    assert taken is not None
    return f"{live_server.url}/benchmarks/kitchen/annotate/samples/{taken.key}/"


def test_in_the_studio_the_mouse_and_a_key_open_a_word_and_change_nothing(sample, page, live_server, ana, faults):
    sign_in(page.context, live_server.url, ana)
    studio = Studio(page, sample)
    word = page.locator(EVIDENCE)
    word.click()
    card = opened(page, "A rectangle around evidence")
    word.click()
    expect(card).to_be_hidden()
    word.press("Enter")
    opened(page, "A rectangle around evidence")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(word).to_be_focused()
    studio.boxes(0)
    page.keyboard.press("b")
    studio.boxes(1)
    assert faults == []


def test_in_the_studio_a_finger_opens_a_word_as_a_sheet(sample, touched, live_server, ana):
    sign_in(touched.context, live_server.url, ana)
    Studio(touched, sample)
    touched.locator(EVIDENCE).tap()
    card = opened(touched, "A rectangle around evidence")
    assert card.bounding_box()["width"] > 350
    touched.touchscreen.tap(5, 5)
    expect(card).to_be_hidden()


@pytest.fixture
def preview(lea, live_server, settings, tmp_path, run_jobs) -> Callable[[Page], Locator]:
    """Lea reads a file of runs on a page; the word that explains its rejected rows."""
    settings.SCRATCH = tmp_path
    import_data.kitchen(lea)

    def read(page: Page) -> Locator:
        sign_in(page.context, live_server.url, lea)
        page.goto(f"{live_server.url}/benchmarks/kitchen/import/")
        content = import_data.native(trajectories=import_data.run_rows())
        page.get_by_label(re.compile("Drop a file")).set_input_files(
            [{"name": "runs.json", "mimeType": "application/json", "buffer": content}]
        )
        page.get_by_role("button", name="Preview file").click()
        expect(page.get_by_role("heading", name="Reading runs.json")).to_be_visible()
        run_jobs()
        return page.locator(".sums sightline-term > a", has_text="rejected")

    return read


def test_in_the_preview_of_an_import_the_mouse_and_a_key_open_a_word(preview, page, faults):
    word = preview(page)
    word.click()
    card = opened(page, "The row was not imported")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    word.press("Space")
    opened(page, "The row was not imported")
    page.keyboard.press("Tab")
    expect(card.get_by_role("link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(word).to_be_focused()
    expect(page.get_by_text("Nothing is saved yet")).to_be_visible()
    assert faults == []


def test_in_the_preview_of_an_import_a_finger_opens_a_word(preview, touched):
    preview(touched).tap()
    card = opened(touched, "The row was not imported")
    touched.touchscreen.tap(5, 5)
    expect(card).to_be_hidden()


def test_a_word_beside_the_label_of_a_setting_leaves_the_setting_alone(benchmark, lea, live_server, page, faults):
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.LEAD)
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/settings/queue/")
    page.locator(".field", has=page.get_by_label("Annotators per sample")).locator("sightline-term > a").click()
    opened(page, "annotate the same sample independently")
    expect(page.get_by_label("Annotators per sample")).not_to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_label("Annotators per sample").click()
    expect(page.locator(CARD)).to_be_hidden()
    assert faults == []
