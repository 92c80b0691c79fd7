"""Several questions about one image in a real browser: one click and typing, and the image is loaded once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_started
from playwright.sync_api import Page, expect

from annotation.models import Benchmark, Draft, Revision, Sample
from annotation.queue.assignment import next_to_annotate
from tests.browser.annotate_data import Studio, kitchen, sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture
def studio(tmp_path: Any, page: Page, faults: list[str], live_server: Any, ana: User) -> Iterator[Studio]:
    """Ana has the only sample open."""
    yield opened(page, live_server.url, ana, kitchen(tmp_path, 1, annotator=ana))
    assert faults == []


def opened(page: Page, url: str, person: User, benchmark: Benchmark) -> Studio:
    """The next sample of a person."""
    sample = next_to_annotate(actor=person, benchmark=benchmark)
    assert sample is not None
    sign_in(page.context, url, person)
    return Studio(page, f"{url}/benchmarks/{benchmark.slug}/annotate/samples/{sample.key}/")


@pytest.fixture
def tiles() -> Iterator[list[str]]:
    """The tiles that the server is asked for."""
    asked: list[str] = []

    def note(environ: dict[str, Any], **_: Any) -> None:
        if "/tiles/" in environ["PATH_INFO"]:
            asked.append(environ["PATH_INFO"])

    request_started.connect(note)
    yield asked
    request_started.disconnect(note)


def at(studio: Studio, key: str) -> None:
    expect(studio.page).to_have_url(re.compile(rf"/samples/{key}/$"))
    studio.ready()


@pytest.mark.endurance
def test_a_second_question_costs_one_click_and_typing(studio: Studio) -> None:
    page = studio.page
    studio.fill_all()
    # What is not saved yet is saved first, and copied.
    page.get_by_role("button", name="Ask with boxes and facets").click()
    at(studio, "mug-0-2")
    studio.boxes(1)
    expect(page.locator(".questions__list")).to_contain_text("Which colour is the mug?")
    page.get_by_label("Question").focus()
    page.keyboard.type("What shape is the plate?")
    page.get_by_label("Multiple choice").check()
    page.get_by_label("Option A", exact=True).focus()
    page.keyboard.type("round")
    page.keyboard.press("Enter")
    page.keyboard.type("square")
    page.get_by_label("B is the answer").check()
    studio.saved()
    page.keyboard.press("Control+Enter")
    at(studio, "mug-0")
    assert studio.question() == "Which colour is the mug?"
    revision = Revision.objects.get(annotation__sample__key="mug-0-2")
    assert (revision.question, revision.gold_boxes.get().source) == ("What shape is the plate?", "mug-0")


def test_nearly_the_same_question_is_a_warning(studio: Studio) -> None:
    page = studio.page
    studio.fill_all()
    page.get_by_role("button", name="Ask another", exact=True).click()
    at(studio, "mug-0-2")
    page.get_by_label("Question").fill("Which colour is the red mug?")
    studio.saved()
    expect(page.locator("[data-checks=question]")).to_contain_text("Nearly the same question as mug-0")
    page.get_by_role("link", name="1 Which colour is the mug?").click()
    at(studio, "mug-0")
    assert Draft.objects.count() == 2


def test_five_questions_on_an_8k_image_load_each_tile_once(
    tiles: list[str], tmp_path: Any, page: Page, faults: list[str], live_server: Any, ana: User
) -> None:
    benchmark = kitchen(tmp_path, 1, size=(7680, 4320), annotator=ana)
    studio = opened(page, live_server.url, ana, benchmark)
    page.keyboard.press("f")
    for number in range(2, 6):
        page.get_by_role("button", name="Ask another", exact=True).click()
        at(studio, f"mug-0-{number}")
    expect(page.locator(".questions")).to_contain_text("The image has 5 questions (limit: 5).")
    assert Sample.objects.count() == 5
    assert len(tiles) > 4
    assert len(tiles) == len(set(tiles))
    assert faults == []
