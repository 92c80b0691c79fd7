"""Where nothing says what is right, an answer is neither right nor wrong: on pages, in queries and in exports."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.common.exports import sample_rows
from evaluation.models import Comparison, Metric, Run, Trajectory
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, miscounted, total, wrong_links
from tests.evaluation.run_pages import make_benchmark
from tests.evaluation.scores import with_scores
from tests.worlds import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

KINDS = {"seen": 3, "seen-wrong": 2, "missed-wrong": 1, "unanswered": 1, "undecided": 1, "planned": 2, "unasked": 2}
COUNTS = {"correct": 3, "wrong": 5, "undecided": 1, "correct:no": 4, "correct:none": 4, "counted": 8, "not counted": 4}


@made_once
def street(lea):
    """Two runs of eight samples that have a right answer, two that ask for a plan, and two with boxes alone."""
    return make_benchmark(lea, KINDS, ("Model C", "Model D"), pictures=False)


@pytest.fixture
def client(lea):
    return signed_in(lea)


def test_page_and_api_list_the_same(street, client):
    run = Run.objects.of(street)[0].pk
    lists, api = reverse("evaluation:trajectories", args=["street"]), "/api/v1/benchmarks/street/trajectories/"
    queries = {query: {"q": query, "run": run} for query in COUNTS}
    assert {q: len(client.get(api, terms).json()["results"]) for q, terms in queries.items()} == COUNTS
    assert {q: total(client, f"{lists}?q={q}&run={run}") for q in queries} == COUNTS
    rows = client.get(f"{lists}?q=correct:none&run={run}").content.decode()
    assert (rows.count(">no gold answer</span>"), rows.count(">undecided<")) == (KINDS["unasked"], 0)


def test_api_and_export_say_nothing_of_them(street, client):
    rows = client.get("/api/v1/benchmarks/street/trajectories/", {"q": "correct:none"}).json()["results"]
    exported = [row for row in sample_rows(street) if row["sample"].startswith(("planned", "unasked"))]
    assert len(rows) == len(exported) == 8
    for row in [*exported, *(row["score"] for row in rows)]:
        assert (row["correct"], row["undecided"], row["quadrant"]) == (None, False, None)


def test_every_number_leaves_them_out(street, client):
    first = Run.objects.of(street)[0]
    found = {row.metric: row for row in Metric.objects.filter(scoring=first.scoring, slice_by="")}
    quadrants = [
        "valid_grounded_reasoning",
        "ground_success_answer_failure",
        "ungrounded_correct_answer",
        "dual_failure",
    ]
    assert [(found[name].n, found[name].numerator) for name in ("accuracy", "pass_rate")] == [(8, 3)] * 2
    assert [found[name].n for name in quadrants] == [7] * 4
    assert sum(found[name].numerator for name in quadrants) == 7
    assert (found["grounded_score"].n, found["grounded_score"].numerator) == (9, 8)
    assert [pair.n for pair in Comparison.objects.all()] == [8]
    unasked = with_scores(Trajectory.objects.filter(sample__key__startswith="unasked"))
    assert {one.score.failure for one in unasked} == {""}


@pytest.mark.endurance
def test_every_number_on_a_page_opens_as_many(street, client):
    first, second = Run.objects.of(street)
    assert miscounted(client, client.get(reverse("evaluation:run", args=["street", first.pk]))) == {}
    assert miscounted(client, client.get(reverse("evaluation:leaderboard", args=["street"]))) == {}
    compared = client.get(reverse("evaluation:compare", args=["street"]), {"run": [first.pk, second.pk]})
    assert counted_links(compared)
    assert wrong_links(client, compared) == {}


def test_a_verdict_makes_one_right_or_wrong(street, lea, client):
    from evaluation.scoring.write import score_benchmark

    Trajectory.objects.filter(sample__key="unasked-00", run__model__name="Model C").update(judge_correct=False)
    score_benchmark(actor=lea, benchmark=street)
    said = {row["sample"]: row["correct"] for row in sample_rows(street) if row["model"] == "Model C"}
    assert (said["unasked-00"], said["unasked-01"]) == (False, None)
