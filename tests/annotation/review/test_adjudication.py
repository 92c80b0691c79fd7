"""Several annotations of a sample become one gold: at once where all agree, else by an adjudicator."""

from __future__ import annotations

import json
from random import Random

import pytest
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.chain_answers import answer_digest
from annotation.content.chains.read import digest_of
from annotation.content.checks import ChecksFailed
from annotation.content.json import calls_from_json, content_from_json
from annotation.models import (
    AcceptedChain,
    Adjudication,
    AdjudicationRule,
    Annotation,
    Benchmark,
    Gold,
    Lease,
    QualityRules,
    Review,
    Sample,
    VerifiedChain,
)
from annotation.quality.read.agreement import Audience, load_work, pairs_of
from annotation.quality.read.labels import labels_of
from annotation.queue.handed import shown_state
from annotation.queue.leave_review import leave_review
from annotation.queue.settings import set_queue
from annotation.queue.shared_question import fixed_question
from annotation.review.present.adjudication import adjudication_json
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.review.write.decisions import Decision, decide, next_to_review
from annotation.studio.write.submit import submit
from annotation.task.write import activate, save_draft
from annotation.task_schema import TaskSchema
from annotation.work.write.returns import return_samples
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
from tests.factories import make_user
from tests.worlds import made_once
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ELSEWHERE = [{"box": [500, 500, 520, 515], "label": ""}]


@made_once
def kitchen(ana, bo, rui, lea):
    """Two samples that Ana and Bo both annotate."""
    benchmark = to_annotate(2, annotator=[ana, bo], reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    return benchmark


def both(ana, bo, kitchen, **changes):
    """The next sample, as Ana has it and as Bo has it."""
    submitted(ana, kitchen)
    return submitted(bo, kitchen, **changes)


def states(sample):
    return dict(Annotation.objects.filter(sample=sample).values_list("author__name", "state"))


def letter_of(user, sample, who):
    shown = adjudication_json(user, sample)["annotations"]
    revision = annotation_of(who, sample).revisions.get()
    return next(one["letter"] for one in shown if one["content"]["answer"] == list(revision.answers))


def test_a_dispute_goes_to_an_adjudicator_and_an_agreement_waits_for_review(ana, bo, rui, kitchen):
    agreed, disputed = both(ana, bo, kitchen), both(ana, bo, kitchen, answer=["A"])
    assert (agreed.state, disputed.state) == ("in_review", "disputed")
    assert list(Adjudication.objects.values_list("sample", "outcome")) == [
        (agreed.pk, "agreed"), (disputed.pk, "disputed")
    ]  # fmt: skip
    assert Adjudication.objects.get(sample=disputed).measured["fields"]["answer"] == {"agreed": False, "value": 0.0}
    page = signed_in(rui).get(reverse("annotation:review", args=["kitchen"]))
    assert [(row.sample, row.disputed, row.author) for row in page.context["waiting"]] == [
        (agreed, False, "2 annotators"), (disputed, True, "2 annotators")
    ]  # fmt: skip


def test_where_the_lead_has_it_so_an_agreement_is_accepted_at_once(ana, bo, rui, kitchen):
    AdjudicationRule.objects.create(benchmark=kitchen, number=1, when_agreed="accept")
    sample = both(ana, bo, kitchen, gold_boxes=[{"box": [101, 100, 121, 115], "label": ""}])
    gold = Gold.objects.get(sample=sample).revision
    assert (sample.state, gold.author, gold.annotation.kind) == ("accepted", None, "adjudicated")
    assert [(box.x1, box.y1, box.x2, box.y2, box.label) for box in gold.gold_boxes.all()] == [
        (100, 100, 121, 115, "mug")
    ]
    assert states(sample) == {"Ana Lind": "superseded", "Bo Ek": "superseded", None: "accepted"}
    mine = [annotation_of(who, sample).revisions.get().pk for who in (ana, bo)]
    assert gold.provenance["answer"] == {"from": mine, "how": "taken"}
    assert gold.provenance["evidence"] == {"from": mine, "how": "consensus:median"}
    assert Adjudication.objects.get(sample=sample).decision == "consensus"
    assert next_to_review(actor=rui, benchmark=kitchen) is None
    disputed = both(ana, bo, kitchen, gold_boxes=ELSEWHERE)
    assert disputed.state == "disputed"


def test_taking_one_annotation_makes_that_very_revision_gold(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    theirs = annotation_of(bo, sample).revisions.get()
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content(answer=["A"])))
    assert Gold.objects.get(sample=sample).revision == theirs
    assert states(sample) == {"Ana Lind": "superseded", "Bo Ek": "accepted"}
    assert Review.objects.get().revision == theirs
    found = Adjudication.objects.get()
    assert (found.decision, found.adjudicator, found.result) == ("one", rui, theirs)


def test_a_mixture_is_an_annotation_of_its_own_that_names_its_sources(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"], gold_boxes=ELSEWHERE)
    mixed = content(answer=["A"], facets={"category": ["Shape"]})
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", mixed))
    gold = Gold.objects.get(sample=sample).revision
    ana_s, bo_s = (annotation_of(who, sample).revisions.get().pk for who in (ana, bo))
    assert (gold.annotation.author, gold.author, gold.annotation.kind) == (None, rui, "adjudicated")
    assert gold.provenance["answer"] == {"from": [bo_s], "how": "taken"}
    assert gold.provenance["evidence"] == {"from": [ana_s], "how": "taken"}
    assert gold.provenance["facets"] == {"from": [], "how": "edited"}
    page = signed_in(rui).get(reverse("evaluation:sample", args=["kitchen", sample.key]))
    assert [(one.field, one.how, one.people) for one in page.context["provenance"]][1:3] == [
        ("Answer", "from", "Bo Ek"), ("Evidence boxes", "from", "Ana Lind")
    ]  # fmt: skip
    assert states(sample) == {"Ana Lind": "superseded", "Bo Ek": "superseded", None: "accepted"}
    with pytest.raises(ChecksFailed):
        adjudicate(
            actor=rui, sample=both(ana, bo, kitchen, answer=["A"]), verdict=Verdict("accept", content(answer=[]))
        )


def test_facets_that_the_schema_does_not_require_differ_without_a_dispute(ana, bo, rui, lea, kitchen):
    def with_category(required):
        facets = [{"name": "category", "kind": "multiple", "required": required}]
        schema = TaskSchema.parse({"facets": facets}).as_json()
        draft = save_draft(actor=lea, benchmark=kitchen, content=schema)
        activate(actor=lea, benchmark=kitchen, version=draft.version)
        kitchen.forget_schema()

    with_category("no")
    sample = both(ana, bo, kitchen, facets={"category": ["bread"]})
    assert sample.state == "in_review"
    shown = {one["name"]: one for one in adjudication_json(rui, sample)["fields"]}["facets"]
    assert (shown["agreed"], shown["optional_differ"]) == (True, True)
    with_category("submit")
    assert both(ana, bo, kitchen, facets={"category": ["bread"]}).state == "disputed"


def test_a_return_goes_to_one_author_and_the_next_decision_is_another_round(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    letter = letter_of(rui, sample, bo)
    adjudicate(actor=rui, sample=sample, verdict=Verdict("return", comments={letter: "Look again."}))
    assert states(sample) == {"Ana Lind": "submitted", "Bo Ek": "returned"}
    assert Sample.objects.get(pk=sample.pk).state == "returned"
    assert Review.objects.get().comment == "Look again."
    assert next_to_review(actor=rui, benchmark=kitchen) is None
    submitted(bo, kitchen)
    assert list(Adjudication.objects.values_list("round", "outcome", "decision")) == [
        (1, "disputed", "return"), (2, "agreed", "")
    ]  # fmt: skip
    assert Sample.objects.get(pk=sample.pk).state == "in_review"


def test_several_questions_are_kept_as_samples_of_one_image(ana, bo, rui, lea, kitchen):
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2)
    kitchen.queue.overlap_mode = "independent"
    kitchen.queue.save()
    sample = both(ana, bo, kitchen, question="What is beside the mug?", answer=["A"])
    letters = [letter_of(rui, sample, who) for who in (ana, bo)]
    adjudicate(actor=rui, sample=sample, verdict=Verdict("keep", letters=letters))
    made = Sample.objects.get(key="s-0000-2")
    assert (made.state, made.image, made.asked_from, made.gold.revision.question) == (
        "accepted", sample.image, sample, "What is beside the mug?"
    )  # fmt: skip
    assert Gold.objects.get(sample=sample).revision.annotation.author == ana
    assert states(sample) == {"Ana Lind": "accepted"}


def test_discarding_discards_every_annotation(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    adjudicate(actor=rui, sample=sample, verdict=Verdict("discard", reasons=["not_verifiable"]))
    assert states(sample) == {"Ana Lind": "discarded", "Bo Ek": "discarded"}
    assert Sample.objects.get(pk=sample.pk).state == "discarded"


@pytest.mark.parametrize(
    ("verdict", "field"),
    [
        (Verdict("crown"), "decision"),
        (Verdict("accept"), "content"),
        (Verdict("return"), "comments"),
        (Verdict("return", comments={"A": " "}), "reasons"),
        (Verdict("return", comments={"Q": "Why?"}), "letters"),
        (Verdict("keep", letters=["A"]), "letters"),
        (Verdict("keep", letters=["A", "Q"]), "letters"),
        (Verdict("discard", reasons=["dull"]), "reasons"),
    ],
)
def test_a_decision_without_what_it_needs_is_refused(ana, bo, rui, kitchen, verdict, field):
    sample = both(ana, bo, kitchen, answer=["A"])
    with pytest.raises(InvalidInput) as refused:
        adjudicate(actor=rui, sample=sample, verdict=verdict)
    assert refused.value.field == field
    assert states(sample) == {"Ana Lind": "submitted", "Bo Ek": "submitted"}


def test_who_annotated_a_sample_never_adjudicates_it(ana, bo, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    add_member(actor=None, benchmark=kitchen, user=ana, role=Role.REVIEWER)
    assert next_to_review(actor=ana, benchmark=kitchen) is None
    with pytest.raises(NotAllowed):
        adjudicate(actor=ana, sample=sample, verdict=Verdict("accept", content()))
    assert signed_in(ana).get(reverse("annotation:adjudication", args=["kitchen", sample.key])).status_code == 403


def test_a_sample_with_several_annotations_is_not_decided_one_by_one(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    with pytest.raises(Conflict) as refused:
        decide(actor=rui, sample=sample, decision=Decision("accept"))
    assert refused.value.code == "several"
    page = signed_in(rui).get(reverse("annotation:review-sample", args=["kitchen", sample.key]))
    assert page.url == reverse("annotation:adjudication", args=["kitchen", sample.key])


def test_two_adjudicators_decide_once(ana, bo, rui, lea, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    assert next_review(rui, kitchen) == sample
    assert set(states(sample).values()) == {"in_review"}
    with pytest.raises(Conflict) as lost:
        adjudicate(actor=lea, sample=sample, verdict=Verdict("accept", content()))
    assert lost.value.code == "lease_lost"
    leave_review(actor=rui, sample=sample)
    assert set(states(sample).values()) == {"submitted"}
    adjudicate(actor=lea, sample=sample, verdict=Verdict("accept", content()))
    with pytest.raises(Conflict):
        adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content()))


def test_a_round_ends_where_a_lead_returns_the_annotations(ana, bo, rui, lea, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    return_samples(
        actor=lea, benchmark=kitchen, samples=Sample.objects.filter(pk=sample.pk), reasons=[], comment="Again.", key="k"
    )
    assert Sample.objects.get(pk=sample.pk).state == "returned"
    assert Adjudication.objects.get().decision == "overtaken"


def test_a_reopened_sample_is_decided_in_the_next_round(ana, bo, rui, lea, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content()))
    reopened(lea, sample)
    submit(actor=ana, sample=sample, version=1, content=content(answer=["A"]))
    assert Sample.objects.get(pk=sample.pk).state == "in_review"
    assert states(sample) == {"Ana Lind": "submitted", "Bo Ek": "superseded"}


def test_what_is_submitted_after_the_decision_is_superseded(ana, bo, rui, lea, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    cy = make_user("Cy Dahl")
    add_member(actor=None, benchmark=kitchen, user=cy, role=Role.ANNOTATOR)
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=3)
    kitchen.queue.refresh_from_db()
    assert take_one(cy, kitchen) == sample
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2)
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content()))
    submit(actor=cy, sample=sample, version=0, content=content())
    assert states(sample)["Cy Dahl"] == "superseded"
    assert Gold.objects.get(sample=sample).revision.annotation.author == ana


def test_the_first_submission_fixes_the_question_for_the_others(ana, bo, kitchen):
    sample = submitted(ana, kitchen)
    assert take_one(bo, kitchen) == sample
    page = signed_in(bo).get(reverse("annotation:annotate-sample", args=["kitchen", sample.key]))
    assert "Separate with ;" not in page.content.decode()
    shown = page.context["studio"]
    begun = shown["content"]
    assert (shown["fixed"], begun["question"], begun["answer"], begun["gold_boxes"]) == (
        True, "Which colour is the mug?", [], []
    )  # fmt: skip
    with pytest.raises(Conflict) as refused:
        submit(actor=bo, sample=sample, version=0, content=content(question="Which mug?"))
    assert refused.value.code == "question_fixed"
    submit(actor=bo, sample=sample, version=0, content=content())


GRAY = [{"tool": "colorspace_gray", "arguments": {}, "image_in": "original", "image_out": None}]
BLUR = [{"tool": "blur", "arguments": {"method": "median", "ksize": 5}, "image_in": "original", "image_out": None}]


def verified(person, sample, calls, answer="B", **about):
    """The mark that this toolchain gives the answer on the image of the sample."""
    given, _, _ = content_from_json(content() | {"answer": [answer]})
    mark = {"how": "blind", "observed": answer} | about
    VerifiedChain.objects.create(
        sample=sample, digest=digest_of(calls_from_json(calls)), image=sample.image.sha256, person=person,
        answer_digest=answer_digest(given), **mark,
    )  # fmt: skip


def test_of_two_verified_toolchains_the_second_is_accepted_beside_the_gold(ana, bo, rui, kitchen):
    AdjudicationRule.objects.create(benchmark=kitchen, number=1, when_agreed="accept")
    sample = kitchen.samples.select_related("image").get(key="s-0000")
    verified(ana, sample, GRAY)
    verified(bo, sample, BLUR)
    submitted(ana, kitchen, reference_toolchain=GRAY)
    assert submitted(bo, kitchen, reference_toolchain=BLUR).state == "accepted"
    gold = Gold.objects.get(sample=sample).revision
    assert [call.tool for call in gold.reference_calls.all()] == ["colorspace_gray"]
    assert [(one.calls, one.accepted_by) for one in AcceptedChain.objects.filter(sample=sample)] == [(BLUR, bo)]
    second = kitchen.samples.select_related("image").get(key="s-0001")
    verified(ana, second, GRAY)
    verified(bo, second, BLUR, "A")
    submitted(ana, kitchen, reference_toolchain=GRAY)
    assert submitted(bo, kitchen, reference_toolchain=BLUR).state == "disputed"
    adjudicate(actor=rui, sample=second, verdict=Verdict("accept", content(reference_toolchain=GRAY)))
    assert not AcceptedChain.objects.filter(sample=second).exists()


@pytest.mark.parametrize(
    "claimed", [{"observed": "A"}, {"how": "measured", "observed": "blue"}, {"measurements": {"text": "black"}}]
)
def test_a_mark_that_only_claims_to_verify_settles_no_dispute(ana, bo, kitchen, claimed):
    AdjudicationRule.objects.create(benchmark=kitchen, number=1, when_agreed="accept")
    sample = kitchen.samples.select_related("image").get(key="s-0000")
    verified(ana, sample, GRAY)
    verified(bo, sample, BLUR, **claimed)
    submitted(ana, kitchen, reference_toolchain=GRAY)
    assert submitted(bo, kitchen, reference_toolchain=BLUR).state == "disputed"


CANNOT = {"unanswerable": "The mug is hidden.", "answer": []}


def test_that_the_question_cannot_be_answered_is_a_submission_and_makes_a_dispute(ana, bo, rui, lea, kitchen):
    AdjudicationRule.objects.create(benchmark=kitchen, number=1, when_agreed="accept")
    sample = both(ana, bo, kitchen, **CANNOT)
    revision = annotation_of(bo, sample).revisions.get()
    assert (sample.state, sample.disagreement) == ("disputed", 1.0)
    assert (revision.unanswerable, revision.gold_boxes.count()) == ("The mug is hidden.", 0)
    fields = Adjudication.objects.get(sample=sample).measured["fields"]
    assert [name for name, one in fields.items() if not one["agreed"]] == ["answer"]
    shown = adjudication_json(rui, sample)
    reasons = {one["content"]["unanswerable"] for one in shown["annotations"]}
    assert (reasons, shown["content"]["unanswerable"], shown["content"]["answer"]) == (
        {None, "The mug is hidden."}, None, ["B"]
    )  # fmt: skip
    page = signed_in(rui).get(reverse("annotation:adjudication", args=["kitchen", sample.key]))
    assert "The mug is hidden." in page.content.decode()
    work = load_work(kitchen, lea, Audience.EVERYONE)
    [pair] = pairs_of(work, ana.pk, bo.pk)
    answer = labels_of([pair])[0]
    assert (pair.same, pair.disputed, len(answer.both), answer.agreeing) == (False, True, 1, [])


def test_gold_always_has_an_answer(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, **CANNOT)
    with pytest.raises(ChecksFailed):
        adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content(**CANNOT)))
    shown = adjudication_json(rui, sample)["annotations"]
    letters = [one["letter"] for one in shown]
    with pytest.raises(Conflict) as refused:
        adjudicate(actor=rui, sample=sample, verdict=Verdict("keep", letters=letters))
    assert refused.value.code == "unanswerable"
    letter = next(one["letter"] for one in shown if one["content"]["answer"])
    adjudicate(actor=rui, sample=sample, verdict=Verdict("return", comments={letter: "Where is the mug?"}))
    with pytest.raises(Conflict) as refused:
        reviewed(rui, sample, "accept")
    assert refused.value.code == "unanswerable"
    decide(actor=rui, sample=sample, decision=Decision("fix_and_accept", content=content(unanswerable="Hidden.")))
    gold = Gold.objects.get(sample=sample).revision
    assert (gold.annotation.author, gold.answers, gold.unanswerable) == (bo, ["B"], None)


def test_only_the_question_of_another_can_be_called_unanswerable(ana, bo, kitchen):
    own = take_one(ana, kitchen)
    with pytest.raises(Conflict) as refused:
        submit(actor=ana, sample=own, version=0, content=content(**CANNOT))
    assert refused.value.code == "question_open"
    submit(actor=ana, sample=own, version=0, content=content())
    assert take_one(bo, kitchen) == own
    with pytest.raises(ChecksFailed):
        submit(actor=bo, sample=own, version=0, content=content(unanswerable=" "))


def test_another_question_of_the_first_sends_the_others_back(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    letter = letter_of(rui, sample, ana)
    adjudicate(actor=rui, sample=sample, verdict=Verdict("return", comments={letter: "Ask for the shape."}))
    submitted(ana, kitchen, question="Which shape is the mug?")
    assert states(sample) == {"Ana Lind": "submitted", "Bo Ek": "returned"}


def test_the_page_and_what_it_sends_hide_names_until_the_lead_shows_them(ana, bo, rui, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    client, address = signed_in(rui), reverse("annotation:adjudication", args=["kitchen", sample.key])
    page = client.get(address)
    assert {one["author"] for one in page.context["review"]["annotations"]} == {""}
    assert "Ana Lind" not in page.content.decode()
    AdjudicationRule.objects.create(benchmark=kitchen, number=1, hide_names=False)
    named = client.get(address).context["review"]["annotations"]
    assert {one["author"] for one in named} == {"Ana Lind", "Bo Ek"}
    sent = client.post(
        reverse("annotation:adjudicate", args=["kitchen", sample.key]),
        json.dumps({"decision": "accept", "content": content()}), content_type="application/json",
    )  # fmt: skip
    assert (sent.status_code, sent.json()) == (200, {"next": None})


def test_where_gold_checks_run_nothing_shows_that_a_sample_is_none(ana, bo, rui, lea, kitchen):
    assert fixed_question(bo, submitted(ana, kitchen))
    QualityRules.objects.update_or_create(benchmark=kitchen, defaults={"check_share": 0.5, "seed": 1})
    kitchen = Benchmark.objects.get(pk=kitchen.pk)
    sample = kitchen.samples.get(key="s-0000")
    assert (fixed_question(bo, sample), shown_state(bo, sample, "superseded")) == (None, "submitted")


API = "/api/v1/benchmarks/kitchen/adjudications/"


def test_programs_see_and_decide_what_the_page_does(ana, bo, rui, kitchen):
    agreed, disputed = both(ana, bo, kitchen), both(ana, bo, kitchen, answer=["A"])
    client = signed_in(rui)
    assert client.get(API).json()["results"] == [
        {"sample": agreed.key, "state": "in_review", "annotations": 2, "disputed": []},
        {"sample": disputed.key, "state": "disputed", "annotations": 2, "disputed": ["answer"]},
    ]
    address = f"{API}{disputed.key}/"
    shown = client.get(address).json()
    page = client.get(reverse("annotation:adjudication", args=["kitchen", disputed.key])).context["review"]
    assert shown == {name: page[name] for name in shown}
    assert "Ana Lind" not in json.dumps(shown)
    send = {"content_type": "application/json", "headers": {"Idempotency-Key": "once"}}
    for body, status in (
        ({"decision": "crown"}, 400),
        ({"decision": "accept"}, 400),
        ({"decision": "accept", "who": 1}, 400),
    ):
        assert client.post(address, json.dumps(body), content_type="application/json").status_code == status
    verdict = json.dumps({"decision": "accept", "content": content(answer=["A"])})
    for _ in range(2):
        done = client.post(address, verdict, **send)
        assert (done.status_code, done.json()) == (
            200,
            {"sample": disputed.key, "state": "accepted", "decision": "one"},
        )
    assert Gold.objects.get(sample=disputed).revision.annotation.author == bo
    assert [one["sample"] for one in client.get(API).json()["results"]] == [agreed.key]
    assert not Lease.objects.filter(user=rui).exists()
    again = client.post(address, verdict, content_type="application/json")
    assert (again.status_code, client.get(address).status_code) == (409, 409)


def test_programs_never_adjudicate_what_their_person_annotated_or_another_holds(ana, bo, rui, lea, kitchen):
    sample = both(ana, bo, kitchen, answer=["A"])
    add_member(actor=None, benchmark=kitchen, user=ana, role=Role.REVIEWER)
    client, address = signed_in(ana), f"{API}{sample.key}/"
    body = json.dumps({"decision": "accept", "content": content()})
    assert client.get(API).json()["results"] == []
    assert (
        client.get(address).status_code
        == client.post(address, body, content_type="application/json").status_code
        == 403
    )
    assert next_review(lea, kitchen) == sample
    held = signed_in(rui).post(address, body, content_type="application/json")
    assert (held.status_code, held.json()["error"]["code"]) == (409, "lease_lost")


def test_the_list_for_programs_takes_the_same_number_of_queries_for_many(
    ana, bo, rui, kitchen, django_assert_num_queries
):
    client = signed_in(rui)
    both(ana, bo, kitchen)
    with django_assert_num_queries(QUERIES):
        client.get(API)
    both(ana, bo, kitchen)
    with django_assert_num_queries(QUERIES):
        client.get(API)


QUERIES = 7
"""Session, person, benchmark, roles, queue with pauses, samples, rounds."""


DISPUTED = [
    {"answer": ["A"]},
    {"gold_boxes": ELSEWHERE},
    {"facets": {"category": ["bread"]}},
    {
        "reference_toolchain": [
            {"tool": "canny", "arguments": {"threshold_low": 50, "threshold_high": 90}, "image_in": "original"}
        ]
    },
]


@pytest.mark.endurance
def test_of_forty_submitted_twice_exactly_those_with_a_planted_dispute_reach_adjudicators(ana, bo, rui, lea):
    benchmark = to_annotate(40, annotator=[ana, bo], reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    planted = dict(zip(Random(3).sample(range(40), 8), DISPUTED * 2, strict=True))
    wanted = set()
    for number in range(40):
        sample = both(ana, bo, benchmark, **planted.get(number, {}))
        wanted |= {sample.key} if number in planted else set()
    assert set(benchmark.samples.filter(state="disputed").values_list("key", flat=True)) == wanted
    assert benchmark.samples.filter(state="in_review").count() == 32
    outcomes = Adjudication.objects.values_list("sample__key", "outcome")
    assert {key for key, outcome in outcomes if outcome == "disputed"} == wanted
    assert len(outcomes) == 40
