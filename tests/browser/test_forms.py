"""A form is sent once, however it is pressed."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import Benchmark
from tests.browser.annotate_data import sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def slowly(route: Route) -> None:
    """Both presses come before the answer."""
    time.sleep(0.3)
    route.continue_()


def test_a_double_click_creates_one_benchmark_and_leads_to_it(
    lea: User, live_server: Any, page: Page, faults: list[str]
) -> None:
    lea.is_staff = lea.is_superuser = True
    lea.save()
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/new/")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.route("**/benchmarks/new/", slowly)
    page.fill("input[name=title]", "Own shelf")
    page.fill("input[name=slug]", "own-shelf")
    page.get_by_role("button", name="Create benchmark").dblclick()
    page.wait_for_url("**/benchmarks/own-shelf/**")
    expect(page.get_by_role("heading", name="Own shelf")).to_be_visible()
    assert len(sent) == 1
    assert [one.slug for one in Benchmark.objects.all()] == ["own-shelf"]
    assert faults == []
