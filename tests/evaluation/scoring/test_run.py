"""A run is scored, stored and ranked; the rows say what the metrics say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import transaction
from django.db.models import Q

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.freeze import freeze_version
from annotation.content.samples import save_samples
from annotation.models import BankTool, Sample
from annotation.tools.write import accept_tool
from evaluation.common.exports import EXPORTS
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Comparison, Intervention, Metric, Run, ScoreFile, Scoring, Standing, Trajectory
from evaluation.scoring import rank as rank_runs
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.columns import load_samples
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import is_stale, rank_again, score_benchmark
from tests.evaluation import records
from tests.evaluation.scores import score_of
from tests.worlds import made_once

pytestmark = pytest.mark.django_db


@made_once
def benchmark(lea):
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    save_samples(actor=lea, benchmark=benchmark, records=records.samples())
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), records.trajectories(), None)
    return benchmark


def metric(name, model="Model A", slice_by="", value=""):
    return Metric.objects.get(metric=name, scoring__run__model__name=model, slice_by=slice_by, slice=value)


def test_rows_hold_what_was_scored(benchmark, lea):
    score_benchmark(actor=lea, benchmark=benchmark)
    mug = score_of(Trajectory.objects.get(sample__key="mug", run__model__name="Model A", rollout=0))
    # The first crop holds all of the mug; the nested one, [90,70,210,130] in the original, two thirds of it.
    assert (mug.correct, mug.grounded) == (True, True)
    assert (mug.coverage, mug.crop_index) == (1.0, 0)
    assert mug.calls == 3  # the call after the answer is none
    assert (mug.usable_crops, mug.unusable_crops) == (2, 1)
    accuracy = metric("accuracy")
    assert (accuracy.n, accuracy.numerator, accuracy.value) == (3, 3, 1.0)  # the tool plan asks for no answer


def test_an_undefined_metric_is_null_and_never_zero(benchmark, lea):
    score_benchmark(actor=lea, benchmark=benchmark)
    grounded = metric("grounded_score", "Model B")
    assert (grounded.value, grounded.n) == (None, 0)


def test_trajectories_under_a_condition_make_the_intervention(benchmark, lea):
    score_benchmark(actor=lea, benchmark=benchmark)
    change_settings(actor=lea, benchmark=benchmark, values={"interv_population": "paired"})
    score_benchmark(actor=lea, benchmark=benchmark)
    effect = metric("ate_visual", "Model B")
    assert (effect.n, effect.value) == (1, 1.0)
    assert effect.detail["gained"] == 1


def test_a_recorded_intervention_never_borrows_the_ordinary_trajectory_as_its_baseline(benchmark, lea, client):
    """D1.1: none and visual recorded for two samples, visual alone for a third; all have ordinary trajectories."""
    change_settings(actor=lea, benchmark=benchmark, values={"interv_population": "paired"})
    run = Run.objects.get(model__name="Model A")
    for key, condition in (("cup", "none"), ("cup", "visual"), ("mug", "none"), ("mug", "visual"), ("sign", "visual")):
        sample = Sample.objects.get(benchmark=benchmark, key=key)
        Intervention.objects.create(run=run, sample=sample, condition=condition, correct=condition == "none")
    score_benchmark(actor=lea, benchmark=benchmark)
    effect = metric("ate_visual")
    assert (effect.n, effect.value) == (2, -1.0)
    kept = {name: effect.detail[name] for name in ("pairs_recorded", "pairs_trajectories", "unpaired")}
    assert kept == {"pairs_recorded": 2, "pairs_trajectories": 0, "unpaired": 1}
    exported = next(row for row in EXPORTS["metrics"].rows(benchmark) if row["metric"] == "ate_visual" and row["n"])
    assert kept.items() <= exported["detail"].items()
    client.force_login(lea)
    answer = client.get(f"/api/v1/benchmarks/kitchen/runs/{run.pk}/metrics/").json()
    assert any(kept.items() <= row["detail"].items() for row in answer["results"] if row["metric"] == "ate_visual")
    (shown,) = client.get(f"/benchmarks/kitchen/runs/{run.pk}/").context["effects"].rows
    assert (shown.n.n, shown.n.href, len(shown.pairs)) == (2, "", 2)  # recorded pairs have no trajectories to list


def test_scores_go_stale_with_settings_gold_and_new_trajectories(benchmark, lea):
    def stale():
        digest = load_samples(benchmark).digest
        return [is_stale(run, digest, StalenessChecker(benchmark)) for run in Run.objects.of(benchmark)]

    assert stale() == [True, True]
    score_benchmark(actor=lea, benchmark=benchmark)
    assert stale() == [False, False]
    change_settings(actor=lea, benchmark=benchmark, values={"ioa_threshold": "0.7"})
    assert stale() == [True, True]
    assert len(score_benchmark(actor=lea, benchmark=benchmark, only_stale=True)) == 2
    mug = next(r for r in records.samples() if r.id == "mug")
    moved = replace(mug, content=replace(mug.content, question="Which colour is the mug now?"))
    save_samples(actor=lea, benchmark=benchmark, records=[moved])
    assert stale() == [True, True]
    score_benchmark(actor=lea, benchmark=benchmark)
    changed = replace(records.trajectories()[1], answer="A")
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), [changed], None)
    assert stale() == [True, False]


def test_scores_name_the_version_that_was_frozen_with_this_gold(benchmark, lea):
    score_benchmark(actor=lea, benchmark=benchmark)
    assert set(Scoring.objects.values_list("version__number", flat=True)) == {None}
    freeze_version(actor=lea, benchmark=benchmark)
    score_benchmark(actor=lea, benchmark=benchmark)
    assert set(Scoring.objects.values_list("version__number", flat=True)) == {1}


def test_scoring_again_gives_the_same_rows(benchmark, lea):
    def rows():
        fields = [f.name for f in Metric._meta.fields if f.name not in ("id", "scoring")]
        return list(Metric.objects.order_by("scoring__run__model__name", "slice_by", "slice", "metric").values(*fields))

    score_benchmark(actor=lea, benchmark=benchmark)
    first = rows()
    score_benchmark(actor=lea, benchmark=benchmark)
    assert rows() == first
    assert Scoring.objects.count() == 2


def test_every_pair_is_compared_and_every_model_stands_somewhere(benchmark, lea):
    score_benchmark(actor=lea, benchmark=benchmark)
    pair = Comparison.objects.get()
    assert (pair.n, pair.a_only + pair.b_only) == (2, 2)
    ranks = Standing.objects.filter(metric="accuracy").order_by("rank").values_list("scoring__run__model__name", "rank")
    assert list(ranks) == [("Model A", 1), ("Model B", 2)]


def test_a_run_that_another_job_removes_meanwhile_is_neither_ranked_nor_compared(benchmark, lea, monkeypatch):
    score_benchmark(actor=lea, benchmark=benchmark)
    gone = Scoring.objects.order_by("pk").last()
    read = rank_runs.load_results

    def load_and_lose(run_id):
        Scoring.objects.filter(pk=gone.pk).delete()
        return read(run_id)

    monkeypatch.setattr(rank_runs, "load_results", load_and_lose)
    rank_again(benchmark)
    left = set(Scoring.objects.compared([benchmark]).values_list("pk", flat=True))
    assert set(Standing.objects.values_list("scoring", flat=True)) == left
    assert not Comparison.objects.filter(a=gone.pk).exists()
    assert not Comparison.objects.filter(b=gone.pk).exists()


def test_a_run_whose_scores_are_lost_has_no_rank_until_it_is_scored_again(benchmark, lea):
    score_benchmark(actor=lea, benchmark=benchmark)
    ranked = set(Standing.objects.values_list("scoring__run", flat=True))
    lost = ScoreFile.objects.get(run=min(ranked))
    ScoreFile.objects.filter(pk=lost.pk).update(schema=0)
    rank_again(benchmark)
    assert set(Standing.objects.values_list("scoring__run", flat=True)) == ranked - {lost.run_id}
    assert not Comparison.objects.filter(Q(a__run=lost.run_id) | Q(b__run=lost.run_id)).exists()
    score_benchmark(actor=lea, benchmark=benchmark, only_stale=True)
    assert set(Standing.objects.values_list("scoring__run", flat=True)) == ranked


def test_a_run_of_errors_failed_and_is_not_zero_percent(benchmark, lea):
    with transaction.atomic():
        broken = [replace(t, model="Model C", error="down", answer=None, steps=()) for t in records.trajectories()[:2]]
        save_trajectories(RunRegistry(benchmark, lea), broken, None)
    score_benchmark(actor=lea, benchmark=benchmark)
    accuracy = metric("accuracy", "Model C")
    assert accuracy.value is None
    assert not Standing.objects.filter(scoring__run__model__name="Model C").exists()


def test_a_sample_without_gold_is_not_scored(benchmark, lea):
    Sample.objects.get(key="sign").gold.delete()
    score_benchmark(actor=lea, benchmark=benchmark)
    assert metric("accuracy").n == 2


def test_plan_outcomes_are_sliced_by_the_segments_that_the_tool_bank_gives(benchmark, lea):
    score_benchmark(actor=lea, benchmark=benchmark)
    hammer = BankTool.objects.get(name="hammer")
    accept_tool(actor=lea, tool=hammer, name="hammer", segment="27", aliases=[])
    stale = StalenessChecker(benchmark).stale
    assert all(stale(one) for one in Scoring.objects.select_related("run"))
    score_benchmark(actor=lea, benchmark=benchmark, only_stale=True)
    found = metric("exact_match", slice_by="segment", value="Tools and General Machinery")
    assert (found.n, found.value) == (1, 1.0)
    assert not Metric.objects.filter(slice_by="segment", slice="kitchen", metric="exact_match", n__gt=0).exists()
