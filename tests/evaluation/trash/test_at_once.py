"""A sample is deleted while another person submits, decides or freezes: over two real connections."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.content.freeze import freeze_version
from annotation.models import Annotation, Benchmark, Gold, Revision, Sample, VersionEntry
from annotation.review.write.decisions import Decision, answer_blind, decide
from annotation.studio.write.submit import submit
from evaluation.trash.write.samples import delete_samples, restore_sample
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.at_once import meanwhile
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def ana() -> User:
    return make_user("Ana Lind")


@pytest.fixture
def rui() -> User:
    return make_user("Rui Costa")


@pytest.fixture
def lea() -> User:
    return make_user("Lea Moreau")


@pytest.fixture
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    return to_annotate(2, annotator=ana, reviewer=rui, lead=lea)


def delete(lea: User, sample: Sample) -> Any:
    return delete_samples(actor=lea, benchmark=Benchmark.objects.get(), keys=[sample.key])


def restored(lea: User, sample: Sample) -> Sample:
    restore_sample(actor=lea, benchmark=Benchmark.objects.get(), sample=sample)
    return Sample.objects.get(pk=sample.pk)


def test_a_submission_that_comes_second_is_refused(ana: User, lea: User, kitchen: Benchmark) -> None:
    sample = take_one(ana, kitchen)
    with meanwhile(lambda: submit(actor=ana, sample=sample, version=0, content=content())) as refused:
        delete(lea, sample)
    [problem] = refused
    assert isinstance(problem, Conflict)
    assert problem.code == "sample_removed"
    assert not Revision.objects.exists()
    assert restored(lea, sample).state == "to_do"


def test_a_submission_that_comes_first_is_restored_with_the_sample(ana: User, lea: User, kitchen: Benchmark) -> None:
    sample = take_one(ana, kitchen)
    with meanwhile(lambda: delete(lea, sample)) as refused:
        submit(actor=ana, sample=sample, version=0, content=content())
    assert refused == []
    assert not Sample.objects.filter(pk=sample.pk).exists()
    assert restored(lea, sample).state == "in_review"
    assert Annotation.objects.get(sample=sample).state == "submitted"


def test_a_decision_that_comes_second_makes_no_gold(ana: User, rui: User, lea: User, kitchen: Benchmark) -> None:
    submitted(ana, kitchen)
    sample = next_review(rui, kitchen)
    answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=4.5)
    with meanwhile(lambda: decide(actor=rui, sample=sample, decision=Decision("accept"))) as refused:
        delete(lea, sample)
    assert [type(problem) for problem in refused] == [Conflict]
    assert not Gold.objects.exists()
    assert restored(lea, sample).state == "in_review"


def test_a_version_has_a_sample_or_it_is_in_the_trash(ana: User, rui: User, lea: User, kitchen: Benchmark) -> None:
    submitted(ana, kitchen)
    sample = next_review(rui, kitchen)
    reviewed(rui, sample, "accept")
    with meanwhile(lambda: delete(lea, sample)) as refused:
        freeze_version(actor=lea, benchmark=kitchen)
    assert [type(problem) for problem in refused] == [InvalidInput], "it is to be withdrawn, with a reason"
    assert VersionEntry.objects.get().sample.benchmark == kitchen
    other = submitted(ana, kitchen)
    reviewed(rui, next_review(rui, kitchen), "accept")
    with meanwhile(lambda: freeze_version(actor=lea, benchmark=kitchen)) as refused:
        delete(lea, other)
    assert [type(problem) for problem in refused] == [Conflict], "nothing has changed since version 1"
    assert VersionEntry.objects.count() == 1
