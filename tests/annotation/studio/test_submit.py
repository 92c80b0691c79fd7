"""Submitting: checked, once, for good."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.content.checks import ChecksFailed
from annotation.content.drafts import StaleDraft
from annotation.content.freeze import gold_digest
from annotation.models import Annotation, Draft, Gold, Lease, Revision, Sample
from annotation.queue.settings import set_queue
from annotation.queue.timeline import timeline
from annotation.studio.write.submit import submit
from tests.annotation.studio.test_draft import put
from tests.annotation.work_data import content, drafted, submitted, take_one, to_annotate
from tests.conftest import signed_in
from webapp.common.errors import Conflict, InvalidInput
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_a_good_content_becomes_a_revision_and_the_next_sample_is_named(ana):
    benchmark = to_annotate(2, annotator=ana)
    sample = drafted(ana, benchmark)
    answer = put(signed_in(ana), sample, {"version": 1, "content": content()}, key="k", step="submit")
    assert answer.json() == {"next": "/benchmarks/kitchen/annotate/samples/s-0001/", "disclosed": ""}
    revision = Revision.objects.with_content().get()
    assert (revision.number, revision.author, revision.answers) == (1, ana, ["B"])
    assert [(box.x1, box.y2, box.label) for box in revision.gold_boxes.all()] == [(100, 115, "mug")]
    assert revision.facets == {"category": ["Color"]}
    assert Annotation.objects.get(sample=sample).state == "submitted"
    assert Sample.objects.get(pk=sample.pk).state == "in_review"
    assert not Draft.objects.exists()
    assert [lease.sample.key for lease in Lease.objects.all()] == ["s-0001"]
    assert not Gold.objects.exists()


def test_options_that_an_open_question_had_before_are_not_submitted(ana):
    sample = drafted(ana, to_annotate(1, annotator=ana))
    said = content(answer_type="open", answer=["black"])
    assert said["options"]
    put(signed_in(ana), sample, {"version": 1, "content": said}, key="k", step="submit")
    revision = Revision.objects.get()
    assert (revision.answer_type, revision.options, revision.answers) == ("open", {}, ["black"])


def test_errors_of_the_checks_block_and_nothing_is_written(ana):
    sample = drafted(ana, to_annotate(1, annotator=ana))
    answer = put(signed_in(ana), sample, {"version": 1, "content": content(answer=["C"])}, step="submit")
    assert answer.status_code == 422
    assert [(one["field"], one["level"]) for one in answer.json()["checks"]] == [("answer", "error")]
    assert answer.json()["error"]["field"] == "answer"
    assert not Revision.objects.exists()
    assert Draft.objects.get().version == 1


@pytest.mark.parametrize("box", [[990, 10, 1001, 40], [10, 790, 30, 801], [10, 10, 11, 40]])
def test_a_box_that_the_database_would_refuse_is_a_finding(ana, box):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    with pytest.raises(ChecksFailed) as caught:
        submit(actor=ana, sample=sample, version=0, content=content(gold_boxes=[{"box": box}]))
    assert caught.value.extra["checks"][0]["field"] == "gold_boxes[0]"
    assert not Annotation.objects.exists()


def test_a_warning_does_not_block(ana):
    sample = submitted(ana, to_annotate(1, annotator=ana), gold_boxes=[{"box": [0, 0, 900, 700], "label": ""}])
    assert sample.state == "in_review"


def test_the_same_submission_again_is_one_revision_with_the_same_answer(ana):
    benchmark = to_annotate(3, annotator=ana)
    sample = take_one(ana, benchmark)
    client = signed_in(ana)
    first, again = (put(client, sample, {"version": 0, "content": content()}, key="k", step="submit") for _ in "ab")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json() == {"next": "/benchmarks/kitchen/annotate/samples/s-0001/", "disclosed": ""}
    assert Revision.objects.count() == 1
    second = Sample.objects.get(key="s-0001")
    second.benchmark = benchmark
    other = put(client, second, {"version": 0, "content": content()}, key="k", step="submit")
    assert (other.status_code, other.json()["error"]["code"]) == (400, "invalid")


def test_without_a_key_a_second_submission_is_a_conflict(ana):
    sample = submitted(ana, to_annotate(1, annotator=ana))
    with pytest.raises(Conflict, match="submitted and read-only"):
        submit(actor=ana, sample=sample, version=0, content=content())
    assert Revision.objects.count() == 1


def test_a_stale_submission_is_refused(ana):
    sample = drafted(ana, to_annotate(1, annotator=ana))
    with pytest.raises(StaleDraft) as caught:
        submit(actor=ana, sample=sample, version=0, content=content(question="Other?"))
    assert caught.value.extra["version"] == 1
    assert not Revision.objects.exists()


def test_a_request_that_failed_may_be_sent_again_with_its_key(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    with pytest.raises(ChecksFailed):
        submit(actor=ana, sample=sample, version=0, content=content(question=""), key="k")
    assert submit(actor=ana, sample=sample, version=0, content=content(), key="k") is None
    assert Revision.objects.count() == 1


def test_the_database_refuses_to_change_what_was_submitted(ana):
    submitted(ana, to_annotate(1, annotator=ana))
    for change in ({"question": "Another?"}, {"facets": {}}, {"submitted_at": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Revision.objects.update(**change)
    assert Revision.objects.get().facets == {"category": ["Color"]}


def test_each_step_is_in_the_log_and_in_the_timeline(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    sample = drafted(ana, benchmark)
    submit(actor=ana, sample=sample, version=1, content=content())
    moves = AuditEntry.objects.order_by("pk").filter(action__startswith="annotation.")
    assert list(moves.values_list("action", "before", "after")) == [
        ("annotation.begin", "", "draft"), ("annotation.submit", "draft", "submitted"),
    ]  # fmt: skip
    assert [(event.who, event.words) for event in timeline(sample, lea)] == [
        ("Ana Lind", "started a draft"), ("Ana Lind", "submitted"),
    ]  # fmt: skip
    assert [event.action for event in timeline(sample, ana)] == ["annotation.begin", "annotation.submit"]


def test_outside_the_share_to_review_a_submission_is_accepted_at_once(ana, lea):
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    before = gold_digest(benchmark)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", review_share=0)
    sample = submitted(ana, benchmark)
    assert sample.state == "accepted"
    assert sample.gold.revision.author == ana
    assert gold_digest(benchmark) != before
    assert AuditEntry.objects.filter(action="annotation.accept_unreviewed", reason__contains="0%").count() == 1


def test_an_unknown_key_of_content_is_named(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    with pytest.raises(InvalidInput, match="'colour'"):
        submit(actor=ana, sample=sample, version=0, content=content(colour="red"))


@pytest.mark.django_db(transaction=True)
def test_of_many_equal_submissions_at_once_one_revision_is_made(ana):
    sample = take_one(ana, to_annotate(2, annotator=ana))
    together, answers = Barrier(6), []

    def send() -> None:
        together.wait()
        try:
            answers.append(submit(actor=ana, sample=sample, version=0, content=content(), key="k"))
        finally:
            connection.close()

    threads = [Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found.key for found in answers if found] == ["s-0001"] * 6
    assert Revision.objects.count() == 1
