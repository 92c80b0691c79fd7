"""The studio with what others bring to it, in a real browser: boxes of models, and a reviewer's remarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.actions import suggestions
from annotation.actions.queue import next_to_annotate
from annotation.actions.suggestions import Suggestion
from annotation.models import Benchmark, BenchmarkQueue, Draft
from annotation.schema import Box
from tests.browser.annotate_data import EVIDENCE, Studio, sign_in
from tests.browser.test_annotate import (  # noqa: F401
    benchmark,
    browser_context_args,
    browser_type_launch_args,
    faults,
)
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
GIVEN = [Suggestion(Box(*EVIDENCE), "Model A", "2 of 2 runs here"), Suggestion(Box(300, 300, 400, 380), "Model B")]


@pytest.fixture
def suggested(
    monkeypatch: pytest.MonkeyPatch, benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User  # noqa: F811
) -> Iterator[Studio]:
    """Ana has a sample open on which two models looked."""
    monkeypatch.setattr(suggestions, "_suggested", [lambda sample: GIVEN])
    BenchmarkQueue.objects.create(benchmark=benchmark, suggests=True)
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/{sample.key}/")
    assert [fault for fault in faults if "Ignoring tile" not in fault] == []


def sources() -> list[str]:
    return [box.get("source", "") for box in Draft.objects.get().content["gold_boxes"]]


def test_suggested_boxes_are_adopted_by_key_and_by_press_and_are_boxes_like_others(suggested: Studio) -> None:
    page = suggested.page
    rows = page.locator(".suggestion")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Model A 2 of 2 runs here")
    suggested.boxes(0)
    page.keyboard.press("s")
    suggested.boxes(1)
    assert suggested.numbers() == [1176, 784, 48, 32]
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Adopt S2, Model B").first.click()
    suggested.boxes(2)
    expect(page.locator(".stage .pin--suggested")).to_have_count(0)
    suggested.saved()
    assert sources() == ["Model A", "Model B"]
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    suggested.boxes(0)
    expect(rows).to_have_count(2)
    page.keyboard.press("v")
    expect(page.locator(".stage .pin--suggested")).to_have_count(0)
    page.keyboard.press("s")
    suggested.boxes(0)
    page.keyboard.press("v")
    page.keyboard.press("Shift+S")
    suggested.boxes(2)
