"""Two people, or two pages of one person, in a human study at the same moment: over two real connections."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.models import Experiment, HumanAnswer, Participant, Run, Trajectory
from evaluation.studies.write.answers import answer, finish, next_to_answer, renew, skip
from evaluation.studies.write.states import close
from tests import at_once
from tests.evaluation.studies.study_data import answer_all, make_study_benchmark, open_study, said
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def lea() -> User:
    return make_user("Lea Moreau")


@pytest.fixture
def ana() -> User:
    return make_user("Ana Lind")


@pytest.fixture
def rui() -> User:
    return make_user("Rui Costa")


@pytest.fixture
def street(lea: User, ana: User, rui: User) -> Benchmark:
    return make_study_benchmark(lea, {ana: Role.ANNOTATOR, rui: Role.REVIEWER}, {"seen": 4})


@pytest.fixture
def study(lea: User, street: Benchmark) -> Experiment:
    """Two samples, each for one person."""
    return open_study(lea, street, n=2, facets=(), people=1)


def held(person: User, study: Experiment) -> HumanAnswer:
    item = next_to_answer(actor=person, study=study)
    assert item is not None
    return loaded(item, study)


def loaded(item: HumanAnswer, study: Experiment) -> HumanAnswer:
    """As a page of its own loads it."""
    found = HumanAnswer.objects.select_related("sample__image").get(pk=item.pk)
    found.experiment, found.sample.benchmark = study, study.benchmark
    return found


def expired(item: HumanAnswer) -> None:
    HumanAnswer.objects.filter(pk=item.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


meanwhile = partial(at_once.meanwhile, results=True)


def places(study: Experiment) -> list[tuple[int, int]]:
    """Sample and place of all that is held or answered."""
    taken = study.human_answers.filter(place__isnull=False).order_by("sample", "place")
    return list(taken.values_list("sample", "place"))


def test_two_people_who_begin_at_once_get_two_samples_and_two_numbers(ana: User, rui: User, study: Experiment) -> None:
    with meanwhile(lambda: next_to_answer(actor=rui, study=study)) as other:
        mine = next_to_answer(actor=ana, study=study)
    assert mine is not None
    assert mine.sample_id != other[0].sample_id
    assert sorted(Participant.objects.values_list("number", flat=True)) == [0, 1]
    assert len(set(places(study))) == 2


def test_the_last_place_of_a_sample_goes_to_one_of_two_people(ana: User, rui: User, study: Experiment) -> None:
    first = held(ana, study)
    answer(actor=ana, item=first, said=said(first))
    skip(actor=ana, item=held(ana, study))
    # One sample is left, with one place: Rui and Mia both ask for it.
    mia = make_user("Mia Berg")
    add_member(actor=None, benchmark=study.benchmark, user=mia, role=Role.REVIEWER)
    with meanwhile(lambda: next_to_answer(actor=mia, study=study)) as other:
        mine = next_to_answer(actor=rui, study=study)
    assert (mine is not None, other) == (True, [None])
    assert len(places(study)) == len(set(places(study))) == 2


def test_two_pages_of_one_person_are_assigned_one_sample(ana: User, study: Experiment) -> None:
    with meanwhile(lambda: next_to_answer(actor=ana, study=study)) as other:
        mine = next_to_answer(actor=ana, study=study)
    assert mine is not None
    assert other[0].pk == mine.pk
    assert Participant.objects.count() == 1
    assert len(places(study)) == 1


def test_an_answer_that_two_pages_send_is_kept_once_as_it_came_first(ana: User, study: Experiment) -> None:
    item = held(ana, study)
    again = loaded(item, study)
    with meanwhile(lambda: answer(actor=ana, item=again, said=said(again, "B"))) as other:
        answer(actor=ana, item=item, said=said(item, "A"))
    assert isinstance(other[0], HumanAnswer)
    assert HumanAnswer.objects.get(pk=item.pk).answer == "A"
    assert AuditEntry.objects.filter(action="study.answer").count() == 1


def test_a_sample_that_one_page_skips_while_another_answers_it_is_one_of_both(ana: User, study: Experiment) -> None:
    item = held(ana, study)
    again = loaded(item, study)
    with meanwhile(lambda: answer(actor=ana, item=again, said=said(again))) as other:
        skip(actor=ana, item=item)
    assert [type(one) for one in other] == [Conflict]
    kept = HumanAnswer.objects.get(pk=item.pk)
    assert (kept.place, kept.done_at) == (None, None)


ACTS: dict[str, Callable[[User, HumanAnswer], Any]] = {
    "answer": lambda person, item: answer(actor=person, item=item, said=said(item)),
    "renew": lambda person, item: renew(actor=person, item=item),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_sample_that_ran_out_is_one_persons_when_both_come_at_once(
    ana: User, rui: User, study: Experiment, act: str
) -> None:
    """Rui takes over what Ana let run out, in the moment in which she comes back to it."""
    item = held(ana, study)
    kept = HumanAnswer.objects.filter(person=ana)
    answer_all(rui, study, most=1)
    expired(item)
    with meanwhile(lambda: ACTS[act](ana, loaded_before)) as other:
        loaded_before = loaded(item, study)
        taken = next_to_answer(actor=rui, study=study)
    assert taken is not None
    assert (taken.pk, taken.person) == (item.pk, rui)
    assert [type(one) for one in other] == [Conflict]
    assert not kept.exists()
    assert HumanAnswer.objects.get(pk=item.pk).done_at is None


def test_who_comes_back_in_time_keeps_the_sample(ana: User, rui: User, study: Experiment) -> None:
    item = held(ana, study)
    answer_all(rui, study, most=1)
    expired(item)
    with meanwhile(lambda: next_to_answer(actor=rui, study=study)) as other:
        renew(actor=ana, item=item)
    assert other == [None]
    assert HumanAnswer.objects.get(pk=item.pk).person == ana


def test_an_answer_that_comes_while_the_study_closes_is_in_its_run_or_refused(
    lea: User, ana: User, study: Experiment
) -> None:
    first, item = answer_all(ana, study, most=1), held(ana, study)
    with meanwhile(lambda: answer(actor=ana, item=item, said=said(item))) as other:
        close(actor=lea, study=study)
    assert [type(one) for one in other] == [Conflict]
    run = Run.objects.get(model__name="People")
    assert Trajectory.objects.filter(run=run).count() == len(first) == study.human_answers.given().count()


def test_a_study_that_closes_waits_for_an_answer_under_way(lea: User, ana: User, study: Experiment) -> None:
    item = held(ana, study)
    with meanwhile(lambda: close(actor=lea, study=Experiment.objects.get(pk=study.pk))) as other:
        answer(actor=ana, item=item, said=said(item))
    assert other == [None]
    assert Trajectory.objects.filter(run__model__name="People").count() == 1


def test_two_leads_who_close_a_study_make_one_run(lea: User, ana: User, study: Experiment) -> None:
    answer_all(ana, study, most=1)
    with meanwhile(lambda: close(actor=lea, study=Experiment.objects.get(pk=study.pk))) as other:
        close(actor=lea, study=study)
    assert [type(one) for one in other] == [Conflict]
    assert Trajectory.objects.filter(run__model__name="People").count() == 1


def test_who_finishes_on_one_page_answers_nothing_on_another(ana: User, study: Experiment) -> None:
    item = held(ana, study)
    with meanwhile(lambda: answer(actor=ana, item=item, said=said(item))) as other:
        finish(actor=ana, study=study)
    assert [type(one) for one in other] == [Conflict]
    assert not HumanAnswer.objects.exists()


def test_who_finishes_on_one_page_is_assigned_nothing_on_another(ana: User, study: Experiment) -> None:
    answer_all(ana, study, most=1)
    with meanwhile(lambda: next_to_answer(actor=ana, study=study)) as other:
        finish(actor=ana, study=study)
    assert other == [None]
    assert study.human_answers.count() == 1


def test_a_study_that_closes_assigns_nothing_more(lea: User, ana: User, study: Experiment) -> None:
    with meanwhile(lambda: next_to_answer(actor=ana, study=study)) as other:
        close(actor=lea, study=study)
    assert other == [None]
    assert not study.human_answers.exists()
    assert not study.participants.exists()
