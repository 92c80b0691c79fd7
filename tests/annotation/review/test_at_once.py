"""Adjudicators, and people who still submit, at the same samples at the same moment: over real connections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection

from annotation.models import Adjudication, Annotation, Gold, Lease, Sample
from annotation.queue.settings import set_queue
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.review.write.decisions import next_to_review
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from tests.annotation.work_data import annotation_of, content, submitted, to_annotate
from tests.factories import make_user
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
VERDICTS = (
    Verdict("accept", content()),
    Verdict("accept", content(answer=["A"])),
    Verdict("accept", content(gold_boxes=[{"box": [90, 90, 130, 120], "label": ""}])),
    Verdict("discard", reasons=["not_verifiable"]),
)
"""The first annotation, the second, a combination, and neither."""


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Exception]:
    """Do all of these on connections of their own, which begin together. What they raised."""
    raised: list[Exception] = []
    together = Barrier(len(acts))

    def work(act: Callable[[], Any]) -> None:
        together.wait()
        try:
            act()
        except Exception as problem:  # noqa: BLE001 - told by the test's thread
            raised.append(problem)
        finally:
            connection.close()

    threads = [Thread(target=work, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def adjudicate_all(person: Any, benchmark: Any, draw: Random) -> None:
    """Decide what the queue gives, and each time try a sample that may be another's before."""
    every = list(Sample.objects.filter(benchmark=benchmark).select_related("benchmark"))
    sample = next_to_review(actor=person, benchmark=benchmark)
    while sample is not None:
        for target in (draw.choice(every), sample):
            try:
                sample = adjudicate(actor=person, sample=target, verdict=draw.choice(VERDICTS))
            except Conflict:
                sample = next_to_review(actor=person, benchmark=benchmark)
            if sample is None:
                return


@pytest.mark.parametrize(
    ("people", "count", "runs"),
    [(4, 10, 1), pytest.param(8, 200, 5, marks=[pytest.mark.endurance, pytest.mark.slow])],
    ids=["few", "many"],
)
def test_adjudicators_at_once_decide_each_sample_once_and_leave_nothing_waiting(people, count, runs, ana, bo, lea):
    adjudicators = [make_user(f"P{number} Person", email=f"p{number}@example.org") for number in range(people)]
    for run in range(runs):
        benchmark = to_annotate(count, slug=f"kitchen-{run}", annotator=[ana, bo], reviewer=adjudicators, lead=lea)
        set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
        for _ in range(count):
            submitted(ana, benchmark)
            submitted(bo, benchmark, answer=["A"])
        acts = [
            lambda person=person, at=at, run=run, benchmark=benchmark: adjudicate_all(
                person, benchmark, Random(f"{run} {at}")
            )
            for at, person in enumerate(adjudicators)
        ]
        assert at_once(acts) == []
        rounds = Adjudication.objects.filter(sample__benchmark=benchmark).values_list("sample", "decision")
        assert len(rounds) == count == len(dict(rounds))
        assert set(dict(rounds).values()) <= {"one", "mix", "discard"}
        left = Annotation.objects.filter(sample__benchmark=benchmark).values_list("sample", "state")
        assert {state for _, state in left} <= {"accepted", "superseded", "discarded"}
        accepted = Counter(sample for sample, state in left if state == "accepted")
        assert set(accepted.values()) <= {1}
        assert set(accepted) == set(Gold.objects.filter(sample__benchmark=benchmark).values_list("sample", flat=True))
        made = AuditEntry.objects.filter(action__in=["annotation.accept", "annotation.adjudicate"])
        assert made.filter(benchmark=benchmark.slug).count() == len(accepted)
    assert Lease.objects.count() == 0


@pytest.mark.parametrize("overlap", [1, 2])
@pytest.mark.endurance
def test_who_submits_while_the_sample_is_decided_is_superseded_and_never_becomes_gold(overlap, ana, bo, rui, lea):
    cy = make_user("Cy Dahl")
    benchmark = to_annotate(4, annotator=[ana, bo, cy], reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=3)
    for _ in range(4):
        save_draft(actor=cy, sample=submitted(ana, benchmark), version=0, content=content())
        submitted(bo, benchmark, answer=["A"])
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=overlap)
    for sample in Sample.objects.select_related("benchmark", "image"):
        raised = at_once(
            [
                lambda sample=sample: adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content())),
                lambda sample=sample: submit(actor=cy, sample=sample, version=1, content=content(answer=["A"])),
            ]
        )
        assert raised == []
        assert annotation_of(cy, sample).state == "superseded"
        assert Gold.objects.get(sample=sample).revision.annotation.author == ana
