"""Choosing samples in a real browser: ranges by click and by key, all that match, and what became of them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Sample
from tests.annotation.work_data import submitted, to_annotate
from tests.browser.annotate_data import sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_rows_are_chosen_by_range_and_by_key_and_returned_together(
    page: Page, faults: list[str], live_server: Any, ana: User, lea: User
) -> None:
    benchmark = to_annotate(9, annotator=ana, lead=lea)
    Sample.objects.update(image=None)
    for _ in range(6):
        submitted(ana, benchmark)
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/work/samples/")
    boxes, chosen = page.locator("input[name=id]"), page.locator("[data-chosen]")
    boxes.nth(1).click()
    boxes.nth(3).click(modifiers=["Shift"])
    expect(chosen).to_have_text("3")
    boxes.nth(2).click()
    expect(chosen).to_have_text("2")
    for key in ("j", "j", "j", "Shift+X"):
        page.keyboard.press(key)
    expect(page.locator("tr.is-sel")).to_have_count(5)
    page.locator("[data-page]").check()
    expect(chosen).to_have_text("9")
    page.get_by_role("button", name="Return").click()
    expect(page.locator("select[name=return-reasons]")).to_be_focused()
    expect(page.get_by_text("Choose a reason, or write a comment.")).to_be_visible()
    expect(chosen).to_have_text("9")
    page.locator("select[name=return-reasons]").select_option("typo")
    page.get_by_role("button", name="Return").click()
    expect(page).to_have_url(re.compile(r"kitchen/work/outcomes/\d+/$"))
    expect(page.get_by_role("heading", name="6 samples returned to their authors")).to_be_visible()
    expect(page.get_by_role("heading", name="It is to do.")).to_be_visible()
    page.get_by_role("link", name="Back to the samples").click()
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_label("All 9 matching samples").check()
    expect(chosen).to_have_text("all 9")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert ["status of 400" in fault for fault in faults] == [True], "the one form without a reason"
