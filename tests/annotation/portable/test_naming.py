"""The benchmarks that name a person are found in every table, so that no one gives away work of another lead."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.read.naming import ELSEWHERE, benchmarks_naming, naming_fields, paths_to_benchmark
from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import (
    Annotation,
    Assignment,
    Benchmark,
    Comment,
    Mention,
    WorkPackage,
)
from evaluation.models import FailureLabel, Judgement, JudgingQueue, Model, Note, Run, Trajectory
from tests.annotation.portable.test_take_over import NEW, ZOE, copy, invited, sends_email, worker
from tests.factories import make_user
from webapp.accounts import actions
from webapp.accounts.models import User
from webapp.common.errors import Conflict

pytestmark = pytest.mark.django_db

assert copy
assert sends_email
assert worker


def test_every_table_that_names_a_person_leads_to_a_benchmark_or_is_an_exception_with_a_reason() -> None:
    """A new table fails here if no foreign key leads to its benchmark. Give it one, or the reason why it has none."""
    lost = {model._meta.label_lower for model, _ in naming_fields() if not paths_to_benchmark(model)}
    assert lost == set(ELSEWHERE)
    assert all(ELSEWHERE.values())
    fields = {(model._meta.label_lower, field) for model, field in naming_fields()}
    assert {
        ("annotation.comment", "resolved_by"), ("evaluation.judgement", "person"), ("evaluation.note", "author"),
        ("annotation.workpackage_people", "user"), ("evaluation.judgingqueue_begun", "user"),
    } <= fields  # fmt: skip


def judgement(run: Run, trajectory: Trajectory, person: User) -> None:
    Judgement.objects.create(
        run=run, sample=trajectory.sample, trajectory=trajectory, kind="reliability", person=person, judge=person.email
    )


def resolved(trajectory: Trajectory, person: User) -> None:
    annotation = Annotation.objects.create(sample=trajectory.sample)
    lea = User.objects.get(name="Lea Moreau")
    Comment.objects.create(annotation=annotation, author=lea, text="?", resolved_by=person)


def mentioned(trajectory: Trajectory, person: User) -> None:
    annotation = Annotation.objects.create(sample=trajectory.sample)
    comment = Comment.objects.create(annotation=annotation, author=User.objects.get(name="Lea Moreau"), text="?")
    Mention.objects.create(comment=comment, person=person)


def planned(benchmark: Benchmark, person: User) -> None:
    WorkPackage.objects.create(benchmark=benchmark, title="Mugs", due_at="2030-01-01T00:00:00Z").people.add(person)


NAMED: dict[str, Any] = {
    "a judgment": lambda run, trajectory, person: judgement(run, trajectory, person),
    "a note": lambda run, trajectory, person: Note.objects.create(trajectory=trajectory, author=person, text="?"),
    "a run": lambda run, trajectory, person: Run.objects.filter(pk=run.pk).update(created_by=person),
    "a failure": lambda run, trajectory, person: FailureLabel.objects.create(
        benchmark=run.benchmark, trajectory=trajectory, person=person, failure=1
    ),
    "a judging queue": lambda run, trajectory, person: JudgingQueue.objects.create(
        benchmark=run.benchmark, seed="1", drawn_from=1
    ).begun.add(person),
    "a resolved comment": lambda run, trajectory, person: resolved(trajectory, person),
    "a mention": lambda run, trajectory, person: mentioned(trajectory, person),
    "an assignment": lambda run, trajectory, person: Assignment.objects.create(sample=trajectory.sample, user=person),
    "a work package": lambda run, trajectory, person: planned(run.benchmark, person),
    "a benchmark": lambda run, trajectory, person: Benchmark.objects.filter(pk=run.benchmark.pk).update(
        created_by=person
    ),
}


@pytest.fixture
def trajectory() -> Trajectory:
    """A trajectory in a benchmark that Sam leads."""
    other = create_benchmark(actor=make_user("Sam Ode"), slug="other")
    run = Run.objects.create(benchmark=other, model=Model.objects.create(name="m"), number=1)
    return Trajectory.objects.create(run=run, sample=other.samples.create(key="a"), digest="0")


@pytest.mark.parametrize("what", NAMED)
def test_whoever_is_named_in_a_benchmark_of_another_lead_is_not_given_away(
    copy: Benchmark, worker: User, lea: User, trajectory: Trajectory, what: str
) -> None:
    secret = invited(lea, copy, worker)
    assert benchmarks_naming(worker) == {copy.pk}
    NAMED[what](trajectory.run, trajectory, worker)
    assert benchmarks_naming(worker) == {copy.pk, trajectory.run.benchmark_id}
    with pytest.raises(Conflict, match="another lead"):
        actions.accept_invitation(secret, name="Zoe", password=NEW)
    assert not User.objects.get(pk=worker.pk).is_active


def test_what_is_in_the_trash_counts(copy: Benchmark, worker: User, trajectory: Trajectory) -> None:
    judgement(trajectory.run, trajectory, worker)
    sample, other = trajectory.sample, trajectory.run.benchmark
    type(sample).everything.filter(pk=sample.pk).update(benchmark=None, removed_from=other, deleted_at=timezone.now())
    assert benchmarks_naming(worker) == {copy.pk, other.pk}


def test_judgments_have_the_address_of_the_account_afterward(copy: Benchmark, worker: User, lea: User) -> None:
    run = Run.objects.create(benchmark=copy, model=Model.objects.create(name="m"), number=1)
    keys = sorted(copy.samples.values_list("key", flat=True))[:2]
    first, second = (Trajectory.objects.create(run=run, sample=copy.samples.get(key=key), digest=key) for key in keys)
    judgement(run, first, worker)
    judgement(run, second, worker)
    Judgement.objects.create(run=run, sample=second.sample, trajectory=second, kind="reliability", judge=ZOE)
    before = worker.email
    actions.accept_invitation(invited(lea, copy, worker), name="Zoe", password=NEW)
    judges = Judgement.objects.filter(person=worker).order_by("trajectory").values_list("judge", flat=True)
    assert list(judges) == [ZOE, before]
