"""Blind answers of reviewers: judged by the rule of models, against gold that others wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.models import Benchmark, Gold
from evaluation.scoring.settings import change_settings
from tests.annotation.agreement_data import answer_blind, mugs, settle, submit
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/agreement/blind/"


@made_once
def kitchen(lea: User, ana: User, rui: User) -> Benchmark:
    return mugs(lea, {"annotator": ana, "reviewer": rui})


def everyone(user: User, **query: Any) -> Any:
    return signed_in(user).get(PAGE, query).context["everyone"]


@pytest.mark.parametrize(
    ("number", "answer", "right"),
    [(1, "B", 1), (1, "(b)", 1), (1, "white", 1), (1, "A", 0), (1, "", 0), (0, " White.", 1), (0, "pale", 0)],
)
def test_an_answer_is_judged_as_a_models_is(
    kitchen: Benchmark, lea: User, ana: User, rui: User, number: int, answer: str, right: int
) -> None:
    answer_blind(submit(ana, number), rui, answer)
    row = everyone(lea)
    assert (row.answers, row.right.n) == (1, right)
    assert row.undecided.n == (answer == "pale")


def test_cannot_tell_is_wrong_and_counted_apart(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    answer_blind(submit(ana, 1), rui, "B", unsure=True)
    row = everyone(lea)
    assert (row.accuracy.value, row.unsure.n) == (0.0, 1)


def test_an_undecided_answer_counts_as_the_settings_say(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    answer_blind(submit(ana, 0), rui, "pale")
    assert everyone(lea).accuracy.value == 0.0
    change_settings(actor=lea, benchmark=kitchen, values={"undecided_answer": "exclude"})
    row = everyone(lea)
    assert (row.answers, row.accuracy.value, row.undecided.n) == (0, None, 1)


def test_a_letter_means_the_option_the_reviewer_saw(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    revision = submit(ana, 1, "A", options={"A": "white", "B": "black"})
    answer_blind(revision, rui, "A")
    assert everyone(lea).right.n == 1


def test_only_the_first_answer_to_a_sample_is_blind(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    answer_blind(submit(ana, 1), rui, "A")
    answer_blind(submit(ana, 1), rui, "B")
    row = everyone(lea)
    assert (row.answers, row.right.n) == (1, 0)


def test_what_cannot_be_judged_is_left_out_and_counted(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    answer_blind(submit(ana, 1), rui, "B")
    answer_blind(submit(ana, 2), rui, "B")
    Gold.objects.filter(sample__key="mug-001").delete()
    settle(submit(ana, 2, by=rui))
    context = signed_in(lea).get(PAGE).context
    assert (context["everyone"].answers, context["without_gold"].n, context["own_gold"].n) == (0, 1, 1)


def test_reviewers_and_values_of_a_facet_have_their_rates(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    for number, answer, seconds in ((1, "B", 4), (2, "A", 6), (4, "B", 20)):
        answer_blind(submit(ana, number), rui, answer, seconds=seconds)
    answer_blind(submit(ana, 5), lea, "B")
    client = signed_in(lea)
    context = client.get(PAGE, {"by": "colour"}).context
    rates = {row.accuracy.name: (row.right.n, row.answers, row.accuracy.seconds) for row in context["reviewers"]}
    assert rates == {"Lea": (1, 1, 8), "Rui": (2, 3, 6)}
    assert {row.accuracy.name: (row.right.n, row.answers) for row in context["by_rows"]} == {
        "green": (2, 2),
        "blue": (1, 2),
    }
    assert context["reviewers"][1].accuracy.interval.low == pytest.approx(0.208, abs=0.001)
    alone = client.get(PAGE, {"by": "colour", "reviewer": rui.pk}).context["by_rows"]
    assert {row.accuracy.name: row.answers for row in alone} == {"green": 2, "blue": 1}
    for row in (*context["reviewers"], *context["by_rows"]):
        assert client.get(row.samples.href).context["total"] == row.samples.n


def test_a_reviewer_sees_their_own_and_a_researcher_all_together(
    kitchen: Benchmark, lea: User, ana: User, rui: User
) -> None:
    answer_blind(submit(ana, 1), rui, "B")
    answer_blind(submit(ana, 2), lea, "B")
    own = signed_in(rui).get(PAGE).context
    assert ([row.accuracy.name for row in own["reviewers"]], own["everyone"].answers) == (["Rui"], 1)
    mira = make_user("Mira Holt")
    kitchen.memberships.create(user=mira, role="researcher")
    together = signed_in(mira).get(PAGE, {"reviewer": rui.pk})
    assert (together.context["reviewers"], together.context["everyone"].answers) == ([], 2)
    assert b"Rui" not in together.content
    rows = json.loads(b"".join(signed_in(mira).get("/benchmarks/kitchen/agreement/blind.json")))
    assert {row["reviewer"] for row in rows} == {"a reviewer"}
    assert b"You have no blind answers yet" in signed_in(ana).get(PAGE).content


def test_the_number_of_queries_does_not_grow(
    kitchen: Benchmark, lea: User, ana: User, rui: User, django_assert_num_queries: Any
) -> None:
    answer_blind(submit(ana, 1), rui, "B")
    client = signed_in(lea)
    with django_assert_num_queries(QUERIES):
        client.get(PAGE)
    for number in range(2, 9):
        answer_blind(submit(ana, number), rui, "B")
    with django_assert_num_queries(QUERIES):
        client.get(PAGE)


QUERIES = 15
"""Session, user; benchmark; roles; facets; answers, settings, values of the facet; what
the tabs count (4) and the version."""


def test_crop_and_picture_stand_beside_each_other_and_pairs_make_the_difference(
    kitchen: Benchmark, lea: User, ana: User, rui: User
) -> None:
    right = {1: (True, True), 2: (False, True), 3: (False, True), 5: (True, False), 6: (False, False)}
    for number, (crop, picture) in right.items():
        revision = submit(ana, number)
        answer_blind(revision, rui, "B" if crop else "A", condition="crop", seconds=5)
        answer_blind(revision, rui, "B" if picture else "A", condition="after_crop", seconds=2)
        answer_blind(revision, lea, "B", condition="picture")
    client = signed_in(lea)
    context = client.get(PAGE).context
    assert {name: (row.right.n, row.answers) for name, row in context["conditions"]} == {
        "picture": (5, 5),
        "crop": (2, 5),
        "after_crop": (3, 5),
    }
    same, other = context["differences"]
    assert [one.n for one in (same.both, same.only_crop, same.only_picture, same.neither)] == [1, 1, 2, 1]
    assert (same.difference.n, same.difference.delta, same.difference.p) == (5, pytest.approx(0.2), 1.0)
    assert (other.only_picture.n, other.difference.delta) == (3, pytest.approx(0.6))
    assert client.get(same.only_picture.href).context["total"] == 2
    assert (context["condition"], context["everyone"].answers) == ("picture", 5)
    crop = client.get(PAGE, {"condition": "crop", "by": "colour"}).context
    assert (crop["everyone"].right.n, crop["everyone"].accuracy.seconds) == (2, 5)
    rows = json.loads(b"".join(client.get("/benchmarks/kitchen/agreement/blind.json")))
    assert sorted({row["condition"] for row in rows}) == ["after_crop", "crop", "picture"]


def test_with_one_condition_nothing_is_compared(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    answer_blind(submit(ana, 1), rui, "B")
    page = signed_in(lea).get(PAGE)
    assert page.context["differences"] == []
    assert b"Is the crop enough" not in page.content
