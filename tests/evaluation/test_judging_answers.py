"""People say in a queue what answers say, blind to the model, and so audit the reader."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.actions.benchmarks import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.actions.answer_groups import read_groups
from evaluation.actions.decide_answers import decide_answers
from evaluation.actions.delete_queue import delete_queue
from evaluation.actions.judging import ANSWERS, draw_judging, judge_item, next_to_judge, take_back_last
from evaluation.actions.read_judges import kinds_of
from evaluation.actions.read_reader_audit import ReaderAudit, audit_reader
from evaluation.actions.score_run import score_benchmark
from evaluation.models import Judgement, JudgingQueue, Metric
from tests.conftest import signed_in
from tests.evaluation.answers_data import REFUSAL, make_kitchen, said
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def kitchen(lea: User, ana: User) -> Benchmark:
    benchmark = make_kitchen(lea)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    return benchmark


def drawn(lea: User, kitchen: Benchmark, **changes: Any) -> JudgingQueue:
    return draw_judging(actor=lea, benchmark=kitchen, about=ANSWERS, **{"terms": {}, "size": 40, "people": 1} | changes)


def judge_all(user: User, queue: JudgingQueue, words: dict[str, dict[str, str]]) -> int:
    """Say of each answer what stands under its text; None of the others."""
    n = 0
    while item := next_to_judge(actor=user, queue=queue):
        judge_item(actor=user, item=item, said=words.get(item.trajectory.answer or "", {"verdict": "none"}))
        n += 1
    return n


def audited(user: User, queue: JudgingQueue) -> ReaderAudit:
    found = audit_reader(user, queue)
    assert found is not None
    return found


def test_a_queue_asks_once_of_each_answer_whatever_its_crops(lea: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen)
    assert (queue.drawn_from, queue.items.count()) == (9, 9)
    assert set(queue.items.values_list("kind", flat=True)) == {"answer"}
    assert drawn(lea, kitchen, terms={"unread": "yes"}).drawn_from == 7
    with pytest.raises(Conflict, match="No trajectory of this list has an answer"):
        drawn(lea, kitchen, terms={"unanswered": "yes"})


def test_what_was_read_is_held_against_what_people_read(lea: User, ana: User, kitchen: Benchmark) -> None:
    said(lea, kitchen, {"s0": "A", "s1": "B", "s2": "C. lamp"}, "Model B")
    queue = drawn(lea, kitchen)
    assert audit_reader(ana, queue) is None
    words = {"B": {"answer": "B"}, "A": {"answer": "A"}, "C. lamp": {"answer": "D"}, "Quai": {"verdict": "different"},
             "hmm neither": {"verdict": "undecided"}}  # fmt: skip
    assert judge_all(ana, queue, words) == 12
    found = audited(ana, queue)
    assert (found.n, found.correct, found.unread, found.unclear, found.changed) == (4, 3, 7, 1, 0)
    assert [(row.people, row.reader) for row in found.differences] == [("D", "C")]
    interval = found.interval
    assert interval is not None
    assert 0 < interval.low < 0.75 < interval.high < 1
    page = signed_in(ana).get(f"/benchmarks/kitchen/judging/{queue.pk}/").content.decode()
    assert "3 of 4 read correctly" in page


def test_people_who_differ_are_counted_apart(lea: User, ana: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen, terms={"q": "sample:s7"}, people=2)
    judge_all(ana, queue, {"B": {"answer": "B"}})
    judge_all(lea, queue, {"B": {"answer": "A"}})
    assert (audited(lea, queue).n, audited(lea, queue).unclear) == (0, 1)


def test_what_is_said_in_a_queue_is_in_no_score_and_stays_beside_a_decision(
    lea: User, ana: User, kitchen: Benchmark
) -> None:
    before = list(Metric.objects.order_by("pk").values_list("metric", "slice", "value", "n"))
    queue = drawn(lea, kitchen, terms={"unread": "yes"})
    judge_all(ana, queue, {REFUSAL: {"answer": "B"}})
    score_benchmark(actor=lea, benchmark=kitchen)
    assert list(Metric.objects.order_by("pk").values_list("metric", "slice", "value", "n")) == before
    decide_answers(actor=lea, benchmark=kitchen, said={read_groups(kitchen, lea).groups[0].key: "0"})
    assert (Judgement.objects.given().count(), Judgement.objects.decisions().count()) == (7, 6)
    delete_queue(actor=lea, queue=queue)
    assert (Judgement.objects.given().count(), Judgement.objects.decisions().count()) == (0, 6)
    assert kinds_of(kitchen, lea) == []


def test_an_answer_that_is_none_is_refused_and_one_is_taken_back(lea: User, ana: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen, terms={"q": "sample:s7 or sample:sign"})
    for _ in range(2):
        item = next_to_judge(actor=ana, queue=queue)
        assert item is not None
        for wrong in ({}, {"answer": "E"}, {"verdict": "yes"}, {"verdict": "leave"}):
            with pytest.raises(InvalidInput, match="what the answer says"):
                judge_item(actor=ana, item=item, said=wrong)
        if not Judgement.objects.exists():
            choice = {"answer": "B"} if item.trajectory.sample.key == "s7" else {"verdict": "same"}
            judge_item(actor=ana, item=item, said=choice)
    assert take_back_last(actor=ana, queue=queue) is not None
    assert not Judgement.objects.exists()


def test_a_question_shows_the_answer_without_model_and_image(lea: User, ana: User, kitchen: Benchmark) -> None:
    said(lea, kitchen, {"s0": "<i>lamp</i> or not"}, "Secret Model")
    queue = drawn(lea, kitchen, terms={"q": 'run:"Secret Model"'})
    client = signed_in(ana)
    address = client.post(f"/benchmarks/kitchen/judging/{queue.pk}/next/").url
    page = client.get(address).content.decode()
    assert "&lt;i&gt;lamp&lt;/i&gt; or not" in page
    assert "What does the answer say?" in page
    assert "Secret Model" not in page
    client.post(address, {"choice": "=none", "seconds": "3"})
    kept = Judgement.objects.get()
    assert (kept.verdict, kept.answer, kept.person, kept.decides) == ("none", None, ana, False)
    assert kept.text_digest


def test_answers_that_judges_are_asked_about_are_left_out_until_they_have_finished(
    lea: User, ana: User, kitchen: Benchmark
) -> None:
    queue = drawn(lea, kitchen, terms={"q": "sample:s6"})
    found = read_groups(kitchen, lea)
    assert found.withheld
    assert "hmm neither" not in {group.text for group in found.groups}
    judge_all(lea, queue, {})
    assert "hmm neither" in {group.text for group in read_groups(kitchen, lea).groups}


def test_a_queue_about_answers_is_drawn_on_the_page(lea: User, kitchen: Benchmark) -> None:
    client = signed_in(lea)
    assert "9 an answer" in client.get("/benchmarks/kitchen/judging/").content.decode()
    client.post("/benchmarks/kitchen/judging/", {"size": 5, "people": 1, "about": "answers"})
    queue = JudgingQueue.objects.get()
    assert set(queue.items.values_list("kind", flat=True)) == {"answer"}
    assert "one answer at a time" in client.get(f"/benchmarks/kitchen/judging/{queue.pk}/").content.decode()
