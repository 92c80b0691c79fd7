"""What each person made: the lead sees everybody, a person themselves, a researcher nobody by name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from annotation.models import Benchmark
from annotation.workflow import State
from tests.annotation.agreement_data import mugs, review, submit
from tests.conftest import signed_in
from tests.factories import make_token, make_user
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/agreement/people/"


@pytest.fixture
def ben(db: None) -> User:
    return make_user("Ben Okoro")


@made_once
def kitchen(lea: User, ana: User, rui: User, ben: User) -> Benchmark:
    """Ana submitted four mugs: accepted at once, returned and then accepted, discarded, not reviewed. Ben one."""
    benchmark = mugs(lea, {"annotator": ana, "reviewer": rui})
    review(submit(ana, 0, "white", state=State.ACCEPTED, seconds=30, answer_type="open", options={}), rui)
    review(submit(ana, 1, state=State.ACCEPTED, seconds=50), rui, "return")
    review(submit(ana, 1, state=State.ACCEPTED, seconds=50), rui)
    review(submit(ana, 2, "A", state=State.DISCARDED, seconds=70), rui, "discard")
    submit(ana, 4, "A", seconds=900)
    submit(ben, 4, seconds=20)
    return benchmark


def row_of(answer: Any, name: str) -> Any:
    [row] = [one for one in answer.context["rows"] if one.work.name == name]
    return row


def test_a_persons_samples_are_counted_by_what_became_of_them(kitchen: Benchmark, lea: User) -> None:
    row = row_of(signed_in(lea).get(PAGE), "Ana")
    counts = (row.submitted, row.reviewed, row.accepted, row.returned, row.discarded)
    assert [count.n for count in counts] == [4, 3, 1, 1, 1]
    assert row.work.acceptance == pytest.approx(1 / 3)
    assert row.work.median_seconds == pytest.approx(60, abs=1)
    assert (row.work.same_as_gold, row.answers.n) == (0.5, 4)
    assert row.boxes.n == 4


def test_each_count_leads_to_its_samples(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    row = row_of(client.get(PAGE), "Ana")
    for count in (row.submitted, row.reviewed, row.accepted, row.returned, row.discarded, row.boxes, row.answers):
        assert client.get(count.href).context["total"] == count.n


def test_somebody_without_a_review_has_no_rate(kitchen: Benchmark, lea: User) -> None:
    answer = signed_in(lea).get(PAGE)
    assert row_of(answer, "Ben").work.acceptance is None
    assert b"n/a" in answer.content


def test_an_account_that_nobody_knows_the_owner_of_reads_so(kitchen: Benchmark, lea: User, ana: User) -> None:
    """D4.9: two accounts of one person would agree with themselves."""
    User.objects.filter(pk=ana.pk).update(email_verified=False)
    answer = signed_in(lea).get(PAGE)
    assert (row_of(answer, "Ana").unverified, row_of(answer, "Ben").unverified) == (True, False)
    assert answer.content.decode().count("address not verified") == 1
    assert signed_in(lea).get(PAGE.removesuffix("people/")).context["unverified"] == ["Ana Lind"]


def test_exports_say_so_to_whoever_may_know_it(kitchen: Benchmark, lea: User, ana: User, ben: User) -> None:
    """Two accounts of one person would agree with themselves. Only leads learn it of others."""
    User.objects.filter(pk=ana.pk).update(email_verified=False)

    def rows(person: User, table: str) -> list[dict[str, Any]]:
        return json.loads(b"".join(signed_in(person).get(f"/benchmarks/kitchen/agreement/{table}.json")))

    membership = kitchen.memberships.create(user=ben, role="annotator")
    assert {row["person"]: row["verified"] for row in rows(lea, "people")} == {"Ana": False, "Ben": True}
    assert rows(ana, "people")[0]["verified"] is False
    pairs = [row for row in rows(lea, "pairs") if row["sample"] == "mug-004"]
    found = {(row["first"], row["second"]): (row["first_verified"], row["second_verified"]) for row in pairs}
    assert found == {("Ana", "Ben"): (False, True), ("Ana", "gold"): (False, None), ("Ben", "gold"): (True, None)}
    assert {(row["first_verified"], row["second_verified"]) for row in rows(ben, "pairs")} == {(True, None)}
    membership.role = "researcher"
    membership.save()
    assert {(row["first_verified"], row["second_verified"]) for row in rows(ben, "pairs")} == {(None, None)}
    token = {"HTTP_AUTHORIZATION": f"Bearer {make_token(lea)}"}
    listed = Client().get("/api/v1/benchmarks/kitchen/agreement/people/", **token).json()["results"]
    assert {row["person"]: row["verified"] for row in listed} == {"Ana": False, "Ben": True}


def test_a_person_sees_their_own_row(kitchen: Benchmark, ana: User) -> None:
    answer = signed_in(ana).get(PAGE)
    assert [row.work.name for row in answer.context["rows"]] == ["Ana"]
    assert answer.context["rows"][0].submitted.n == 4


def test_a_researcher_sees_nobody(kitchen: Benchmark, ben: User) -> None:
    kitchen.memberships.create(user=ben, role="researcher")
    answer = signed_in(ben).get(PAGE)
    assert answer.context["rows"] == []
    assert b"Ana" not in answer.content
    assert signed_in(ben).get("/benchmarks/kitchen/agreement/people.csv").status_code == 403


def test_a_benchmark_without_work_says_so(lea: User) -> None:
    mugs(lea, {})
    assert b"No submissions yet" in signed_in(lea).get(PAGE).content


def test_people_who_share_a_first_name_are_told_apart(kitchen: Benchmark, lea: User) -> None:
    submit(make_user("Ana Moss", email="moss@example.org"), 5)
    names = [row.work.name for row in signed_in(lea).get(PAGE).context["rows"]]
    assert names == ["Ana Lind", "Ana Moss", "Ben"]


def test_the_number_of_queries_does_not_grow(
    kitchen: Benchmark, lea: User, ana: User, ben: User, rui: User, django_assert_num_queries: Any
) -> None:
    client = signed_in(lea)
    with django_assert_num_queries(QUERIES):
        client.get(PAGE)
    for number in range(5, 11):
        review(submit(ana, number), rui)
        submit(ben, number)
    with django_assert_num_queries(QUERIES):
        client.get(PAGE)


QUERIES = 19
"""Session, user; benchmark; roles; submissions, gold, boxes, replaced images; first submissions and
reviews of people; what the tabs count (5) and the version."""
