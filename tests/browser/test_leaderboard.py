"""The leaderboard in a browser: it breaks no rule of the page, and a number leads to its list without a script."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.benchmarks.write.benchmark import set_public
from evaluation.models import Model
from tests.evaluation.board_data import make_board

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def board(lea, live_server):
    set_public(actor=lea, benchmark=make_board(lea), public=True)
    return f"{live_server.url}/benchmarks/kitchen/leaderboard/"


@pytest.mark.parametrize("width", [1440, 1280, 390])
def test_the_page_fits_its_window_and_breaks_no_rule(board, page, faults, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(board)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert faults == []


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("preset", ["overview", "tools", "paper"])
@pytest.mark.endurance
def test_every_row_is_one_line(board, page, width, preset):
    page.set_viewport_size({"width": width, "height": 800})
    Model.objects.filter(name="Model D").update(name="A model whose name is longer than any column could be " * 3)
    page.goto(f"{board}?preset={preset}")
    heights = page.locator(".lb tbody tr:not(.sep)").evaluate_all("rows => rows.map((one) => one.offsetHeight)")
    assert set(heights) == {heights[0]}
    assert heights[0] <= 38
    name = page.get_by_role("link", name="A model whose name").first
    assert name.evaluate("(one) => one.scrollWidth > one.clientWidth && one.title.includes(one.textContent)")


@pytest.mark.endurance
def test_empty_columns_come_back_by_a_link(board, page, faults):
    page.goto(f"{board}?preset=faithfulness")
    heads = page.locator(".lb thead tr:last-child th")
    n = heads.count()
    page.get_by_role("link", name="Empty columns").click()
    expect(heads.nth(n)).to_be_attached()
    page.get_by_role("link", name="Empty columns").click()
    expect(heads).to_have_count(n)
    assert faults == []


def test_a_small_window_shows_one_group_of_columns_at_a_time(board, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{board}?groups=grounding,toolchain,planning,faithfulness,cost")
    heads = page.locator(".lb thead tr:last-child th:visible")
    assert "Coverage" in " ".join(heads.all_inner_texts()).replace("\u00ad", "")
    page.get_by_label("Column group", exact=True).get_by_role("link", name="Planning").click()
    expect(heads.filter(has_text="Exact match")).to_be_visible()
    assert "Calls" not in " ".join(heads.all_inner_texts())


@pytest.mark.parametrize("width", [390, 1440])
def test_a_row_can_be_made_the_reference_at_any_width(board, page, width):
    """In a narrow window nothing hovers over it: it stands in sight."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(board)
    link = page.get_by_role("link", name="set as reference").first
    link.focus()
    expect(link).to_have_css("opacity", "1")
    assert link.bounding_box()["x"] + link.bounding_box()["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_making_a_row_the_reference_compares_the_others_with_it(board, page):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(board)
    row = page.locator(".lb tr", has_text="Model D")
    row.hover()
    row.get_by_role("link", name="set as reference").click()
    expect(page.locator("th.c-difference")).to_contain_text("Model D")
    assert page.locator(".lb tr[aria-selected=true]").inner_text().count("Model D") == 1


def test_a_first_visit_asks_for_few_files(board, page):
    """D9.6: 120 scripts. Images are not counted; the font and the icons are."""
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.resource_type != "image" else None)
    page.goto(board)
    assert 10 < len(asked) <= 40, asked


def test_forced_colors_keep_what_is_chosen_visible(board, browser):
    """D9.4: background and text color are the system's there; an outline and the colors of data are left."""
    context = browser.new_context(forced_colors="active")
    page = context.new_page()
    page.goto(board)
    chosen = page.locator(".chip.is-on, .tabs [aria-current]").first
    assert chosen.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    assert page.locator(".stack").first.evaluate("(one) => getComputedStyle(one).forcedColorAdjust") == "none"
    context.close()
