"""The studio on screens that are touched: the whole image is beside the tools, and every tool is on the stage."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from annotation.models import Benchmark
from annotation.queue.assignment import next_to_annotate
from tests.browser.annotate_data import Studio, sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLACES = """() => {
  const at = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const tools = [...document.querySelectorAll(".stage-tools .btn")];
  const pins = [...document.querySelectorAll(".layer g[data-at] .gold:not(.outline)")];
  return {
    stage: at(document.querySelector(".stage")), tools: at(document.querySelector(".stage-tools")),
    buttons: tools.filter((one) => one.checkVisibility()).map(at), image: at(pins[0]),
  };
}"""
WHOLE = {"box": [0, 0, 2400, 1600], "label": ""}


def apart(one: list[float], other: list[float]) -> bool:
    return one[2] <= other[0] + 1 or other[2] <= one[0] + 1 or one[3] <= other[1] + 1 or other[3] <= one[1] + 1


def inside(one: list[float], other: list[float]) -> bool:
    return all(one[at] >= other[at] - 1 and one[at + 2] <= other[at + 2] + 1 for at in (0, 1))


@pytest.mark.parametrize("size", [(1024, 768), (820, 1180), (390, 844), (1440, 900)])
def test_the_whole_image_is_beside_the_tools(
    benchmark: Benchmark, ana: User, live_server: Any, browser: Browser, size: tuple[int, int]
) -> None:
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    touch = size[0] != 1440
    view = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=view, has_touch=touch, is_mobile=touch, reduced_motion="reduce")  # type: ignore[arg-type]
    sign_in(context, live_server.url, ana)
    page = context.new_page()
    studio = Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    # A box around the whole image shows where the image is.
    page.keyboard.press("b")
    studio.boxes(1)
    for side, value in zip("xywh", WHOLE["box"], strict=True):
        page.locator(f".boxrow [data-side={side}]").fill(str(value))
        page.locator(f".boxrow [data-side={side}]").press("Tab")
    for turns in range(2):
        page.locator("[data-tool=fit]").click()
        studio.rests()
        places = page.evaluate(PLACES)
        assert apart(places["image"], places["tools"]), (turns, places)
        assert inside(places["image"], places["stage"]), (turns, places)
        assert all(inside(one, places["stage"]) for one in places["buttons"]), places
        page.locator("[data-tool=turn]").click()
        studio.rests()
    context.close()


def test_the_whole_image_is_seen_at_first(benchmark: Benchmark, ana: User, live_server: Any, browser: Browser) -> None:
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    context = browser.new_context(viewport={"width": 1024, "height": 768}, has_touch=True, is_mobile=True)
    sign_in(context, live_server.url, ana)
    page = context.new_page()
    studio = Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    before = page.locator("[data-part=zoom]").inner_text()
    page.locator("[data-tool=fit]").click()
    studio.rests()
    expect(page.locator("[data-part=zoom]")).to_have_text(before)
    expect(page.locator(".eye [data-act=fold]")).to_have_attribute("aria-expanded", "false")
    context.close()
