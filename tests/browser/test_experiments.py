"""An experiment in a browser: from home to its first crop, a pause, and what a hidden tab asks."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.exchange.write.samples import import_samples
from annotation.models import Benchmark, Image
from annotation.workflow import Role
from evaluation.experiments.write.endpoints import add_endpoint
from evaluation.models import Experiment
from evaluation.stand_in.recorded import DEMO, Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.browser.annotate_data import sign_in
from tests.browser.conftest import bring_axe
from tests.browser.test_axe import RUN
from webapp.accounts.models import User
from webapp.jobs.embedded import EmbeddedWorker
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SAMPLES = 10
LATENCY = 0.4
CLICKS, FIRST_CROP = 6, 10_000
"""From home to a running experiment, and milliseconds from then to its first crop."""


@pytest.fixture
def demo(tmp_path: Path, settings: Any, lea: User) -> Benchmark:
    """The first samples of the demo, led by Lea."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    folder = tmp_path / "samples"
    folder.mkdir()
    lines = (DEMO / "samples.jsonl").read_text(encoding="utf-8").splitlines()[:SAMPLES]
    (folder / "samples.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for image in {str(json.loads(line)["image"]) for line in lines}:
        copy(DEMO / image, folder / image)
    benchmark = create_benchmark(actor=None, slug="desk", title="Desk")
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.LEAD)
    import_samples(actor=None, benchmark=benchmark, path=folder, format="native", images=folder)
    run_waiting()
    assert not Image.objects.exclude(state=Image.State.READY).exists()
    return benchmark


@pytest.fixture
def model(demo: Benchmark, lea: User) -> Iterator[StandIn]:
    """An endpoint that answers, and a worker that asks it."""
    with StandIn(Recorded.read(), Options(latency=LATENCY)) as server:
        values = {"preset": "stand-in", "base_url": server.base_url, "model": "contrast zoom"}
        add_endpoint(actor=lea, benchmark=demo, name="local", values=values | {"limits": {"in_flight": 1}})
        worker = EmbeddedWorker(1)
        worker.start()
        yield server
        worker.stop(seconds=20)


class Hand:
    """It counts what a person clicks."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, role: Any, name: str) -> None:
        self.page.get_by_role(role, name=name).first.click()
        self.clicks += 1


def from_home(page: Page, address: str) -> int:
    """Open a running experiment; return the clicks that it took."""
    hand = Hand(page)
    page.goto(address)
    hand.click("link", "Desk")
    page.locator("summary", has_text="More").click()
    hand.clicks += 1
    hand.click("link", "Experiments")
    page.get_by_label("Protocol").select_option("zoom")
    hand.clicks += 1
    hand.click("button", "Create experiment")
    hand.click("button", "Run all")
    return hand.clicks


def assert_axe_is_content(page: Page) -> None:
    for theme in ("light", "dark"):
        page.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
        assert page.evaluate(RUN, None) == [], theme


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"bypass_csp": True}


@pytest.mark.endurance
def test_an_experiment_runs_within_six_clicks_of_home_and_is_paused_and_resumed(
    page: Page, live_server: Any, model: StandIn, lea: User, faults: list[str]
) -> None:
    sign_in(page.context, live_server.url, lea)
    assert from_home(page, live_server.url) <= CLICKS
    expect(page.get_by_role("status").get_by_text("Running")).to_be_visible()
    expect(page.get_by_role("img", name="Crop of").first).to_be_visible(timeout=FIRST_CROP)
    bring_axe(page)
    assert_axe_is_content(page)

    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("status").get_by_text("Paused")).to_be_visible()
    experiment = Experiment.objects.get()
    asked = model.counts.requests
    assert experiment.state == "paused"
    time.sleep(4 * LATENCY)
    assert model.counts.requests <= asked + 1, "only what was in flight ends"
    bring_axe(page)
    assert_axe_is_content(page)

    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("status").get_by_text("Done")).to_be_visible(timeout=60_000)
    assert experiment.attempts.all().counted() == {"done": SAMPLES}
    assert faults == []


@pytest.mark.endurance
def test_a_hidden_tab_asks_nothing_and_asks_at_once_when_it_is_seen(
    page: Page, live_server: Any, model: StandIn, lea: User
) -> None:
    sign_in(page.context, live_server.url, lea)
    from_home(page, live_server.url)
    expect(page.get_by_role("status").get_by_text("Running")).to_be_visible()
    asked: list[str] = []

    def heard(request: Request) -> None:
        asked.append(request.url)

    show = "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
    show += " document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(show, True)
    page.wait_for_load_state("networkidle")
    page.on("request", heard)
    page.wait_for_timeout(6_000)
    assert asked == []
    with page.expect_request(page.url, timeout=2_000):
        page.evaluate(show, False)
