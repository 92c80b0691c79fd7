"""Crops are judged with the keyboard alone: both questions of one trajectory, one taken back and said again."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.judging.write.queues import draw_judging
from evaluation.models import Judgement
from tests.browser.annotate_data import sign_in
from tests.browser.test_trajectory import build, drawn_sample
from tests.evaluation import records
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def shows(page: Page, heading: str) -> None:
    """The question is there, and listens to keys."""
    expect(page.locator("sightline-judge.is-live").get_by_role("heading", name=heading)).to_be_visible()


@pytest.fixture
def queue(tmp_path: Any, settings: Any, page: Page, live_server: Any, lea: User, ana: User) -> str:
    """Ana is signed in; where her queue of one trajectory with two crops is."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    mug = next(record for record in records.samples() if record.id == "mug")
    build(tmp_path / "files", drawn_sample(mug), [replace(records.trajectories()[1], setting="")])
    benchmark = Benchmark.objects.get()
    set_public(actor=None, benchmark=benchmark, public=False)
    for person, role in ((lea, Role.LEAD), (ana, Role.ANNOTATOR)):
        add_member(actor=None, benchmark=benchmark, user=person, role=role)
    drawn = draw_judging(actor=lea, benchmark=benchmark, terms={}, size=1, people=1)
    sign_in(page.context, live_server.url, ana)
    return f"{live_server.url}/benchmarks/kitchen/judging/{drawn.pk}/"


def begin(page: Page, queue: str) -> None:
    page.goto(queue)
    page.get_by_role("button", name=re.compile("^(Judge|Start|Go on)")).press("Enter")


def test_a_crop_that_does_not_come_says_so_in_its_place(page: Page, queue: str) -> None:
    page.route("**/crops/*.jpg", lambda route: route.abort())
    begin(page, queue)
    shows(page, "Answer from the crops alone")
    expect(page.locator(".judge__big figure:visible .missing")).to_have_text("did not load")
    expect(page.locator(".judge__film .missing")).to_have_count(2)


def test_both_questions_are_answered_by_keys(page: Page, queue: str, faults: list[str], ana: User) -> None:
    begin(page, queue)
    shows(page, "Answer from the crops alone")
    last = page.get_by_role("img", name="Crop 2 of 2")
    expect(last).to_be_visible()
    page.keyboard.press("[")
    expect(page.get_by_role("img", name="Crop 1 of 2")).to_be_visible()
    expect(last).to_be_hidden()
    page.keyboard.press("b")
    page.keyboard.press("4")
    page.keyboard.press("Enter")

    shows(page, "Do these crops support this answer?")
    page.keyboard.press("Enter")  # Nothing is chosen: it stays.
    page.keyboard.press("y")
    page.keyboard.press("z")
    shows(page, "Answer from the crops alone")
    page.keyboard.press("u")
    page.keyboard.press("Enter")
    shows(page, "Do these crops support this answer?")
    page.keyboard.press("n")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Next")).to_have_count(0)

    said = {one.kind: (one.verdict, one.answer) for one in Judgement.objects.filter(person=ana)}
    assert said == {"sufficiency": ("no", None), "reliability": ("no", None)}
    assert faults == []


def test_keys_in_the_card_of_a_word_choose_and_send_nothing(page: Page, queue: str, faults: list[str]) -> None:
    begin(page, queue)
    shows(page, "Answer from the crops alone")
    page.keyboard.press("a")
    page.locator("aside sightline-term > a").press("Enter")
    card = page.locator(".term-card:popover-open")
    expect(card).to_contain_text("answers correctly from the crops")
    page.keyboard.press("Enter")
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    shows(page, "Answer from the crops alone")
    expect(page.locator("input[value=A]")).to_be_checked()
    assert not Judgement.objects.exists()
    assert faults == []
