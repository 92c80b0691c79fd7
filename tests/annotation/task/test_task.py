"""The task of a benchmark: a lead drafts a schema and puts it in force; what is submitted is held against it."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.checks import ChecksFailed
from annotation.models import Benchmark, BenchmarkSchema, FacetAlias, FacetValue, Gold, Revision, Sample
from annotation.queue.settings import set_adjudication, set_queue
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.review.write.decisions import Decision, decide
from annotation.studio.write.draft import save_draft as save_work
from annotation.studio.write.submit import submit
from annotation.task.read import values_to_decide
from annotation.task.write import CHANGE, DROP, KEEP, InvalidSchema, activate, discard_draft, save_draft
from annotation.task_schema import TaskSchema
from annotation.workflow import Role
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
CATEGORY = {
    "name": "category", "kind": "single", "required": "submit", "closed": True,
    "values": [{"value": "OCR"}, {"value": "Color"}],
}  # fmt: skip
TIER = {"name": "tier", "required": "accept", "who": "reviewer", "closed": True, "values": [{"value": "hard"}]}


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    return to_annotate(4, annotator=ana, reviewer=rui, lead=lea)


def in_force(lead: User, benchmark: Benchmark, decisions: Any = None, **blocks: Any) -> BenchmarkSchema:
    draft = save_draft(actor=lead, benchmark=benchmark, content=blocks)
    found = activate(actor=lead, benchmark=benchmark, version=draft.version, decisions=decisions)
    return found


def fresh(benchmark: Benchmark) -> Benchmark:
    return Benchmark.objects.get(pk=benchmark.pk)


def test_a_draft_changes_nothing_before_it_is_put_in_force(kitchen: Benchmark, ana: User, lea: User) -> None:
    draft = save_draft(actor=lea, benchmark=kitchen, content={"question": {"most_words": 3}})
    submitted(ana, kitchen)
    activate(actor=lea, benchmark=kitchen, version=draft.version)
    kitchen = fresh(kitchen)
    assert (kitchen.schema_number, kitchen.task.question.most_words) == (1, 3)
    with pytest.raises(ChecksFailed) as refused:
        submitted(ana, kitchen)
    assert [one["field"] for one in refused.value.extra["checks"] if one["level"] == "error"] == ["question"]
    submitted(ana, kitchen, question="Which colour?")
    entry = AuditEntry.objects.get(action="task.activate")
    assert (entry.actor, entry.data["number"], entry.data["values"]) == (lea, 1, [])


def test_the_next_schema_retires_the_last(kitchen: Benchmark, lea: User) -> None:
    in_force(lea, kitchen, question={"most_words": 3})
    in_force(lea, kitchen, question={"most_words": 9})
    assert list(kitchen.schemas.order_by("number").values_list("number", "state")) == [(1, "retired"), (2, "active")]
    assert fresh(kitchen).task == TaskSchema.parse({"question": {"most_words": 9}})


def test_of_two_leads_the_second_is_told(kitchen: Benchmark, lea: User, admin: User) -> None:
    save_draft(actor=admin, benchmark=kitchen, content={})
    for act in (
        lambda: save_draft(actor=lea, benchmark=kitchen, content={}),
        lambda: activate(actor=lea, benchmark=kitchen, version=0),
        lambda: discard_draft(actor=lea, benchmark=kitchen, version=2),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "draft_changed"
    discard_draft(actor=lea, benchmark=kitchen, version=1)
    assert not kitchen.schemas.exists()
    with pytest.raises(Conflict) as refused:
        activate(actor=lea, benchmark=kitchen, version=0)
    assert refused.value.code == "no_draft"


def test_only_leads_define_the_task(kitchen: Benchmark, ana: User, rui: User, sam: User) -> None:
    for person in (ana, rui, sam):
        with pytest.raises(NotAllowed):
            save_draft(actor=person, benchmark=kitchen, content={})


def test_an_invalid_schema_is_refused_with_all_its_faults(kitchen: Benchmark, lea: User) -> None:
    with pytest.raises(InvalidSchema) as refused:
        save_draft(actor=lea, benchmark=kitchen, content={"answer": {"types": ["say"]}, "colour": 1})
    assert [one["where"] for one in refused.value.extra["problems"]] == ["answer.types[0]", "colour"]


def test_facets_of_annotators_block_submitting(kitchen: Benchmark, ana: User, lea: User) -> None:
    in_force(lea, kitchen, facets=[CATEGORY, TIER])
    kitchen = fresh(kitchen)
    sample = take_one(ana, kitchen)
    faults = []
    for facets in ({}, {"category": ["Colour"]}, {"category": ["OCR", "Color"]}, {"category": ["OCR"]}):
        saved = save_work(actor=ana, sample=sample, version=len(faults), content=content(facets=facets))
        faults.append([one.field for one in saved.checks if one.level == "error"])
    assert faults == [["facets.category"], ["facets.category"], ["facets.category"], []]
    submit(actor=ana, sample=sample, version=4, content=content(facets={"category": ["OCR"]}))


def test_facets_of_reviewers_block_accepting(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    in_force(lea, kitchen, facets=[CATEGORY, TIER])
    submitted(ana, fresh(kitchen))
    sample = next_review(rui, fresh(kitchen))
    with pytest.raises(ChecksFailed):
        reviewed(rui, sample, "accept")
    fixed = content(facets={"category": ["Color"], "tier": ["hard"]})
    decide(actor=rui, sample=sample, decision=Decision("fix_and_accept", content=fixed))
    assert sorted(FacetValue.objects.filter(sample=sample).values_list("name", "value")) == [
        ("category", "Color"),
        ("tier", "hard"),
    ]


def test_what_gold_needs_and_its_author_cannot_give_goes_to_a_reviewer(
    kitchen: Benchmark, ana: User, lea: User
) -> None:
    set_queue(actor=lea, benchmark=kitchen, order="sequential", review_share=0)
    first = submitted(ana, kitchen)
    in_force(lea, kitchen, facets=[CATEGORY, TIER])
    second = submitted(ana, fresh(kitchen))
    assert [Sample.objects.get(pk=one.pk).state for one in (first, second)] == ["accepted", "in_review"]


def test_a_consensus_that_lacks_what_gold_needs_waits_for_a_reviewer(
    kitchen: Benchmark, ana: User, sam: User, lea: User
) -> None:
    add_member(actor=lea, benchmark=kitchen, user=sam, role=Role.ANNOTATOR)
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2)
    rule = {"scope": "disputes", "when_agreed": "accept", "box_iou": 0.5, "support": "all", "combine": "median"}
    set_adjudication(actor=lea, benchmark=kitchen, hide_names=True, **rule)
    states = []
    for with_schema in (False, True):
        if with_schema:
            in_force(lea, kitchen, facets=[CATEGORY, TIER])
        for person in (ana, sam):
            sample = submitted(person, fresh(kitchen))
        states.append(Sample.objects.get(pk=sample.pk).state)
    assert states[0] == "accepted"
    assert states[1] in ("in_review", "disputed")


def test_questions_are_not_kept_while_one_lacks_what_gold_needs(
    kitchen: Benchmark, ana: User, rui: User, sam: User, lea: User
) -> None:
    add_member(actor=lea, benchmark=kitchen, user=sam, role=Role.ANNOTATOR)
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2, overlap_mode="independent")
    in_force(lea, kitchen, facets=[CATEGORY, TIER])
    submitted(ana, fresh(kitchen))
    submitted(sam, fresh(kitchen), question="Which shape has the mug?")
    sample = next_review(rui, fresh(kitchen))
    with pytest.raises(ChecksFailed):
        adjudicate(actor=rui, sample=sample, verdict=Verdict("keep", letters=("A", "B")))
    assert not Gold.objects.exists()


def test_a_toolchain_is_verified_before_it_becomes_gold(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    in_force(lea, kitchen, toolchain={"use": "required", "end_verified": True, "steps": [1, 2]})
    call = {"tool": "colorspace_gray", "arguments": {}}
    with pytest.raises(ChecksFailed):
        submitted(ana, fresh(kitchen))
    submitted(ana, fresh(kitchen), reference_toolchain=[call])
    sample = next_review(rui, fresh(kitchen))
    with pytest.raises(ChecksFailed) as refused:
        reviewed(rui, sample, "accept")
    assert [one["field"] for one in refused.value.extra["checks"] if one["level"] == "error"] == ["reference_toolchain"]


class TestValuesInUse:
    """Ana's samples say Colour, color and Shape when Lea lists Color and OCR."""

    @pytest.fixture
    def lists(self, kitchen: Benchmark, ana: User, rui: User, lea: User) -> Benchmark:
        for value in ("colour", "Colr", "Shape"):
            submitted(ana, kitchen, facets={"category": [value]})
            reviewed(rui, next_review(rui, kitchen), "accept")
        save_draft(actor=lea, benchmark=kitchen, content={"facets": [CATEGORY]})
        return kitchen

    def test_each_has_a_count_and_the_value_it_seems_to_mean(self, lists: Benchmark) -> None:
        found = values_to_decide(lists, TaskSchema.parse({"facets": [CATEGORY]}))
        assert [(one.value, one.count, one.proposed) for one in found] == [
            ("Colr", 1, "Color"),
            ("Shape", 1, ""),
            ("colour", 1, "Color"),
        ]

    def test_nothing_is_put_in_force_while_one_is_undecided(self, lists: Benchmark, lea: User) -> None:
        decisions = {("category", "Colr"): (CHANGE, "Color"), ("category", "Shape"): (CHANGE, "Outline")}
        with pytest.raises(Conflict) as refused:
            activate(actor=lea, benchmark=lists, version=1, decisions=decisions)
        assert refused.value.code == "undecided"
        assert fresh(lists).schema_number is None

    def test_samples_change_as_decided_and_revisions_keep_their_words(self, lists: Benchmark, lea: User) -> None:
        before = list(Revision.objects.order_by("pk").values_list("facets", flat=True))
        digests = set(Gold.objects.values_list("revision__digest", flat=True))
        decisions = {
            ("category", "colour"): (CHANGE, "Color"),
            ("category", "Colr"): (DROP, ""),
            ("category", "Shape"): (KEEP, ""),
        }
        activate(actor=lea, benchmark=lists, version=1, decisions=decisions)
        values = FacetValue.objects.order_by("sample__key").values_list("sample__key", "value")
        assert list(values) == [("s-0000", "Color"), ("s-0002", "Shape")]
        assert list(Revision.objects.order_by("pk").values_list("facets", flat=True)) == before
        assert set(Gold.objects.values_list("revision__digest", flat=True)) == digests
        assert set(FacetAlias.objects.values_list("old", "new")) == {("colour", "Color"), ("Colr", "")}

    def test_old_words_mean_the_new_value_from_then_on(self, lists: Benchmark, ana: User, rui: User, lea: User) -> None:
        decisions = dict.fromkeys([("category", one) for one in ("colour", "Colr", "Shape")], (CHANGE, "Color"))
        activate(actor=lea, benchmark=lists, version=1, decisions=decisions)
        sample = submitted(ana, fresh(lists), facets={"category": ["colour"]})
        reviewed(rui, next_review(rui, fresh(lists)), "accept")
        assert list(sample.facets.values_list("value", flat=True)) == ["Color"]

    def test_a_value_that_is_listed_again_means_itself(self, lists: Benchmark, lea: User) -> None:
        decisions = dict.fromkeys([("category", one) for one in ("colour", "Colr", "Shape")], (CHANGE, "Color"))
        activate(actor=lea, benchmark=lists, version=1, decisions=decisions)
        british = CATEGORY | {"values": [{"value": "colour"}]}
        in_force(lea, lists, {("category", "Color"): (CHANGE, "colour")}, facets=[british])
        assert set(FacetValue.objects.values_list("value", flat=True)) == {"colour"}
        assert dict(FacetAlias.objects.values_list("old", "new")) == {
            "Color": "colour", "Colr": "colour", "Shape": "colour",
        }  # fmt: skip
