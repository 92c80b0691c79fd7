"""People judge crops: what is drawn, who is handed what, what is kept, and that nothing tells the model."""

from __future__ import annotations

import gzip
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.judging.write.queues import draw_judging, in_order, judge_item, next_to_judge, pass_by, take_back_last
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Metric, Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.trajectories.write.marks import tag_trajectories
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
VERDICT_QUERIES, QUESTION_QUERIES = 31, 27
"""Session, person, benchmark and role, queue and question are in both."""
YES, NO, UNSURE = ({"verdict": word} for word in ("yes", "no", "undecided"))


@made_once
def street(lea: User, ana: User, rui: User) -> Benchmark:
    benchmark = make_benchmark(lea, {"seen": 3, "seen-wrong": 2, "blind": 1})
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    add_member(actor=lea, benchmark=benchmark, user=rui, role=Role.REVIEWER)
    return benchmark


def drawn(lea: User, street: Benchmark, **changes: Any) -> JudgingQueue:
    return draw_judging(actor=lea, benchmark=street, **{"terms": {}, "size": 40, "people": 1} | changes)


def judge_all(user: User, queue: JudgingQueue, reliable: Any = YES, answer: str = "A") -> list[JudgingItem]:
    """Everything that is open to this person, in the order in which it is handed out."""
    done = []
    while item := next_to_judge(actor=user, queue=queue):
        judge_item(actor=user, item=item, said={**reliable, "answer": answer, "seconds": 4})
        done.append(item)
    return done


def test_a_queue_holds_what_has_a_crop_to_show_and_asks_sufficiency_first(lea: User, street: Benchmark) -> None:
    queue = drawn(lea, street)
    keys = {item.trajectory.sample.key for item in queue.items.select_related("trajectory__sample")}
    assert (queue.drawn_from, queue.items.count(), "blind-00" in keys) == (5, 10, False)
    for trajectory in {item.trajectory_id for item in queue.items.all()}:
        asked = list(queue.items.filter(trajectory=trajectory).values_list("kind", flat=True))
        assert asked == ["sufficiency", "reliability"]
    assert drawn(lea, street, terms={"correct": "no"}).drawn_from == 2


@pytest.mark.parametrize("drawn_n", [2, 3, 8])
def test_the_two_questions_on_a_sample_do_not_follow_each_other(drawn_n: int) -> None:
    order = [pk for pk, _ in in_order(range(drawn_n), set(range(drawn_n)))]
    assert all(one != other for one, other in pairwise(order))
    assert in_order([7], set()) == [(7, "reliability")]


def test_the_same_seed_draws_the_same(lea: User, street: Benchmark) -> None:
    rows = [list(drawn(lea, street, size=2, seed="x").items.values_list("trajectory", "kind")) for _ in range(2)]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 4


def test_a_queue_of_nothing_or_of_a_silly_size_is_refused(lea: User, ana: User, street: Benchmark) -> None:
    with pytest.raises(Conflict, match="No trajectory"):
        drawn(lea, street, terms={"quadrant": "G-A-"})
    for wrong in ({"size": 0}, {"size": 501}, {"people": 6}):
        with pytest.raises(InvalidInput):
            drawn(lea, street, **wrong)
    with pytest.raises(NotAllowed):
        drawn(ana, street)


def test_what_is_said_is_kept_with_who_said_it_and_changes_no_score(lea: User, ana: User, street: Benchmark) -> None:
    before = list(Metric.objects.order_by("pk").values_list("metric", "slice", "value", "n"))
    done = judge_all(ana, drawn(lea, street))
    assert len(done) == 10
    kept = Judgement.objects.filter(person=ana)
    assert set(kept.values_list("judge", "kind", "verdict", "answer")) == {
        ("ana@example.org", "reliability", "yes", None), ("ana@example.org", "sufficiency", None, "A"),
    }  # fmt: skip
    assert kept.first().extra["seconds"] == 4
    assert AuditEntry.objects.filter(action="judging.judge", actor=ana).count() == 10
    score_benchmark(actor=lea, benchmark=street)
    assert list(Metric.objects.order_by("pk").values_list("metric", "slice", "value", "n")) == before


def test_one_person_each_means_one_and_two_means_two(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    once = drawn(lea, street, size=2, terms={"correct": "yes"})
    first = next_to_judge(actor=ana, queue=once)
    assert first is not None
    assert next_to_judge(actor=ana, queue=once) == first
    others = judge_all(rui, once)
    assert (len(others), first in others) == (3, False)
    with pytest.raises(Conflict, match="expired"):
        judge_item(actor=lea, item=first, said={"answer": "A"})
    twice = drawn(lea, street, size=3, people=2, terms={"correct": "no"})
    assert (len(judge_all(ana, twice)), len(judge_all(rui, twice)), len(judge_all(lea, twice))) == (4, 4, 0)


def test_a_question_that_was_left_is_handed_to_the_next_person(lea: User, ana: User, rui: User, street: Any) -> None:
    queue = drawn(lea, street, size=1)
    item = next_to_judge(actor=ana, queue=queue)
    JudgingSeat.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert next_to_judge(actor=rui, queue=queue) == item
    judge_item(actor=rui, item=item, said={"answer": "B"})
    with pytest.raises(Conflict):
        judge_item(actor=ana, item=item, said={"answer": "A"})


def test_a_host_whose_clock_is_ahead_does_not_hand_out_what_others_judge(
    lea: User, ana: User, rui: User, street: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6.6: a question is held against the clock of the database alone."""
    queue = drawn(lea, street, size=1)
    held = next_to_judge(actor=ana, queue=queue)
    real = timezone.now
    monkeypatch.setattr("django.utils.timezone.now", lambda: real() + timedelta(hours=2))
    assert next_to_judge(actor=rui, queue=queue) != held
    assert next_to_judge(actor=ana, queue=queue) == held


def test_what_is_passed_by_does_not_come_again_but_goes_to_others(lea: User, ana: User, rui: User, street: Any) -> None:
    queue = drawn(lea, street, size=2)
    skipped = next_to_judge(actor=ana, queue=queue)
    pass_by(actor=ana, item=skipped)
    assert skipped not in judge_all(ana, queue)
    assert judge_all(rui, queue) == [skipped]


def test_the_last_judgement_can_be_taken_back(lea: User, ana: User, street: Benchmark) -> None:
    queue = drawn(lea, street, size=1)
    item = next_to_judge(actor=ana, queue=queue)
    judge_item(actor=ana, item=item, said={"answer": "B"})
    assert take_back_last(actor=ana, queue=queue) == item
    assert not Judgement.objects.exists()
    assert next_to_judge(actor=ana, queue=queue) == item
    assert take_back_last(actor=lea, queue=queue) is None


@pytest.mark.parametrize("said", [{}, {"answer": " "}, {"answer": "x" * 2001}])
def test_saying_nothing_is_refused_and_that_the_crops_do_not_tell_is_not(
    lea: User, street: Benchmark, said: dict[str, Any]
) -> None:
    queue = drawn(lea, street, size=1)
    item = next_to_judge(actor=lea, queue=queue)
    with pytest.raises(InvalidInput):
        judge_item(actor=lea, item=item, said=said)
    kept = judge_item(actor=lea, item=item, said={"nothing": True, "reasons": ["too small to read", "hacked"]})
    assert (kept.verdict, kept.answer, kept.extra["reasons"]) == ("no", None, ["too small to read"])


@pytest.mark.endurance
def test_the_question_tells_neither_model_nor_picture_nor_place(lea: User, ana: User, street: Benchmark) -> None:
    queue = drawn(lea, street)
    client = signed_in(ana)
    for _ in range(6):
        page = client.post(f"/benchmarks/street/judging/{queue.pk}/next/", follow=True)
        text = page.content.decode()
        assert "Which colour?" in text
        for secret in ("Model C", "seen-0", "0" * 60, "380", f"/trajectories/{queue.items.first().trajectory_id}"):
            assert secret not in text
        assert ("Answer of the model" in text) == page.context["reliability"]
        client.post(page.request["PATH_INFO"], {"verdict": "yes", "choice": "A", "seconds": "2.5"})
    assert "Model C" not in client.get(f"/benchmarks/street/judging/{queue.pk}/").content.decode()


def test_after_the_last_question_person_and_judge_stand_side_by_side(lea: User, ana: User, street: Benchmark) -> None:
    queue = drawn(lea, street, size=5)
    for item in queue.items.select_related("trajectory"):
        of = {"run": item.trajectory.run, "sample": item.trajectory.sample, "kind": item.kind, "judge": "judge-7b"}
        Judgement.objects.create(**of, verdict="yes" if item.pk % 4 < 3 else "no")
    judge_all(ana, queue, answer="A")
    client = signed_in(ana)
    page = client.get(f"/benchmarks/street/judging/{queue.pk}/")
    assert "Model C" in page.content.decode()
    reliability, sufficiency = page.context["kinds"]
    assert (reliability["mine"].n, reliability["mine_yes"].n, sufficiency["mine_yes"].n) == (5, 5, 5)
    assert reliability["pair"]["judge"] == "judge-7b"
    assert sum(n for _, cells in reliability["pair"]["table"] for n, *_ in cells) == 5
    assert counted_links(page)
    assert wrong_links(client, page) == {}


def test_who_cannot_tell_stands_apart(lea: User, ana: User, street: Benchmark) -> None:
    queue = drawn(lea, street, size=2)
    judge_all(ana, queue, reliable=UNSURE, answer="B")
    page = signed_in(ana).get(f"/benchmarks/street/judging/{queue.pk}/")
    reliability, sufficiency = (one for one in page.context["kinds"])
    assert (reliability["mine"].n, reliability["undecided"].n, reliability["mine_rate"]) == (0, 2, None)
    assert (sufficiency["mine"].n, sufficiency["mine_yes"].n) == (2, 0)


def test_who_could_not_tell_elsewhere_is_not_counted_here(lea: User, ana: User, street: Benchmark) -> None:
    judge_all(ana, drawn(lea, street, terms={"correct": "yes"}), reliable=UNSURE)
    queue = drawn(lea, street, terms={"correct": "no"})
    judge_all(ana, queue)
    page = signed_in(ana).get(f"/benchmarks/street/judging/{queue.pk}/")
    reliability, sufficiency = page.context["kinds"]
    for kind in (reliability, sufficiency):
        assert (kind["asked"].n, kind["mine"].n, kind["undecided"].n) == (2, 2, 0)


def test_a_queue_is_drawn_from_a_list_by_a_tag_of_ones_own(lea: User, rui: User, street: Benchmark) -> None:
    """The page of the list counted one, that of drawing none."""
    one = Trajectory.objects.get(sample__key="seen-00", rollout=0, condition="none")
    tag_trajectories(actor=lea, benchmark=street, trajectories=[one.pk], name="look", shared=False)
    page = signed_in(lea).get("/benchmarks/street/judging/", {"tag": "look"})
    assert (page.context["fit_n"], page.context["said_n"]) == (1, 1)
    assert drawn(lea, street, terms={"tag": "look"}).drawn_from == 1
    queue = drawn(lea, street, terms={})
    assert queue.drawn_from > 1


def test_a_queue_is_drawn_from_the_list_in_the_address(lea: User, street: Benchmark) -> None:
    client = signed_in(lea)
    page = client.get("/benchmarks/street/judging/", {"correct": "no"})
    assert page.context["fit_n"] == 2
    client.post("/benchmarks/street/judging/?correct=no", {"size": 9, "people": 2})
    queue = JudgingQueue.objects.get()
    assert (queue.terms, queue.items.count(), queue.people) == ({"correct": "no"}, 4, 2)
    assert client.post("/benchmarks/street/judging/", {"size": 0, "people": 2}).status_code == 400


@pytest.mark.parametrize("drawn_n", [2, 60])
def test_a_case_takes_two_small_requests_however_long_the_queue(
    lea: User, ana: User, drawn_n: int, django_assert_num_queries: Any
) -> None:
    """What the product adds to a case of two seconds: the verdict is posted, and the answer leads to the next question,
    a few kilobytes of page, its crops already in it."""
    benchmark = make_benchmark(lea, {"seen": drawn_n})
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    queue, client = drawn(lea, benchmark, size=drawn_n), signed_in(ana)
    place = client.post(f"/benchmarks/street/judging/{queue.pk}/next/")["Location"]
    said = {"verdict": "yes", "choice": "A", "seconds": "1.5"}
    with django_assert_num_queries(VERDICT_QUERIES):
        following = client.post(place, said)
    assert (following.status_code, following["Location"] != place) == (303, True)
    with django_assert_num_queries(QUESTION_QUERIES):
        page = client.get(following["Location"])
    assert len(gzip.compress(page.content)) < 10_000
    assert f"{following['Location']}crops/1.jpg".encode() in page.content
