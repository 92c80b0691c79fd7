"""The first steps of a lead, ticked by what is there, and who may create a benchmark."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.guidelines.write import publish
from annotation.models import Benchmark
from annotation.queue.settings import set_queue
from annotation.samples.read.first_steps import PILOT, first_steps
from annotation.task.write import activate, save_draft
from annotation.task_schema import TEMPLATES
from tests.annotation.pages_data import make_benchmark
from tests.annotation.work_data import next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.factories import make_user
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NEW = "/benchmarks/new/"


def ticked(benchmark: Benchmark) -> list[str]:
    return [step.route for step in first_steps(benchmark) if step.done]


def test_an_empty_benchmark_begins_with_the_first_step(lea: User) -> None:
    steps = first_steps(make_benchmark(lea))
    assert [step.done for step in steps] == [False] * len(steps)
    assert [step.now for step in steps] == [True] + [False] * (len(steps) - 1)


def test_the_task_is_ticked_once_its_schema_is_in_force(lea: User) -> None:
    benchmark = make_benchmark(lea)
    draft = save_draft(actor=lea, benchmark=benchmark, content=TEMPLATES["toolchain"].as_json())
    assert ticked(benchmark) == []
    activate(actor=lea, benchmark=benchmark, version=draft.version)
    assert ticked(benchmark) == ["annotation:task"]


@pytest.mark.endurance
def test_steps_are_ticked_by_what_is_there(ana: User, rui: User, lea: User) -> None:
    benchmark = to_annotate(PILOT, annotator=ana, reviewer=rui, lead=lea)
    assert ticked(benchmark) == ["annotation:upload", "annotation:settings"]
    draft = save_draft(actor=lea, benchmark=benchmark, content=TEMPLATES["blank"].as_json())
    activate(actor=lea, benchmark=benchmark, version=draft.version)
    publish(actor=lea, benchmark=benchmark, body="# One\n", must_read=False, based_on=0)
    bo = make_user("Bo Ek")
    benchmark.memberships.create(user=bo, role="annotator")
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    for _ in range(PILOT):
        assert "annotation:queue-settings" not in ticked(benchmark)
        submitted(ana, benchmark)
        submitted(bo, benchmark)
    assert [step.route for step in first_steps(benchmark) if step.now] == ["annotation:review"]


def test_they_are_gone_once_a_sample_is_accepted(ana: User, rui: User, lea: User) -> None:
    benchmark = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, benchmark)
    assert signed_in(lea).get("/benchmarks/kitchen/").context["steps"]
    reviewed(rui, next_review(rui, benchmark), "accept")
    assert signed_in(lea).get("/benchmarks/kitchen/").context["steps"] == []


def test_they_take_one_query_and_are_shown_to_leads_only(rui: User, lea: User, django_assert_num_queries: Any) -> None:
    benchmark = make_benchmark(lea)
    benchmark.memberships.create(user=rui, role="reviewer")
    with django_assert_num_queries(1):
        first_steps(benchmark)
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
