"""What a lead does to many samples at once: done to those that allow it, refused for the others by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.benchmarks.write.people import set_roles
from annotation.models import Annotation, Assignment, Benchmark, Draft, Gold, Lease, Receipt, Review, Revision, Sample
from annotation.queue.leases import ANNOTATE
from annotation.queue.reopen import reopen_samples
from annotation.queue.settings import set_queue
from annotation.queue.timeline import timeline
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.work.write.assignment import assign_samples
from annotation.work.write.discard import discard_samples
from annotation.work.write.leases import release_lease
from annotation.work.write.returns import return_samples
from annotation.workflow import Role
from tests.annotation.pages_data import fill, make_benchmark
from tests.annotation.work_data import (
    annotation_of,
    answer_of,
    assigned,
    content,
    drafted,
    next_review,
    reopened,
    reviewed,
    submitted,
    take_one,
    to_annotate,
)
from tests.databases import forget_audit_entries
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


@made_once
def benchmark(ana: User, bo: User, rui: User, lea: User) -> Benchmark:
    """Five samples: accepted, waiting for a review, returned, a draft (all Ana's), and to do."""
    benchmark = to_annotate(5, annotator=[ana, bo], reviewer=rui, lead=lea)
    for number in range(3):
        sample = benchmark.samples.select_related("benchmark").get(key=f"s-{number:04}")
        save_draft(actor=ana, sample=sample, version=0, content=content())
        submit(actor=ana, sample=sample, version=1, content=content())
        Lease.objects.all().delete()
    reviewed(rui, sample_of(benchmark, 0), "accept")
    reviewed(rui, sample_of(benchmark, 2), "return", comment="Tighter.")
    Lease.objects.all().delete()
    Annotation.objects.filter(state="in_review").update(state="submitted")
    save_draft(actor=ana, sample=sample_of(benchmark, 3), version=0, content=content(question="Half a thou"))
    assert states(benchmark) == ["accepted", "in_review", "returned", "draft", "to_do"]
    return benchmark


def sample_of(benchmark: Benchmark, number: int) -> Sample:
    return benchmark.samples.select_related("benchmark").get(key=f"s-{number:04}")


def states(benchmark: Benchmark) -> list[str]:
    return list(benchmark.samples.order_by("key").values_list("state", flat=True))


def returned(lead: User, benchmark: Benchmark, key: str = "one", **about: Any) -> dict[str, Any]:
    whole = {"reasons": ["typo"], "comment": "New rules.", "samples": benchmark.samples.all(), **about}
    return answer_of(return_samples(actor=lead, benchmark=benchmark, key=key, **whole))


def discarded(lead: User, benchmark: Benchmark, key: str = "two", **about: Any) -> dict[str, Any]:
    whole = {"reasons": ["not_verifiable"], "comment": "", "samples": benchmark.samples.all(), **about}
    return answer_of(discard_samples(actor=lead, benchmark=benchmark, key=key, **whole))


def entries(action: str) -> list[tuple[str, str, str]]:
    found = AuditEntry.objects.filter(action=action).order_by("pk")
    return list(found.values_list("before", "after", "reason"))


def test_giving_samples_away_takes_over_what_was_begun_and_refuses_what_is_submitted_or_settled(
    benchmark: Benchmark, bo: User, ana: User, lea: User
) -> None:
    outcome = assigned(lea, benchmark, bo, *benchmark.samples.values_list("key", flat=True))
    assert outcome["done"] == ["s-0002", "s-0003", "s-0004"]
    assert outcome["refused"] == {
        "s-0000": "It is accepted. Reopen it for Bo Ek instead.",
        "s-0001": "It is already submitted. Return it first.",
    }
    assert annotation_of(bo, sample_of(benchmark, 2)).state == "returned"
    assert annotation_of(bo, sample_of(benchmark, 3)).draft.content["question"] == "Half a thou"
    assert Revision.objects.get(annotation__sample=sample_of(benchmark, 2)).author == ana
    given = AuditEntry.objects.filter(action="sample.assign").order_by("pk").values_list("data", flat=True)
    assert list(given) == [{"to": "Bo Ek", "from": "Ana Lind"}] * 2 + [{"to": "Bo Ek"}]
    with pytest.raises(Conflict) as conflict:
        save_draft(actor=ana, sample=sample_of(benchmark, 3), version=1, content=content())
    assert conflict.value.code == "lease_lost"
    assert take_one(bo, benchmark).key in ("s-0002", "s-0003")


def test_giving_the_same_to_the_same_person_again_changes_nothing_and_to_another_passes_it_on(
    benchmark: Benchmark, bo: User, ana: User, lea: User
) -> None:
    for person in (bo, bo, ana):
        assert assigned(lea, benchmark, person, "s-0004") == {"done": ["s-0004"], "refused": {}}
    assert [
        data["to"] for data in AuditEntry.objects.filter(action="sample.assign").values_list("data", flat=True)
    ] == [
        "Ana Lind",
        "Bo Ek",
    ]
    assert Assignment.objects.get().user == ana


def test_who_holds_a_sample_that_goes_to_somebody_else_gets_up_and_cannot_begin_it(
    benchmark: Benchmark, bo: User, ana: User, lea: User
) -> None:
    sample = sample_of(benchmark, 4)
    Lease.objects.all().delete()
    assert submitted(ana, benchmark).key == "s-0002"
    assert take_one(ana, benchmark) == sample
    assigned(lea, benchmark, bo, sample.key)
    with pytest.raises(Conflict) as caught:
        save_draft(actor=ana, sample=sample, version=0, content=content())
    assert caught.value.code == "lease_lost"
    assert take_one(bo, benchmark) == sample


def test_with_an_overlap_a_given_sample_leaves_others_at_their_places(
    benchmark: Benchmark, bo: User, ana: User, lea: User
) -> None:
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    assert assigned(lea, benchmark, bo, "s-0001", "s-0003")["done"] == ["s-0001", "s-0003"]
    assert annotation_of(ana, sample_of(benchmark, 3)).state == "draft"
    save_draft(actor=bo, sample=sample_of(benchmark, 3), version=0, content=content())
    outcome = assigned(lea, benchmark, lea, "s-0003")
    assert outcome["refused"] == {"s-0003": "Ana Lind and Bo Ek have drafts of it."}


def test_samples_go_to_nobody_who_does_not_annotate(benchmark: Benchmark, rui: User, lea: User) -> None:
    with pytest.raises(InvalidInput, match="is not an annotator") as caught:
        assigned(lea, benchmark, rui, "s-0004")
    assert caught.value.field == "to"


def test_returning_reaches_what_waits_for_a_review_and_its_author_reads_why(
    benchmark: Benchmark, ana: User, rui: User, lea: User
) -> None:
    next_review(rui, benchmark)
    outcome = returned(lea, benchmark)
    assert outcome["done"] == ["s-0001"]
    assert set(outcome["refused"]) == {"s-0000", "s-0002", "s-0003", "s-0004"}
    assert outcome["refused"]["s-0000"] == "It is accepted. Reopen it instead."
    assert entries("annotation.send_back") == [("in_review", "returned", "New rules.")]
    review = Review.objects.get(reviewer=lea)
    assert (review.decision, review.reasons, review.comment) == ("return", ["typo"], "New rules.")
    assert not Lease.objects.filter(seat="review").exists()
    assert states(benchmark)[1] == "returned"
    assert timeline(sample_of(benchmark, 1), ana)[-1].why == "New rules."


def test_a_leads_own_work_goes_back_without_a_decision_on_it(lea: User) -> None:
    benchmark = to_annotate(1, lead=lea)
    sample = submitted(lea, benchmark)
    assert returned(lea, benchmark)["done"] == [sample.key]
    assert not Review.objects.exists()


def test_discarding_takes_samples_wherever_they_stand_and_opening_again_brings_them_back(
    benchmark: Benchmark, ana: User, lea: User
) -> None:
    everything = [f"s-{number:04}" for number in range(5)]
    assert discarded(lea, benchmark)["done"] == everything
    assert states(benchmark) == ["discarded"] * 5
    assert not Gold.objects.exists()
    assert sample_of(benchmark, 0).evidence_share is None
    assert [before for before, _, _ in entries("annotation.discard")] == ["accepted", "submitted", "returned", "draft"]
    assert entries("sample.discard") == [("to_do", "discarded", "not verifiable")]
    assert discarded(lea, benchmark, "again")["refused"] == dict.fromkeys(everything, "It is already discarded.")
    for number in range(5):
        assert reopened(lea, sample_of(benchmark, number))["refused"] == {}
    assert states(benchmark) == ["draft"] * 4 + ["to_do"]
    assert Draft.objects.get(annotation__sample__key="s-0003").content["question"] == "Half a thou"
    assert not Annotation.objects.filter(sample__key="s-0004").exists()
    assert take_one(ana, benchmark).state == "draft"


def test_a_file_does_not_bring_back_what_was_discarded(lea: User) -> None:
    benchmark = make_benchmark(lea, count=2)
    discarded(lea, benchmark, samples=benchmark.samples.filter(key="mug-001"))
    fill(lea, benchmark, 0, 2)
    assert states(benchmark) == ["accepted", "discarded"]
    assert list(Gold.objects.values_list("sample__key", flat=True)) == ["mug-000"]
    assert reopened(lea, benchmark.samples.select_related("benchmark").get(key="mug-001"))["done"] == ["mug-001"]


def test_opening_again_is_refused_for_what_is_not_settled_and_for_who_left(
    benchmark: Benchmark, ana: User, bo: User, lea: User
) -> None:
    set_roles(actor=lea, benchmark=benchmark, user=ana, roles=[Role.RESEARCHER])
    receipt = reopen_samples(
        actor=lea, benchmark=benchmark, samples=benchmark.samples.all(), reason="The mug moved.", key="one"
    )
    refused = answer_of(receipt)["refused"]
    assert refused["s-0000"] == "Ana Lind, the previous annotator, no longer annotates. Choose another person."
    assert refused["s-0004"] == "It is to do. Only accepted and discarded samples can be reopened."
    assert len(refused) == 5
    assert reopened(lea, sample_of(benchmark, 0), "The mug moved.", bo)["done"] == ["s-0000"]
    told = timeline(sample_of(benchmark, 0), lea)[-1]
    assert (told.who, told.words, told.before, told.after, told.why) == (
        "Lea Moreau", "reopened", "accepted", "draft", "The mug moved.",
    )  # fmt: skip
    assert take_one(bo, benchmark).key == "s-0000"
    submit(actor=bo, sample=sample_of(benchmark, 0), version=1, content=content(answer=["A"]))
    revisions = Revision.objects.filter(annotation__sample__key="s-0000").order_by("number")
    assert list(revisions.values_list("number", "author__name")) == [
        (1, "Ana Lind"),
        (2, "Bo Ek"),
    ]


ACTS: dict[str, Callable[[User, Benchmark, str], Receipt]] = {
    "give": lambda lead, b, key: assign_samples(actor=lead, benchmark=b, samples=b.samples.all(), to=lead, key=key),
    "return": lambda lead, b, key: return_samples(
        actor=lead, benchmark=b, samples=b.samples.all(), reasons=["typo"], comment="", key=key
    ),
    "discard": lambda lead, b, key: discard_samples(
        actor=lead, benchmark=b, samples=b.samples.all(), reasons=["typo"], comment="", key=key
    ),
    "open again": lambda lead, b, key: reopen_samples(
        actor=lead, benchmark=b, samples=b.samples.all(), reason="Wrong.", key=key
    ),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_the_same_request_again_changes_nothing(benchmark: Benchmark, lea: User, act: Any) -> None:
    first = act(lea, benchmark, "one")
    before = states(benchmark), AuditEntry.objects.count(), Annotation.objects.count()
    assert act(lea, benchmark, "one") == first
    assert (states(benchmark), AuditEntry.objects.count(), Annotation.objects.count()) == before
    assert len(first.answer["done"]) + len(first.answer["refused"]) == 5


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_only_a_lead_may_and_of_another_benchmark_nothing_is_touched(
    benchmark: Benchmark, ana: User, rui: User, lea: User, act: Any
) -> None:
    for person in (ana, rui):
        with pytest.raises(NotAllowed):
            act(person, benchmark, "one")
    other = to_annotate(1, "cellar", lead=lea)
    with pytest.raises(InvalidInput, match="at least one"):
        discarded(lea, other, samples=benchmark.samples.all())
    assert not Receipt.objects.filter(answer__has_key="done").exists()


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("about", "field"),
    [({"reasons": [], "comment": ""}, "reasons"), ({"reasons": ["because"]}, "reasons"), ({"samples": None}, "id")],
)
def test_without_a_reason_or_a_sample_nothing_happens(
    benchmark: Benchmark, lea: User, about: dict[str, Any], field: str
) -> None:
    if "samples" in about:
        about = {"samples": benchmark.samples.none()}
    for act in (returned, discarded):
        with pytest.raises(InvalidInput) as caught:
            act(lea, benchmark, **about)
        assert caught.value.field == field
    assert states(benchmark) == ["accepted", "in_review", "returned", "draft", "to_do"]
    assert not Receipt.objects.filter(user=lea).exists()


@pytest.mark.one_database
@pytest.mark.endurance
def test_thousands_take_as_many_queries_as_dozens(ana: User, lea: User) -> None:
    """Given away, discarded and reopened: each with an entry in the log for every sample."""
    counts: list[list[int]] = []
    for number, slug in ((40, "few"), (2200, "many")):
        benchmark = to_annotate(number, slug, annotator=ana, lead=lea)
        made = Annotation.objects.bulk_create(
            [
                Annotation(sample=sample, author=ana, place=0, state="accepted")
                for sample in benchmark.samples.all()[::2]
            ]
        )
        Revision.objects.bulk_create([Revision(annotation=one, author=ana, answer_type="open") for one in made])
        benchmark.samples.filter(pk__in=[one.sample_id for one in made]).update(state="accepted")
        taken: list[int] = []
        for name in ("give", "discard", "open again", "give"):
            forget_audit_entries()
            with CaptureQueriesContext(connection) as queries:
                receipt = ACTS[name](lea, benchmark, f"{slug} {name} {len(taken)}")
            assert len(receipt.answer["done"]) in (number, number / 2)
            assert AuditEntry.objects.count() == len(receipt.answer["done"])
            taken.append(len(queries))
        counts.append(taken)
    assert counts[0] == counts[1]
    assert max(counts[1]) < 45


def test_a_lead_releases_what_somebody_holds(benchmark: Benchmark, ana: User, rui: User, lea: User) -> None:
    drafted(ana, benchmark)
    next_review(rui, benchmark)
    with pytest.raises(NotAllowed):
        release_lease(actor=ana, lease=Lease.objects.filter(seat=ANNOTATE).first())
    for lease in Lease.objects.select_related("sample__benchmark", "user"):
        release_lease(actor=lea, lease=lease)
        release_lease(actor=lea, lease=lease)
    assert not Lease.objects.exists()
    assert Annotation.objects.get(sample=sample_of(benchmark, 1)).state == "submitted"
    assert Draft.objects.filter(annotation__author=ana).exists()
    seats = AuditEntry.objects.filter(action="sample.release").values_list("data__seat", flat=True)
    assert set(seats) == {"annotate", "review"}
