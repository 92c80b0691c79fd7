"""Repeated rollouts of a run: made at scoring, told on its page and over the API, each count with its list."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from django.urls import reverse

from evaluation.models import Trajectory
from evaluation.runs.read.repeats import LISTED
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, miscounted, total
from tests.evaluation.run_pages import make_benchmark, only_run, repeat
from tests.worlds import made_once
from webapp.common.formatting import percent

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

API = "/api/v1/benchmarks/street/"


@made_once
def benchmark(lea):
    """seen-00 AB, seen-01 AAA, seen-02 AAB; seen-wrong-00 BBB, seen-wrong-01 BBA; missed-00 AA; unanswered-00 -B;
    undecided-00 undecided, then right."""
    benchmark = make_benchmark(lea)
    repeat(benchmark, lea)
    return benchmark


@pytest.fixture
def client(lea, benchmark):
    return signed_in(lea)


def page(client, benchmark, **terms):
    return client.get(reverse("evaluation:run", args=[benchmark.slug, only_run(benchmark).pk]), terms)


def split(shown):
    return {part.bar.name: part.count.n for part in shown.parts}


@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_count_of_the_card_leads_to_exactly_that_many(client, benchmark):
    response = page(client, benchmark)
    shown = response.context["repeats"]
    assert split(shown) == {"always": 2, "some": 4, "never": 2}
    assert {name: count.n for name, count in shown.counts.items()} == {
        "n": 8, "rollouts": 20, "always": 2, "some": 4, "never": 2, "first_n": 8, "first_right": 4,
    }  # fmt: skip
    of_the_card = {href: n for href, n in counted_links(response).items() if "repeats=" in href}
    assert len(of_the_card) == len(LISTED)
    assert {href: total(client, href) for href in of_the_card} == of_the_card
    assert miscounted(client, response) == {}


def test_samples_are_averaged_before_they_are_averaged(client, benchmark):
    found = page(client, benchmark).context["repeats"].found
    assert found.value == pytest.approx((1 / 2 + 1 + 2 / 3 + 0 + 1 / 3 + 1 + 0 + 1 / 2) / 8)
    assert found.within == pytest.approx((1 / 2 + 2 / 3 + 2 / 3 + 1 / 2) / 12)
    assert (found.least, found.most, found.clusters, found.first) == (2, 3, 8, 0.5)


def test_the_card_says_what_its_interval_holds_and_what_the_other_numbers_are_of(client, benchmark):
    response = page(client, benchmark)
    shown, content = response.context["repeats"], response.content.decode()
    low, high = percent(shown.found.ci_low), percent(shown.found.ci_high)
    assert (
        f"95% interval clustered by image: {low} to {high}%. It includes the variation between 8 image clusters"
        in content
    )
    assert f'Rollouts alone contribute <b class="med">{percent(shown.found.se_draws)} pp</b>' in content
    assert "All other numbers on this page use the first rollout of each sample." in content


def test_an_undecided_rollout_that_is_left_out_leaves_its_sample_with_one(lea, client, benchmark):
    change_settings(actor=lea, benchmark=benchmark, values={"undecided_answer": "exclude"})
    score_benchmark(actor=lea, benchmark=benchmark)
    response = page(client, benchmark)
    assert split(response.context["repeats"]) == {"always": 2, "some": 3, "never": 2}
    assert response.context["repeats"].counts["rollouts"].n == 18
    assert miscounted(client, response) == {}


def test_a_first_rollout_that_is_left_out_is_not_replaced_by_another(lea, client, benchmark):
    """Of three the first is undecided: the sample is repeated, with a mean of two, and no first one that counts."""
    row = Trajectory.objects.get(sample__key="undecided-00", rollout=1)
    row.pk, row.rollout, row.row_digest, row.answer = None, 2, b"third", "Quay"
    row.save()
    change_settings(actor=lea, benchmark=benchmark, values={"undecided_answer": "exclude"})
    score_benchmark(actor=lea, benchmark=benchmark)
    response = page(client, benchmark)
    counts = response.context["repeats"].counts
    assert (counts["n"].n, counts["first_n"].n, counts["always"].n) == (8, 7, 3)
    assert miscounted(client, response) == {}


@pytest.mark.parametrize("of", [("category", "Color"), ("segment", "top")])
def test_on_a_slice_the_card_is_of_the_slice(client, benchmark, of):
    by, value = of
    response = page(client, benchmark, slice_by=by, slice=value)
    counts = response.context["repeats"].counts
    assert counts["n"].n == (2 if value == "Color" else 8)
    assert miscounted(client, response) == {}


@pytest.mark.parametrize("of", [("", ""), ("category", "Color")])
def test_page_and_api_have_the_same_numbers(client, benchmark, of):
    by, value = of
    shown = page(client, benchmark, slice_by=by, slice=value).context["repeats"]
    found = client.get(f"{API}runs/{only_run(benchmark).pk}/charts/", {"by": by, "slice": value}).json()["repeats"]
    counts = {row["name"]: row["n"] for row in found.pop("counts")}
    assert counts == {name: count.n for name, count in shown.counts.items()}
    assert counts | found == json.loads(json.dumps(asdict(shown.found)))


def test_the_api_counts_as_many_as_its_lists(client, benchmark):
    rows = client.get(f"{API}runs/{only_run(benchmark).pk}/charts/").json()["repeats"]["counts"]
    for row in rows:
        assert client.get(f"{API}trajectories/facets/", row["terms"]).json()["total"] == row["n"], row


def test_without_a_repeated_sample_there_is_no_card(lea):
    benchmark = make_benchmark(lea, {"seen-wrong": 3})
    client = signed_in(lea)
    assert "repeats-title" not in page(client, benchmark).content.decode()
    assert client.get(f"{API}runs/{only_run(benchmark).pk}/charts/").json()["repeats"] is None
