"""The annotation studio in Chromium on pictures of 7680 × 4320: bytes, the time until one can draw, and what is lost.

Limit: what Label Studio 1.23.2 needed for the same steps on such a machine. Bytes and shares are exact; times are those
of a machine without a graphics card.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page

from bench import workers
from bench.chromium import FRAMES, LINE, WINDOW, bytes_of, chromium, drawn_at, loaded, page_on_line, person
from bench.options import Options
from bench.rows import Row, Skipped
from bench.site import Browser, Site, serving

MEGABYTE = 1_000_000
SCRIPTS, PICTURES = (".js", ".css"), (".jpg",)
OPENED = """() => new Promise((done) => {
  const begun = performance.now();
  const text = document.querySelector("sightline-guidelines [data-text]");
  const look = () => (text.querySelector("h1, h2, h3") ? done(performance.now() - begun) : requestAnimationFrame(look));
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "F1", bubbles: true, cancelable: true }));
  look();
})"""
"""Press F1; milliseconds until the first frame with the text of the guidelines."""


def measure(options: Options) -> Iterator[Row | Skipped]:
    size, count = ((1920, 1080), 2) if options.small else ((7680, 4320), 4)
    with workers.sqlite() as environ:
        sessions = workers.call("desk:make_people", environ, count=1)["sessions"]
        made = workers.call("pictures:make_large", environ, width=size[0], height=size[1], count=count)
        colours = [tuple(colour) for colour in made["colours"]]
        with serving(environ) as site, chromium() as browser:
            address = _take(site, sessions[0])
            with person(browser, site, sessions[0]) as context:
                yield from _first_visit(context, address, colours[0], size, made["mb"])
                yield from _again(context, address, colours[0])
                yield _kept(context, address, colours[0], 1 if options.small else 5)
                yield _guidelines(context, address, colours[0], 2 if options.small else 20)
                if not options.small:
                    yield _zoom(context, address, colours[0])
            if not options.small:
                with person(browser, site, sessions[0]) as context:
                    yield _slow_line(context, address, colours[0])
            with person(browser, site, sessions[0]) as context:
                yield from _one_after_the_other(context, address, colours)


def _take(site: Site, session: str) -> str:
    """The address of the sample that the queue passes to this person."""
    browser = Browser(site, session)
    place = browser.ask("POST", "/benchmarks/large/annotate/next/").headers["location"]
    browser.close()
    return site.url + place


def _first_visit(
    context: BrowserContext, address: str, colour: Any, size: tuple[int, int], picture_mb: float
) -> Iterator[Row]:
    page = page_on_line(context)
    begun = time.time() * 1000
    page.goto(address, wait_until="commit")
    first = drawn_at(page, colour) - begun
    entries = loaded(page)
    title = f"image of {size[0]} × {size[1]}, first visit"
    pictures, scripts = bytes_of(entries, *PICTURES), bytes_of(entries, *SCRIPTS)
    tiles = sum(one["name"].endswith(PICTURES) for one in entries)
    said = f"{tiles} requests; the file has {picture_mb:.1f} MB; Label Studio 12.8 MB"
    yield Row("studio", f"{title}, bytes of images", pictures / MEGABYTE, "MB", 1.5, limit=said)
    files = sum(one["name"].endswith(SCRIPTS) for one in entries)
    said = f"{files} files; Label Studio 7.8 MB"
    yield Row("studio", f"{title}, scripts and styles as sent", scripts / MEGABYTE, "MB", 0.5, limit=said)
    bounds = page.locator(".stage").bounding_box() or {"width": 0, "height": 0}
    share = 100 * bounds["width"] * bounds["height"] / (WINDOW["width"] * WINDOW["height"])
    yield Row("studio", "share of the window for the image", share, "%", 60, False, "1440 × 900; Label Studio 21 %")
    said = f"{_when(entries, begun)}; {_load()}; Label Studio 5.7 s"
    yield Row("studio", f"{title}, until it is drawn", first / 1000, "s", 1.5, limit=said)
    page.close()


def _again(context: BrowserContext, address: str, colour: Any) -> Iterator[Row]:
    page = page_on_line(context)
    begun = time.time() * 1000
    page.goto(address, wait_until="commit")
    waited = drawn_at(page, colour) - begun
    entries = loaded(page)
    said = f"{bytes_of(entries, *SCRIPTS)} bytes of scripts and styles; drawn after {waited:.0f} ms; "
    said += "Label Studio 12,760,191 bytes"
    yield Row("studio", "second visit, bytes of images", bytes_of(entries, *PICTURES), "bytes", 0, limit=said)
    page.close()


def _slow_line(context: BrowserContext, address: str, colour: Any) -> Row:
    page = page_on_line(context, LINE)
    begun = time.time() * 1000
    page.goto(address, wait_until="commit")
    waited = drawn_at(page, colour) - begun
    said = f"{_when(loaded(page), begun)}; {_load()}; Label Studio 14.3 s"
    page.close()
    return Row("studio", "20 Mbit/s and 40 ms, until it is drawn", waited / 1000, "s", 3, limit=said)


def _zoom(context: BrowserContext, address: str, colour: Any) -> Row:
    """Gaps between frames while the wheel turns by forty steps, in and out again."""
    page = page_on_line(context)
    page.goto(address)
    drawn_at(page, colour)
    loaded(page)
    page.mouse.move(500, 450)
    frames = page.evaluate_handle(f"() => {{ const all = ({FRAMES})(180); return {{ all }}; }}")
    for step in range(40):
        page.mouse.wheel(0, -120 if step < 20 else 120)
    gaps = frames.evaluate("({ all }) => all")
    page.close()
    said = f"median {1000 / median(gaps):.0f} a second, without a graphics card; {_load()}; Label Studio 60 a second"
    slow = quantiles(gaps, n=20)[-1]
    return Row("studio", "zooming by forty steps of the wheel, p95 between frames", slow, "ms", 17, limit=said)


def _kept(context: BrowserContext, address: str, colour: Any, rounds: int) -> Row:
    """A box is drawn; 0.3 s later the line and the tab are gone."""
    lost = 0
    for number in range(1, rounds + 1):
        page = page_on_line(context)
        page.goto(address)
        drawn_at(page, colour)
        _box(page, number)
        page.wait_for_timeout(300)
        context.set_offline(True)
        page.close()
        context.set_offline(False)
        page = page_on_line(context)
        page.goto(address)
        drawn_at(page, colour)
        lost += page.locator(".boxrow").count() != number
        page.close()
    said = f"of {rounds}; Label Studio loses what was drawn in the last 3 s"
    return Row("studio", "boxes lost with line and tab after 0.3 s", lost, "boxes", 0, limit=said)


def _guidelines(context: BrowserContext, address: str, colour: Any, rounds: int) -> Row:
    """F1 until the text of the guidelines is drawn next to the image. Each page is new, so the text is fetched."""
    waited = []
    for _ in range(rounds):
        page = page_on_line(context)
        page.goto(address)
        drawn_at(page, colour)
        loaded(page)
        waited.append(page.evaluate(OPENED))
        page.evaluate("sessionStorage.clear()")
        page.close()
    worst = quantiles(waited, n=20)[-1]
    said = f"of {rounds}; median {median(waited):.0f} ms; {_load()}"
    return Row("studio", "F1 until the guidelines are drawn, p95", worst, "ms", 150, limit=said)


def _one_after_the_other(context: BrowserContext, address: str, colours: list[Any]) -> Iterator[Row]:
    """Submit, and wait for the next image, each another one."""
    page = page_on_line(context)
    page.goto(address)
    waited, server = [], []
    for number, colour in enumerate(colours[1:]):
        drawn_at(page, colours[number])
        loaded(page)
        _fill(page, fresh=number > 0)
        here = urlsplit(page.url).path
        begun = time.time() * 1000
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url, here=here: urlsplit(url).path != here, wait_until="commit")
        waited.append(drawn_at(page, colour) - begun)
        server.append(_when(loaded(page), begun))
    worst = quantiles(waited, n=20)[-1] if len(waited) > 1 else waited[0]
    said = f"median {median(waited):.0f} ms; the last: {server[-1]}; {_load()}; Label Studio 880 ms on the same image"
    yield Row("studio", "submit until the next image is drawn, p95", worst, "ms", 300, limit=said)


def _box(page: Page, number: int) -> None:
    x, y = 400 + 60 * number, 400
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 15)
    page.mouse.move(x + 40, y + 30)
    page.mouse.up()
    page.locator(".boxrow").nth(number - 1).wait_for()


def _fill(page: Page, *, fresh: bool) -> None:
    """What a sample needs: a box, a question and an open answer."""
    if fresh:
        page.keyboard.press("b")
    page.get_by_label("Question").fill("Which thing is this?")
    page.locator("#accepted").fill("A thing")
    page.wait_for_selector("#saving[data-state=saved]")


def _when(entries: list[dict[str, Any]], begun: float) -> str:
    """The last of the scripts, and the first and last of the tiles, in milliseconds from the beginning."""
    scripts = [one["ended"] for one in entries if one["name"].endswith(SCRIPTS)]
    tiles = [one for one in entries if "/tiles/" in one["name"] and one["ended"] >= begun]
    said = f"scripts there after {max(scripts) - begun:.0f} ms"
    if not tiles:
        return f"{said}, no tiles asked for"
    first, last = min(one["begun"] for one in tiles), max(one["ended"] for one in tiles)
    return f"{said}, {len(tiles)} tiles asked for from {first - begun:.0f} ms on, there after {last - begun:.0f} ms"


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"
