"""A mention by keyboard, the bell, the inbox and the settings, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Benchmark, Mention
from tests.browser.annotate_data import sign_in
from tests.browser.test_axe import faults as axe_faults
from tests.browser.test_axe import narrow_faults
from tests.browser.test_review import Desk
from tests.browser.test_review import benchmark as benchmark
from tests.browser.test_review import browser_context_args as browser_context_args
from tests.browser.test_review import desk as desk
from webapp.accounts.models import User
from webapp.notifications.models import Notification, NotificationSetting
from webapp.notifications.write import Event, notify

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_reviewer_mentions_the_author_by_keyboard(desk: Desk, ana: User) -> None:
    page = desk.page
    desk.gold()
    desk.press("c", "Escape")
    field = page.locator("#text")
    expect(field).to_be_focused()
    page.keyboard.type("Is it this, @l")
    names = page.get_by_role("listbox", name="People").get_by_role("option")
    expect(names).to_have_text(["Ana Lind"])
    expect(field).to_have_attribute("aria-activedescendant", "mention-0")
    page.keyboard.press("Escape")
    expect(names).to_have_count(0)
    expect(field).to_be_visible()
    page.keyboard.type("i")
    expect(names).to_have_text(["Ana Lind"])
    page.keyboard.press("Enter")
    expect(field).to_have_value("Is it this, @Ana Lind ")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".comment__text")).to_have_text("Is it this, @Ana Lind")
    assert Mention.objects.get().person == ana
    assert Notification.objects.get().person == ana


@pytest.mark.endurance
def test_a_person_reads_the_inbox_and_chooses_channels(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User
) -> None:
    path = "/benchmarks/kitchen/annotate/mine/"
    for sample in ("mug-0", "mug-1"):
        data = {"title": "Kitchen", "sample": sample}
        notify(Event("returned", data, benchmark="kitchen", path=path), [ana.pk])
    sign_in(page.context, live_server.url, ana)
    page.goto(f"{live_server.url}/benchmarks/kitchen/annotate/")
    expect(page).to_have_title("(2) Annotate · Kitchen · Sightline")
    page.get_by_role("link", name="Inbox: 2 unread").click()
    page.get_by_role("link", name="mug-1 was returned to you on Kitchen.").click()
    page.wait_for_url(f"**{path}")
    expect(page.get_by_role("link", name="Inbox: 1 unread")).to_be_visible()
    page.goto(f"{live_server.url}/notifications/")
    assert axe_faults(page, dark=True) == []
    assert narrow_faults(page, main=True) == []
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("heading", name="You're all caught up")).to_be_visible()
    expect(page).to_have_title("Inbox · Sightline")
    page.get_by_role("link", name="Notification settings").click()
    expect(page.get_by_role("heading", name="Notification settings")).to_be_visible()
    assert axe_faults(page, dark=True) == []
    assert narrow_faults(page, main=True) == []
    page.get_by_label("Mentions").select_option("off")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("Settings saved.")).to_be_visible()
    assert NotificationSetting.objects.get().channel == "off"
    assert faults == []


def test_axe_finds_nothing_on_the_pages_of_webhooks(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, lea: User, settings: Any
) -> None:
    settings.SEAL_KEY = "only for these tests: a key of many characters"
    benchmark.memberships.create(user=lea, role="lead")
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/settings/webhooks/")
    assert axe_faults(page, dark=True) == []
    page.get_by_label("Address").fill("https://hooks.example.org/a")
    page.get_by_label("Versions").check()
    page.get_by_role("button", name="Add webhook").click()
    expect(page.locator(".secret")).to_contain_text("whsec_")
    page.get_by_role("button", name="Send test").click()
    expect(page.get_by_role("cell", name="test")).to_be_visible()
    assert axe_faults(page, dark=True) == []
    assert narrow_faults(page, main=True) == []
    assert faults == []
