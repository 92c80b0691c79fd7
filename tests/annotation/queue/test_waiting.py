"""What a person is told that waits for them is what the queue then hands out, one by one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.present.cards import waiting_for
from annotation.content.drafts import draft_of
from annotation.models import Annotation, Benchmark, Lease, Pause, Sample
from annotation.queue.assignment import next_to_annotate
from annotation.queue.leases import ANNOTATE, release, take
from annotation.queue.pauses import pause, resume
from annotation.queue.settings import set_queue
from annotation.queue.skip import skip
from annotation.review.write.decisions import Decision, decide, next_to_review, start_review
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.workflow import is_overlapped
from tests.annotation.work_data import (
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
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

pytestmark = pytest.mark.django_db
LONG = timedelta(minutes=30)


@made_once
def busy(ana: User, bo: User, rui: User, lea: User) -> Benchmark:
    """A bit of everything, and no lease of Ana's left."""
    benchmark = to_annotate(24, annotator=[ana, bo], reviewer=rui, lead=lea)
    for decision in ("return", "accept", "return"):
        submitted(ana, benchmark)
        reviewed(rui, next_review(rui, benchmark), decision, comment="Tighter.")
        Lease.objects.filter(user=ana).delete()
        Annotation.objects.filter(state="returned").update(state="submitted")
    Annotation.objects.filter(state="submitted").update(state="returned")
    Sample.objects.filter(annotations__state="returned").update(state="returned")
    reopened(lea, Sample.objects.get(state="accepted"))
    fresh = list(Sample.objects.filter(state="to_do").order_by("key").select_related("benchmark"))
    skip(actor=ana, sample=fresh[0], reason="Too blurred.")
    skip(actor=ana, sample=Sample.objects.filter(state="returned").first(), reason="Not mine any more.")
    assigned(lea, benchmark, bo, fresh[1].key)
    assigned(lea, benchmark, ana, fresh[2].key)
    take(bo, fresh[3].pk, ANNOTATE, LONG)
    take(bo, fresh[4].pk, ANNOTATE, LONG)
    Lease.objects.filter(sample=fresh[4]).update(expires_at=timezone.now() - LONG)
    for sample in fresh[5:9]:
        submit(actor=bo, sample=sample, version=0, content=content())
    Lease.objects.filter(user=bo).exclude(sample=fresh[3]).delete()
    skip(actor=rui, sample=fresh[5], reason="I know the place.", seat=Lease.Seat.REVIEW)
    start_review(lea, Sample.objects.select_related("benchmark").get(pk=fresh[6].pk))
    Sample.objects.filter(pk=fresh[9].pk).update(key="zz-left")
    left = Sample.objects.select_related("benchmark").get(key="zz-left")
    save_draft(actor=ana, sample=left, version=0, content=content())
    release(ana, left.pk, ANNOTATE)
    return benchmark


def told(user: User) -> dict[str, int]:
    return {row.kind: row.count for row in waiting_for(user)}


def handed_to_annotate(user: User, benchmark: Benchmark) -> list[str]:
    """Everything the queue hands this person, each submitted before the next."""
    keys: list[str] = []
    while (sample := next_to_annotate(actor=user, benchmark=benchmark)) is not None:
        assert sample.key not in keys
        keys.append(sample.key)
        annotation = Annotation.objects.filter(sample=sample, author=user).select_related("draft").first()
        stored = draft_of(annotation) if annotation else None
        submit(actor=user, sample=sample, version=stored.version if stored else 0, content=content())
        Lease.objects.filter(user=user).delete()
    return keys


def handed_to_review(user: User, benchmark: Benchmark) -> list[str]:
    keys: list[str] = []
    while (sample := next_to_review(actor=user, benchmark=benchmark)) is not None:
        keys.append(sample.key)
        reviewed(user, sample, "accept")
    return keys


def listed(user: User, kind: str) -> int:
    return int(signed_in(user).get("/benchmarks/kitchen/samples/", {"waiting": kind}).context["total"])


OVERLAPS: dict[str, dict[str, Any]] = {
    "one annotates": {},
    "two annotate": {"overlap": 2},
    "two annotate a share": {"overlap": 2, "overlap_share": 0.4},
}


@pytest.mark.parametrize("rule", OVERLAPS.values(), ids=OVERLAPS)
@pytest.mark.endurance
def test_an_annotator_is_handed_as_many_as_were_told(busy: Benchmark, ana: User, lea: User, rule: Any) -> None:
    set_queue(actor=lea, benchmark=busy, order="sequential", **rule)
    waits = told(ana)
    assert (waits["returned"], waits["drafts"]) == (1, 2)
    assert {kind: listed(ana, kind) for kind in waits} == waits
    context = signed_in(ana).get("/benchmarks/kitchen/annotate/").context
    assert (len(context["returned"]), len(context["drafts"]), context["to_do"]) == tuple(
        waits[kind] for kind in ("returned", "drafts", "annotate")
    )
    keys = handed_to_annotate(ana, busy)
    assert len(keys) == sum(waits.values())
    assert keys[-1] == "zz-left", "A draft that was left comes last."
    assert told(ana) == {}


@pytest.mark.parametrize("rule", OVERLAPS.values(), ids=OVERLAPS)
def test_a_reviewer_is_handed_as_many_as_were_told(busy: Benchmark, rui: User, lea: User, rule: Any) -> None:
    set_queue(actor=lea, benchmark=busy, order="sequential", **rule)
    waits = told(rui).get("review", 0)
    assert listed(rui, "review") == waits
    assert signed_in(rui).get("/benchmarks/kitchen/review/").context["waiting_n"] == waits
    assert len(handed_to_review(rui, busy)) == waits
    assert told(rui) == {}


def test_what_came_back_is_first_then_what_was_given_then_the_others(busy: Benchmark, ana: User) -> None:
    states = dict(Sample.objects.values_list("key", "state"))
    keys = handed_to_annotate(ana, busy)
    assert {states[key] for key in keys[:2]} == {"returned", "draft"}
    assert keys[2] == "s-0005", "It was assigned to her."
    assert keys[3:-1] == sorted(keys[3:-1])


PAUSES: dict[str, Callable[[User], User | None]] = {"the person": lambda person: person, "everybody": lambda _: None}


@pytest.mark.parametrize("whom", PAUSES.values(), ids=PAUSES)
def test_while_paused_nothing_new_is_handed_out_but_what_was_begun_is(
    busy: Benchmark, ana: User, rui: User, lea: User, whom: Any
) -> None:
    before = told(ana)
    for person in (ana, rui):
        pause(actor=lea, benchmark=busy, user=whom(person), reason="New guidelines come tomorrow.")
    assert told(ana) == {kind: n for kind, n in before.items() if kind != "annotate"}
    assert told(rui) == {}
    assert len(handed_to_annotate(ana, busy)) == before["returned"] + before["drafts"]
    assert next_to_review(actor=rui, benchmark=busy) is None
    assert "New guidelines come tomorrow." in signed_in(ana).get("/benchmarks/kitchen/annotate/").content.decode()
    for person in (ana, rui):
        resume(actor=lea, benchmark=busy, user=whom(person))
    assert told(ana)["annotate"] == before["annotate"]
    assert next_to_annotate(actor=ana, benchmark=busy) is not None


def test_who_is_paused_begins_nothing_by_its_address_either_but_goes_on_with_what_they_hold(
    ana: User, lea: User
) -> None:
    benchmark = to_annotate(2, annotator=ana, lead=lea)
    held = take_one(ana, benchmark)
    pause(actor=lea, benchmark=benchmark, user=ana, reason="Please read the guidelines.")
    submit(actor=ana, sample=held, version=0, content=content())
    other = Sample.objects.select_related("benchmark").get(key="s-0001")
    with pytest.raises(Conflict, match="Please read the guidelines") as caught:
        submit(actor=ana, sample=other, version=0, content=content())
    assert caught.value.code == "paused"


def test_pausing_is_the_leads_and_twice_is_once(ana: User, lea: User, sam: User) -> None:
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    with pytest.raises(NotAllowed):
        pause(actor=ana, benchmark=benchmark, reason="Tired.")
    for wrong in ({"reason": ""}, {"reason": "Why not.", "user": sam}):
        with pytest.raises(InvalidInput):
            pause(actor=lea, benchmark=benchmark, **wrong)
    first = pause(actor=lea, benchmark=benchmark, reason="Lunch.")
    assert pause(actor=lea, benchmark=benchmark, reason="Dinner.") == first
    assert [resume(actor=lea, benchmark=benchmark) for _ in range(2)] == [True, False]
    assert Pause.objects.get().lifted_by == lea
    assert drafted(ana, benchmark).key == "s-0000"


@pytest.mark.endurance
def test_a_share_of_samples_is_drawn_alike_in_the_database_and_grows_with_itself(lea: User, ana: User) -> None:
    benchmark = to_annotate(200, annotator=ana, lead=lea)
    drawn: list[set[int]] = []
    for share in (0.1, 0.5, 1.0):
        set_queue(
            actor=lea, benchmark=benchmark, order="sequential", overlap=2, overlap_share=share,
            overlap_mode="independent",
        )  # fmt: skip
        Lease.objects.all().delete()
        for sample in benchmark.samples.all():
            take(lea, sample.pk, ANNOTATE, LONG)
        [queue] = Benchmark.objects.queues_for(ana)
        beside = set(Sample.objects.open_to(ana, [queue]).values_list("pk", flat=True))
        assert beside == {sample.pk for sample in benchmark.samples.all() if is_overlapped(sample.pk, share)}
        assert len(beside) == pytest.approx(200 * share, abs=3)
        drawn.append(beside)
    assert drawn[0] < drawn[1] < drawn[2]


def test_a_sample_is_kept_as_long_as_the_queue_says(ana: User, lea: User) -> None:
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", lease_minutes=45)
    take_one(ana, benchmark)
    lease = Lease.objects.get()
    assert timedelta(0) <= lease.expires_at - lease.taken_at - timedelta(minutes=45) < timedelta(minutes=1)
    take_one(ana, benchmark)
    assert Lease.objects.get().taken_at == lease.taken_at


def test_without_the_blind_check_a_reviewer_sees_the_gold_and_decides_at_once(ana: User, rui: User, lea: User) -> None:
    benchmark = to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    sample = submitted(ana, benchmark)
    address = f"/benchmarks/kitchen/review/samples/{sample.key}/"
    assert signed_in(rui).get(address).context["blind"] is True
    set_queue(actor=lea, benchmark=benchmark, order="sequential", blind="off")
    page = signed_in(rui).get(address)
    assert (page.context["blind"], page.context["review"]["content"]["answer"]) == (False, ["B"])
    decide(actor=rui, sample=sample, decision=Decision("accept"))
    assert Sample.objects.get().state == "accepted"
