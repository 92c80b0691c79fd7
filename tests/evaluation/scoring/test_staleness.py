"""Scores that are not of today: pages, the command and the API say so alike, and scoring ends it."""

from __future__ import annotations

from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.changes import content_changed
from annotation.models import Gold
from annotation.workflow import Role
from evaluation.models import Run, Scoring
from evaluation.scoring.write import score_benchmark
from evaluation.trajectories.write.slices import save_slice
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db
STALE = "data-stale"
HERE = "/benchmarks/kitchen"


def pages(run, other):
    return {
        "leaderboard": f"{HERE}/leaderboard/",
        "leaderboard on a query": f"{HERE}/leaderboard/?q=wrong",
        "runs": f"{HERE}/runs/",
        "run": f"{HERE}/runs/{run}/",
        "compare": f"{HERE}/compare/?run={run}&run={other}",
        "chains": f"{HERE}/toolchain/analysis/",
        "list": f"{HERE}/trajectories/",
        "list of a run": f"{HERE}/trajectories/?run={run}",
        "slices": f"{HERE}/slices/",
        "over benchmarks": "/leaderboard/",
        "home": "/",
    }


def told(client):
    """Which pages and answers of the API say that scores are of an earlier state."""
    runs = list(Run.objects.scored().order_by("pk"))
    first, second = [run.pk for run in runs if run.scoring.failed_n < run.scoring.trajectories_n][:2]
    found = {name: STALE in client.get(address).content.decode() for name, address in pages(first, second).items()}
    api = f"/api/v1{HERE}"
    board = client.get(f"{api}/leaderboard/").json()
    over = client.get("/api/v1/leaderboard/").json()["rows"]
    with StringIO() as out:
        call_command("leaderboard", "kitchen", stdout=out)
        found["command"] = out.getvalue().splitlines()[1].endswith("  stale")
    return found | {
        "API, leaderboard": any(row["stale"] for row in board["ranked"]),
        "API, over benchmarks": any(cell["stale"] for row in over for cell in row["on"].values()),
        "API, runs": any(one["scoring"]["stale"] for one in client.get(f"{api}/runs/").json()["results"]),
        "API, run": client.get(f"{api}/runs/{first}/").json()["scoring"]["stale"],
    }


def new_gold(_):
    """Accepted anew with the same content: who asks for the gold by its time sees another one."""
    gold = Gold.objects.select_related("sample")
    gold.update(accepted_at=timezone.now())
    content_changed(gold[0].sample.benchmark_id)


def less_gold(_):
    gold = Gold.objects.select_related("sample").order_by("pk")[0]
    gold.delete()
    content_changed(gold.sample.benchmark_id)


def of_a_release_before(_):
    import_module("evaluation.migrations.0018_scores_without_values").mark_stale(apps, None)


@pytest.mark.parametrize(
    "change", [new_gold, pytest.param(less_gold, marks=pytest.mark.one_database), of_a_release_before]
)
@pytest.mark.endurance
def test_every_page_says_it_and_scoring_what_is_stale_ends_it(lea, change, board):
    client = signed_in(lea)
    save_slice(actor=lea, benchmark=board, name="Wrong", query="wrong")
    assert set(told(client).values()) == {False}
    change(board)
    assert {name for name, said in told(client).items() if not said} == set()
    score_benchmark(actor=lea, benchmark=board, only_stale=True)
    assert {name for name, said in told(client).items() if said} == set()


@pytest.mark.one_database
@pytest.mark.endurance
def test_who_may_score_is_offered_it_and_others_are_told_who_can(lea, rui, board):
    add_member(actor=lea, benchmark=board, user=rui, role=Role.REVIEWER)
    save_slice(actor=lea, benchmark=board, name="Wrong", query="wrong")
    Scoring.objects.update(stale=True)
    run, other = Run.objects.scored().order_by("pk").values_list("pk", flat=True)[:2]
    for name, address in pages(run, other).items():
        if name not in ("over benchmarks", "home"):
            hers, his = (signed_in(person).get(address).content.decode() for person in (lea, rui))
            assert "Score now" in hers, name
            assert "Score now" not in his, name
            assert "A researcher or the lead can" in his, name


@pytest.mark.one_database
@pytest.mark.endurance
def test_few_runs_are_named_and_many_are_counted(lea, board):
    client, (first, *others) = signed_in(lea), Run.objects.scored().order_by("pk")
    first.scoring.stale = True
    first.scoring.save()
    chains = f"{HERE}/toolchain/analysis/"
    assert f"Stale scores: {first}.</b>" in client.get(chains).content.decode()
    Scoring.objects.update(stale=True)
    assert len(others) >= 3
    assert f"Stale scores: {1 + len(others)} runs.</b>" in client.get(chains).content.decode()
