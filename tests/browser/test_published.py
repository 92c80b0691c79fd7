"""A published copy in a browser, opened straight from its folder."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from django.conf import global_settings
from django.test import override_settings
from playwright.sync_api import Page, expect

from evaluation.publish.bundle import publish
from tests import settings as plain
from tests.evaluation.run_pages import make_benchmark, only_run
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.endurance
def test_keys_work_in_a_copy_that_is_opened_from_its_folder(
    lea: User, page: Page, faults: list[str], tmp_path: Path, live_server: object
) -> None:
    """D7.16: no server hands the files out; scripts, styles and keys are there all the same."""
    # From the sources: what was collected for the server of the tests is no source.
    finders = global_settings.STATICFILES_FINDERS
    sources = {"STATICFILES_DIRS": plain.STATICFILES_DIRS, "STATICFILES_FINDERS": finders, "STORAGES": plain.STORAGES}
    with override_settings(**sources):
        street = make_benchmark(lea, {"seen": 2}, pictures=False)
        query = f"run={only_run(street).pk}"
        publish(street, tmp_path / "copy", [query], most=3, today=date(2030, 1, 2))
    page.goto((tmp_path / "copy" / "index.html").as_uri())
    page.get_by_role("link", name="Cases:").first.click()
    rows = page.locator(".trajectory-row")
    expect(rows.first).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator(".trajectory-row.is-here")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.locator("#key-help[open] li").first).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_url("**/trajectories/*.html")
    expect(page.locator("main").first).to_be_visible()
    # Browsers take no fonts from a folder; text is shown in one of the machine's.
    assert [fault for fault in faults if "font" not in fault and "ERR_FAILED" not in fault] == []
