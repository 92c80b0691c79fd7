"""The page of a run and the list of trajectories in a real browser: the live threshold, the keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from annotation.benchmarks.write.benchmark import set_public
from tests.evaluation.run_pages import make_benchmark, only_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def run(lea):
    """A public run whose pictures are not here: the pages ask for no file that is missing."""
    benchmark = make_benchmark(lea, pictures=False)
    set_public(actor=lea, benchmark=benchmark, public=True)
    return only_run(benchmark)


def move(page, threshold):
    page.locator("#threshold").evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input', {bubbles: true})); }",
        str(threshold),
    )


def counts(page):
    return [int(text) for text in page.locator(".quad__c .row > .small").all_inner_texts()]


@pytest.mark.endurance
def test_the_threshold_moves_the_numbers_and_what_they_open(page, live_server, run, faults):
    page.goto(f"{live_server.url}/benchmarks/street/runs/{run.pk}/")
    matrix = page.locator("sightline-threshold")
    stored, difference = matrix.locator(".quad").inner_html(), matrix.locator("[title]").first.inner_text()
    assert counts(page) == [7, 6, 9, 6]
    move(page, 0.3)
    # The three crops that hold 0.4 of the gold count as grounded now.
    assert counts(page) == [10, 6, 6, 6]
    expect(matrix.locator("output")).to_have_text("0.30")
    expect(matrix.locator("b").first).to_contain_text("35.7")
    expect(matrix.locator(".ci__range")).to_have_count(4)
    expect(matrix.locator(".ci").first).to_have_attribute("aria-label", re.compile(r"interval 2\d\.\d to 5\d\.\d%"))
    expect(matrix.locator("[data-when]")).to_have_text(
        "Accuracy, %: when grounded 62.5 (62.5–68.8), when ungrounded 50.0."
    )
    expect(matrix.locator("[data-points]")).to_have_text("+12.5 pp")
    expect(matrix.locator("[data-open]")).to_have_text("(+12.5 to +18.8 pp)")
    expect(matrix.locator(".quad__c .range")).to_have_text(["(35.7–39.3)", "(17.9–21.4)"])
    expect(matrix.locator("[data-odds]")).to_have_text("1.67")
    expect(matrix.locator("[data-spread]")).to_have_text(", no interval away from the scored threshold")
    opened = matrix.locator(".quad__c").first.get_attribute("href")
    with page.context.browser.new_context() as fresh:
        sent = fresh.new_page()
        sent.goto(page.url)
        expect(sent.locator("sightline-threshold output")).to_have_text("0.30")
        assert sent.locator("main").inner_text() == page.locator("main").inner_text()
    move(page, 0.5)
    assert (matrix.locator(".quad").inner_html(), matrix.locator("[title]").first.inner_text()) == (stored, difference)
    page.goto(live_server.url + opened)
    expect(page.locator("h1")).to_have_text("10 trajectories")
    assert faults == []


def test_keys_walk_the_list_and_open_a_trajectory(page, live_server, run, faults):
    page.goto(f"{live_server.url}/benchmarks/street/trajectories/?run={run.pk}&quadrant=G%2BA%2B")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".trajectory-row.is-here")).to_contain_text("seen-01")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/trajectories/\d+/\?run=\d+&quadrant=G%2BA%2B"))
    expect(page.locator("body")).to_contain_text("seen-00")
    assert faults == []


@pytest.mark.parametrize("width", [1440, 1280, 390])
@pytest.mark.parametrize("address", ["runs/{run}/", "trajectories/"])
@pytest.mark.endurance
def test_no_page_is_wider_than_the_window(page, live_server, run, width, address):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/benchmarks/street/{address.format(run=run.pk)}")
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_without_script_the_stored_threshold_is_shown(browser, live_server, run):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/benchmarks/street/runs/{run.pk}/")
    expect(page.locator("output")).to_have_text("0.50")
    expect(page.locator("#threshold")).to_be_hidden()
    context.close()
