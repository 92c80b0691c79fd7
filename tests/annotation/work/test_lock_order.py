"""Work on one sample at the same moment never ends in a deadlock: every transaction locks rows in the same order."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.images.store import store_picture
from annotation.models import Annotation, Benchmark, Image, Lease, Sample
from annotation.queue.assignment import hand_out
from annotation.queue.hand_over import hand_in_now, take_back
from annotation.queue.leave_review import leave_review
from annotation.queue.settings import set_queue
from annotation.queue.skip import skip
from annotation.review.write.decisions import Decision, answer_blind, decide
from annotation.studio.write.another import ask_another
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.work.write.assignment import assign_samples
from annotation.work.write.discard import discard_samples
from annotation.work.write.leases import release_lease
from annotation.work.write.replacement import replace_image
from annotation.work.write.returns import return_samples
from annotation.workflow import Role, SampleState, State
from evaluation.trash.write.samples import delete_samples
from tests.annotation.work.test_replacement import png
from tests.annotation.work_data import KEYS, content, reopened, to_annotate
from tests.crossing import problems_of
from tests.factories import make_user
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@dataclass
class Kitchen:
    """People, and a fresh sample for each meeting of two acts."""

    benchmark: Benchmark
    ana: User
    bo: User
    rui: User
    lea: User
    image: Image
    taken: int = 0
    names: int = 0

    def fresh(self) -> Sample:
        """A sample to do, the only one that waits for anyone."""
        Lease.objects.all().delete()
        Annotation.objects.update(state=State.DISCARDED)
        Sample.objects.filter(benchmark=self.benchmark).update(state=SampleState.DISCARDED)
        self.taken += 1
        image = Image.objects.create(
            sha256=f"{self.taken:064x}", width=1000, height=800, format="JPEG", bytes=1, state=Image.State.READY
        )
        key = f"s-{self.taken:04}"
        made = Sample.objects.create(benchmark=self.benchmark, key=key, image=image, width=1000, height=800)
        return self.again(made)

    def again(self, sample: Sample) -> Sample:
        """The sample as a request finds it."""
        return Sample.objects.select_related("benchmark", "image").get(pk=sample.pk)

    def to_do(self) -> Sample:
        return self.fresh()

    def drafted(self) -> Sample:
        sample = self.fresh()
        save_draft(actor=self.ana, sample=sample, version=0, content=content())
        return self.again(sample)

    def submitted(self, **changes: Any) -> Sample:
        sample = self.drafted()
        submit(actor=self.ana, sample=sample, version=1, content=content(**changes))
        return self.again(sample)

    def returned(self) -> Sample:
        sample = self.in_review()
        decide(actor=self.rui, sample=sample, decision=Decision("return", comment="Look again."))
        return self.again(sample)

    def in_review(self, **changes: Any) -> Sample:
        sample = self.submitted(**changes)
        answer_blind(actor=self.rui, sample=sample, answer="B", unsure=False, seconds=1)
        return self.again(sample)

    def accepted(self, **changes: Any) -> Sample:
        sample = self.in_review(**changes)
        decide(actor=self.rui, sample=sample, decision=Decision("accept"))
        return self.again(sample)

    def one(self, sample: Sample) -> Any:
        return Sample.objects.filter(pk=sample.pk)

    def new_tool(self) -> dict[str, Any]:
        self.names += 1
        return content(targets=[{"tool": f"tool {self.names}", "step": 1}])

    def of_lead(self, sample: Sample) -> dict[str, Any]:
        return {"actor": self.lea, "benchmark": self.benchmark, "samples": self.one(sample), "key": next(KEYS)}


Act = Callable[[Kitchen, Sample], Any]


def lead_releases(k: Kitchen, sample: Sample) -> None:
    for lease in Lease.objects.filter(sample=sample).select_related("sample__benchmark", "user"):
        release_lease(actor=k.lea, lease=lease)


LEAD: dict[str, Act] = {
    "assign": lambda k, s: assign_samples(to=k.bo, **k.of_lead(s)),
    "discard": lambda k, s: discard_samples(reasons=[], comment="Unclear.", **k.of_lead(s)),
    "replace": lambda k, s: replace_image(
        actor=k.lea, sample=s, image=k.image, scale=False, comment="A sharper scan.", key=next(KEYS)
    ),
    "delete": lambda k, s: delete_samples(actor=k.lea, benchmark=k.benchmark, keys=[s.key]),
    "release": lead_releases,
}
AUTHOR: dict[str, Act] = {
    "save first": lambda k, s: save_draft(actor=k.ana, sample=s, version=0, content=content()),
    "save": lambda k, s: save_draft(actor=k.ana, sample=s, version=1, content=content(question="Which color?")),
    "submit": lambda k, s: submit(actor=k.ana, sample=s, version=1, content=content(), key=next(KEYS)),
    "submit first": lambda k, s: submit(actor=k.ana, sample=s, version=0, content=content(), key=next(KEYS)),
    "submit new tool": lambda k, s: submit(actor=k.ana, sample=s, version=1, content=k.new_tool()),
    "skip": lambda k, s: skip(actor=k.ana, sample=s, reason="Unclear."),
    "next": lambda k, s: hand_out(k.bo, k.benchmark),
    "ask": lambda k, s: ask_another(actor=k.ana, sample=s, copy=True),
    "take back": lambda k, s: take_back(actor=k.ana, sample=s),
    "hand in": lambda k, s: hand_in_now(actor=k.ana, sample=s),
}
REVIEWER: dict[str, Act] = {
    "blind": lambda k, s: answer_blind(actor=k.rui, sample=s, answer="B", unsure=False, seconds=1),
    "accept": lambda k, s: decide(actor=k.rui, sample=s, decision=Decision("accept")),
    "fix": lambda k, s: decide(
        actor=k.rui, sample=s, decision=Decision("fix_and_accept", content=content(answer=["A"]))
    ),
    "fix new tool": lambda k, s: decide(
        actor=k.rui, sample=s, decision=Decision("fix_and_accept", content=k.new_tool())
    ),
    "return": lambda k, s: decide(actor=k.rui, sample=s, decision=Decision("return", comment="Look again.")),
    "leave": lambda k, s: leave_review(actor=k.rui, sample=s),
}
SEND_BACK: dict[str, Act] = {
    "send back": lambda k, s: return_samples(reasons=[], comment="Look again.", **k.of_lead(s)),
}
REOPEN: dict[str, Act] = {"reopen": lambda k, s: reopened(k.lea, s)}


def acts(*names: str) -> dict[str, Act]:
    known = LEAD | AUTHOR | REVIEWER | SEND_BACK | REOPEN
    return {name: known[name] for name in names}


STATES: dict[str, tuple[Callable[[Kitchen], Sample], dict[str, Act]]] = {
    "to do": (Kitchen.to_do, LEAD | acts("save first", "submit first", "skip", "next", "ask")),
    "draft": (Kitchen.drafted, LEAD | acts("save", "submit", "submit new tool", "skip", "next", "ask")),
    "returned": (Kitchen.returned, LEAD | acts("save", "submit", "skip")),
    "submitted": (Kitchen.submitted, LEAD | SEND_BACK | acts("blind", "skip")),
    "in review": (Kitchen.in_review, LEAD | SEND_BACK | REVIEWER),
    "accepted": (Kitchen.accepted, LEAD | REOPEN),
}
SHORT = {
    ("to do", "save first", "submit first"),
    ("draft", "skip", "discard"),
    ("draft", "save", "skip"),
    ("draft", "submit new tool", "replace"),
    ("in review", "delete", "discard"),
}
"""Pairs that failed once; the others are for a long run."""
LONG = ((), pytest.mark.endurance)
EVERY = int(os.environ.get("LOCK_PAIRS", "4"))
"""One of so many other pairs is tested: each takes seconds, and all of them half an hour. ``LOCK_PAIRS=1``: all."""
ALL = [
    (state, first, second)
    for state, (_, known) in STATES.items()
    for pair in combinations_with_replacement(known, 2)
    for first, second in sorted({pair, pair[::-1]})
]
PAIRS = sorted({*SHORT, *ALL[::EVERY]}, key=ALL.index)


@pytest.fixture(autouse=True)
def files_elsewhere(tmp_path: Any, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


@pytest.fixture
def kitchen(ana: User, rui: User, lea: User) -> Kitchen:
    benchmark = to_annotate(0, annotator=ana, reviewer=rui, lead=lea)
    bo = make_user("Bo Ek")
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", take_back_minutes=0)
    image = store_picture(actor=lea, benchmark=benchmark, source=png(40))
    return Kitchen(benchmark, ana, bo, rui, lea, image)


@pytest.mark.parametrize(
    ("state", "first", "second"), [pytest.param(*pair, marks=LONG[pair not in SHORT]) for pair in PAIRS]
)
def test_two_acts_on_a_sample_do_not_deadlock(kitchen: Kitchen, state: str, first: str, second: str) -> None:
    """Each act that a sample in this state allows, against each other one, at each lock of the first."""
    make, known = STATES[state]
    act, other = known[first], known[second]
    assert list(problems_of(lambda: make(kitchen), lambda s: act(kitchen, s), lambda s: other(kitchen, s))) == []
