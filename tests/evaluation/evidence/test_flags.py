"""Flags of checking models: beside the field that an adjudicator decides, and hidden in the control arm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.evidence import keep_answer
from annotation.drafting import Arm, arm_of
from annotation.evidence import Condition, Purpose
from annotation.models import Adjudication, Benchmark, Drafting, EvidenceTest, Revision, Sample
from annotation.queue.settings import set_queue
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.statistics import wilson
from tests.annotation.work_data import annotation_of, next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
MODEL = "zebra-checker"


@made_once
def kitchen(ana: User, bo: User, rui: User, lea: User) -> Benchmark:
    """Six samples that Ana and Bo both annotate."""
    benchmark = to_annotate(6, annotator=[ana, bo], reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    return benchmark


@made_once
def alone(ana: User, rui: User, lea: User) -> Benchmark:
    """Six samples that Ana annotates alone."""
    benchmark = to_annotate(6, annotator=ana, reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential")
    return benchmark


def control(benchmark: Benchmark, person: User, samples: Sequence[Sample], arm: Arm) -> None:
    """Begin the control share with a seed by which these samples are in this arm of a person."""
    for number in range(100_000):
        seed = f"{number:032x}"
        if all(arm_of(seed, person.pk, one.pk, 0.5) is arm for one in samples):
            Drafting.objects.create(benchmark=benchmark, seed=seed, control_share=0.5)
            return
    raise AssertionError("no seed draws these arms")


def flag(person: User, sample: Sample, answer: str = "A", condition: str = "image") -> None:
    """The model answers otherwise than this annotator."""
    revision = Revision.objects.get(annotation=annotation_of(person, sample))
    EvidenceTest.objects.create(
        revision=revision, condition=condition, purpose="check", model=MODEL, answer=answer, right=False
    )


def both(ana: User, bo: User, benchmark: Benchmark, **changes: Any) -> Sample:
    """The next sample, with the answer B of Ana and A of Bo."""
    submitted(ana, benchmark)
    return submitted(bo, benchmark, **({"answer": ["A"]} | changes))


def shown(person: User, sample: Sample) -> tuple[str, Any]:
    """The adjudication as this person gets it on the page and over the API."""
    client = signed_in(person)
    page = client.get(reverse("annotation:adjudication", args=[sample.benchmark.slug, sample.key]))
    api = client.get(f"/api/v1/benchmarks/{sample.benchmark.slug}/adjudications/{sample.key}/")
    assert (page.status_code, api.status_code) == (200, 200)
    return page.content.decode(), api.json()


def letter_of(person: User, sample: Sample, said: Any) -> str:
    answer = list(Revision.objects.get(annotation=annotation_of(person, sample)).answers)
    return str(next(one["letter"] for one in said["annotations"] if one["content"]["answer"] == answer))


def test_an_adjudicator_sees_a_flag_beside_the_answer_it_is_about(
    ana: User, bo: User, rui: User, kitchen: Benchmark
) -> None:
    sample = both(ana, bo, kitchen)
    flag(ana, sample)
    flag(ana, sample, condition="crop")
    page, said = shown(rui, sample)
    assert page.count("data-flag") == 2
    section = page.split('data-field="answer"')[1].split("</section>")[0]
    assert MODEL in section
    assert "A. black" in section
    assert [(one["field"], one["letters"], one["condition"], one["model"]) for one in said["flags"]] == [
        ("answer", [letter_of(ana, sample, said)], condition, MODEL) for condition in ("crop", "image")
    ]


def test_one_flag_names_all_annotations_that_it_differs_from(
    ana: User, bo: User, rui: User, kitchen: Benchmark
) -> None:
    sample = both(ana, bo, kitchen, answer=["B"], gold_boxes=[{"box": [500, 500, 520, 515], "label": ""}])
    flag(ana, sample)
    flag(bo, sample)
    assert [one["letters"] for one in shown(rui, sample)[1]["flags"]] == [["A", "B"]]


def test_a_flag_is_beside_the_question_where_the_questions_differ(
    ana: User, bo: User, rui: User, lea: User, kitchen: Benchmark
) -> None:
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2, overlap_mode="independent")
    sample = both(ana, bo, kitchen, question="Which colour is the plate?")
    flag(ana, sample)
    page, said = shown(rui, sample)
    assert MODEL in page.split('data-field="question"')[1].split("</section>")[0]
    assert said["flags"][0]["field"] == "question"


def test_no_response_in_the_control_arm_contains_a_flag(
    ana: User, bo: User, rui: User, lea: User, kitchen: Benchmark
) -> None:
    sample = both(ana, bo, kitchen)
    control(kitchen, rui, [sample], Arm.WITHHELD)
    flag(ana, sample)
    page, said = shown(rui, sample)
    assert MODEL not in page
    assert "data-flag" not in page
    assert said["flags"] == []
    assert MODEL not in str(said)


def test_the_first_flag_begins_the_control_share(ana: User, bo: User, rui: User, kitchen: Benchmark) -> None:
    sample = both(ana, bo, kitchen)
    keep(ana, sample, right=True, condition=Condition.CROP)
    assert not Drafting.objects.exists(), "an answer that agrees is no flag"
    keep(ana, sample, right=False)
    drafting = Drafting.objects.get()
    assert (drafting.benchmark, drafting.control_share, len(drafting.seed)) == (kitchen, 0.2, 32)
    assert drafting.created_at <= EvidenceTest.objects.get(right=False).created_at
    assert AuditEntry.objects.get(action="benchmark.control_share").data["share"] == 0.2
    assert drafting.seed not in str(AuditEntry.objects.values())
    control_of(drafting, rui, sample, Arm.WITHHELD)
    page, said = shown(rui, sample)
    assert "data-flag" not in page
    assert said["flags"] == []
    control_of(drafting, rui, sample, Arm.SHOWN)
    assert len(shown(rui, sample)[1]["flags"]) == 1


def test_a_flag_does_not_change_the_control_share_that_exists(ana: User, bo: User, kitchen: Benchmark) -> None:
    sample = both(ana, bo, kitchen)
    before = Drafting.objects.create(benchmark=kitchen, seed="a" * 32, control_share=0.5)
    keep(ana, sample, right=False)
    after = Drafting.objects.get()
    assert (after.pk, after.seed, after.control_share) == (before.pk, "a" * 32, 0.5)


def test_answers_about_gold_begin_no_control_share(ana: User, bo: User, kitchen: Benchmark) -> None:
    sample = both(ana, bo, kitchen)
    keep(ana, sample, right=False, purpose=Purpose.EVIDENCE)
    assert not Drafting.objects.exists()


def keep(
    person: User,
    sample: Sample,
    *,
    right: bool,
    purpose: Purpose = Purpose.CHECK,
    condition: Condition = Condition.IMAGE,
) -> None:
    revision = Revision.objects.get(annotation=annotation_of(person, sample))
    keep_answer(revision.pk, condition, purpose, answer="A", right=right, model=MODEL)


def control_of(drafting: Drafting, person: User, sample: Sample, arm: Arm) -> None:
    """Give the control share the first seed by which this sample is in this arm of the person."""
    tried = (f"{number:032x}" for number in range(1000))
    drafting.seed = next(seed for seed in tried if arm_of(seed, person.pk, sample.pk, drafting.control_share) is arm)
    drafting.save(update_fields=["seed"])


def test_a_reviewer_in_the_control_arm_sees_no_flag_after_the_blind_answer(
    ana: User, rui: User, alone: Benchmark
) -> None:
    sample = submitted(ana, alone)
    control(alone, rui, [sample], Arm.WITHHELD)
    flag(ana, sample)
    client, address = signed_in(rui), reverse("annotation:review-sample", args=["kitchen", sample.key])
    next_review(rui, alone)
    answer = {"answer": "B", "unsure": False, "seconds": 3.0}
    blind = reverse("annotation:review-blind", args=["kitchen", sample.key])
    assert client.post(blind, answer, content_type="application/json").status_code == 200
    page = client.get(address).content.decode()
    assert "data-mismatch" not in page
    assert MODEL not in page


def rates(lea: User) -> tuple[Any, Any]:
    """The blind precision, and that of flags in view, as the page's API has them."""
    client = signed_in(lea)
    found = client.get("/api/v1/benchmarks/kitchen/drafting/").json()["flags"]
    checking = client.get("/api/v1/benchmarks/kitchen/evidence/").json()["checking"]
    assert found["blind"]["precision"] == checking["precision_blind"]["value"]
    assert found["shown"]["precision"] == checking["precision"]["value"]
    return found["blind"], found["shown"]


def test_the_blind_precision_counts_what_was_changed_or_returned_without_seeing_the_flag(
    ana: User, rui: User, lea: User, alone: Benchmark
) -> None:
    samples = [submitted(ana, alone) for _ in range(4)]
    control(alone, rui, samples[:3], Arm.WITHHELD)
    seed = Drafting.objects.get().seed
    hidden = [arm_of(seed, rui.pk, one.pk, 0.5) is Arm.WITHHELD for one in samples]
    for one in samples:
        flag(ana, one)
    assert rates(lea)[0] == {"precision": None, "changed": 0, "n": 0, "low": None, "high": None}
    page = signed_in(lea).get("/benchmarks/kitchen/drafting/").content.decode()
    assert "undefined" in page.split("data-flags")[1][:200]
    kinds = ["return", "accept", "accept", "return"]
    for kind in kinds:
        about = {"reasons": ["wrong_answer"]} if kind == "return" else {}
        reviewed(rui, next_review(rui, alone), kind, **about)
    blind, seen = rates(lea)
    changed = sum(kind == "return" and unseen for kind, unseen in zip(kinds, hidden, strict=True))
    interval = wilson(changed, sum(hidden))
    assert interval is not None
    assert (blind["changed"], blind["n"]) == (changed, sum(hidden))
    assert (blind["low"], blind["high"]) == pytest.approx((interval.low, interval.high))
    assert seen["n"] == 4 - sum(hidden)
    page = signed_in(lea).get("/benchmarks/kitchen/drafting/").content.decode()
    assert f"{changed} of {sum(hidden)}" in page


def test_flags_that_were_shown_before_the_control_share_began_are_not_blind(
    ana: User, rui: User, lea: User, alone: Benchmark
) -> None:
    sample = submitted(ana, alone)
    flag(ana, sample)
    control(alone, rui, [sample], Arm.WITHHELD)
    reviewed(rui, next_review(rui, alone), "return", reasons=["wrong_answer"])
    blind, seen = rates(lea)
    assert (blind["n"], seen["changed"], seen["n"]) == (0, 1, 1)


def test_an_adjudicator_changes_a_flagged_answer_by_preferring_another(
    ana: User, bo: User, rui: User, lea: User, kitchen: Benchmark
) -> None:
    sample = both(ana, bo, kitchen)
    control(kitchen, rui, [sample], Arm.WITHHELD)
    flag(ana, sample)
    flag(bo, sample, answer="B")
    said = shown(rui, sample)[1]
    theirs = next(one["content"] for one in said["annotations"] if one["letter"] == letter_of(bo, sample, said))
    assert rates(lea)[0]["n"] == 0, "it waits for the adjudicator"
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content=theirs))
    assert Adjudication.objects.get(sample=sample).decision == "one"
    blind, _ = rates(lea)
    assert (blind["changed"], blind["n"]) == (1, 2), "Ana's answer lost, and Bo's became gold"
    found = signed_in(lea).get("/api/v1/benchmarks/kitchen/evidence/").json()["checking"]
    assert found["waiting"] == 0
    assert {one["decision"] for one in found["flagged"]} == {"accept", "adjudicated"}
    assert signed_in(lea).get("/benchmarks/kitchen/evidence/").status_code == 200
