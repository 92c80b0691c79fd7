"""Undecided answers over the API: the groups, decisions on them, and how answers were read."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import Benchmark
from evaluation.models import Judgement, Run
from tests.conftest import signed_in
from tests.evaluation.answers_data import REFUSAL, make_kitchen
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
API = "/api/v1/benchmarks/kitchen/answers/"


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_kitchen(lea)


@pytest.fixture
def client(lea: User, kitchen: Benchmark) -> Client:
    return signed_in(lea)


def posted(client: Client, data: object) -> tuple[int, dict[str, object]]:
    answer = client.post(API, data, content_type="application/json")
    return answer.status_code, answer.json()


def test_groups_are_listed_decided_and_taken_back(client: Client) -> None:
    run = Run.objects.get().pk
    first, *others = client.get(API).json()["results"]
    assert (first["text"], first["answers"], first["runs"], first["accepted"]) == (REFUSAL, 6, {str(run): 6}, [])
    assert "Quay" not in str([one for one in others if one["options"]])
    assert posted(client, {"decisions": {first["group"]: "B"}, "run": run}) == (200, {"decided": 6, "taken_back": 0})
    [decided] = client.get(f"{API}?state=decided").json()["results"]
    assert (decided["group"], decided["decision"], decided["by"]) == (first["group"], "B", "Lea Moreau")
    assert posted(client, {"decisions": {first["group"]: None}}) == (200, {"decided": 0, "taken_back": 6})
    assert not Judgement.objects.exists()


@pytest.mark.parametrize(
    "data",
    [{}, [], {"decisions": {}}, {"decisions": "B"}, {"decisions": {"x": 1}}, {"decisions": {"x": "B"}, "run": "a"},
     {"decisions": {"x": "B"}, "run": True}],
)  # fmt: skip
def test_what_is_no_decision_is_refused(client: Client, data: object) -> None:
    assert posted(client, data)[0] == 400


def test_a_group_that_waits_for_nothing_and_an_unknown_term_are_refused(client: Client) -> None:
    assert posted(client, {"decisions": {"0000": "B"}})[0] == 409
    assert [client.get(API + terms).status_code for terms in ("?state=x", "?run=x", "?run=999999")] == [400, 400, 404]


def test_the_report_is_told_of_each_run_and_facet(client: Client) -> None:
    [one] = client.get(f"{API}report/?by=place").json()["results"]
    assert (one["report"]["unread"], one["report"]["answers"]) == (7, 9)
    assert {place: found["answers"] for place, found in one["slices"].items()} == {"window": 1, "door": 7}


def test_a_report_by_a_facet_that_there_is_not_names_those_there_are(client: Client) -> None:
    run = Run.objects.get().pk
    for address in (f"{API}report/?by=places", f"{API}report/?by=places&run={run}"):
        answer = client.get(address)
        assert answer.status_code == 404
        assert "'places'" in answer.content.decode()
        assert "There are by place." in answer.content.decode()
    assert client.get(f"{API}report/?by=").json()["results"][0]["slices"] == {}
