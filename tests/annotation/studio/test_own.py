"""A person's own samples: listed with their states and decisions, one after the other, gold checks among them."""

from __future__ import annotations

import re

import pytest

from annotation.content.comments import add_comment
from annotation.models import Annotation, CheckAnswer, Sample
from annotation.quality.write.checks import set_check_rules
from annotation.queue.assignment import next_to_annotate
from annotation.queue.settings import set_queue
from annotation.studio.present.own import own_context
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from tests.annotation.quality.test_checks import RULES, kitchen
from tests.annotation.work_data import (
    annotation_of,
    content,
    drafted,
    next_review,
    reviewed,
    submitted,
    to_annotate,
)
from tests.conftest import signed_in
from tests.worlds import made_once

__all__ = ["kitchen"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
MINE = "/benchmarks/kitchen/annotate/mine/"


@made_once
def work(ana, rui, lea):
    """Returned with a comment, accepted, submitted twice, and a draft."""
    benchmark = to_annotate(6, annotator=ana, reviewer=rui, lead=lea)
    first = submitted(ana, benchmark, question="What is first?")
    reviewed(rui, first, "return", reasons=["typo"], comment="Two mugs.")
    thread = add_comment(actor=rui, annotation=annotation_of(ana, first), text="This one?")
    add_comment(actor=rui, annotation=annotation_of(ana, first), text="Or that.", parent=thread.pk)
    # What came back is assigned first: put it last for this world.
    Annotation.objects.filter(sample=first).update(state="accepted")
    reviewed(rui, submitted(ana, benchmark, question="What is second?"), "accept")
    for _ in "ab":
        submitted(ana, benchmark)
    drafted(ana, benchmark, question="What is last?")
    Annotation.objects.filter(sample=first).update(state="returned")
    return benchmark


def states_of(rows):
    return [(row.sample.key, row.words) for row in rows]


def test_own_samples_are_listed_with_state_comments_decision_and_place(ana, work):
    rows = own_context(ana, work, "", "")["rows"]
    assert states_of(rows) == [
        ("s-0004", "Draft"), ("s-0003", "Submitted"), ("s-0002", "Submitted"), ("s-0001", "Accepted"),
        ("s-0000", "Returned"),
    ]  # fmt: skip
    assert [row.question for row in rows][0::4] == ["What is last?", "What is first?"]
    assert [(row.comments, row.unresolved) for row in rows][-2:] == [(0, 0), (2, 1)]
    assert [row.decision and (row.decision.decision, row.decision.comment) for row in rows][2:] == [
        None, ("accept", ""), ("return", "Two mugs."),
    ]  # fmt: skip
    assert [row.place and (row.place.number, row.place.waiting) for row in rows] == [None, (2, 2), (1, 2), None, None]
    html = " ".join(signed_in(ana).get(MINE).content.decode().split())
    assert "1 of 2 waiting for review" in html
    assert "2 comments (1 open)" in html


@pytest.mark.parametrize(("state", "keys"), [("submitted", ["s-0003", "s-0002"]), ("draft", ["s-0004"]), ("odd", None)])
def test_one_state_is_kept(ana, work, state, keys):
    shown = own_context(ana, work, state, "")
    assert [row.sample.key for row in shown["rows"]] == (keys or [f"s-000{n}" for n in (4, 3, 2, 1, 0)])
    assert [words for words, _, _ in shown["states"]] == [
        "All 5", "Draft 1", "Returned 1", "Submitted 2", "Accepted 1",
    ]  # fmt: skip


def test_the_list_asks_as_much_for_many_as_for_one(ana, rui, work, django_assert_num_queries):
    client = signed_in(ana)
    client.get(MINE)
    for state, n in (("", 5), ("draft", 1)):
        with django_assert_num_queries(18):
            page = client.get(MINE, {"state": state}).content.decode()
        assert page.count("work__picture") == n


@pytest.mark.parametrize(
    ("key", "way", "to"),
    [
        ("s-0002", "previous", "s-0001"),
        ("s-0002", "following", "s-0003"),
        ("s-0000", "previous", ""),
        ("s-0004", "following", ""),
        ("s-0005", "previous", "s-0004"),
        ("s-0005", "following", ""),
    ],
)
def test_one_goes_from_own_sample_to_own_sample(ana, work, key, way, to):
    answer = signed_in(ana).get(f"{MINE}{way}/{key}/")
    assert answer.url == (f"/benchmarks/kitchen/annotate/samples/{to}/" if to else MINE)


def test_nobody_sees_the_work_of_others(lea, rui, sam, work):
    assert own_context(lea, work, "", "")["rows"] == []
    assert [signed_in(one).get(MINE).status_code for one in (rui, sam)] == [403, 404]


def test_a_submitted_sample_says_until_when_it_can_be_taken_back(ana, lea, work):
    set_queue(actor=lea, benchmark=work, order="sequential", take_back_minutes=10)
    draft = Sample.objects.select_related("benchmark").get(key="s-0004")
    submit(actor=ana, sample=draft, version=1, content=content())
    client = signed_in(ana)
    page = client.get("/benchmarks/kitchen/annotate/samples/s-0004/").content.decode()
    assert "You can take it back until" in page
    assert 'data-act="take-back"' in page
    assert "You can take it back until" in client.get(MINE).content.decode()
    assert own_context(ana, work, "submitted", "")["rows"][0].place is None


def plain(rows):
    """What a person can tell two rows apart by, beside the id and the picture."""
    return [
        (row.sign, row.words, row.question, row.held is None, row.comments, row.unresolved, row.decision, row.place)
        for row in rows
    ]


@pytest.mark.endurance
def test_a_gold_check_among_own_samples_looks_like_any(ana, lea, rui, kitchen):
    """Submitted, accepted, in review or a gold check: one word, no place in the queue, no decision."""
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1})
    for _ in range(3):
        sample = next_to_annotate(actor=ana, benchmark=kitchen)
        save_draft(actor=ana, sample=sample, version=0, content=content(question="Half"))
        if sample is not None and len(own_context(ana, kitchen, "", "")["rows"]) < 3:
            submit(actor=ana, sample=sample, version=1, content=content())
    check = CheckAnswer.objects.get().check_of.sample
    reviewed(rui, next_review(rui, kitchen), "accept")
    draft, *others = own_context(ana, kitchen, "", "")["rows"]
    assert draft.words == "Draft"
    assert [row.sample.key for row in others][1] == check.key
    assert len(set(plain(others))) == 1
    assert plain(others)[0][1] == "Submitted"
    assert [words for words, _, _ in own_context(ana, kitchen, "submitted", "")["states"]] == [
        "All 3", "Draft 1", "Submitted 2",
    ]  # fmt: skip
    client = signed_in(ana)
    assert client.get(f"{MINE}previous/{draft.sample.key}/").url.endswith(f"/samples/{others[0].sample.key}/")
    assert client.get(f"{MINE}following/{check.key}/").url.endswith(f"/samples/{others[0].sample.key}/")


def test_a_reviewer_reads_their_place_in_the_queue(ana, rui):
    benchmark = to_annotate(3, annotator=ana, reviewer=rui)
    for _ in range(3):
        submitted(ana, benchmark)
    page = signed_in(rui).get("/benchmarks/kitchen/review/samples/s-0001/").content.decode()
    assert re.search(r"2 of 3 waiting", page)
