"""What the database gives the metrics is what the records themselves would give them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from django.db import transaction

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from evaluation.common.records import trajectory_records
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run
from evaluation.scoring.load.columns import load_run, load_samples
from tests.evaluation import records
from tests.worlds import made_once

pytestmark = pytest.mark.django_db


@made_once
def benchmark(lea):
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    save_samples(actor=lea, benchmark=benchmark, records=records.samples())
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), records.trajectories(), None)
    return benchmark


def test_scores_from_rows_equal_scores_from_records(benchmark):
    run = Run.objects.get(model__name="Model A")
    loaded_samples = load_samples(benchmark)
    from_rows = score_run(loaded_samples.columns, load_run(run, loaded_samples).columns, MetricSettings())
    plain = [t for t in records.trajectories() if t.model == "Model A" and not t.rollout]
    columns = sample_columns(records.samples())
    from_records = score_run(columns, run_columns(plain, columns), MetricSettings())
    for field in fields(from_records):
        ours, theirs = getattr(from_rows, field.name), getattr(from_records, field.name)
        np.testing.assert_array_equal(ours, theirs, err_msg=field.name)


def test_facets_and_clusters_survive(benchmark):
    columns = load_samples(benchmark).columns
    assert list(columns.keys) == ["cup", "mug", "sign", "wall"]
    assert columns.facets["segment"][1] == ("kitchen", "table")
    assert columns.facets["tier"][0] == ("2",)
    assert columns.cluster[0] == columns.cluster[1]
    assert len(set(columns.cluster[1:].tolist())) == 3


def test_a_further_rollout_and_an_intervention_are_kept_apart(benchmark):
    samples = load_samples(benchmark)
    a, b = Run.objects.get(model__name="Model A"), Run.objects.get(model__name="Model B")
    assert len(load_run(a, samples).columns) == 4
    assert load_run(a, samples, further=True).columns.answers == ["A"]
    assert load_run(b, samples, condition="visual").columns.answers == ["B"]


def test_what_was_read_comes_back_as_it_was(benchmark):
    def place(record):
        return record.model, record.setting, record.sample_id, record.rollout, str(record.condition)

    assert list(trajectory_records(benchmark)) == sorted(records.trajectories(), key=place)


def test_saving_the_same_again_changes_nothing(benchmark, lea):
    with transaction.atomic():
        counts = save_trajectories(RunRegistry(benchmark, lea), records.trajectories(), None).counts
    assert (counts["new"], counts["changed"], counts["unchanged"]) == (0, 0, 8)
    again = save_samples(actor=lea, benchmark=benchmark, records=records.samples())
    assert (again.new, again.changed, again.unchanged) == (0, 0, 4)


def test_a_benchmark_loads_in_a_fixed_number_of_queries(benchmark, django_assert_num_queries):
    with django_assert_num_queries(
        11
    ):  # samples, boxes, shapes, calls, tools, contents, facets, accepted chains, digest of both, images
        samples = load_samples(benchmark)
    run = Run.objects.get(model__name="Model A")
    with django_assert_num_queries(5):  # trajectories, answers judged by models, steps, replayed ones, decisions
        load_run(run, samples)
