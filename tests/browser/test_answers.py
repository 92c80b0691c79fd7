"""Undecided answers are decided with the keyboard alone: groups, one undone, and the rest at once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from evaluation.common.judging.words import ANSWERS
from evaluation.judging.write.queues import draw_judging, judge_item, next_to_judge
from evaluation.models import Judgement
from tests.browser.annotate_data import sign_in
from tests.evaluation.answers_data import REFUSAL, make_kitchen, said
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.endurance
def test_groups_are_decided_by_keys_and_the_rest_at_once(
    page: Page,
    live_server: Any,
    lea: User,
    faults: list[str],
) -> None:
    kitchen = make_kitchen(lea)
    said(lea, kitchen, {"s0": "neither", "s1": "nor"}, "Model B")
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/answers/")
    here = page.locator("sightline-answers.is-live [aria-current=true]")
    expect(here).to_contain_text(REFUSAL)
    page.keyboard.press("b")
    expect(page.get_by_text("6 answers decided: they say B.")).to_be_visible()
    expect(here).not_to_contain_text(REFUSAL)
    page.keyboard.press("?")
    expect(page.get_by_text(re.compile("1 answer left for a judge"))).to_be_visible()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(here.get_by_role("button", name="Leave for a judge")).to_be_visible()

    page.keyboard.press("z")
    expect(page.get_by_text("Undone: 1 answer.")).to_be_visible()
    expect(page.locator("[data-group]")).to_have_count(4)
    page.keyboard.press("*")
    page.keyboard.press("0")
    expect(page.get_by_text(re.compile("Decide 3 answers in 3 groups of 2 runs at once"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("3 answers in 3 groups decided")).to_be_visible()
    expect(page.locator("[data-group]")).to_have_count(1)
    expect(here).to_contain_text("Quai")
    page.keyboard.press("y")
    expect(page.get_by_text("1 answer decided: same as accepted.")).to_be_visible()
    assert Judgement.objects.decisions().count() == 10
    assert faults == []


def test_what_judges_agree_on_is_one_key_away(page: Page, live_server: Any, lea: User, faults: list[str]) -> None:
    kitchen = make_kitchen(lea)
    queue = draw_judging(actor=lea, benchmark=kitchen, terms={"unread": "yes"}, size=40, people=1, about=ANSWERS)
    while item := next_to_judge(actor=lea, queue=queue):
        judge_item(actor=lea, item=item, said={"answer": "C"})
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/answers/")
    here = page.locator("sightline-answers.is-live [aria-current=true]")
    expect(here).to_contain_text("Judges agree")
    page.keyboard.press("=")
    expect(page.get_by_text("6 answers decided: they say C.")).to_be_visible()
    page.keyboard.press("*")
    page.keyboard.press("=")
    expect(page.get_by_role("checkbox", name="hmm neither")).to_be_checked()
    page.get_by_role("button", name="Decide selected").press("Enter")
    expect(page.get_by_text("1 answer in 1 group decided as the judges agree.")).to_be_visible()
    assert set(Judgement.objects.decisions().values_list("answer", flat=True)) == {"C"}
    assert faults == []
