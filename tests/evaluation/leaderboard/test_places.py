"""The places on a leaderboard: their range, and the chances of being best and among the first three."""

from __future__ import annotations

import csv

import pytest

from evaluation.leaderboard.present.cells import place_of
from evaluation.models import Standing
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.run_pages import make_benchmark

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BOARD = "/benchmarks/kitchen/leaderboard/"


@pytest.mark.endurance
def test_ranks_carry_their_range_and_their_chances_wherever_they_stand(lea):
    make_board(lea)
    client = signed_in(lea)
    Standing.objects.filter(scoring__run__model__name="Model C", metric="valid_grounded_reasoning").update(
        rank=1, low=1, high=3, p_best=0.876, p_top3=0.952, detail={"clusters": 30, "draws": 10_000, "seed": 1}
    )
    content = client.get(BOARD).content.decode()
    assert "[1–3]" in content
    assert "first in 87.6% of draws, in the top 3 in 95.2%" in content
    assert "[n/a]" not in content
    few = "from 1 to 3 by exact tests (all pairs, Holm over 3); 9 image clusters are too few for a bootstrap"
    assert content.count(few) == 2
    board = client.get("/api/v1/benchmarks/kitchen/leaderboard/").json()
    assert [row["standing"]["p_top3"] for row in board["ranked"] if row["model"] == "Model C"] == [0.952]
    sent = b"".join(client.get(BOARD, {"format": "csv"}).streaming_content).decode()
    rows = {row["model"]: row for row in csv.DictReader(sent.splitlines())}
    assert (rows["Model C"]["p_best"], rows["Model C"]["p_top3"], rows["Model D"]["p_top3"]) == ("0.876", "0.952", "")


def test_a_rank_without_a_range_says_why():
    assert "alone" in place_of(Standing(rank=1, detail={"method": "bootstrap"}), "accuracy").title
    assert "no rank range" in place_of(Standing(rank=2, detail={"draws": 10_000}), "accuracy").title


def test_a_place_without_the_chance_of_the_first_three_says_nothing_of_it():
    place = place_of(Standing(rank=1, low=1, high=3, p_best=0.876), "accuracy")
    assert place.title.endswith("first in 87.6% of draws")


@pytest.mark.parametrize(("models", "chance"), [("ABC", None), ("ABCD", 0.75)])
@pytest.mark.endurance
def test_the_chance_of_the_first_three_is_kept_among_more_than_three(lea, models, chance):
    make_benchmark(lea, {"seen": 12, "missed": 9}, models=models)
    kept = Standing.objects.all()
    assert len(kept) == 2 * len(models)
    assert all(place.p_best == pytest.approx(1 / len(models)) for place in kept)
    assert all(place.p_top3 == (chance and pytest.approx(chance)) for place in kept)
