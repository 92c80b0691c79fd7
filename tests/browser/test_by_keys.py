"""A sample from sign-in to gold without a mouse: keys beside the typing are counted, five a sample at most."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.models import Benchmark, BenchmarkQueue, Review, Revision, Sample
from tests.browser.annotate_data import kitchen
from tests.factories import PASSWORD
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_KEYS = 5


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User, rui: User) -> Benchmark:
    """Four samples to author; a reviewer answers from the crops first."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    made = kitchen(tmp_path, 4, annotator=ana, reviewer=rui)
    BenchmarkQueue.objects.update_or_create(benchmark=made, defaults={"blind": "crop"})
    return made


class Keyboard:
    """A person with a keyboard and nothing else, and how many keys they have pressed since the last sample."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.context: BrowserContext = browser.new_context(
            viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()
        self.url = url
        self.pressed = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.wait_for_load_state()
            self.page.keyboard.press(key)
        self.pressed += len(keys)

    def types(self, text: str) -> None:
        self.page.wait_for_load_state()
        for sign in text:
            self.page.keyboard.press(f"Shift+{sign}" if sign.isupper() else sign)

    def sign_in(self, user: User, address: str) -> None:
        self.page.goto(f"{self.url}/sign-in/?next={address}")
        self.types(user.email)
        self.press("Tab")
        self.types(PASSWORD)
        self.press("Enter")
        expect(self.page).to_have_url(self.url + address)

    def sees(self, stage: str) -> None:
        expect(self.page.locator(stage).first).to_be_visible()

    def done_with(self, key: str) -> None:
        """The page has gone on from this sample, after no more keys than a sample may take."""
        expect(self.page).not_to_have_url(re.compile(f"{key}/$"))
        assert self.pressed <= MOST_KEYS
        self.pressed = 0

    def asks(self, number: int, answer: str, options: str) -> None:
        """Question, options and submit, from wherever the focus is; ``answer`` leads from the one to the other."""
        self.types("Which colour is it?")
        self.press(answer)
        self.types(options)
        self.press("Control+Enter")
        self.done_with(f"mug-{number}")
        self.sees(STUDIO) if number < 3 else None

    def answers(self) -> None:
        """From the crops, then from the picture."""
        for stage in (CROPS, PICTURE):
            self.sees(stage)
            self.press("2")
        self.sees(GOLD)

    def begins(self, stage: str) -> None:
        self.press("c")
        self.sees(stage)
        self.pressed = 0


STUDIO = ".stage.is-drawn"
CROPS = ".review__crops img"
PICTURE = "sightline-blind .stage.is-live"
GOLD = "sightline-review .stage.is-drawn"


@pytest.mark.endurance
def test_samples_are_authored_reviewed_returned_and_discarded_by_keys_alone(
    benchmark: Benchmark, browser: Browser, live_server: Any, ana: User, rui: User
) -> None:
    author, reviewer = (Keyboard(browser, live_server.url) for _ in "ab")
    author.sign_in(ana, "/benchmarks/kitchen/annotate/")
    author.begins(STUDIO)
    author.press("b", "a")
    author.types("category: colour;")
    author.press("Enter")
    author.asks(0, "Alt+Enter", "black; *white;")
    for number in (1, 2, 3):
        # What was typed for the first sample has a number from now on.
        author.press("1", "b")
        author.asks(number, "Enter", "red; *green;")
    revision = Revision.objects.get(annotation__sample__key="mug-3")
    assert (revision.options, revision.answers) == ({"A": "red", "B": "green"}, ["B"])
    assert revision.facets == {"category": ["colour"]}
    assert revision.gold_boxes.count() == 1

    reviewer.sign_in(rui, "/benchmarks/kitchen/review/")
    reviewer.begins(CROPS)
    reviewer.answers()
    reviewer.press("a")
    reviewer.done_with("mug-0")
    reviewer.answers()
    reviewer.press("r")
    reviewer.types("Only the mark.")
    reviewer.press("Control+Enter")
    reviewer.done_with("mug-1")
    reviewer.answers()
    reviewer.press("6", "d", "Control+Enter")
    reviewer.done_with("mug-2")
    reviewer.answers()
    reviewer.press("e", "End")
    reviewer.types(" Now?")
    reviewer.press("Control+Enter")
    reviewer.done_with("mug-3")
    decisions = ["accept", "return", "discard", "fix_and_accept"]
    assert list(Review.objects.order_by("pk").values_list("decision", flat=True)) == decisions
    assert Revision.objects.get(gold_of__sample__key="mug-3").question == "Which colour is it? Now?"

    author.page.goto(f"{live_server.url}/benchmarks/kitchen/annotate/")
    author.begins(STUDIO)
    expect(author.page.locator(".returned")).to_contain_text("Only the mark.")
    before = Revision.objects.get(annotation__sample__key="mug-1").gold_boxes.get()
    author.press("j", "Alt+Shift+ArrowLeft", "Control+Enter")
    author.done_with("mug-1")
    after = Revision.objects.get(annotation__sample__key="mug-1", number=2).gold_boxes.get()
    assert (after.x1, after.x2) == (before.x1, before.x2 - 10)
    states = dict(Sample.objects.values_list("key", "state"))
    assert states == {"mug-0": "accepted", "mug-1": "in_review", "mug-2": "discarded", "mug-3": "accepted"}
