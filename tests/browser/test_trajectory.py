"""The evidence frame in a real browser: marks exactly on the pixels, keys, tabs, and texts that stay texts."""

from __future__ import annotations

import gzip
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from django.db import transaction
from PIL import Image as Picture
from playwright.sync_api import expect

from annotation.benchmarks.write.benchmark import create_benchmark, set_public
from annotation.exchange.write.samples import import_samples
from annotation.exporters.native import row_line, sample_row
from annotation.schema import Box
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.scoring.write import score_benchmark
from tests.evaluation import records
from tests.evaluation.trajectory_data import hostile_records, of
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDTH, HEIGHT = 3001, 2003
EVIDENCE = (1516, 1009, 1556, 1039)
"""Across the corner of four tiles: x = 1536, y = 1024."""
LINK_BYTES = 300_000
"""The most that a link to one trajectory costs before pictures, scripts and styles included."""


@pytest.fixture
def faults(page, faults):
    """And of a text that ran."""
    page.on("dialog", lambda dialog: (faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
    return faults


@pytest.fixture
def store(tmp_path, settings):
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


def draw(path, box):
    """White, with one black rectangle."""
    pixels = np.full((HEIGHT, WIDTH), 255, np.uint8)
    x1, y1, x2, y2 = box
    pixels[y1:y2, x1:x2] = 0
    Picture.fromarray(pixels).convert("RGB").save(path)


def build(folder, sample, trajectories):
    """A public benchmark with one picture on it, tiles and scores."""
    folder.mkdir()
    draw(folder / "kitchen.png", EVIDENCE)
    (folder / "samples.jsonl").write_bytes(row_line(sample_row(sample)) + b"\n")
    benchmark = create_benchmark(actor=None, slug="kitchen", title="Kitchen")
    set_public(actor=None, benchmark=benchmark, public=True)
    import_samples(actor=None, benchmark=benchmark, path=folder, format="native", images=folder)
    run_waiting()
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, None), trajectories, None)
    score_benchmark(actor=None, benchmark=benchmark)


def drawn_sample(sample):
    content = replace(sample.content, gold_boxes=(Box(*map(float, EVIDENCE)),))
    return replace(sample, image="kitchen.png", width=WIDTH, height=HEIGHT, content=content)


@pytest.fixture
def looked(store, tmp_path):
    """The mug, seen twice by one model and never by another."""
    mug = next(record for record in records.samples() if record.id == "mug")
    looking, blind = replace(records.trajectories()[1], setting=""), records.trajectories()[6]
    build(tmp_path / "files", drawn_sample(mug), [looking, blind])


def open_trajectory(page, live_server, query=""):
    page.goto(f"{live_server.url}/benchmarks/kitchen/trajectories/{of('Model A', 'mug').pk}/{query}")
    page.wait_for_selector("sightline-frame.is-live")


def settled(page):
    """Wait until the picture has stopped moving and all tiles are drawn."""
    page.wait_for_load_state("networkidle")
    rect, before = page.locator(".is-gold rect.gold"), None
    for _ in range(50):
        now = rect.bounding_box()
        if now == before:
            return
        before = now
        page.wait_for_timeout(120)
    raise AssertionError("the frame does not come to rest")


def inner(box, by=6):
    """Without its rim, which may show a fraction of the dark stage."""
    return {"x": box["x"] + by, "y": box["y"] + by, "width": box["width"] - 2 * by, "height": box["height"] - 2 * by}


def black_area(page):
    """Edges of the black rectangle in page pixels, exact to a fraction: where it is half as dark as inside."""
    frame = inner(page.locator(".frame__view").bounding_box())
    pixels = np.asarray(Picture.open(io.BytesIO(page.screenshot(clip=frame))).convert("L"), float)
    dark = 255 - pixels
    inside = dark > 128
    row, column = int(np.median(np.nonzero(inside)[0])), int(np.median(np.nonzero(inside)[1]))

    def edges(line):
        above = np.nonzero(line > 128)[0]
        first, last = above[0], above[-1]
        start = first - (line[first] - 128) / max(line[first] - line[first - 1], 1) + 0.5
        end = last + (line[last] - 128) / max(line[last] - line[last + 1], 1) + 0.5
        return start, end

    (x1, x2), (y1, y2) = edges(dark[row]), edges(dark[:, column])
    return frame["x"] + x1, frame["y"] + y1, frame["x"] + x2, frame["y"] + y2


@pytest.mark.parametrize(("button", "times"), [("Zoom in", 0), ("Zoom in", 1), ("Zoom out", 3)])
@pytest.mark.endurance
def test_a_gold_box_lies_on_the_pixels_of_the_evidence(page, live_server, looked, button, times):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    open_trajectory(page, live_server)
    page.keyboard.press("z")
    for _ in range(times):
        page.get_by_role("button", name=button).click()
    settled(page)
    mark = page.locator(".is-gold rect.gold")
    x, y, width, height = (float(mark.get_attribute(name)) for name in ("x", "y", "width", "height"))
    frame = page.locator(".frame__view").bounding_box()
    drawn = (frame["x"] + x, frame["y"] + y, frame["x"] + x + width, frame["y"] + y + height)
    page.evaluate("document.querySelector('.frame__marks').remove()")
    for one in (".frame__tools", ".frame__words"):
        page.evaluate("name => document.querySelector(name).remove()", one)
    scale = width / (EVIDENCE[2] - EVIDENCE[0])
    assert scale > 1
    # Half a pixel of the picture, and half a pixel of the screen to which marks are rounded.
    assert black_area(page) == pytest.approx(drawn, abs=0.5 * scale + 0.5)


def test_turns_gold_and_tabs_by_key_alone(page, live_server, looked, faults):
    open_trajectory(page, live_server)
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert page.url.endswith("#turn=2")
    assert page.locator(".transcript .is-on").get_attribute("id") == "turn=2"
    assert page.locator(".timeline .is-on").get_attribute("data-turn") == "2"
    assert "is-on" in page.locator(".frame__marks g[data-turn='2'] rect.crop").get_attribute("class")
    page.keyboard.press("[")
    assert page.url.endswith("#turn=1")
    page.keyboard.press("g")
    assert page.locator(".frame__marks.no-gold").count() == 1
    page.get_by_role("link", name="Raw record").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("pre.raw")
    expect(page).to_have_url(re.compile(r"\?tab=raw#turn=1$"))
    assert page.locator("sightline-frame.is-live .frame__marks").count() == 1
    assert faults == []


@pytest.mark.endurance
def test_turns_and_links_to_them_go_over_the_ends_of_a_part(page, live_server, store, tmp_path, faults):
    mug, seen = next(record for record in records.samples() if record.id == "mug"), records.trajectories()[1]
    many = replace(seen, setting="", steps=seen.steps[:1] * 60)
    build(tmp_path / "files", drawn_sample(mug), [many])
    open_trajectory(page, live_server, "#turn=60")  # its part is not in the address
    expect(page.locator(".transcript .is-on")).to_have_id("turn=60")
    expect(page).to_have_url(re.compile(r"\?from=60#turn=60$"))
    open_trajectory(page, live_server, "#turn=50")
    for key, turn in (("]", 51), ("[", 50)):
        page.keyboard.press(key)
        expect(page.locator(".transcript .is-on")).to_have_id(f"turn={turn}")
        page.wait_for_selector("sightline-frame.is-live")
    assert faults == []


def test_j_and_k_go_through_the_list_it_came_from(page, live_server, looked):
    open_trajectory(page, live_server, "?sample=mug")
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(re.compile(rf"/{of('Model B', 'mug').pk}/\?sample=mug$"))
    assert page.locator(".transcript [data-turn]").count() == 0
    page.keyboard.press("k")
    page.wait_for_url(first)
    assert page.locator(".transcript [data-turn]").count() == 4


def test_the_mark_of_a_turn_says_how_it_lies_over_the_gold(page, live_server, looked):
    open_trajectory(page, live_server, "#turn=1")
    page.locator(".frame__marks g[data-turn='1'] .pin-hit").hover()
    tip = page.locator(".frame__tip").inner_text()
    assert "Turn 1" in tip
    assert "coverage 0.00" in tip
    assert "IoU" in tip


@pytest.mark.endurance
def test_hostile_texts_stay_texts_and_run_nowhere(page, live_server, store, tmp_path, faults):
    samples, trajectories = hostile_records(megabytes=5)
    build(tmp_path / "files", drawn_sample(samples[0]), trajectories)
    for tab in ("toolchain", "interventions", "judgements", "raw"):
        open_trajectory(page, live_server, f"?tab={tab}#turn=1")
    assert page.locator("h1").inner_text().startswith("<script>alert(1)</script>")
    page.get_by_role("link", name="Show full turn 1").click()
    expect(page.get_by_role("link", name="Show full turn 1")).to_have_count(0)
    assert len(page.locator("[id='turn=1']").text_content()) > 5_000_000
    page.goto(f"{live_server.url}/benchmarks/kitchen/samples/mug/?crops=last")
    page.wait_for_selector("sightline-frame.is-live")
    assert page.locator("img[src='x']").count() == 0
    assert faults == []


@pytest.mark.endurance
def test_the_board_is_two_clicks_from_the_picture_and_the_link_shows_others_the_same(page, live_server, looked):
    page.goto(f"{live_server.url}/benchmarks/kitchen/leaderboard/")
    page.locator("tr", has_text="Model A").locator("a[data-count='1']:visible").first.click()
    page.locator(".trajectory-row a").first.click()
    # The list's preview has a frame too, and would take the key until its page is gone.
    expect(page).to_have_url(re.compile(r"/trajectories/\d+/"))
    page.wait_for_selector("sightline-frame.is-live")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("#turn=1"))
    with page.context.browser.new_context() as fresh:
        sent, bodies = fresh.new_page(), []
        sent.on(
            "response", lambda answer: bodies.append(answer) if "image" not in answer.headers["content-type"] else 0
        )
        sent.goto(page.url)
        sent.wait_for_selector("sightline-frame.is-live")
        sent.wait_for_load_state("networkidle")
        assert sent.locator("main").inner_text() == page.locator("main").inner_text()
        assert (
            sent.locator("[aria-current=true]").all_inner_texts()
            == page.locator("[aria-current=true]").all_inner_texts()
        )
        assert 0 < sum(len(gzip.compress(answer.body())) for answer in bodies) < LINK_BYTES


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_of_ours_lies_on_the_picture(page, live_server, looked, width):
    page.set_viewport_size({"width": width, "height": 844})
    open_trajectory(page, live_server)
    frame, view = (page.locator(name).bounding_box() for name in ("sightline-frame", ".frame__view"))
    for name in (".frame__tools", ".frame__words"):
        bar = page.locator(name).bounding_box()
        assert bar["y"] >= view["y"] + view["height"]
        assert bar["y"] + bar["height"] <= frame["y"] + frame["height"] + 0.5
        assert bar["x"] + bar["width"] <= width
    assert view["height"] > 200


@pytest.mark.parametrize("width", [1440, 390])
def test_the_way_to_a_crop_of_any_run_stands_under_the_picture(page, live_server, looked, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/benchmarks/kitchen/all-runs/mug/")
    page.wait_for_selector("sightline-frame.is-live")
    page.keyboard.press("]")
    page.wait_for_selector(".frame__chosen")
    view, link, frame = (
        page.locator(name).first.bounding_box() for name in (".frame__view", ".frame__chosen", "sightline-frame")
    )
    assert link["y"] >= view["y"] + view["height"]
    assert link["y"] + link["height"] <= frame["y"] + frame["height"] + 0.5
    assert link["x"] + link["width"] <= width
    # A copied address names the crop, and leads there too.
    page.reload()
    expect(page.locator(".frame__chosen")).to_be_visible()


@pytest.mark.endurance
def test_a_picture_of_the_graph_that_does_not_come_says_so(page, live_server, looked):
    page.route("**/*", lambda route: route.abort() if route.request.resource_type == "image" else route.continue_())
    page.goto(f"{live_server.url}/benchmarks/kitchen/trajectories/{of('Model A', 'mug').pk}/")
    words = page.locator("svg.graph text.missing")
    expect(words.first).to_have_text("did not load")
    drawn = page.locator("svg.graph image").count()
    expect(words).to_have_count(drawn)
    # And when the drawing comes later than the script.
    page.get_by_role("link", name="Raw record").click()
    page.wait_for_selector("pre.raw")
    page.get_by_role("link", name="Toolchain").click()
    expect(words).to_have_count(drawn)
