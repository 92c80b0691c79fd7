"""The reciprocal audit: drawn by a seed, blind, by somebody else, changing nothing by itself."""

from __future__ import annotations

import random
import re

import pytest
from django.db import IntegrityError, transaction

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Annotation, AuditItem, BlindAnswer, Gold, Lease, Sample
from annotation.quality.write.audits import (
    answer_audit_blind,
    decide_audit,
    decide_proposal,
    draw_audit,
    next_to_audit,
    under_audit,
)
from annotation.queue.settings import set_queue
from annotation.workflow import Role
from tests.annotation.work_data import next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def noor(db):
    return make_user("Noor Bakker")


@made_once
def kitchen(ana, rui, lea, noor):
    """Ten accepted samples, made by Ana and reviewed by Rui; Noor and Lea can audit them."""
    benchmark = to_annotate(10, annotator=ana, reviewer=[rui, noor], lead=lea)
    for _ in range(10):
        submitted(ana, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    return benchmark


def audited(user, benchmark, verdict, **about):
    item = next_to_audit(actor=user, benchmark=benchmark)
    answer_audit_blind(actor=user, sample=item.sample, answer="B", unsure=False, seconds=3)
    return decide_audit(actor=user, sample=item.sample, verdict=verdict, **about)


def test_a_draw_is_a_share_by_a_recorded_seed_and_leaves_out_what_waits(lea, kitchen):
    draw = draw_audit(actor=lea, benchmark=kitchen, share=0.25)
    keys = list(draw.items.order_by("pk").values_list("sample__key", flat=True))
    assert (draw.drawn_from, len(keys)) == (10, 3)
    golds = list(Gold.objects.order_by("sample__key").values_list("sample__key", flat=True))
    assert keys == random.Random(draw.seed).sample(golds, 3)
    second = draw_audit(actor=lea, benchmark=kitchen, share=1)
    assert (second.number, second.drawn_from, second.items.count()) == (2, 7, 7)
    assert not set(keys) & set(second.items.values_list("sample__key", flat=True))
    with pytest.raises(Conflict):
        draw_audit(actor=lea, benchmark=kitchen, share=1)
    assert AuditEntry.objects.filter(action="audit.draw").first().data["seed"] == second.seed


def test_neither_who_made_nor_who_reviewed_it_audits_it(ana, rui, noor, lea, kitchen):
    add_member(actor=None, benchmark=kitchen, user=ana, role=Role.REVIEWER)
    item = draw_audit(actor=lea, benchmark=kitchen, share=0.05).items.get()
    for person in (ana, rui):
        assert next_to_audit(actor=person, benchmark=kitchen) is None
        with pytest.raises(NotAllowed):
            under_audit(person, item.sample)
    assert next_to_audit(actor=noor, benchmark=kitchen) == item
    assert next_to_audit(actor=lea, benchmark=kitchen) is None
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditItem.objects.filter(pk=item.pk).update(verdict="agree", auditor=ana)


def page_of(user, sample):
    return signed_in(user).get(f"/benchmarks/kitchen/audit/samples/{sample.key}/").content.decode()


def test_the_audit_is_blind_first(noor, lea, kitchen):
    sample = draw_audit(actor=lea, benchmark=kitchen, share=0.05).items.get().sample
    html = page_of(noor, sample)
    assert "Which colour is the mug?" in html
    assert not re.findall(r"gold_boxes|\"label\"|Ana Lind|gold answer is", html)
    with pytest.raises(Conflict, match="yourself"):
        decide_audit(actor=noor, sample=sample, verdict="agree")
    body = {"answer": "A", "seconds": 4, "unsure": False}
    answer = signed_in(noor).post(
        f"/benchmarks/kitchen/audit/blind/{sample.key}/", body, content_type="application/json"
    )
    assert answer.json() == {"right": False}
    kept = BlindAnswer.objects.get(reviewer=noor)
    assert (kept.answer, kept.seconds, kept.condition) == ("A", 4, "picture")
    html = " ".join(page_of(noor, sample).split())
    assert "You answered A, black. The gold answer is B, white." in html
    assert "gold_boxes" in html


def test_an_audit_may_begin_with_the_crop_alone(noor, lea, kitchen):
    set_queue(actor=lea, benchmark=kitchen, order="sequential", blind="crop", blind_margin=0)
    sample = draw_audit(actor=lea, benchmark=kitchen, share=0.05).items.get().sample
    assert "Only the crop is shown." in page_of(noor, sample)


def test_a_disagreement_says_what_it_is_about_and_changes_no_gold(noor, lea, kitchen):
    before = list(Gold.objects.values_list("pk", "revision", "accepted_at"))
    draw_audit(actor=lea, benchmark=kitchen, share=0.05)
    with pytest.raises(InvalidInput):
        audited(noor, kitchen, "disagree")
    item = audited(noor, kitchen, "disagree", reasons=["ambiguous_box"], comment="Two mugs.")
    assert (item.auditor, item.verdict, item.reasons, item.comment) == (
        noor,
        "disagree",
        ["ambiguous_box"],
        "Two mugs.",
    )
    assert list(Gold.objects.values_list("pk", "revision", "accepted_at")) == before
    assert not Lease.objects.filter(seat="audit").exists()
    with pytest.raises(Conflict):
        decide_audit(actor=noor, sample=item.sample, verdict="agree")


def test_the_lead_opens_it_again_for_its_author_or_keeps_the_gold(ana, noor, lea, kitchen):
    draw_audit(actor=lea, benchmark=kitchen, share=0.15)
    first, second = (audited(noor, kitchen, "disagree", reasons=["wrong_answer"]) for _ in range(2))
    client = signed_in(lea)
    page = client.get("/benchmarks/kitchen/quality/audits/")
    assert [item.pk for item in page.context["proposals"]] == [first.pk, second.pk]
    address = "/benchmarks/kitchen/quality/audits/{}/settle/"
    client.post(address.format(first.pk), {"outcome": "reopened"})
    client.post(address.format(second.pk), {"outcome": "kept", "reason": "Noor misread it."})
    annotation = Annotation.objects.get(sample=first.sample)
    assert (annotation.state, annotation.author) == ("draft", ana)
    assert Sample.objects.get(pk=second.sample_id).state == "accepted"
    assert AuditEntry.objects.get(action="annotation.reopen").reason == "An audit disagreed: incorrect answer"
    assert client.get("/benchmarks/kitchen/quality/audits/").context["proposals"] == []
    with pytest.raises(Conflict):
        decide_proposal(actor=lea, item=second, outcome="reopened")


def test_gold_that_changed_meanwhile_is_overtaken(rui, ana, noor, lea, kitchen):
    first = draw_audit(actor=lea, benchmark=kitchen, share=0.05).items.get()
    other = Gold.objects.exclude(sample=first.sample).first().revision
    Gold.objects.filter(revision=other).delete()
    Gold.objects.filter(sample=first.sample).update(revision=other)
    assert next_to_audit(actor=noor, benchmark=kitchen) is None
    [row] = signed_in(lea).get("/benchmarks/kitchen/quality/audits/").context["draws"]
    assert (row.overtaken.n, row.group.n, row.group.rate) == (1, 0, None)


@pytest.mark.endurance
def test_every_count_opens_as_many_samples_and_queries_do_not_grow(noor, lea, kitchen, django_assert_num_queries):
    client, address = signed_in(lea), "/benchmarks/kitchen/quality/audits/?by=category"
    draw_audit(actor=lea, benchmark=kitchen, share=0.55)
    audited(noor, kitchen, "agree")
    with django_assert_num_queries(QUERIES):
        client.get(address)
    audited(noor, kitchen, "agree")
    audited(noor, kitchen, "disagree", reasons=["typo", "other"])
    with django_assert_num_queries(QUERIES):
        context = client.get(address).context
    [everything] = context["everything"]
    assert (everything.drawn.n, everything.agreed.n, everything.disagreed.n) == (6, 2, 1)
    assert everything.group.rate == pytest.approx(1 / 3)
    assert [(code, count.n) for code, count in context["reasons"]] == [("other", 1), ("typo", 1)]
    for row in (*context["draws"], everything, *context["by_rows"]):
        for count in (row.drawn, row.agreed, row.disagreed):
            assert not count.n or client.get(count.href).context["total"] == count.n


QUERIES = 15
"""Session, user, benchmark, roles (2), facets, drawn samples, values of the facet, accepted ones, what the tabs count
(5), the version and the task."""


def test_the_next_one_follows_and_only_a_lead_draws(noor, rui, lea, kitchen):
    draw_audit(actor=lea, benchmark=kitchen, share=0.15)
    client = signed_in(noor)
    first = client.post("/benchmarks/kitchen/audit/next/").url
    key = first.split("/")[-2]
    answer_audit_blind(actor=noor, sample=kitchen.samples.get(key=key), answer="", unsure=True, seconds=1)
    following = client.post(f"/benchmarks/kitchen/audit/decide/{key}/", {"verdict": "agree"})
    assert following.status_code == 303
    assert following.url not in (first, "/benchmarks/kitchen/audit/")
    assert client.get("/benchmarks/kitchen/audit/").context["waiting_n"] == 1
    assert "selected for a second review by you" in client.get("/benchmarks/kitchen/review/").content.decode()
    with pytest.raises(NotAllowed):
        draw_audit(actor=noor, benchmark=kitchen, share=0.5)
    with pytest.raises(InvalidInput):
        draw_audit(actor=lea, benchmark=kitchen, share=0)
