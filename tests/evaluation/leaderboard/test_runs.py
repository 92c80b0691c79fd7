"""The list of runs: what each has, what is missing in it, and when it was scored."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.benchmarks.write.benchmark import create_benchmark
from evaluation.models import Run
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.crawl import counted_links, wrong_links

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
RUNS = "/benchmarks/kitchen/runs/"


def rows_of(client):
    return {str(shown["row"].run): shown for shown in client.get(RUNS).context["rows"]}


def test_every_run_is_listed_with_what_it_has_and_lacks(lea, board):
    rows = rows_of(signed_in(lea))
    assert list(rows) == [
        "Endpoint down, base", "Model A, base", "Model B", "Model C, base", "Model D, code", "Whole picture, base"
    ]  # fmt: skip
    model_d = rows["Model D, code"]["row"]
    assert (model_d.trajectories, model_d.missing, model_d.failed) == (9, 7, False)
    assert rows["Endpoint down, base"]["row"].failed
    assert rows["Model A, base"]["row"].trajectories == 4  # the second rollout is another try, not another sample


@pytest.mark.both_databases
def test_every_count_lists_exactly_that_many(lea, board):
    client = signed_in(lea)
    response = client.get(RUNS)
    assert len(counted_links(response)) > 20
    assert any("quadrant=G%2BA-" in href for href in counted_links(response))
    assert wrong_links(client, response) == {}


def test_a_run_without_scores_has_trajectories_and_no_numbers(lea, unscored_board):
    answer = signed_in(lea).get(RUNS)
    rows = {str(shown["row"].run): shown for shown in answer.context["rows"]}
    assert rows["Model A, base"]["row"].trajectories == 4
    assert rows["Model A, base"]["row"].missing is None
    assert rows["Model A, base"]["accuracy"].text == "n/a"
    assert "6 runs have no scores or stale scores." in answer.content.decode()


def test_missing_samples_are_named_and_lead_to_their_pages(lea, board):
    run = Run.objects.get(model__name="Model D")
    answer = signed_in(lea).get(f"/benchmarks/kitchen/runs/{run.pk}/missing/?facet.category=Math+%26+more")
    assert [sample.key for sample in answer.context["page"]] == [f"Math & more-{place}" for place in (3, 4, 5)]


def test_a_stranger_finds_no_runs(lea, sam, board):
    run = Run.objects.first()
    for client in (signed_in(sam), Client()):
        assert client.get(RUNS).status_code == 404
        assert client.get(f"/benchmarks/kitchen/runs/{run.pk}/missing/").status_code == 404


def test_a_run_of_another_benchmark_is_not_found_here(lea, board):
    create_benchmark(actor=lea, slug="street", title="Street")
    assert signed_in(lea).get(f"/benchmarks/street/runs/{Run.objects.first().pk}/missing/").status_code == 404


def test_an_empty_list_says_how_to_import(lea):
    create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    words = signed_in(lea).get(RUNS).content.decode()
    assert "No runs yet" in words
    assert "/benchmarks/kitchen/import/" in words


def test_the_list_takes_the_same_queries_for_few_runs_and_for_many(lea, django_assert_num_queries):
    benchmark = make_board(lea, public=True)
    Client().get(RUNS)  # counts the gold, which later visits find unchanged
    # benchmark; what the tabs count, and the version; metrics, unscored trajectories, settings, state of gold, runs
    with CaptureQueriesContext(connection) as few:
        Client().get(RUNS)
    model = Run.objects.first().model
    Run.objects.bulk_create(
        Run(benchmark=benchmark, model=model, setting=f"again {n}", number=100 + n) for n in range(40)
    )
    with django_assert_num_queries(len(few)):
        assert len(Client().get(RUNS).context["rows"]) == 46
