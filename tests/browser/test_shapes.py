"""Polygons and points in a real browser: drawn by mouse, finger and keys, submitted, fixed and accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.models import Benchmark, BenchmarkSchema, Gold, Revision, Sample
from annotation.queue.assignment import next_to_annotate
from tests.browser.annotate_data import Studio, kitchen, sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CORNERS = ((500, 400), (620, 400), (620, 520), (500, 500))
"""On the screen, over the image."""


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User, rui: User) -> Benchmark:
    """Evidence may be a box, a polygon or a point."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    made = kitchen(tmp_path, 1, annotator=ana, reviewer=rui)
    BenchmarkSchema.objects.create(
        benchmark=made, number=1, state="active", activated_at=timezone.now(),
        content={"evidence": {"shapes": ["box", "polygon", "point"]}},
    )  # fmt: skip
    return Benchmark.objects.get(pk=made.pk)


@pytest.fixture
def studio(benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User) -> Iterator[Studio]:
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert faults == []


def clicks(page: Page, *places: tuple[float, float]) -> None:
    for place in places:
        page.mouse.click(*place)


def points(page: Page, at: int) -> list[list[float]]:
    text = page.locator(".boxrow").nth(at).locator("[data-points]").input_value()
    return [[float(value) for value in pair.split(",")] for pair in text.split()]


def test_a_polygon_and_a_point_are_drawn_submitted_and_accepted(
    studio: Studio, live_server: Any, ana: User, rui: User
) -> None:
    page = studio.page
    page.keyboard.press("o")
    clicks(page, *CORNERS[:3])
    page.mouse.dblclick(*CORNERS[3])
    studio.boxes(1)
    assert len(points(page, 0)) == 4
    page.keyboard.press("t")
    page.mouse.click(700, 450)
    studio.boxes(2)
    before = points(page, 1)
    page.keyboard.press("ArrowRight")
    assert points(page, 1) == [[before[0][0] + 1, before[0][1]]]
    page.locator(".boxrow [data-label]").nth(1).fill("dot")
    page.get_by_label("Question").fill("Which color is the mug?")
    page.get_by_label("Open-ended").check()
    page.get_by_label("Accepted answers").fill("black")
    studio.saved()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: "samples/mug-0" not in url)
    revision = Revision.objects.get()
    assert [(one.kind, one.position, one.label) for one in revision.gold_shapes.all()] == [
        ("polygon", 0, ""), ("point", 1, "dot"),
    ]  # fmt: skip
    page.context.clear_cookies()
    sign_in(page.context, live_server.url, rui)
    page.goto(f"{live_server.url}/benchmarks/kitchen/review/samples/mug-0/")
    expect(page.locator("sightline-blind .stage.is-live")).to_be_visible()
    page.keyboard.press("Alt+0")
    expect(page.locator(".layer .is-outline")).to_have_count(2)
    page.keyboard.press("e")
    page.locator(".boxrow").nth(0).locator("[data-points]").fill("1000,700 1300,700 1300,900")
    page.keyboard.press("Tab")
    page.locator("h1").first.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Control+Enter")
    expect(page.locator("sightline-review")).to_have_count(0)
    gold = Gold.objects.get().revision
    assert gold.evidence[0].points == [[1000, 700], [1300, 700], [1300, 900]]
    assert gold.author == rui
    assert Sample.objects.get().evidence_share == pytest.approx(30_000 / (2400 * 1600))


def test_the_model_view_and_the_overview_draw_the_polygon_itself(studio: Studio) -> None:
    page = studio.page
    page.locator("[data-tool=polygon]").click()
    clicks(page, *CORNERS, CORNERS[0])
    expect(page.locator("svg[data-part=mini] polygon.gold")).to_have_count(1)
    expect(page.locator("svg[data-part=mini] rect.gold")).to_have_count(0)
    assert len((page.locator(".shot canvas + svg.marks polygon.gold").first.get_attribute("points") or "").split()) == 4


def test_a_polygon_is_closed_and_taken_back_by_keys(studio: Studio) -> None:
    page = studio.page
    page.keyboard.press("o")
    clicks(page, *CORNERS)
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    studio.boxes(1)
    assert len(points(page, 0)) == 3
    page.keyboard.press("Control+z")
    studio.boxes(0)
    clicks(page, *CORNERS[:2])
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    clicks(page, *CORNERS[:3])
    page.mouse.click(*CORNERS[0])
    studio.boxes(1)
    page.keyboard.press("Delete")
    studio.boxes(0)


def test_shapes_are_made_and_changed_by_keys_alone(studio: Studio) -> None:
    page = studio.page
    for key in "oott":
        page.keyboard.press(key)
    studio.boxes(2)
    page.keyboard.press("j")
    before = points(page, 0)
    page.keyboard.press("Shift+ArrowDown")
    assert points(page, 0) == [[x, y + 10] for x, y in before]
    page.keyboard.press("Alt+ArrowRight")
    assert max(x for x, _ in points(page, 0)) == max(x for x, _ in before) + 1
    page.keyboard.press("?")
    expect(page.get_by_text("close the polygon; or double-click, or click its first corner")).to_be_visible()


def test_a_corner_and_a_whole_polygon_are_dragged(studio: Studio) -> None:
    page = studio.page
    page.keyboard.press("o")
    clicks(page, *CORNERS[:3])
    page.keyboard.press("Enter")
    before = points(page, 0)
    studio.drag(CORNERS[0], (450, 380))
    moved = points(page, 0)
    assert [moved[at] == before[at] for at in range(3)] == [False, True, True]
    studio.drag((590, 430), (600, 440))
    assert all(one != other for one, other in zip(points(page, 0), moved, strict=True))
    studio.boxes(1)


def test_a_benchmark_of_boxes_offers_no_other_tool(benchmark: Benchmark, studio: Studio) -> None:
    BenchmarkSchema.objects.filter(benchmark=benchmark).delete()
    page = studio.page
    page.reload()
    studio.ready()
    expect(page.locator("[data-tool=box]")).to_be_visible()
    expect(page.locator("[data-tool=polygon], [data-tool=point]")).to_have_count(0)


def test_a_corner_is_added_removed_and_had_back_by_mouse(studio: Studio) -> None:
    page = studio.page
    page.keyboard.press("o")
    clicks(page, *CORNERS[:3])
    page.keyboard.press("Enter")
    page.locator("h1").first.evaluate("() => document.activeElement.blur()")
    before = points(page, 0)
    page.mouse.click(560, 400)
    assert len(points(page, 0)) == 4
    page.mouse.dblclick(560, 400)
    assert points(page, 0) == before
    page.keyboard.press("Control+z")
    assert len(points(page, 0)) == 4
    page.keyboard.down("Alt")
    page.mouse.click(*CORNERS[0])
    page.keyboard.up("Alt")
    assert before[0] not in points(page, 0)
    page.mouse.dblclick(*CORNERS[2])
    assert len(points(page, 0)) == 3
    studio.drag(((CORNERS[1][0] + CORNERS[2][0]) / 2, (CORNERS[1][1] + CORNERS[2][1]) / 2), (680, 460))
    assert len(points(page, 0)) == 4
    studio.boxes(1)


def test_a_corner_is_chosen_moved_added_and_removed_by_keys(studio: Studio) -> None:
    page = studio.page
    page.keyboard.press("o")
    page.keyboard.press("o")
    before = points(page, 0)
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.keyboard.press("ArrowRight")
    assert points(page, 0) == [before[0], [before[1][0] + 1, before[1][1]], *before[2:]]
    page.keyboard.press("i")
    assert len(points(page, 0)) == 5
    expect(page.locator("[data-part=said]")).to_contain_text("Corner 3 of 5 of G1")
    page.keyboard.press("Delete")
    page.keyboard.press("Delete")
    page.keyboard.press("k")
    page.keyboard.press("Delete")
    assert len(points(page, 0)) == 3
    page.keyboard.press("Escape")
    page.keyboard.press("Delete")
    studio.boxes(0)


def test_a_finger_near_a_corner_grips_it(benchmark: Benchmark, browser: Browser, live_server: Any, ana: User) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 768}, has_touch=True, is_mobile=True)
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    sign_in(context, live_server.url, ana)
    studio = Studio(context.new_page(), f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    page = studio.page
    page.locator("[data-tool=polygon]").tap()
    corners = ((150, 420), (270, 420), (270, 540))
    for corner in (*corners, corners[0]):
        page.touchscreen.tap(*corner)
    studio.boxes(1)
    page.touchscreen.tap(210, 408)
    assert len(points(page, 0)) == 4
    page.touchscreen.tap(282, 410)
    page.keyboard.press("Delete")
    assert len(points(page, 0)) == 3
    context.close()
