"""The toolchain workbench in a browser: a chain is built by typing and by picking, moved by keys, undone and saved."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Benchmark, Draft
from tests.browser.annotate_data import sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def add(page: Page, name: str) -> None:
    page.get_by_label("Add a step by tool name").fill(name)
    page.keyboard.press("Enter")


def tools(page: Page) -> list[str]:
    return page.locator(".bstep__tool").all_inner_texts()


def test_ana_builds_a_chain_on_the_picture(
    page: Page, faults: list[str], live_server: Any, benchmark: Benchmark, ana: User
) -> None:
    sign_in(page.context, live_server.url, ana)
    page.goto(f"{live_server.url}/benchmarks/kitchen/toolchain/samples/mug-0/")
    expect(page.locator("[data-part=view-title]")).to_have_text("Original")
    add(page, "cro")
    expect(page.locator("[data-part=view-title]")).to_have_text("After step 1", timeout=30_000)
    page.get_by_role("button", name="Draw a box").click()
    stage = page.locator("[data-part=stage]").bounding_box()
    assert stage is not None
    middle = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    page.mouse.move(middle[0] - 40, middle[1] - 30)
    page.mouse.down()
    page.mouse.move(middle[0] + 40, middle[1] + 30, steps=3)
    page.mouse.up()
    box = {name: int(page.locator(f"[data-name={name}]").input_value()) for name in ("x", "y", "width", "height")}
    assert abs(box["x"] + box["width"] / 2 - 1200) < 20
    assert abs(box["y"] + box["height"] / 2 - 800) < 20

    add(page, "color range")
    page.get_by_role("button", name="Pick a color").click(timeout=30_000)
    expect(page.locator("[data-part=before]")).to_have_css("clip-path", "none")
    expect(page.locator("[data-part=cut]")).to_be_hidden()
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Undo").click()
    assert tools(page) == ["crop"]

    add(page, "grayscale")
    add(page, "binarize")
    add(page, "components")
    expect(page.locator("[data-part=out-title]")).to_have_text("Result of step 4", timeout=30_000)
    expect(page.locator("[data-part=measured] dd").first).to_have_text("1", timeout=30_000)
    page.locator(".bstep").nth(3).get_by_role("button", name="Move step 4", exact=True).press("Alt+ArrowUp")
    assert tools(page)[2:] == ["connected_components_with_stats", "threshold"]
    page.get_by_role("button", name="Undo").click()
    assert tools(page)[2:] == ["threshold", "connected_components_with_stats"]
    expect(page.locator("#saving")).to_have_attribute("data-state", "saved", timeout=30_000)
    saved = Draft.objects.get().content["reference_toolchain"]
    assert [call["tool"] for call in saved] == tools(page)
    assert saved[0]["arguments"] == box

    page.locator("[data-name=width]").fill("99999")
    expect(page.locator(".bstep.is-bad .msg")).to_contain_text("width: 99999 is not possible", timeout=30_000)
    expect(page.locator("[data-name=width]")).to_have_attribute("aria-invalid", "true")
    assert not faults


@pytest.mark.endurance
def test_a_chain_is_saved_by_itself_and_outlives_its_tab(
    page: Page, faults: list[str], live_server: Any, benchmark: Benchmark, ana: User
) -> None:
    """D7.11: without network too, on the next page of the draft whichever it is, and never over what is newer."""
    sign_in(page.context, live_server.url, ana)
    here = f"{live_server.url}/benchmarks/kitchen/toolchain/samples/mug-0/"
    page.goto(here)
    add(page, "grayscale")
    saving = page.locator("#saving")
    expect(saving).to_have_attribute("data-state", "saved", timeout=30_000)
    assert [call["tool"] for call in Draft.objects.get().content["reference_toolchain"]] == ["colorspace_gray"]
    page.context.set_offline(True)
    add(page, "binarize")
    expect(saving).to_have_attribute("data-state", "offline")
    page.close()
    again = page.context.new_page()
    again.context.set_offline(False)
    again.goto(here)
    expect(again.locator(".bstep__tool")).to_have_text(["colorspace_gray", "threshold"])
    expect(again.locator("#saving")).to_have_attribute("data-state", "saved", timeout=30_000)

    studio = again.context.new_page()
    studio.goto(here.replace("toolchain", "annotate"))
    expect(studio.locator(".stage.is-drawn")).to_be_visible(timeout=30_000)
    studio.get_by_label("Question").first.fill("Which colour?")
    expect(studio.locator("#saving")).to_have_attribute("data-state", "saved", timeout=30_000)
    add(again, "canny")
    dialog = again.get_by_role("dialog", name="was edited in two places")
    expect(dialog).to_be_visible()
    again.keyboard.press("Control+Enter")
    expect(again.locator("#saving")).to_have_attribute("data-state", "saved", timeout=30_000)
    content = Draft.objects.get().content
    assert content["question"] == "Which colour?"
    assert [call["tool"] for call in content["reference_toolchain"]] == ["colorspace_gray", "threshold", "canny"]
    assert [fault for fault in faults if "ERR_INTERNET_DISCONNECTED" not in fault and "409" not in fault] == []
