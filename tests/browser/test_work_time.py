"""Active time in a real browser whose clock is moved: activity counts, idle time does not, and two tabs count once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F, Sum
from playwright.sync_api import Page, expect

from annotation.models import Benchmark, WorkClock, WorkSession
from annotation.queue.assignment import next_to_annotate
from tests.browser.annotate_data import Studio, sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STEP = 30
"""Seconds between two moves of the mouse."""


def pass_seconds(page: Page, seconds: int) -> None:
    """So much time passes in the browser, and everything that the server recorded is so much older."""
    page.clock.fast_forward(seconds * 1000)
    earlier = timedelta(seconds=seconds)
    WorkSession.objects.update(started=F("started") - earlier, ended=F("ended") - earlier)
    for clock in WorkClock.objects.all():
        clock.counted = [[a - seconds, b - seconds] for a, b in clock.counted]
        clock.save()


def work_for(seconds: int, *pages: Page) -> None:
    """The mouse moves every half minute in each of the tabs, and each reports it."""
    for step in range(seconds // STEP):
        pass_seconds(pages[0], STEP)
        for page in pages:
            with page.expect_response(lambda answer: "/annotate/time/" in answer.url):
                page.mouse.move(200 + step % 50, 300)


def recorded(user: User) -> float:
    found = WorkSession.objects.filter(person=user).aggregate(seconds=Sum("active_seconds"))["seconds"]
    return float(found or 0)


def opened(page: Page, url: str) -> Page:
    with page.expect_response(lambda answer: "/annotate/time/" in answer.url):
        Studio(page, url)
    return page


@pytest.fixture
def address(benchmark: Benchmark, page: Page, live_server: Any, ana: User) -> str:
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    page.clock.install()
    sign_in(page.context, live_server.url, ana)
    return f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/"


@pytest.mark.endurance
def test_activity_in_two_tabs_is_recorded_once_and_idle_time_is_not(page: Page, address: str, ana: User) -> None:
    """30 minutes of activity, 20 minutes idle between them, and a second tab in the second half."""
    half, idle = 15 * 60, 20 * 60
    opened(page, address)
    # Activity lasts from the first move to the last.
    work_for(half + STEP, page)
    pass_seconds(page, idle)
    second = opened(page.context.new_page(), address)
    work_for(half + STEP, page, second)
    assert recorded(ana) == pytest.approx(2 * half, abs=20)
    assert WorkSession.objects.filter(person=ana).count() == 2


def test_a_page_that_is_left_reports_what_is_left(page: Page, address: str, ana: User) -> None:
    opened(page, address)
    page.mouse.move(200, 300)
    pass_seconds(page, 20)
    page.mouse.move(210, 300)
    page.goto("about:blank")
    for _ in range(50):
        if recorded(ana) > 15:
            break
        page.wait_for_timeout(50)
    assert recorded(ana) == pytest.approx(20, abs=5)


def test_time_travels_with_a_draft_and_no_text_of_it_is_recorded(page: Page, address: str, ana: User) -> None:
    opened(page, address)
    page.get_by_label("Question").focus()
    page.keyboard.type("Which")
    pass_seconds(page, 20)
    with page.expect_request(lambda request: "/annotate/draft/" in request.url) as sent:
        page.keyboard.type(" mug?")
        page.clock.fast_forward(2000)
    time = sent.value.post_data_json["time"]
    assert set(time) == {"page", "spans"}
    expect(page.locator("#saving")).to_have_attribute("data-state", "saved", timeout=10_000)
    assert recorded(ana) > 0
