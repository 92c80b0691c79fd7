"""The leaderboard over several benchmarks: whose numbers stand on it, and who sees which."""

from __future__ import annotations

import csv
import random

import pytest
from django.db import transaction
from django.urls import reverse

from annotation.benchmarks.write.benchmark import create_benchmark, set_public
from annotation.content.samples import save_samples
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.leaderboard.read.macro import MOST, RATES, load_cross_benchmark_leaderboard
from evaluation.models import Scoring, Standing
from evaluation.schema import Step, Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import rows_changed
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.worlds import made_once
from webapp.common.errors import InvalidInput, NotFound

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ADDRESS, API = "/leaderboard/", "/api/v1/leaderboard/"
SEEN, MISSED = (380.0, 280.0, 520.0, 420.0), (0.0, 0.0, 90.0, 90.0)


def make(lead, slug, models, samples=40, each=1, public=False):
    """A benchmark on which models have these chances to be right; ``each``: samples that share a picture."""
    benchmark = create_benchmark(actor=lead, slug=slug, title=slug.title(), public=public)
    options, gold = {"A": "black", "B": "white"}, (Box(400, 300, 500, 400),)
    content = SampleContent("Which colour?", AnswerType.MULTIPLE_CHOICE, options, ("A",), gold)
    rows = [SampleRecord(f"s{i:03}", content, f"p{i // each}.jpg", None, 1000, 800) for i in range(samples)]
    save_samples(actor=lead, benchmark=benchmark, records=rows)
    rng = random.Random(slug)
    for model, right in models.items():
        tries = [
            Trajectory(
                model,
                row.id,
                steps=(Step("crop", {}, SEEN if rng.random() < right else MISSED, image_in="original", image_out="a"),),
                answer="A" if rng.random() < right else "B",
            )
            for row in rows
        ]
        with transaction.atomic():
            save_trajectories(RunRegistry(benchmark, lead), tries, None)
    score_benchmark(actor=lead, benchmark=benchmark)
    return benchmark


@made_once
def two(lea):
    """Three models on both benchmarks, one on the first alone."""
    chances = {"Model A": 0.8, "Model B": 0.6, "Model C": 0.3}
    return make(lea, "desk", chances | {"Model D": 0.9}), make(lea, "shelf", chances, samples=60, each=2)


@pytest.mark.both_databases
@pytest.mark.endurance
def test_a_number_is_that_of_the_leaderboard_of_its_benchmark_and_the_mean_is_theirs(two, lea):
    for metric in ("accuracy", "valid_grounded_reasoning"):
        board = load_cross_benchmark_leaderboard(lea, metric=metric)
        assert [row.model for row in board.lacking] == ["Model D"]
        for row in (*board.rows, *board.lacking):
            for benchmark in two:
                there = {one.run.model.name: one.metrics[metric] for one in load_leaderboard(benchmark).ranked}
                cell = row.cells.get(benchmark.pk)
                assert (cell.metric._replace(detail=None) if cell else None) == (
                    there[row.model]._replace(detail=None) if row.model in there else None
                )
        assert len(board.rows) == 3
        for row in board.rows:
            values = [cell.metric.value for cell in row.cells.values()]
            assert row.standing.value == pytest.approx(sum(values) / 2)
            assert row.ends[0] < row.standing.value < row.ends[1]


def test_of_one_benchmark_the_places_are_those_of_its_leaderboard(two, lea):
    board = load_cross_benchmark_leaderboard(lea, on=["desk"])
    assert (board.draws, len(board.rows)) == (10_000, 4)
    for row in board.rows:
        (cell,) = row.cells.values()
        kept = Standing.objects.get(scoring=cell.scoring, metric="accuracy")
        own = row.standing
        assert (own.rank, own.low, own.high, own.p_best, own.p_top3) == (
            kept.rank, kept.low, kept.high, kept.p_best, kept.p_top3
        )  # fmt: skip


@pytest.mark.both_databases
@pytest.mark.endurance
def test_page_file_and_api_say_the_same_and_every_count_leads_to_its_list(two, lea):
    client = signed_in(lea)
    page = client.get(ADDRESS, {"on": ["desk", "shelf"], "metric": "accuracy"})
    answer = client.get(API, {"on": ["desk", "shelf"]}).json()
    rows = [*page.context["board"].rows, *page.context["board"].lacking]
    assert [{name: value for name, value in row.items() if name != "on"} for row in answer["rows"]] == [
        row.numbers for row in rows
    ]
    told = csv.DictReader(client.get(ADDRESS, {"format": "csv"}).getvalue().decode().splitlines())
    for row, line, said in zip(rows, told, answer["rows"], strict=True):
        assert (line["model"], line["metric"]) == (row.model, "accuracy")
        assert (line["value"], line["low"]) == tuple("" if n is None else str(n) for n in (said["value"], said["low"]))
        assert line["shelf"] == ("" if "shelf" not in said["on"] else str(said["on"]["shelf"]["value"]))
    assert len(counted_links(page)) == 7
    assert wrong_links(client, page) == {}
    assert {one["benchmark"]: (one["samples"], one["clusters"]) for one in answer["benchmarks"]} == {
        "desk": (40, 40), "shelf": (60, 30)
    }  # fmt: skip
    assert "Benchmarks are not drawn" in page.content.decode()


def test_everybody_sees_the_benchmarks_that_are_open_to_them(two, lea, sam, client):
    assert client.get(ADDRESS).context["board"].offered == []
    assert "No scored runs yet" in signed_in(sam).get(ADDRESS).content.decode()
    assert client.get(API).json()["rows"] == []
    set_public(actor=lea, benchmark=two[1], public=True)
    for visitor in (client, signed_in(sam)):
        assert [row["model"] for row in visitor.get(API).json()["rows"]] == ["Model A", "Model B", "Model C"]
        for address in (ADDRESS, API):
            assert visitor.get(address, {"on": ["desk", "shelf"]}).status_code == 404
    assert reverse("evaluation:macro") in signed_in(lea).get("/benchmarks/").content.decode()


def test_without_choice_it_is_on_the_benchmarks_that_most_models_share(two, lea):
    make(lea, "wall", {"Model X": 0.5})
    board = load_cross_benchmark_leaderboard(lea)
    assert [column.benchmark.slug for column in board.columns] == ["desk", "shelf"]
    assert [benchmark.slug for benchmark in board.offered] == ["desk", "shelf", "wall"]
    page = signed_in(lea).get(ADDRESS, {"on": ["desk", "wall"]})
    assert page.context["board"].rows == []
    assert "No model has a value on each of these benchmarks." in page.content.decode()


@pytest.mark.endurance
def test_too_few_pictures_and_scores_without_their_samples_have_no_range_and_no_rank(two, lea):
    make(lea, "door", {"Model A": 0.5, "Model B": 0.9}, samples=30, each=3)
    board = load_cross_benchmark_leaderboard(lea, on=["desk", "door"])
    assert [column.benchmark.slug for column in board.few] == ["door"]
    page = signed_in(lea).get(ADDRESS, {"on": ["desk", "door"]}).content.decode()
    assert "Door has 10 image clusters. Each benchmark needs at least 20" in page
    rows_changed(two[0].runs.values_list("pk", flat=True))
    Scoring.objects.filter(run__benchmark=two[0]).update(seconds=0)
    Scoring.objects.filter(run__benchmark=two[0]).update(computed_at="2026-01-01T00:00:00Z")
    kept = load_cross_benchmark_leaderboard(lea, on=["desk", "shelf"])
    for row in (*board.rows, *kept.rows):
        assert row.standing.value is not None
        assert row.numbers["rank"] is row.numbers["low"] is None
    assert "Rescore the benchmarks" in signed_in(lea).get(ADDRESS, {"on": ["desk", "shelf"]}).content.decode()


def test_a_run_scored_otherwise_than_the_others_is_marked(two, lea):
    odd = Scoring.objects.filter(run__benchmark=two[0]).order_by("pk")[0]
    Scoring.objects.filter(pk=odd.pk).update(settings={"ioa_threshold": 0.3})
    board = load_cross_benchmark_leaderboard(lea)
    marked = [cell.scoring.pk for row in (*board.rows, *board.lacking) for cell in row.cells.values() if cell.odd]
    assert marked == [odd.pk]
    assert signed_in(lea).get(ADDRESS).content.decode().count("Scored with other metric settings") == 1


@pytest.mark.parametrize(
    ("asked", "error"),
    [({"metric": "usd_mean"}, InvalidInput), ({"on": ["nowhere"]}, NotFound), ({"metric": ""}, InvalidInput)],
)
def test_what_there_is_none_of_is_refused(two, lea, asked, error):
    with pytest.raises(error):
        load_cross_benchmark_leaderboard(lea, **asked)
    assert signed_in(lea).get(ADDRESS, {"format": "svg"}).status_code == 400


def test_a_dozen_benchmarks_is_the_most(two, lea):
    slugs = [f"copy-{number}" for number in range(MOST + 1)]
    of, day = Scoring.objects.filter(run__benchmark=two[0])[0].run, "2026-01-01T00:00:00Z"
    for slug in slugs:
        of.pk, of.benchmark = None, create_benchmark(actor=lea, slug=slug, title=slug)
        of.save()
        Scoring.objects.create(run=of, gold_digest="", computed_at=day, seconds=0, samples_n=1, trajectories_n=1)
    with pytest.raises(InvalidInput, match="12 benchmarks"):
        load_cross_benchmark_leaderboard(lea, on=slugs)
    assert len(load_cross_benchmark_leaderboard(lea, on=slugs[1:]).columns) == MOST


@pytest.mark.both_databases
def test_visits_take_five_queries_and_the_first_some_more(two, lea, django_assert_num_queries):
    """Gold checks, scores, metrics, settings, the change numbers; the gold when one is another; samples and
    columns when they are."""
    for metric, gold in zip(RATES[:2], (1, 0), strict=True):
        with django_assert_num_queries(7 + gold):
            load_cross_benchmark_leaderboard(lea, metric=metric)
        with django_assert_num_queries(5):
            load_cross_benchmark_leaderboard(lea, metric=metric)
    make(lea, "wall", {"Model A": 0.5})
    with django_assert_num_queries(8):
        load_cross_benchmark_leaderboard(lea, on=["desk", "shelf", "wall"])
