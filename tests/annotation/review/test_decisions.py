"""Reviewing: blind first, never one's own work, and what becomes of each decision."""

from __future__ import annotations

import json

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.checks import ChecksFailed
from annotation.content.comments import add_comment, resolve_comment
from annotation.content.freeze import gold_digest
from annotation.content.revisions import revision_json
from annotation.models import BlindAnswer, Comment, Gold, Lease, Review, Revision, Sample
from annotation.queue.blind.answers import is_right
from annotation.queue.leave_review import leave_review
from annotation.queue.settings import set_queue
from annotation.queue.skip import skip
from annotation.queue.timeline import timeline
from annotation.review.present.reviews import review_json
from annotation.review.write.decisions import Decision, answer_blind, decide, next_to_review, under_review
from annotation.schema import AnswerType, SampleContent
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.workflow import Role
from tests.annotation.work_data import (
    annotation_of,
    content,
    next_review,
    reopened,
    reviewed,
    submitted,
    take_one,
    to_annotate,
)
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def benchmark(ana, rui, lea):
    return to_annotate(2, annotator=ana, reviewer=rui, lead=lea)


@made_once
def sample(ana, benchmark):
    return submitted(ana, benchmark)


def post(client, sample, step, data, key=""):
    address = reverse(f"annotation:{step}", args=[sample.benchmark.slug, sample.key])
    body = json.dumps(data)
    return client.post(address, body, content_type="application/json", headers={"Idempotency-Key": key})


@pytest.mark.both_databases
def test_a_reviewer_is_handed_what_waits_and_holds_it(rui, lea, benchmark, sample):
    assert next_review(rui, benchmark) == sample
    assert next_review(rui, benchmark) == sample
    assert annotation_of_sample(sample).state == "in_review"
    assert next_to_review(actor=lea, benchmark=benchmark) is None
    with pytest.raises(Conflict) as caught:
        answer_blind(actor=lea, sample=sample, answer="A", unsure=False, seconds=1)
    assert caught.value.code == "lease_lost"


def annotation_of_sample(sample):
    return sample.annotations.get()


@pytest.mark.both_databases
def test_nobody_reviews_their_own_work(ana, benchmark, sample):
    add_member(actor=None, benchmark=benchmark, user=ana, role=Role.REVIEWER)
    assert next_to_review(actor=ana, benchmark=benchmark) is None
    for refused in (
        lambda: answer_blind(actor=ana, sample=sample, answer="B", unsure=False, seconds=1),
        lambda: decide(actor=ana, sample=sample, decision=Decision("accept")),
    ):
        with pytest.raises(NotAllowed) as caught:
            refused()
        assert caught.value.code == "own_work"
    assert signed_in(ana).get(f"/benchmarks/kitchen/review/samples/{sample.key}/").status_code == 403
    revision = Revision.objects.get()
    about = {"revision": revision, "revision_author": ana, "reviewer": ana}
    with pytest.raises(IntegrityError), transaction.atomic():
        BlindAnswer.objects.create(**about, seconds=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.create(**about, decision="accept")
    assert annotation_of_sample(sample).state == "submitted"


def test_who_annotates_does_not_review_and_strangers_find_nothing(ana, sam, sample):
    for person, status in ((ana, 403), (sam, 404)):
        client = signed_in(person)
        assert client.get(f"/benchmarks/kitchen/review/samples/{sample.key}/").status_code == status
        assert post(client, sample, "review-blind", {"answer": "B", "seconds": 1}).status_code == status
        assert post(client, sample, "review-decide", {"decision": "accept"}).status_code == status
    assert not BlindAnswer.objects.exists()


def test_before_the_blind_answer_nothing_of_the_gold_is_shown(rui, sample):
    annotation, revision = under_review(rui, sample)
    before = review_json(rui, annotation, revision, {})
    assert set(before["content"]) == {"question", "answer_type", "options"}
    assert not {"author", "previous", "comments", "checks", "history"} & set(before)
    assert "mug" not in json.dumps({**before, "content": {**before["content"], "question": ""}})
    answer_blind(actor=rui, sample=sample, answer="A", unsure=False, seconds=3.5)
    after = review_json(rui, annotation, revision, {})
    assert after["content"]["answer"] == ["B"]
    assert after["blind"] == {"answer": "A", "unsure": False, "seconds": 3.5, "right": False}
    assert (after["author"], after["previous"]) == ("Ana Lind", None)


def test_a_decision_before_the_blind_answer_is_refused(rui, sample):
    answer = post(signed_in(rui), sample, "review-decide", {"decision": "accept"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "blind_first")
    assert not Review.objects.exists()


def test_the_first_blind_answer_stands(rui, sample):
    client = signed_in(rui)
    assert post(client, sample, "review-blind", {"answer": "A", "seconds": 3}).json() == {"right": False}
    assert post(client, sample, "review-blind", {"answer": "B", "seconds": 9}).json() == {"right": False}
    assert (BlindAnswer.objects.get().answer, BlindAnswer.objects.get().seconds) == ("A", 3)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"answer": "", "seconds": 3}, "answer"),
        ({"answer": "A"}, "seconds"),
        ({"answer": "A", "seconds": -1}, "seconds"),
        ({"answer": "A", "seconds": 1, "unsure": "no"}, "unsure"),
        ({"answer": ["A"], "seconds": 1}, "answer"),
    ],
)
def test_a_blind_answer_without_sense_is_refused(rui, sample, data, field):
    answer = post(signed_in(rui), sample, "review-blind", data)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.mark.parametrize(
    ("kind", "answers", "said", "right"),
    [
        ("mc", ("B",), "b", True),
        ("mc", ("B",), "A", False),
        ("mc", ("B",), "", None),
        ("open", ("Quay", "Mill Rd"), " mill  rd", True),
        ("open", ("Quay",), "the quay", None),
    ],
)
def test_a_blind_answer_is_right_wrong_or_undecided(kind, answers, said, right):
    assert is_right(SampleContent("?", AnswerType(kind), {}, answers), said) is right


@pytest.mark.both_databases
def test_accepting_makes_gold_with_its_share_and_facets(rui, benchmark, sample):
    before = gold_digest(benchmark)
    reviewed(rui, sample, "accept")
    sample.refresh_from_db()
    assert sample.state == "accepted"
    assert sample.gold.revision.digest == Revision.objects.get().digest
    assert sample.evidence_share == 20 * 15 / 800_000
    assert list(sample.facets.values_list("name", "value")) == [("category", "Color")]
    assert gold_digest(benchmark) != before
    review = Review.objects.get()
    assert (review.blind_answer, review.blind_seconds, review.decision) == ("B", 4.5, "accept")
    assert not Lease.objects.filter(seat="review").exists()


def test_fixing_and_accepting_makes_a_revision_of_the_reviewer_the_gold(ana, rui, lea, sample):
    reviewed(rui, sample, "fix_and_accept", content=content(answer=["A"]))
    fixed = Gold.objects.get().revision
    assert (fixed.number, fixed.author, fixed.answers) == (2, rui, ["A"])
    first = Revision.objects.get(number=1)
    assert (first.author, first.answers) == (ana, ["B"])
    for person in (rui, lea):
        with pytest.raises(Conflict):
            answer_blind(actor=person, sample=sample, answer="A", unsure=False, seconds=1)


BOX = {"box": [100, 100, 120, 115], "label": "mug"}
CALL = {"tool": "crop", "arguments": {"x": 9, "y": 9, "width": 20, "height": 20}, "image_in": None, "image_out": None}
FIXES = {
    "question": {"question": "Which colour is the tall mug?"},
    "options": {"options": {"A": "black", "B": "white", "C": "grey"}},
    "answer type and accepted answers": {"answer_type": "open", "options": {}, "answer": ["white", "off-white"]},
    "answer": {"answer": ["A"]},
    "a box more": {"gold_boxes": [BOX, {"box": [300, 200, 340, 230], "label": ""}]},
    "a box moved and resized": {"gold_boxes": [{"box": [103, 96, 118, 120], "label": "mug"}]},
    "a label": {"gold_boxes": [BOX | {"label": "cup"}]},
    "an adopted box": {"gold_boxes": [BOX | {"source": "Model A"}]},
    "facets": {"facets": {"category": ["Color", "OCR"], "scene": ["kitchen"]}},
    "toolchain": {"reference_toolchain": [CALL]},
    "plan": {"targets": [{"tool": "lamp", "step": 1}], "distractors": ["rag"], "ordered": True},
}


@pytest.mark.parametrize("field", FIXES)
def test_every_field_is_fixed_without_a_return(rui, sample, field):
    """The revision of the author stays as it was; the log says who fixed what, and the fix is gold at once."""
    before = revision_json(Revision.objects.with_content().get())
    fixed = before | FIXES[field]
    reviewed(rui, sample, "fix_and_accept", content=fixed)
    gold = Revision.objects.with_content().get(gold_of__sample=sample)
    assert (gold.number, gold.author) == (2, rui)
    said = revision_json(gold)
    assert {name: said[name] for name in FIXES[field]} == {
        name: with_source(value) if name == "gold_boxes" else value for name, value in FIXES[field].items()
    }
    assert revision_json(Revision.objects.with_content().get(number=1)) == before
    entry = AuditEntry.objects.get(action="annotation.fix_and_accept")
    assert (entry.actor, entry.data["revision"], entry.data["fixed_as"]) == (rui, 1, 2)


def with_source(boxes):
    """A box says where it was adopted from, if it was."""
    return [{key: value for key, value in box.items() if key != "source" or value} for box in boxes]


def test_a_fix_that_does_not_pass_the_checks_changes_nothing(rui, sample):
    with pytest.raises(ChecksFailed):
        reviewed(rui, sample, "fix_and_accept", content=content(answer=["Z"]))
    assert (Revision.objects.count(), Review.objects.count(), Gold.objects.count()) == (1, 0, 0)


def test_returning_sends_it_to_its_author_and_the_next_round_shows_what_was_before(ana, rui, benchmark, sample):
    reviewed(rui, sample, "return", reasons=["typo"], comment="Mug, not mugg.")
    assert Sample.objects.get(pk=sample.pk).state == "returned"
    again = take_one(ana, benchmark)
    submit(actor=ana, sample=again, version=0, content=content(question="Better?"))
    answer_blind(actor=rui, sample=sample, answer="", unsure=True, seconds=2)
    shown = review_json(rui, *under_review(rui, sample), {})
    assert (shown["content"]["question"], shown["previous"]["question"]) == ("Better?", content()["question"])
    assert [(one["decision"], one["reasons"], one["comment"]) for one in shown["history"]] == [
        ("return", ["typo"], "Mug, not mugg.")
    ]
    assert shown["blind"]["right"] is None


def test_discarding_leaves_no_gold(rui, sample):
    reviewed(rui, sample, "discard", reasons=["not_verifiable"])
    assert Sample.objects.get(pk=sample.pk).state == "discarded"
    assert not Gold.objects.exists()


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"decision": "maybe"}, "decision"),
        ({"decision": "return"}, "reasons"),
        ({"decision": "discard", "reasons": []}, "reasons"),
        ({"decision": "accept", "reasons": ["because"]}, "reasons"),
        ({"decision": "accept", "reasons": "typo"}, "reasons"),
        ({"decision": "accept", "content": {}}, "content"),
        ({"decision": "fix_and_accept"}, "content"),
    ],
)
def test_a_decision_without_sense_is_refused(rui, sample, data, field):
    client = signed_in(rui)
    post(client, sample, "review-blind", {"answer": "B", "seconds": 1})
    answer = post(client, sample, "review-decide", data)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert not Review.objects.exists()


@pytest.mark.both_databases
def test_the_same_decision_again_is_one_review(ana, rui, benchmark, sample):
    submitted(ana, benchmark)
    client = signed_in(rui)
    post(client, sample, "review-blind", {"answer": "B", "seconds": 1})
    answers = [post(client, sample, "review-decide", {"decision": "accept"}, key="k").json() for _ in range(2)]
    assert answers == [{"next": "/benchmarks/kitchen/review/samples/s-0001/"}] * 2
    assert Review.objects.count() == 1


def test_accepted_work_is_locked(ana, rui, sample):
    reviewed(rui, sample, "accept")
    with pytest.raises(Conflict, match="accepted and read-only"):
        save_draft(actor=ana, sample=sample, version=0, content=content())
    with pytest.raises(Conflict):
        decide(actor=rui, sample=sample, decision=Decision("discard", ["other"]))
    assert Sample.objects.get(pk=sample.pk).state == "accepted"


def test_a_lead_reopens_and_the_gold_stands_until_the_next_is_accepted(ana, rui, lea, benchmark, sample):
    reviewed(rui, sample, "accept")
    with pytest.raises(NotAllowed):
        reopened(rui, sample)
    assert reopened(lea, sample, "The mug moved.") == {"done": [sample.key], "refused": {}}
    assert Sample.objects.get(pk=sample.pk).state == "draft"
    assert Gold.objects.get().revision.number == 1
    save_draft(actor=ana, sample=sample, version=1, content=content(answer=["A"]))
    submit(actor=ana, sample=sample, version=2, content=content(answer=["A"]))
    reviewed(rui, next_review(rui, benchmark), "accept")
    assert (Gold.objects.get().revision.number, Gold.objects.get().revision.answers) == (2, ["A"])


def test_what_was_reopened_and_discarded_has_no_gold(ana, rui, lea, sample):
    reviewed(rui, sample, "accept")
    reopened(lea, sample, "Doubtful.")
    submit(actor=ana, sample=sample, version=1, content=content())
    reviewed(rui, sample, "discard", comment="It is.")
    assert not Gold.objects.exists()


def test_a_reopened_sample_may_go_to_somebody_else(ana, bo, rui, lea, benchmark, sample):
    reviewed(rui, sample, "accept")
    with pytest.raises(InvalidInput, match="is not an annotator"):
        reopened(lea, sample, to=bo)
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    reopened(lea, sample, to=bo)
    assert save_draft(actor=bo, sample=sample, version=1, content=content(answer=["A"])).version == 2
    assert Revision.objects.get().author == ana
    assert annotation_of(bo, sample).state == "draft"


def test_leaving_a_review_puts_it_back(rui, lea, benchmark, sample):
    next_review(rui, benchmark)
    leave_review(actor=rui, sample=sample)
    assert annotation_of_sample(sample).state == "submitted"
    assert next_review(lea, benchmark) == sample
    leave_review(actor=rui, sample=sample)
    assert annotation_of_sample(sample).state == "in_review"


def test_a_reviewer_may_pass_one_by(rui, lea, benchmark, sample):
    next_review(rui, benchmark)
    skip(actor=rui, sample=sample, reason="I know the place.", seat=Lease.Seat.REVIEW)
    assert next_to_review(actor=rui, benchmark=benchmark) is None
    assert next_review(lea, benchmark) == sample


@pytest.mark.both_databases
def test_with_an_overlap_a_sample_waits_for_all_its_annotators(ana, rui, lea, benchmark, sample):
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    assert next_to_review(actor=rui, benchmark=benchmark) is None
    assert take_one(lea, benchmark) == sample
    submit(actor=lea, sample=sample, version=0, content=content(answer=["A"]))
    assert next_review(rui, benchmark) == sample
    assert next_to_review(actor=lea, benchmark=benchmark) is None


def test_comments_are_pinned_answered_and_resolved(ana, rui, sample):
    client = signed_in(rui)
    made = post(client, sample, "review-comments", {"text": "Here?", "x": 110, "y": 105})
    assert made.status_code == 201
    first = made.json()["comment"]
    answer = post(signed_in(ana), sample, "review-comments", {"text": "Yes.", "parent": first["id"]}).json()["comment"]
    deeper = post(client, sample, "review-comments", {"text": "Fine.", "parent": answer["id"]}).json()["comment"]
    assert (first["x"], answer["parent"], deeper["parent"]) == (110, first["id"], first["id"])
    for _ in range(2):
        assert client.post(first["url"], "{}", content_type="application/json").json()["comment"]["resolved"] is True
    reopened = client.post(first["url"], '{"resolved": false}', content_type="application/json")
    assert reopened.json()["comment"]["resolved"] is False
    assert client.post(answer["url"], "{}", content_type="application/json").status_code == 400
    answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=1)
    [thread] = review_json(rui, *under_review(rui, sample), {})["comments"]
    assert [one["text"] for one in (thread, *thread["answers"])] == ["Here?", "Yes.", "Fine."]


@pytest.mark.parametrize(
    "data",
    [{"text": " "}, {"text": "a", "x": 1}, {"text": "a", "x": 1001, "y": 1}, {"text": "a", "parent": 999}, {"text": 1}],
)
def test_a_comment_without_sense_is_refused(rui, sample, data):
    assert post(signed_in(rui), sample, "review-comments", data).status_code == 400
    assert not Comment.objects.exists()


def test_another_annotator_neither_reads_nor_writes_comments(ana, bo, rui, benchmark, sample):
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    comment = add_comment(actor=rui, annotation=annotation_of(ana, sample), text="Wider.")
    with pytest.raises(NotAllowed):
        add_comment(actor=bo, annotation=annotation_of(ana, sample), text="I think so too.")
    with pytest.raises(NotAllowed):
        resolve_comment(actor=bo, comment=comment)
    assert timeline(sample, bo) == []


@pytest.mark.both_databases
def test_the_timeline_tells_who_did_what_and_why(ana, rui, sample):
    reviewed(rui, sample, "return", comment="Tighter.")
    told = [(event.who, event.words, event.after) for event in timeline(sample, rui)]
    assert told == [
        ("Ana Lind", "started a draft", "draft"),
        ("Ana Lind", "submitted", "submitted"),
        ("Rui Costa", "started a review", "in_review"),
        ("Rui Costa", "answered blind", ""),
        ("Rui Costa", "returned", "returned"),
    ]
    assert timeline(sample, rui)[-1].why == "Tighter."
    assert timeline(sample, rui, own=True) == []
    assert timeline(sample, ana, own=True) == timeline(sample, ana)
