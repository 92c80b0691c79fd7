"""The failure browser by keyboard alone: a query with proposals, preview, a tag, a note, and the link to it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from evaluation.models import Note, Tagging
from tests.browser.annotate_data import sign_in
from tests.evaluation.run_pages import make_benchmark

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def leave_a_note_unsent(page, rows, preview):
    """Written while the server is away: it is there when one comes back to its row, and after it could not be sent."""
    note = preview.get_by_label("Note")
    note.fill("It was the shade.")
    rows.nth(0).locator(".trajectory-row__open").focus()
    expect(preview).to_contain_text("seen-wrong-00")
    rows.nth(1).locator(".trajectory-row__open").focus()
    expect(note, "what was not sent is not lost").to_have_value("It was the shade.")
    page.route("**/note/**", lambda route: route.abort())
    preview.get_by_role("button", name="Add note").click()
    expect(page.locator(".toast[data-failed]")).to_contain_text("No response from the server.")
    expect(note).to_have_value("It was the shade.")


def toggled_and_undone(page, row, facet):
    """D7.4: the row and the facet follow a tag at once, and so they do when it is taken back."""
    tag = row.locator(".tag", has_text="glare")
    for press in (None, "1"):
        if press:
            # The preview that is asked for by the focus comes while the tag is on its way.
            row.locator(".trajectory-row__open").focus()
            page.keyboard.press(press)
        there = 0 if press else 1
        expect(tag).to_have_count(there)
        expect(facet.locator("a", has_text="glare")).to_have_count(there)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(tag).to_have_count(1)
    expect(facet.locator("a", has_text="glare")).to_have_attribute("data-count", "1")
    expect(page.locator(".toast")).to_have_count(1)


@pytest.mark.endurance
def test_a_failure_is_found_tagged_and_sent_to_somebody_by_keyboard_alone(lea, live_server, page, faults):
    make_benchmark(lea, {"seen": 3, "seen-wrong": 4, "missed-wrong": 3}, pictures=False)
    sign_in(page.context, live_server.url, lea)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{live_server.url}/benchmarks/street/trajectories/")
    rows, preview = page.locator(".trajectory-row"), page.locator("#preview")
    expect(rows).to_have_count(10)

    page.keyboard.press("/")
    page.keyboard.type("quadrant:G+A")
    expect(page.locator("#query-words li")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox")).to_have_value("quadrant:G+A- ")
    expect(page.locator("#query-words li").first).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(4)

    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(preview).to_contain_text("seen-wrong-01")
    preview.get_by_label("New tag").focus()
    page.keyboard.type("glare")
    page.keyboard.press("Enter")
    expect(preview.get_by_role("button", name="glare")).to_have_attribute("aria-pressed", "true")
    toggled_and_undone(page, rows.nth(1), page.locator("#facet-tag"))
    preview.get_by_label("Note").focus()
    page.keyboard.type("Read the wrong line.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(preview).to_contain_text("Read the wrong line.")
    page.keyboard.press("1")
    expect(preview.get_by_role("button", name="glare")).to_have_count(0)
    assert (Tagging.objects.count(), Note.objects.count()) == (0, 1)

    leave_a_note_unsent(page, rows, preview)
    faults.clear()

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").press("Enter")
    expect(page.locator("sightline-copy-link")).to_contain_text("Copied")
    there = page.evaluate("navigator.clipboard.readText()")
    assert there == page.url
    page.goto("about:blank")
    page.goto(there)
    expect(rows).to_have_count(4)
    expect(preview).to_contain_text("seen-wrong-01")
    expect(rows.nth(1).locator(".trajectory-row__open")).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(2).locator(".trajectory-row__open")).to_be_focused()
    page.keyboard.press("Space")
    expect(preview).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/trajectories/\d+/\?q=quadrant%3AG%2BA-$"))
    assert faults == []


def test_rows_that_are_passed_quickly_end_at_the_last_and_nothing_is_complained_of(lea, live_server, page, faults):
    make_benchmark(lea, {"seen": 8}, pictures=False)
    sign_in(page.context, live_server.url, lea)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{live_server.url}/benchmarks/street/trajectories/")
    rows, preview = page.locator(".trajectory-row"), page.locator("#preview")
    expect(preview.locator("[data-pk]")).to_have_count(1)
    asked = []

    def slow(route):
        asked.append(route.request.url)
        page.wait_for_timeout(400)
        route.continue_()

    page.route("**/preview/**", slow)
    for _ in range(6):
        page.keyboard.press("j")
        page.wait_for_timeout(150)
    expect(preview.locator(f"[data-pk='{rows.nth(5).get_attribute('data-pk')}']")).to_have_count(1)
    # Those in between were not even asked for.
    assert len(asked) < 6
    assert faults == []


@pytest.mark.endurance
def test_a_preview_that_never_comes_does_not_hold_up_the_next(lea, live_server, page):
    make_benchmark(lea, {"seen": 4}, pictures=False)
    sign_in(page.context, live_server.url, lea)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{live_server.url}/benchmarks/street/trajectories/")
    rows, preview = page.locator(".trajectory-row"), page.locator("#preview")
    first, second = (rows.nth(place).get_attribute("data-pk") for place in (1, 2))
    expect(preview.locator("[data-pk]")).to_have_count(1)
    page.route(f"**/{first}/preview/**", lambda route: None)
    rows.nth(1).locator(".trajectory-row__open").focus()
    page.wait_for_timeout(300)
    rows.nth(2).locator(".trajectory-row__open").focus()
    expect(preview.locator(f"[data-pk='{second}']")).to_have_count(1, timeout=8000)
    expect(page.locator(".toast")).to_contain_text("No response from the server.")


@pytest.mark.endurance
def test_a_telephone_shows_both_close_ups_the_difference_and_what_can_be_done_with_a_run(lea, live_server, page):
    """D7.21: at 390 and 320 px nothing of it is hidden, and no page moves sideways."""
    benchmark = make_benchmark(lea, {"seen": 3, "missed-wrong": 2}, models=["Model C", "Model D"])
    sign_in(page.context, live_server.url, lea)
    here = f"{live_server.url}/benchmarks/street/"
    shown = {
        "trajectories/": (".trajectory-row .is-gold", ".trajectory-row .is-crop", ".trajectory-row__numbers .q"),
        f"runs/{benchmark.runs.first().pk}/": (".head [aria-label='More actions']", "a[href*='/lab/']"),
        "leaderboard/": ("td.c-difference",),
    }
    for address, parts in shown.items():
        page.goto(here + address)
        for width in (390, 320):
            page.set_viewport_size({"width": width, "height": 844})
            for part in parts:
                expect(page.locator(part).first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, width)
        for menu in page.locator(".head [aria-label='More actions']").all():
            menu.click()
            expect(page.locator("a[href$='/replays/']")).to_be_in_viewport()
            expect(page.locator("a[href*='/judging/?']").first).to_be_in_viewport()
        row = page.locator(".trajectory-row").first
        if row.count():
            inside = "(row) => [...row.children].every((one) => one.getBoundingClientRect().right <= innerWidth)"
            assert row.evaluate(inside)


def test_a_narrow_row_shortens_the_name_of_a_number_and_never_the_number(lea, live_server, page):
    make_benchmark(lea, {"seen": 1, "missed-wrong": 1}, pictures=False)
    sign_in(page.context, live_server.url, lea)
    for width in (1110, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{live_server.url}/benchmarks/street/trajectories/")
        numbers = page.locator(".trajectory-row__fact b")
        expect(numbers).to_have_count(8)
        cut = """all => all.filter(one => one.getBoundingClientRect().right
            > one.parentElement.getBoundingClientRect().right + 0.5).length"""
        assert numbers.evaluate_all(cut) == 0, width
