"""Handing out samples: to whom, in which order, and never twice."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotation.models import Annotation, Lease, QualityRules, Revision, Sample, SkippedDraft
from annotation.queue.assignment import next_to_annotate
from annotation.queue.hand_over import hand_in_now
from annotation.queue.leases import ANNOTATE, release, renew, take
from annotation.queue.progress import my_progress, whole_progress
from annotation.queue.settings import set_queue
from annotation.queue.skip import skip
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from tests.annotation.work_data import (
    assigned,
    content,
    drafted,
    next_review,
    reviewed,
    submitted,
    take_one,
    to_annotate,
)
from tests.conftest import signed_in
from tests.factories import facet_of, make_user
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

pytestmark = pytest.mark.django_db


def expire(**which) -> None:
    Lease.objects.filter(**which).update(expires_at=timezone.now() - timedelta(seconds=1))


def test_samples_are_handed_out_in_the_order_of_their_keys_and_to_one_person_each(ana, bo):
    benchmark = to_annotate(3, annotator=[ana, bo])
    assert take_one(ana, benchmark).key == "s-0000"
    assert take_one(bo, benchmark).key == "s-0001"


def test_who_asks_again_gets_what_they_hold(ana):
    benchmark = to_annotate(3, annotator=ana)
    assert take_one(ana, benchmark) == take_one(ana, benchmark)


def test_only_annotators_are_handed_samples(rui, sam):
    benchmark = to_annotate(1, reviewer=rui)
    for person in (rui, sam):
        with pytest.raises(NotAllowed):
            next_to_annotate(actor=person, benchmark=benchmark)
    assert Lease.objects.count() == 0


def test_a_lease_that_ran_out_is_taken_over_and_its_first_holder_is_told(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    sample = take_one(ana, benchmark)
    assert next_to_annotate(actor=lea, benchmark=benchmark) is None
    expire(user=ana)
    assert take_one(lea, benchmark) == sample
    assert not renew(ana, sample.pk, ANNOTATE)
    with pytest.raises(Conflict) as caught:
        save_draft(actor=ana, sample=sample, version=0, content=content())
    assert caught.value.code == "lease_lost"
    assert list(Lease.objects.values_list("user", flat=True)) == [lea.pk]


@pytest.mark.both_databases
def test_a_host_whose_clock_differs_neither_takes_nor_lengthens_what_others_hold(ana, bo, monkeypatch):
    """D6.6: leases are held against the clock of the database alone."""
    benchmark = to_annotate(2, annotator=[ana, bo])
    held, real = take_one(ana, benchmark), timezone.now
    for hours in (1, -1):
        monkeypatch.setattr("django.utils.timezone.now", lambda hours=hours: real() + timedelta(hours=hours))
        assert Lease.objects.live().filter(user=ana).exists()
        other = take_one(bo, benchmark)
        assert other != held
        assert renew(bo, other.pk, ANNOTATE)
        until = Lease.objects.get(user=bo).expires_at
        assert abs(until - real() - timedelta(minutes=15)) < timedelta(minutes=1)
        release(bo, other.pk, ANNOTATE)


def test_a_lease_that_ran_out_and_that_nobody_took_goes_on(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    expire(user=ana)
    assert save_draft(actor=ana, sample=sample, version=0, content=content()).version == 1
    assert Lease.objects.get().expires_at > timezone.now()


def test_the_place_of_a_draft_is_its_authors_after_the_lease_ran_out(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    sample = drafted(ana, benchmark)
    expire(user=ana)
    assert next_to_annotate(actor=lea, benchmark=benchmark) is None
    assert save_draft(actor=ana, sample=sample, version=1, content=content()).version == 2


def test_the_database_refuses_a_second_lease_of_a_place(ana, lea):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    with pytest.raises(IntegrityError), transaction.atomic():
        Lease.objects.create(sample=sample, seat=ANNOTATE, place=0, user=lea, expires_at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        Lease.objects.create(sample=sample, seat=ANNOTATE, place=1, user=ana, expires_at=timezone.now())
    with transaction.atomic():
        assert not take(lea, sample.pk, ANNOTATE, timedelta(minutes=1))


def test_what_is_released_is_handed_out_again(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    sample = take_one(ana, benchmark)
    release(ana, sample.pk, ANNOTATE)
    assert take_one(lea, benchmark) == sample


def test_what_was_returned_to_me_comes_first(ana, rui):
    benchmark = to_annotate(3, annotator=ana, reviewer=rui)
    first = submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "return", comment="The box is too wide.")
    assert take_one(ana, benchmark) == first


def test_a_sample_that_is_submitted_again_counts_once(ana, rui):
    """One annotation, returned and submitted again, was two of today and one in all."""
    benchmark = to_annotate(1, annotator=ana, reviewer=rui)
    sample = submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "return", comment="The box is too wide.")
    submit(actor=ana, sample=sample, version=0, content=content(question="Which cup?"))
    mine = my_progress(ana, benchmark)
    assert (mine.submitted, mine.today, mine.week) == (1, 1, 1)


def test_a_skipped_sample_is_not_handed_to_me_again_but_to_others(ana, lea):
    benchmark = to_annotate(2, annotator=ana, lead=lea)
    sample = drafted(ana, benchmark, question="Half a thou")
    with pytest.raises(InvalidInput):
        skip(actor=ana, sample=sample, reason="")
    skip(actor=ana, sample=sample, reason="Too blurred.")
    assert take_one(ana, benchmark).key == "s-0001"
    assert take_one(lea, benchmark) == sample
    assert not Annotation.objects.filter(sample=sample).exists()
    assert Sample.objects.get(pk=sample.pk).state == "to_do"


def test_what_was_written_of_a_skipped_sample_is_kept_for_who_wrote_it(ana, lea):
    """The dialog said so, and the draft was deleted."""
    benchmark = to_annotate(2, annotator=ana, lead=lea)
    sample = drafted(ana, benchmark, question="Half a thought")
    skip(actor=ana, sample=sample, reason="Later.")
    [kept] = signed_in(ana).get("/benchmarks/kitchen/annotate/").context["kept"]
    assert (kept.sample, kept.question) == (sample, "Half a thought")
    assert signed_in(lea).get("/benchmarks/kitchen/annotate/").context["kept"] == []
    page = kept.href
    shown = signed_in(ana).get(page).context["studio"]
    assert (shown["content"]["question"], shown["version"]) == ("Half a thought", 0)
    assert signed_in(lea).get(page).context["studio"]["content"]["question"] == ""
    save_draft(actor=ana, sample=sample, version=0, content=content(question="A whole thought?"))
    assert not SkippedDraft.objects.exists()
    skip(actor=ana, sample=sample, reason="Still later.")
    assigned(lea, benchmark, ana, sample.key)
    assert take_one(ana, benchmark) == sample
    assert signed_in(ana).get(page).context["studio"]["content"]["question"] == "A whole thought?"


def test_an_assigned_sample_goes_to_that_person_first_and_to_nobody_else(ana, lea):
    benchmark = to_annotate(2, annotator=ana, lead=lea)
    assigned(lea, benchmark, ana, "s-0001")
    assert take_one(ana, benchmark).key == "s-0001"
    assert take_one(lea, benchmark).key == "s-0000"
    release(ana, Sample.objects.get(key="s-0001").pk, ANNOTATE)
    release(lea, Sample.objects.get(key="s-0000").pk, ANNOTATE)
    Sample.objects.filter(key="s-0000").delete()
    assert next_to_annotate(actor=lea, benchmark=benchmark) is None


def test_assigning_takes_what_others_had_begun(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    sample = drafted(lea, benchmark)
    assigned(lea, benchmark, ana, sample.key)
    assert take_one(ana, benchmark) == sample
    with pytest.raises(Conflict) as conflict:
        save_draft(actor=lea, sample=sample, version=1, content=content())
    assert conflict.value.code == "lease_lost"


def test_by_facet_the_values_follow_each_other_and_those_without_come_last(ana, lea):
    benchmark = to_annotate(4, annotator=ana, lead=lea)
    samples = list(Sample.objects.order_by("key"))
    for sample, value in zip(samples, ["b", None, "a", "b"], strict=True):
        if value:
            facet_of(sample, name="room", value=value)
    set_queue(actor=lea, benchmark=benchmark, order="facet", facet="room")
    assert [submitted_key(ana, benchmark) for _ in range(4)] == ["s-0002", "s-0000", "s-0003", "s-0001"]


def submitted_key(user, benchmark) -> str:
    sample = take_one(user, benchmark)
    submit(actor=user, sample=sample, version=0, content=content(facets={}))
    return sample.key


def test_a_random_order_hands_out_every_sample_once(ana, lea):
    benchmark = to_annotate(12, annotator=ana, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="random")
    keys = [submitted_key(ana, benchmark) for _ in range(12)]
    assert sorted(keys) == [f"s-{n:04}" for n in range(12)]
    assert next_to_annotate(actor=ana, benchmark=benchmark) is None


def test_with_an_overlap_of_two_each_sample_is_annotated_by_two_people(ana, bo, lea):
    benchmark = to_annotate(2, annotator=[ana, bo], lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    first = take_one(ana, benchmark)
    submit(actor=ana, sample=first, version=0, content=content())
    assert take_one(bo, benchmark) == first
    submit(actor=bo, sample=first, version=0, content=content())
    Lease.objects.all().delete()
    assert take_one(lea, benchmark).key == "s-0001"
    assert sorted(Annotation.objects.filter(sample=first).values_list("place", flat=True)) == [0, 1]


def test_a_sample_waits_for_its_second_annotator_until_the_first_has_submitted_its_question(ana, bo, lea):
    benchmark = to_annotate(2, annotator=[ana, bo], lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2, take_back_minutes=10)
    asked = take_one(ana, benchmark)
    assert take_one(bo, benchmark) != asked
    assert next_to_annotate(actor=lea, benchmark=benchmark) is None
    submit(actor=ana, sample=asked, version=0, content=content())
    assert next_to_annotate(actor=lea, benchmark=benchmark) is None
    hand_in_now(actor=ana, sample=asked)
    assert take_one(lea, benchmark) == asked


def test_whoever_leaves_a_question_unfinished_keeps_nobody_waiting(ana, bo, lea):
    benchmark = to_annotate(1, annotator=[ana, bo], lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    sample = drafted(ana, benchmark)
    assert next_to_annotate(actor=bo, benchmark=benchmark) is None
    expire(user=ana)
    assert take_one(bo, benchmark) == sample


def test_while_gold_checks_run_nobody_waits_for_a_question(ana, bo, lea):
    """A check never waits, so a sample that does would be known as none."""
    benchmark = to_annotate(1, annotator=[ana, bo], lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    QualityRules.objects.create(benchmark=benchmark, check_share=0.1)
    assert take_one(ana, benchmark) == take_one(bo, benchmark)


def test_where_each_annotator_writes_a_question_nobody_waits(ana, bo, lea):
    benchmark = to_annotate(1, annotator=[ana, bo], lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2, overlap_mode="independent")
    assert take_one(ana, benchmark) == take_one(bo, benchmark)


def test_the_database_refuses_an_annotation_too_many(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    sample = drafted(ana, benchmark)
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotation.objects.create(sample=sample, author=lea, place=0)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"order": "backwards"}, "order"),
        ({"order": "facet"}, "facet"),
        ({"order": "random", "overlap": 0}, "overlap"),
        ({"order": "random", "overlap": 2, "overlap_share": -0.1}, "overlap_share"),
        ({"order": "random", "review_share": 1.5}, "review_share"),
        ({"order": "random", "blind": "folded"}, "blind"),
        ({"order": "random", "lease_minutes": 0}, "lease_minutes"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(lea, values, field):
    with pytest.raises(InvalidInput) as caught:
        set_queue(actor=lea, benchmark=to_annotate(0, lead=lea), **values)
    assert caught.value.field == field


def test_progress_counts_what_was_done_and_tells_no_pace_from_little(ana, rui):
    benchmark = to_annotate(30, annotator=ana, reviewer=rui)
    for _ in range(3):
        submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "return", comment="Tighter.")
    mine, whole = my_progress(ana, benchmark), whole_progress(benchmark)
    assert (mine.submitted, mine.waiting, mine.returned, mine.returned_share) == (3, 2, 1, 1.0)
    assert (whole.to_do, whole.in_review, whole.returned, whole.per_day, whole.days_left) == (27, 2, 1, None, None)
    for _ in range(9):
        sample = Sample.objects.filter(state="to_do").order_by("key").first()
        annotation = Annotation.objects.create(sample=sample, author=ana, place=0, state="submitted")
        Revision.objects.create(annotation=annotation, author=ana, answer_type="open", submitted_at=timezone.now())
        Sample.objects.filter(pk=sample.pk).update(state="in_review")
    whole = whole_progress(benchmark)
    assert (whole.to_do, whole.per_day, whole.days_left) == (18, 12.0, 1.5)
    assert my_progress(rui, benchmark).reviewed == 1


PEOPLE, ROUNDS = 8, 96


@pytest.mark.endurance
@pytest.mark.django_db(transaction=True)
def test_eight_people_who_take_and_submit_at_once_never_get_the_same_sample():
    people = [make_user(f"P{number} Person", email=f"p{number}@example.org") for number in range(PEOPLE)]
    benchmark = to_annotate(ROUNDS, annotator=people)
    handed: list[tuple[str, str]] = []
    problems: list[Exception] = []
    together = Barrier(PEOPLE)

    def work(person) -> None:
        together.wait()
        try:
            sample = next_to_annotate(actor=person, benchmark=benchmark)
            while sample is not None:
                handed.append((sample.key, person.email))
                sample = submit(actor=person, sample=sample, version=0, content=content(), key=f"{sample.pk}")
        except Exception as problem:  # noqa: BLE001 - told by the test's thread
            problems.append(problem)
        finally:
            connection.close()

    threads = [Thread(target=work, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert [key for key, n in Counter(key for key, _ in handed).items() if n > 1] == []
    assert len(handed) == ROUNDS
    assert Annotation.objects.count() == Revision.objects.count() == ROUNDS
    assert Lease.objects.count() == 0
