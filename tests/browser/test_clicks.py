"""Shapes from a click in the studio: a point, a dotted shape, and a decision, by mouse and by keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.drafting import Arm
from annotation.models import Benchmark, ClickedShape, Sample
from annotation.queue.assignment import next_to_annotate
from evaluation.experiments.write.clicks import ClickChoices, set_click
from evaluation.models import Endpoint
from tests.browser.annotate_data import Studio, sign_in
from tests.browser.conftest import bring_axe
from tests.browser.test_drafts import AXE
from tests.evaluation.experiments.drafting_data import reseed
from tests.evaluation.experiments.ml_backend_server import Backend, backing, predicted, region
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WHOLE = region(label="cup", x=0, y=0, width=100, height=100)


@pytest.fixture
def server() -> Iterator[Backend]:
    with backing(predicted(WHOLE)) as found:
        yield found


@pytest.fixture
def sample(benchmark: Benchmark, ana: User, server: Backend) -> Sample:
    """Ana's sample, on which a model proposes shapes."""
    endpoint = Endpoint.objects.create(
        benchmark=benchmark, name="finder", preset="label-studio", base_url=server.url, model="finder"
    )
    found = next_to_annotate(actor=ana, benchmark=benchmark)
    assert found is not None
    set_click(actor=None, benchmark=benchmark, endpoint=endpoint, choices=ClickChoices(names="cup", control_share=0.05))
    reseed(benchmark, ana, Arm.SHOWN, found)
    return found


@pytest.fixture
def studio(sample: Sample, page: Page, faults: list[str], live_server: Any, ana: User) -> Iterator[Studio]:
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert faults == []


def rows(page: Page) -> Any:
    return page.locator("[data-part=box-rows] li")


def test_a_shape_is_proposed_at_a_point_accepted_and_brought_back_by_undo(studio: Studio, page: Page) -> None:
    button, tip = page.locator("[data-tool=click]"), page.locator("[data-click-tip]")
    dotted, panel = page.locator(".marks .drafted:visible"), page.locator("[data-click]")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(tip).to_be_visible()
    page.locator(".stage__view").click()
    expect(dotted).to_have_count(1)
    expect(panel).to_contain_text("cup")
    expect(tip).to_be_hidden()
    expect(button).to_have_attribute("aria-pressed", "false")
    bring_axe(page)
    assert page.evaluate(AXE) == []
    panel.get_by_role("button", name="Accept").click()
    expect(rows(page)).to_have_count(1)
    expect(dotted).to_have_count(0)
    expect(panel).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(rows(page)).to_have_count(0)
    expect(dotted).to_have_count(1)


def test_keys_ask_dismiss_and_accept(studio: Studio, page: Page) -> None:
    dotted, tip = page.locator(".marks .drafted:visible"), page.locator("[data-click-tip]")
    page.keyboard.press("w")
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.keyboard.press("w")
    page.keyboard.press("Enter")
    expect(dotted).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dotted).to_have_count(0)
    expect(rows(page)).to_have_count(0)
    page.keyboard.press("w")
    page.keyboard.press("Enter")
    expect(dotted).to_have_count(1)
    page.keyboard.press("Enter")
    expect(rows(page)).to_have_count(1)
    expect(dotted).to_have_count(0)
    assert ClickedShape.objects.count() == 2


def test_without_a_shape_the_page_says_why_and_nothing_is_drawn(
    studio: Studio, page: Page, server: Backend, faults: list[str]
) -> None:
    server.answers = [predicted()]
    page.keyboard.press("w")
    page.keyboard.press("Enter")
    expect(page.locator("[data-click-tip]")).to_contain_text("no shape at this point")
    expect(page.locator(".marks .drafted:visible")).to_have_count(0)
    [fault] = faults
    assert "409" in fault
    faults.clear()


def pressed(page: Page) -> list[str]:
    """The tools that look pressed."""
    names: list[str] = page.locator(".stage-tools [data-tool][aria-pressed=true]").evaluate_all(
        "(all) => all.map((one) => one.dataset.tool)"
    )
    return names


def test_one_tool_looks_pressed_and_another_one_ends_picking(studio: Studio, page: Page, server: Backend) -> None:
    tip, button = page.locator("[data-click-tip]"), page.locator("[data-tool=click]")
    assert pressed(page) == ["box"]
    page.keyboard.press("w")
    assert pressed(page) == ["click"]
    page.keyboard.press("b")
    expect(tip).to_be_hidden()
    assert pressed(page) == ["box"]
    expect(rows(page)).to_have_count(0)
    button.click()
    assert pressed(page) == ["click"]
    page.locator("[data-tool=hand]").click()
    expect(tip).to_be_hidden()
    assert pressed(page) == ["hand"]
    button.click()
    button.click()
    expect(tip).to_be_hidden()
    assert pressed(page) == ["hand"]
    assert server.predictions == []
