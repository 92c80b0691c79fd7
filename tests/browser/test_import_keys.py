"""Mapping an unknown log in a real browser, by keyboard alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from evaluation.models import Trajectory
from tests.conftest import signed_in
from tests.evaluation.import_data import kitchen
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOG = json.dumps({
    "entries": [
        {"subject": {"ref": name}, "journal": [{"uses": [{"zap": "zoom", "with": {"where": [100, 100, 50, 60]}}]}],
         "verbatim": "B"}
        for name in ("mug", "cup")
    ],
}).encode()  # fmt: skip


@pytest.mark.endurance
def test_an_unknown_log_is_mapped_by_keyboard_alone(
    page: Page,
    live_server: Any,
    lea: User,
    settings: Any,
    tmp_path: Path,
    faults: list[str],
    run_jobs: Callable[[], int],
) -> None:
    settings.SCRATCH = tmp_path
    kitchen(lea)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": signed_in(lea).cookies[name].value, "url": live_server.url}])
    page.goto(f"{live_server.url}/benchmarks/kitchen/import/")
    page.get_by_label("Drop a file").set_input_files(
        [{"name": "log.json", "mimeType": "application/json", "buffer": LOG}]
    )
    page.get_by_role("button", name="Preview file").press("Enter")
    expect(page.get_by_role("heading", name="Reading log.json")).to_be_visible()
    run_jobs()
    page.get_by_role("radio", name="Any other JSON").press("Space")
    run_jobs()
    page.get_by_role("link", name="Map the keys").press("Enter")
    expect(page.get_by_role("heading", name="Map the keys of log.json")).to_be_visible()
    keys = page.keyboard

    def put(path: str, letter: str, field: str, value: str) -> None:
        """From the key that has the focus down to the one that is meant, then the letter of the field."""
        for _ in range(40):
            if page.evaluate("document.activeElement.value") == path:
                break
            keys.press("ArrowDown")
        with page.expect_response(lambda answer: answer.url.endswith("/keys/")):
            keys.press(letter)
        expect(page.get_by_label(f"{field}: path")).to_have_value(value)
        expect(page.locator(":focus")).to_have_value(path)

    page.locator("[data-tree] input").first.focus()
    put("entries[*]", "r", "Rows", "entries[*]")
    put("entries[*].subject.ref", "s", "Sample: its id", "subject.ref")
    put("entries[*].journal[*].uses[*].zap", "t", "Tool", "zap")
    put("entries[*].journal[*].uses[*].with.where", "b", "Box", "with.where")
    put("entries[*].verbatim", "a", "Answer of the model", "verbatim")
    expect(page.get_by_label("Order of the four numbers")).to_have_value("xywh")
    expect(page.locator(".keymap__preview .record")).to_have_count(2)
    page.get_by_role("button", name="Preview full file").press("Enter")
    expect(page.get_by_role("heading", name="Reading log.json")).to_be_visible()
    run_jobs()
    page.get_by_role("button", name="Commit 2 records").press("Enter")
    expect(page.get_by_role("heading", name="Importing log.json")).to_be_visible()
    run_jobs()
    step = Trajectory.objects.get(sample__key="mug").steps.get()
    assert (step.tool, step.x1, step.y1, step.x2, step.y2) == ("zoom", 100, 100, 150, 160)
    assert faults == []
