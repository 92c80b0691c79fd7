"""The first steps of a lead, ticked by what is there, and who may create a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from annotation.guidelines.write import publish
from annotation.models import Annotation, Benchmark
from annotation.queue.settings import set_queue
from annotation.samples.read.first_steps import MOST_ACCEPTED, PILOT, STEPS, first_steps
from annotation.task.write import activate, save_draft
from annotation.task_schema import TEMPLATES
from tests.annotation.pages_data import make_benchmark
from tests.annotation.work_data import next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NEW = "/benchmarks/new/"


TASK, GUIDELINES, IMAGES, PEOPLE, TWICE, AGREEMENT, OPEN = (str(step.title) for step in STEPS.values())


def ticked(benchmark: Benchmark) -> list[str]:
    return [str(step.title) for step in first_steps(benchmark, 0) if step.done]


def current(benchmark: Benchmark, accepted: int = 0) -> list[str]:
    return [str(step.title) for step in first_steps(benchmark, accepted) if step.now]


def annotated_twice(benchmark: Benchmark, people: Sequence[User], count: int, state: str) -> None:
    """That many more samples are annotated by these people, and in this state."""
    chosen = list(benchmark.samples.filter(annotations=None)[:count])
    rows = [(sample, place, person) for sample in chosen for place, person in enumerate(people)]
    Annotation.objects.bulk_create(Annotation(sample=s, author=p, place=n, state="submitted") for s, n, p in rows)
    benchmark.samples.filter(pk__in=[sample.pk for sample in chosen]).update(state=state)


def test_an_empty_benchmark_begins_with_the_first_step(lea: User) -> None:
    steps = first_steps(make_benchmark(lea), 0)
    assert [step.done for step in steps] == [False] * len(steps)
    assert [step.now for step in steps] == [True] + [False] * (len(steps) - 1)


def test_the_task_is_ticked_once_its_schema_is_in_force(lea: User) -> None:
    benchmark = make_benchmark(lea)
    draft = save_draft(actor=lea, benchmark=benchmark, content=TEMPLATES["toolchain"].as_json())
    assert ticked(benchmark) == []
    activate(actor=lea, benchmark=benchmark, version=draft.version)
    assert ticked(benchmark) == [TASK]


@pytest.mark.endurance
def test_steps_are_ticked_by_what_is_there(ana: User, bo: User, rui: User, lea: User) -> None:
    benchmark = to_annotate(PILOT, annotator=ana, reviewer=rui, lead=lea)
    assert ticked(benchmark) == [IMAGES, PEOPLE]
    draft = save_draft(actor=lea, benchmark=benchmark, content=TEMPLATES["blank"].as_json())
    activate(actor=lea, benchmark=benchmark, version=draft.version)
    publish(actor=lea, benchmark=benchmark, body="# One\n", must_read=False, based_on=0)
    benchmark.memberships.create(user=bo, role="annotator")
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    for _ in range(PILOT):
        assert TWICE not in ticked(benchmark)
        submitted(ana, benchmark)
        submitted(bo, benchmark)
    assert current(benchmark) == [AGREEMENT]


def test_the_agreement_is_ticked_once_the_pilot_is_decided_and_the_queue_once_it_ends(
    ana: User, rui: User, lea: User, bo: User
) -> None:
    """Ten decided samples with two annotations each. Then the queue gets its final rule."""
    benchmark = to_annotate(2 * PILOT, annotator=ana, reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    annotated_twice(benchmark, [ana], PILOT, "accepted")
    assert TWICE not in ticked(benchmark)
    annotated_twice(benchmark, [ana, bo], 1, "in_review")
    annotated_twice(benchmark, [ana, bo], PILOT - 1, "accepted")
    assert ticked(benchmark) == [IMAGES, PEOPLE, TWICE]
    benchmark.samples.filter(state="in_review").update(state="discarded")
    assert ticked(benchmark) == [IMAGES, PEOPLE, TWICE, AGREEMENT]
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2, overlap_share=0.2)
    assert ticked(benchmark) == [IMAGES, PEOPLE, TWICE, AGREEMENT, OPEN]


def test_a_queue_without_a_pilot_is_not_ticked(ana: User, rui: User, lea: User) -> None:
    benchmark = to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=1)
    assert ticked(benchmark) == [IMAGES, PEOPLE]


def test_they_stay_during_a_pilot_until_many_samples_are_accepted(
    ana: User, rui: User, lea: User, django_assert_num_queries: Any
) -> None:
    benchmark = to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    with django_assert_num_queries(1):
        assert current(benchmark, accepted=MOST_ACCEPTED) == [TASK]
    with django_assert_num_queries(0):
        assert first_steps(benchmark, MOST_ACCEPTED + 1) == []
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=1)
    assert first_steps(benchmark, 1) == []


def test_without_a_pilot_they_are_gone_once_a_sample_is_accepted(ana: User, rui: User, lea: User) -> None:
    benchmark = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, benchmark)
    assert signed_in(lea).get("/benchmarks/kitchen/").context["steps"]
    reviewed(rui, next_review(rui, benchmark), "accept")
    assert signed_in(lea).get("/benchmarks/kitchen/").context["steps"] == []


def test_they_take_one_query_and_are_shown_to_leads_only(rui: User, lea: User, django_assert_num_queries: Any) -> None:
    benchmark = make_benchmark(lea)
    benchmark.memberships.create(user=rui, role="reviewer")
    with django_assert_num_queries(1):
        first_steps(benchmark, 0)
    assert signed_in(rui).get("/benchmarks/kitchen/").context["steps"] == []


@pytest.mark.parametrize(
    ("who", "expected"), [("ADMINS", [200, 403, 403]), ("LEADS", [200, 200, 403]), ("MEMBERS", [200, 200, 200])]
)
def test_the_site_says_who_creates_benchmarks(
    admin: User, lea: User, sam: User, settings: Any, who: str, expected: list[int]
) -> None:
    settings.WHO_CREATES = who
    make_benchmark(lea)
    people = (admin, lea, sam)
    assert [signed_in(person).get(NEW).status_code for person in people] == expected
    offered = [signed_in(person).get("/benchmarks/").context["creates"] for person in people]
    assert offered == [status == 200 for status in expected]


@pytest.mark.parametrize(
    ("title", "address"),
    [("Street signs 4K", "street-signs-4k"), ("Éclair & Café", "eclair-cafe"), ("under_score", "under-score")],
)
def test_the_address_comes_from_the_title(admin: User, title: str, address: str) -> None:
    assert signed_in(admin).post(NEW, {"title": title, "slug": ""}).url == f"/benchmarks/{address}/"


def test_a_title_without_letters_needs_an_address(admin: User) -> None:
    answer = signed_in(admin).post(NEW, {"title": "街", "slug": ""})
    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == ["slug"]
