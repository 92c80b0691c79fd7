"""Chromium as one annotator has it open: what came over the network, and when the picture stood on the stage."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import BrowserContext, Page, sync_playwright

from bench.site import Site
from tests.lanes import find_chromium

WINDOW = {"width": 1440, "height": 900}
PATIENCE = 60_000
QUIET = 0.4
"""Seconds without a further tile after which the image is taken to be whole."""
LINE = {"offline": False, "latency": 40, "downloadThroughput": 20e6 / 8, "uploadThroughput": 20e6 / 8}
"""20 Mbit/s and 40 ms, as Chromium emulates it."""

# When the middle of the stage has the color of the image, as the moment since 1970 in milliseconds.
DRAWN = """([r, g, b]) => {
  const canvas = document.querySelector(".stage canvas");
  const zoom = document.querySelector("[data-part=zoom]");
  if (!canvas?.width || !zoom?.textContent.includes("%")) return false;
  const side = 32;
  const middle = [(canvas.width - side) / 2, (canvas.height - side) / 2];
  const { data } = canvas.getContext("2d").getImageData(...middle, side, side);
  const mean = [0, 0, 0];
  for (let at = 0; at < data.length; at += 4) for (const i of [0, 1, 2]) mean[i] += data[at + i] / side ** 2;
  return [r, g, b].every((value, i) => Math.abs(value - mean[i]) < 16) && performance.timeOrigin + performance.now();
}"""
LOADED = """() => performance.getEntriesByType("resource").map((one) => ({
  name: new URL(one.name).pathname, sent: one.transferSize, body: one.encodedBodySize,
  begun: performance.timeOrigin + one.startTime, ended: performance.timeOrigin + one.responseEnd,
}))"""
FRAMES = """(ended) => new Promise((resolve) => {
  const gaps = [];
  let last = performance.now();
  const frame = (now) => {
    gaps.push(now - last);
    last = now;
    if (gaps.length < ended) requestAnimationFrame(frame);
    else resolve(gaps);
  };
  requestAnimationFrame(frame);
})"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window. Raises ``RuntimeError`` when there is none on this machine."""
    found = find_chromium()
    if found is None:
        raise RuntimeError("no Chromium on PATH")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def person(browser: Any, site: Site, session: str) -> Iterator[BrowserContext]:
    """A person with an empty cache who is signed in."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
    context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    context.add_init_script("performance.setResourceTimingBufferSize(5000)")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


def page_on_line(context: BrowserContext, line: Mapping[str, Any] | None = None) -> Page:
    """A page, over the line that is emulated or over the loopback."""
    page = context.new_page()
    if line:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", dict(line))
    return page


def drawn_at(page: Page, colour: tuple[int, int, int]) -> float:
    """The moment in which the image of this color stands on the stage, in milliseconds since 1970."""
    return float(page.wait_for_function(DRAWN, arg=list(colour)).json_value())


def loaded(page: Page) -> list[dict[str, Any]]:
    """Everything the page has asked for, once the tiles have come: address, bytes sent, bytes of the body, ends."""
    before, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET:
        entries: list[dict[str, Any]] = page.evaluate(LOADED)
        if len(entries) != before:
            before, since = len(entries), time.monotonic()
        page.wait_for_timeout(50)
    return entries


def bytes_of(entries: list[dict[str, Any]], *endings: str, sent: bool = True) -> int:
    """Bytes that came over the network for files with these endings; ``sent`` off: also those out of the cache."""
    field = "sent" if sent else "body"
    return sum(one[field] for one in entries if one["name"].endswith(endings))
