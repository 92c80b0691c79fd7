"""Taking a submission back: the draft as it was, for ten minutes; review, acceptance and gold checks begin after."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.models import Annotation, Benchmark, CheckAnswer, Draft, Gold, Lease, Revision, Sample
from annotation.quality.read.checks import check_rows
from annotation.quality.write.checks import set_check_rules
from annotation.queue.assignment import next_to_annotate
from annotation.queue.editor import studio_json
from annotation.queue.hand_over import hand_in_now, hand_over_due, take_back
from annotation.queue.leases import queue_of
from annotation.queue.progress import my_progress
from annotation.queue.settings import set_queue
from annotation.queue.timeline import timeline
from annotation.review.write.decisions import answer_blind, next_to_review
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.work.write.returns import return_samples
from annotation.workflow import Role
from tests.annotation.quality.test_checks import RULES, kitchen
from tests.annotation.studio.test_draft import put
from tests.annotation.work_data import annotation_of, content, drafted, submitted, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.common.clock import from_now
from webapp.common.errors import Conflict
from webapp.jobs.sweeper import sweep_each_minute

__all__ = ["kitchen"]
pytestmark = pytest.mark.django_db


def with_time(lead, benchmark, **changes):
    set_queue(actor=lead, benchmark=benchmark, order="sequential", take_back_minutes=10, **changes)
    return benchmark


@made_once
def benchmark(ana, rui, lea):
    return with_time(lea, to_annotate(2, annotator=ana, reviewer=rui, lead=lea))


def pass_time():
    """All that is held can no longer be taken back, and is handed over."""
    Annotation.objects.held().update(held_until=Now())
    CheckAnswer.objects.held().update(held_until=Now())
    return hand_over_due()


def test_a_submission_is_taken_back_as_the_draft_that_it_was(ana, benchmark):
    sample = drafted(ana, benchmark, question="  Which colour\nis the müg ?  ")
    before = Draft.objects.values("version", "content").get()
    client = signed_in(ana)
    assert put(client, sample, before, key="k", step="submit").status_code == 200
    assert annotation_of(ana, sample).state == "submitted"
    assert not Revision.objects.exists()
    assert client.post(f"/benchmarks/kitchen/annotate/take-back/{sample.key}/").status_code == 200
    assert annotation_of(ana, sample).state == "draft"
    assert Draft.objects.values("version", "content").get() == before
    assert Lease.objects.filter(sample=sample, user=ana).exists()
    assert [event.action for event in timeline(sample, ana)][-2:] == ["annotation.submit", "annotation.take_back"]
    submit(actor=ana, sample=sample, version=before["version"], content=before["content"])
    assert (pass_time(), Revision.objects.get().number) == (1, 1)


def test_review_begins_when_the_time_is_over(ana, rui, benchmark):
    sample = submitted(ana, benchmark)
    at = Annotation.objects.get().changed_at
    assert (hand_over_due(), next_to_review(actor=rui, benchmark=benchmark)) == (0, None)
    with pytest.raises(Conflict, match="not waiting"):
        answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=1)
    assert pass_time() == 1
    assert not Draft.objects.exists()
    revision = Revision.objects.get()
    assert (revision.author, revision.submitted_at, revision.answers) == (ana, at, ["B"])
    assert next_to_review(actor=rui, benchmark=benchmark) == sample
    with pytest.raises(Conflict) as caught:
        take_back(actor=ana, sample=sample)
    assert caught.value.code == "too_late"


def test_an_author_need_not_wait(ana, rui, benchmark):
    sample = submitted(ana, benchmark)
    client = signed_in(ana)
    assert client.post(f"/benchmarks/kitchen/annotate/hand-in/{sample.key}/").status_code == 200
    assert next_to_review(actor=rui, benchmark=benchmark) == sample
    again = client.post(f"/benchmarks/kitchen/annotate/hand-in/{sample.key}/")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "too_late")


def test_only_the_author_takes_a_submission_back(ana, lea, bo, benchmark):
    sample = submitted(ana, benchmark)
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    for other in (bo, lea):
        with pytest.raises(Conflict):
            take_back(actor=other, sample=sample)
    assert annotation_of(ana, sample).state == "submitted"


def test_acceptance_without_review_waits_too(ana, lea, benchmark):
    with_time(lea, benchmark, review_share=0)
    submitted(ana, benchmark)
    assert not Gold.objects.exists()
    pass_time()
    assert Gold.objects.get().revision.author == ana


def test_two_who_ask_different_questions_at_once_do_not_both_fix_it(ana, bo, lea, benchmark):
    """Nobody sees a question that may be taken back; whoever comes second answers the first one."""
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    with_time(lea, benchmark, overlap=2)
    sample = drafted(ana, benchmark)
    Lease.objects.filter(user=ana).update(expires_at=Now())
    assert drafted(bo, benchmark, question="What is red?") == sample
    submit(actor=ana, sample=sample, version=1, content=content())
    submit(actor=bo, sample=sample, version=1, content=content(question="What is red?"))
    pass_time()
    assert [annotation_of(one, sample).state for one in (ana, bo)] == ["submitted", "returned"]
    assert Draft.objects.get().content["question"] == "What is red?"
    assert studio_json(bo, sample, {})["content"]["question"] == "Which colour is the mug?"


def test_a_round_of_adjudication_waits_for_the_last(ana, bo, lea, rui, benchmark):
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    with_time(lea, benchmark, overlap=2)
    sample = submitted(ana, benchmark)
    pass_time()
    submitted(bo, benchmark, answer=["A"])
    assert Sample.objects.get(pk=sample.pk).state == "in_review"
    assert next_to_review(actor=rui, benchmark=benchmark) is None
    pass_time()
    assert Sample.objects.get(pk=sample.pk).state == "disputed"


def test_what_the_checks_find_meanwhile_goes_back_to_its_author(ana, benchmark):
    sample = submitted(ana, benchmark)
    Sample.objects.filter(pk=sample.pk).update(width=110, height=110)
    pass_time()
    assert annotation_of(ana, sample).state == "returned"
    assert Draft.objects.get().content == content() | {
        name: Draft.objects.get().content[name] for name in set(Draft.objects.get().content) - set(content())
    }


def test_a_lead_returns_what_could_be_taken_back(ana, lea, benchmark):
    sample = submitted(ana, benchmark)
    chosen = Sample.objects.filter(pk=sample.pk)
    return_samples(actor=lea, benchmark=benchmark, samples=chosen, reasons=[], comment="Look again.", key="r")
    assert annotation_of(ana, sample).state == "returned"
    assert pass_time() == 0
    assert save_draft(actor=ana, sample=sample, version=1, content=content()).version == 2


def test_who_creates_a_benchmark_gets_ten_minutes_and_commands_none(lea, benchmark):
    made = signed_in(lea).post("/benchmarks/new/", {"slug": "garden", "title": "Garden"})
    assert made.status_code == 302
    assert Benchmark.objects.get(slug="garden").queue.take_back_minutes == 10
    assert queue_of(create_benchmark(actor=lea, slug="attic")).take_back_minutes == 0


def test_a_worker_hands_over_each_minute(ana, benchmark):
    submitted(ana, benchmark)
    Annotation.objects.held().update(held_until=Now())
    sweep_each_minute(timezone.now())
    assert Revision.objects.get().author == ana


def look_of(ana, sample, benchmark):
    """What a person can see of their submission, apart from its name and times."""
    shown = studio_json(ana, Sample.objects.select_related("benchmark", "image").get(pk=sample.pk), {})
    seen = {name: shown[name] for name in ("state", "version", "editable", "begun", "revision", "content", "discussed")}
    events = [(event.words, event.before, event.after, event.data.get("revision")) for event in timeline(sample, ana)]
    return seen | {"take_back": shown["take_back"] is not None, "events": events}


@pytest.mark.endurance
def test_a_gold_check_looks_like_any_sample_before_and_after_it_is_taken_back(ana, lea, kitchen):
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1})
    with_time(lea, kitchen)
    looks = []
    for _ in range(2):
        sample = next_to_annotate(actor=ana, benchmark=kitchen)
        steps = [my_progress(ana, kitchen).submitted]
        submit(actor=ana, sample=sample, version=0, content=content())
        steps.append(look_of(ana, sample, kitchen))
        take_back(actor=ana, sample=sample)
        steps.append(look_of(ana, sample, kitchen))
        submit(actor=ana, sample=sample, version=1, content=content(question="What is white?"))
        steps += [look_of(ana, sample, kitchen), my_progress(ana, kitchen).submitted]
        pass_time()
        steps.append(look_of(ana, sample, kitchen))
        looks.append((CheckAnswer.objects.filter(check_of__sample=sample).exists(), steps))
    (first, check), (second, other) = looks
    assert (first, second) == (True, False)
    assert check[1:4] == other[1:4]
    assert check[5] == other[5]
    assert [steps[4] - steps[0] for steps in (check, other)] == [1, 1]


def test_a_gold_check_is_compared_when_its_time_is_over(ana, lea, kitchen):
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1, "pause_after": 1, "pause_below": 0.9})
    with_time(lea, kitchen)
    sample = next_to_annotate(actor=ana, benchmark=kitchen)
    submit(actor=ana, sample=sample, version=0, content=content(answer=["A"]))
    assert (check_rows(kitchen), CheckAnswer.objects.get().passed) == ([], None)
    assert not kitchen.pauses.exists()
    hand_in_now(actor=ana, sample=sample)
    assert ([row.key for row in check_rows(kitchen)], CheckAnswer.objects.get().passed) == ([sample.key], False)
    assert kitchen.pauses.get().user == ana


def race(ana, rui, sample, *, by_hand):
    """Ana takes back what Rui is handed in the same moment, because another tab of hers submits it for good
    (``by_hand``) or its time ends: the names of who succeeded."""
    start, won = Barrier(2), []

    def run(name, act):
        start.wait()
        try:
            if act():
                won.append(name)
        except Conflict:
            pass
        finally:
            connection.close()

    def review():
        if by_hand:
            hand_in_now(actor=ana, sample=sample)
        while Annotation.objects.held().exists():
            hand_over_due()
        return next_to_review(actor=rui, benchmark=sample.benchmark)

    acts = (("ana", lambda: take_back(actor=ana, sample=sample) is None), ("rui", review))
    threads = [Thread(target=run, args=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return won


def races(ana, rui, lea, n):
    """Who succeeded in each of so many races, and the state of the annotation afterwards."""
    benchmark = with_time(lea, to_annotate(n, annotator=ana, reviewer=rui, lead=lea))
    outcomes = []
    for number in range(n):
        sample = submitted(ana, benchmark)
        by_hand = number % 2 == 0
        if not by_hand:
            Annotation.objects.held().update(held_until=from_now(timedelta(milliseconds=number % 20)))
        won = race(ana, rui, sample, by_hand=by_hand)
        outcomes.append((*won, annotation_of(ana, sample).state))
        Sample.objects.filter(pk=sample.pk).delete()
    return outcomes


ONE_WINNER = {("ana", "draft"), ("rui", "in_review")}


@pytest.mark.django_db(transaction=True)
def test_of_taking_back_and_review_one_wins(ana, rui, lea):
    assert set(races(ana, rui, lea, 4)) <= ONE_WINNER


@pytest.mark.endurance
@pytest.mark.django_db(transaction=True)
def test_of_two_hundred_races_each_has_one_winner(ana, rui, lea):
    assert set(races(ana, rui, lea, 200)) <= ONE_WINNER
