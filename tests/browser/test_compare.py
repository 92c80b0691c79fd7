"""Runs side by side in a browser: their frames move together until they are told not to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser.test_trajectory import build, drawn_sample, store  # noqa: F401 a fixture
from tests.evaluation import records

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def compared(tmp_path, store, live_server):  # noqa: F811 the fixture
    mug = next(sample for sample in records.samples() if sample.id == "mug")
    seen = next(one for one in records.trajectories() if one.sample_id == "mug" and one.condition == "none")
    runs = [replace(seen, model="Model A", answer="B"), replace(seen, model="Model B", answer="A", steps=())]
    build(tmp_path / "files", drawn_sample(mug), runs)
    return f"{live_server.url}/benchmarks/kitchen/compare/"


def test_frames_move_together_until_told_not_to(compared, page, faults):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(compared)
    frames = page.locator("sightline-frame.is-live")
    expect(frames).to_have_count(2)
    scales = page.locator(".frame__tools output")
    expect(scales.first).to_have_text("17%")
    frames.first.hover()
    frames.first.get_by_role("button", name="Zoom in").click()
    for scale in (scales.first, scales.last):
        expect(scale).to_have_text("25%")
    page.keyboard.press("s")
    expect(page.locator("[data-frames-words]")).to_have_text("each view by itself")
    together = scales.last.inner_text()
    frames.first.get_by_role("button", name="Zoom in").click()
    expect(scales.first).not_to_have_text(together)
    expect(scales.last).to_have_text(together)
    expect(page.locator(".compare__crops")).to_contain_text("n/a")  # one of the two has no crop
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert faults == []
