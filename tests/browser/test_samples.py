"""The samples grid in a real browser: keys move, select and open; what is selected can be shown alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.benchmarks.write.benchmark import set_public
from annotation.models import Image
from tests.annotation.pages_data import make_benchmark

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def samples(page: Page, live_server: Any, faults: list[str]) -> Page:
    """The page of twelve samples whose pictures are still being cut, as a visitor sees it."""
    benchmark = make_benchmark(None, count=12)
    set_public(actor=None, benchmark=benchmark, public=True)
    Image.objects.update(state=Image.State.WAITING)
    page.goto(f"{live_server.url}/benchmarks/kitchen/samples/")
    return page


def here(page: Page) -> str:
    return page.locator(".tile.is-here .small").first.inner_text()


def test_keys_move_through_the_grid_and_open_a_sample(samples: Page, faults: list[str]) -> None:
    samples.keyboard.press("j")
    samples.keyboard.press("j")
    samples.keyboard.press("j")
    samples.keyboard.press("k")
    assert here(samples) == "mug-001"
    samples.keyboard.press("Enter")
    expect(samples).to_have_url(re.compile(r"/benchmarks/kitchen/samples/mug-001/$"))
    assert faults == []


def test_selected_samples_can_be_shown_alone(samples: Page, faults: list[str]) -> None:
    bar = samples.locator(".selbar")
    expect(bar).to_be_hidden()
    for key in "jxjx":
        samples.keyboard.press(key)
    expect(bar).to_be_visible()
    expect(samples.locator(".tile.is-sel")).to_have_count(2)
    samples.get_by_role("button", name="Show only selected").click()
    expect(samples.locator(".tile")).to_have_count(2)
    expect(samples.locator("#count")).to_have_text("2 of 12")
    samples.get_by_role("link", name="Remove id 2 selected").click()
    expect(samples.locator(".tile")).to_have_count(12)
    assert faults == []


def test_a_search_keeps_the_facet_that_narrows(samples: Page, faults: list[str]) -> None:
    samples.get_by_role("link", name="red 4").click()
    expect(samples.locator(".tile")).to_have_count(4)
    samples.keyboard.press("/")
    samples.keyboard.type("mug-00")
    samples.keyboard.press("Enter")
    expect(samples).to_have_url(re.compile(r"facet\.colour=red"))
    expect(samples.locator(".tile")).to_have_count(4)
    samples.get_by_role("link", name="Table view").click()
    expect(samples.locator("tbody tr")).to_have_count(4)
    assert faults == []


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_hangs_over_the_edge(samples: Page, faults: list[str], width: int) -> None:
    samples.set_viewport_size({"width": width, "height": 800})
    for view in ("grid", "table"):
        samples.goto(samples.url.split("?")[0] + f"?view={view}")
        assert samples.evaluate("document.documentElement.scrollWidth") <= width
    assert faults == []
