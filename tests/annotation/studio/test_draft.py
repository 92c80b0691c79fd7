"""Drafts: kept as they are, by version, for their author alone."""

from __future__ import annotations

import json
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.urls import reverse

from annotation.content.drafts import StaleDraft
from annotation.models import Annotation, Draft, Lease, Sample
from annotation.queue.editor import studio_json
from annotation.studio.write.draft import save_draft
from tests.annotation.work_data import content, drafted, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from webapp.common.errors import Conflict, NotAllowed

pytestmark = pytest.mark.django_db


def put(client, sample, data, key="", step="draft"):
    address = reverse(f"annotation:{step}", args=[sample.benchmark.slug, sample.key])
    send = client.put if step == "draft" else client.post
    body = data if isinstance(data, str | bytes) else json.dumps(data)
    return send(address, body, content_type="application/json", headers={"Idempotency-Key": key})


def test_an_incomplete_draft_is_kept_and_its_faults_are_told(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    answer = put(signed_in(ana), sample, {"version": 0, "content": {"question": "Which", "answer_type": "mc"}})
    assert (answer.status_code, answer.json()["version"]) == (200, 1)
    assert {(one["field"], one["level"]) for one in answer.json()["checks"]} == {
        ("options", "error"), ("answer", "error"), ("gold_boxes", "error"),
    }  # fmt: skip
    assert Draft.objects.get().content["question"] == "Which"
    assert Sample.objects.get().state == "draft"


def test_a_box_over_the_edge_is_kept_in_a_draft(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    over = content(gold_boxes=[{"box": [990, 10, 1010, 40], "label": ""}])
    saved = save_draft(actor=ana, sample=sample, version=0, content=over)
    assert [(one.field, one.level.value) for one in saved.checks] == [("gold_boxes[0]", "error")]


def test_a_stale_save_is_refused_and_shown_what_is_stored(ana):
    sample = drafted(ana, to_annotate(1, annotator=ana), question="First?")
    client = signed_in(ana)
    assert put(client, sample, {"version": 1, "content": content(question="Second?")}).json()["version"] == 2
    answer = put(client, sample, {"version": 1, "content": content(question="Stale?")})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "stale"
    assert (answer.json()["version"], answer.json()["content"]["question"]) == (2, "Second?")
    assert Draft.objects.get().content["question"] == "Second?"


def test_the_same_save_again_is_answered_as_before(ana):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    client = signed_in(ana)
    answers = [put(client, sample, {"version": 0, "content": content()}, key="k-1") for _ in range(2)]
    assert [answer.json()["version"] for answer in answers] == [1, 1]
    assert put(client, sample, {"version": 0, "content": content()}, key="k-2").status_code == 409
    assert Draft.objects.get().version == 1


def test_nobody_sees_or_writes_the_draft_of_another(ana, lea):
    sample = drafted(ana, to_annotate(1, annotator=ana, lead=lea), question="Anas secret?")
    with pytest.raises(Conflict) as caught:
        save_draft(actor=lea, sample=sample, version=1, content=content())
    assert caught.value.code == "lease_lost"

    assert "secret" in json.dumps(studio_json(ana, sample, {}))
    assert "secret" not in json.dumps(studio_json(lea, sample, {}))


def test_who_has_no_right_writes_no_draft(rui, sam):
    benchmark = to_annotate(1, reviewer=rui)
    sample = Sample.objects.select_related("benchmark").get()
    for person, status in ((rui, 403), (sam, 404)):
        answer = put(signed_in(person), sample, {"version": 0, "content": content()})
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/json")
        with pytest.raises(NotAllowed):
            save_draft(actor=person, sample=sample, version=0, content=content())
    assert benchmark.samples.filter(annotations__isnull=False).count() == 0


def test_a_submitted_annotation_takes_no_draft(ana):
    sample = submitted(ana, to_annotate(1, annotator=ana))
    with pytest.raises(Conflict, match="is submitted and read-only"):
        save_draft(actor=ana, sample=sample, version=0, content=content())


def test_returned_work_is_a_draft_of_the_same_author_again(ana, rui):
    benchmark = to_annotate(1, annotator=ana, reviewer=rui)
    submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "return", reasons=["ambiguous_box"], comment="Tighter.")
    sample = take_one(ana, benchmark)

    shown = studio_json(ana, sample, {})
    assert (shown["state"], shown["version"], shown["editable"]) == ("returned", 0, True)
    assert shown["content"]["question"] == content()["question"]
    assert {name: shown["returned"][name] for name in ("by", "reasons", "comment")} == {
        "by": "Rui Costa", "reasons": ["ambiguous_box"], "comment": "Tighter.",
    }  # fmt: skip
    assert save_draft(actor=ana, sample=sample, version=0, content=content(question="Better?")).version == 1
    assert Annotation.objects.get().state == "draft"
    assert studio_json(ana, sample, {})["returned"]["comment"] == "Tighter."


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("{", None),
        ("[]", None),
        ('{"version": 0, "content": {"question": NaN}}', None),
        ('{"content": {}}', "version"),
        ('{"version": -1, "content": {}}', "version"),
        ('{"version": 1.5, "content": {}}', "version"),
        ('{"version": 0}', "content"),
        ('{"version": 0, "content": {"answer_type": "essay"}}', "answer_type"),
        ("[" * 100_000, None),
        (b"\xff\xfe", None),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_one_shape(ana, body, field):
    sample = take_one(ana, to_annotate(1, annotator=ana))
    answer = put(signed_in(ana), sample, body)
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == field
    assert not Annotation.objects.exists()


def test_skip_release_and_renew_answer_the_page(ana):
    benchmark = to_annotate(2, annotator=ana)
    client = signed_in(ana)
    sample = take_one(ana, benchmark)
    assert put(client, sample, {}, step="renew").status_code == 200
    assert put(client, sample, {}, step="release").status_code == 200
    assert not Lease.objects.exists()
    lost = put(client, sample, {}, step="renew")
    assert (lost.status_code, lost.json()["error"]["code"]) == (409, "lease_lost")
    assert put(client, sample, {"reason": " "}, step="skip").status_code == 400
    assert put(client, sample, {"reason": "Blurred."}, step="skip").json() == {"next": None}
    assert take_one(ana, benchmark).key == "s-0001"


@pytest.mark.django_db(transaction=True)
def test_of_many_saves_of_one_version_at_once_exactly_one_is_kept(ana):
    sample = drafted(ana, to_annotate(1, annotator=ana))
    together, outcomes = Barrier(6), []

    def save(number: int) -> None:
        together.wait()
        try:
            outcomes.append(save_draft(actor=ana, sample=sample, version=1, content=content(question=f"{number}?")))
        except StaleDraft:
            outcomes.append(None)
        finally:
            connection.close()

    threads = [Thread(target=save, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 6
    assert len([one for one in outcomes if one]) == 1
    assert Draft.objects.get().version == 2
