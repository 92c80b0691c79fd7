"""A benchmark of real pictures to annotate, and the studio as one person has it open."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from PIL import Image as Picture
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.images.store import store_pictures
from annotation.models import Benchmark, Image, Sample
from annotation.schema import SampleContent, SampleRecord
from annotation.workflow import Role
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

WIDTH, HEIGHT = 2400, 1600
EVIDENCE = (1176, 784, 1224, 816)
"""In the middle of the picture."""


@cache
def picture(width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """Grey, with one black rectangle."""
    pixels = np.full((height, width, 3), 190, np.uint8)
    x1, y1, x2, y2 = EVIDENCE
    pixels[y1:y2, x1:x2] = 0
    file = io.BytesIO()
    Picture.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def kitchen(
    tmp_path: Any, count: int, slug: str = "kitchen", size: tuple[int, int] = (WIDTH, HEIGHT), **members: User
) -> Benchmark:
    """A benchmark of ``count`` samples on one picture with tiles; members by role: annotator=ana."""
    benchmark = create_benchmark(actor=None, slug=slug, title=slug.title())
    for role, user in members.items():
        add_member(actor=None, benchmark=benchmark, user=user, role=Role(role))
    records = [SampleRecord("mug", SampleContent(), image="mug.png")]
    with transaction.atomic():
        found = store_pictures(
            actor=None, benchmark=benchmark, records=records, folder=tmp_path, embedded={"mug.png": picture(*size)}
        )
    run_waiting()
    image = found["mug.png"]
    assert isinstance(image, Image)
    for number in range(count):
        Sample.objects.create(benchmark=benchmark, key=f"mug-{number}", image=image, width=size[0], height=size[1])
    return benchmark


def sign_in(context: BrowserContext, url: str, user: User) -> None:
    """The person is signed in, in every page of this browser."""
    cookie = signed_in(user).cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie.value, "url": url}])


class Studio:
    """The studio page with what a person does on it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        page.goto(url)
        self.ready()

    def ready(self) -> None:
        expect(self.page.locator("[data-part=zoom]")).to_contain_text("%")
        expect(self.page.locator(".stage.is-drawn")).to_be_visible(timeout=15_000)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        mouse.move(*end)
        mouse.up()

    def rests(self) -> None:
        """The picture is where it was sent."""
        frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.page.evaluate(f"async () => {{ await {frame}; await {frame}; }}")

    def numbers(self, at: int = 0) -> list[int]:
        """x, y, w, h of a box as the form has them."""
        row = self.page.locator(".boxrow").nth(at)
        return [int(row.locator(f"[data-side={side}]").input_value()) for side in "xywh"]

    def boxes(self, count: int) -> None:
        expect(self.page.locator(".boxrow")).to_have_count(count)
        expect(self.page.locator(".layer g[data-at]")).to_have_count(count)

    def saved(self) -> None:
        expect(self.page.locator("#saving")).to_have_attribute("data-state", "saved", timeout=10_000)

    def question(self) -> str:
        return self.page.get_by_label("Question").input_value()

    def fill_all(self) -> None:
        """Everything a sample needs, by keyboard alone but for nothing."""
        page = self.page
        page.keyboard.press("b")
        page.get_by_label("Question").focus()
        page.keyboard.type("Which colour is the mug?")
        page.get_by_label("Multiple choice").check()
        page.get_by_label("Option A", exact=True).focus()
        page.keyboard.type("black")
        page.keyboard.press("Enter")
        page.keyboard.type("white")
        page.get_by_label("B is the answer").check()


def another(browser: Browser, url: str, user: User) -> BrowserContext:
    """A second browser of the same person, as on another computer."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    sign_in(context, url, user)
    return context
