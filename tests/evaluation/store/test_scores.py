"""The scores of single trajectories, as pages read them from the files of runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluation.models import Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.store.scores import Score, put_scores
from tests.architecture.source import ROOT
from tests.evaluation.run_pages import make_benchmark
from tests.evaluation.scores import all_scores, forget_scores
from tests.worlds import made_once

ASKED = re.compile(r"\bscore\.([a-z_0-9]+)")


@made_once
def street(lea):
    return make_benchmark(lea, models=["Model C", "Model D"], pictures=False)


@pytest.mark.django_db
def test_the_score_of_each_trajectory_is_that_of_its_row(street):
    rows, stored = list(Trajectory.objects.all()), all_scores()
    put_scores(rows)
    assert {row.pk for row in rows if row.score} == set(stored)
    for row in rows:
        for name in ("correct", "undecided", "letter", "in_population", "coverage", "union_coverage", "plan_outcome"):
            assert getattr(row.score, name) == getattr(stored[row.pk], name)


@pytest.mark.django_db
def test_trajectories_of_several_runs_take_one_query(street, django_assert_num_queries):
    rows = list(Trajectory.objects.all())
    assert len({row.run_id for row in rows}) == 2
    with django_assert_num_queries(1):
        put_scores(rows)
    with django_assert_num_queries(0):
        put_scores([])


@pytest.mark.django_db
def test_a_run_that_is_not_scored_gives_no_score_and_its_neighbors_keep_theirs(street, lea):
    first, second = street.runs.order_by("pk")
    forget_scores(first)
    rows = list(Trajectory.objects.select_related("run"))
    put_scores(rows)
    assert {row.run_id for row in rows if row.score} == {second.pk}
    score_benchmark(actor=lea, benchmark=street)
    put_scores(rows)
    assert all(row.score for row in rows)


def test_every_name_that_a_template_asks_of_a_score_is_there():
    """A template shows a missing name as undefined and does not fail."""
    templates = list((ROOT / Path("templates/evaluation")).rglob("*.html"))
    asked = {name for path in templates for name in ASKED.findall(path.read_text("utf-8"))}
    assert {"coverage", "verdict"} <= asked
    assert [name for name in sorted(asked) if not hasattr(Score, name)] == []
