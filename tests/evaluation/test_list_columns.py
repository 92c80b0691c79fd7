"""The columns that lists are filtered by are the same, made of scores being written or read back from their rows."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.models import Gold
from evaluation.actions.list_columns import build_columns, read_columns
from evaluation.actions.metric_settings import settings_of
from evaluation.actions.score_run import score_benchmark
from evaluation.models import Run
from tests.evaluation.run_pages import make_benchmark

pytestmark = pytest.mark.django_db


def test_columns_kept_while_scoring_are_those_of_the_rows(lea):
    benchmark = make_benchmark(lea, models=["Model C"], pictures=False)
    run = Run.objects.of(benchmark).get()
    first, second, third, *_ = run.trajectories.filter(condition="none").order_by("pk")
    run.trajectories.filter(pk=first.pk).update(usd=0.25)
    second.pk, second.rollout, second.row_digest = None, 7, b"further"
    second.save()
    Gold.objects.filter(sample=third.sample_id).delete()

    (scoring,) = score_benchmark(actor=lea, benchmark=benchmark)
    kept = read_columns([scoring.pk], [*build_columns(run, settings_of(benchmark))])[scoring.pk]
    built = build_columns(run, settings_of(benchmark))

    assert kept.keys() == built.keys()
    for name, values in built.items():
        assert kept[name].dtype == values.dtype
        np.testing.assert_array_equal(kept[name], values, err_msg=name)
    assert {0, 1} == set(kept["scored"].tolist())
    assert len(set(kept["condition"].tolist())) > 1
    assert 0.25 in kept["usd"]
    assert kept["evaluated"][kept["rollout"] == 7].tolist() == [0]
