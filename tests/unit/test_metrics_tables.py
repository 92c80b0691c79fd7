"""The tables behind a run's charts, and a run from its records to its metrics."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.columns import Outcome
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.tables import (
    coverage_curve,
    length_histogram,
    outcomes_by_targets,
    tool_distribution,
)
from evaluation.schema import Step, Trajectory
from tests.unit.metrics_cases import multiple_choice, random_run, sample, zoom
from tests.unit.score_cases import random_scores

DEFAULT = MetricSettings()
GOLD = [[0, 0, 100, 100]]


def scored(records, trajectories):
    samples = sample_columns(records)
    run = run_columns(trajectories, samples)
    return samples, run, score_run(samples, run, DEFAULT)


@pytest.fixture
def two_runs():
    """One trajectory that finds the gold in two crops, one without a call, one that looks elsewhere."""
    content = multiple_choice("C")
    records = [sample(k, GOLD, reference=("crop", "canny"), **content) for k in ("both", "none", "off")]
    found = (zoom([0, 0, 50, 100]), zoom([50, 0, 100, 100], image_out="b"))
    return scored(
        records,
        [
            Trajectory("m", "both", steps=found, answer="C"),
            Trajectory("m", "none", answer="C"),
            Trajectory("m", "off", steps=(zoom([500, 500, 600, 600]), Step("Edge Detect", image_in="a")), answer="A"),
        ],
    )


def test_coverage_after_n_calls_is_a_mean_that_never_falls(two_runs):
    _, run, scores = two_runs

    def curve(*rows):
        return coverage_curve(scores.step_coverage, run.step_start, np.isin(np.arange(3), rows)).tolist()

    assert curve(0, 1, 2) == pytest.approx([0, 0.5 / 3, 1 / 3])
    assert curve(0) == [0, 0.5, 1]
    assert curve(1) == [0]
    assert curve() == []


@pytest.mark.parametrize("seed", range(5))
def test_the_coverage_curve_of_any_run_never_falls(seed):
    samples, run = random_run(seed, rows=40)
    scores = score_run(samples, run, DEFAULT)
    curve = coverage_curve(scores.step_coverage, run.step_start, scores.scorable)
    assert curve[0] == 0
    assert (np.diff(curve) >= -1e-12).all()
    assert curve[-1] <= 1 + 1e-12


def test_the_tool_distribution_shares_all_attempted_calls():
    found = tool_distribution({"canny": 1, "blur": 1, "crop": 2, "never": 0})
    assert [(use.tool, use.calls, use.share) for use in found] == [
        ("crop", 2, 0.5),
        ("blur", 1, 0.25),
        ("canny", 1, 0.25),
    ]
    assert tool_distribution({}) == []


def test_lengths_are_counted_against_the_reference(two_runs):
    _, _, scores = two_runs
    lengths = (scores.calls, scores.effective_calls, scores.reference_calls)
    found = length_histogram(*lengths)
    assert [row.predicted for row in found] == [1, 0, 2]
    assert [row.reference for row in found] == [0, 0, 3]
    assert length_histogram(*(column[:0] for column in lengths)) == []
    assert length_histogram(np.array([2]), np.array([1]), np.array([-1])) == []


def test_outcomes_are_stacked_by_number_of_targets():
    outcomes = np.array([Outcome.EXACT, Outcome.SUBSTITUTE, Outcome.EXACT, Outcome.NONE])
    found = outcomes_by_targets(outcomes, np.array([1, 1, 8, 3]))
    assert {size: counts.tolist() for size, counts in found.items()} == {"1": [1, 0, 0, 1, 0], "6+": [1, 0, 0, 0, 0]}


def test_a_run_goes_from_records_to_metrics(two_runs):
    samples, run, scores = two_runs
    found = {row.metric: row for row in aggregate(samples, scores, run, DEFAULT, slices=[])}
    assert (found["accuracy"].value, found["tool_ratio"].value) == (pytest.approx(2 / 3),) * 2
    assert (found["grounded_score"].value, found["grounded_score"].n) == (0.5, 2)
    assert found["tool_efficiency"].value == 0.75
    assert found["chain_mae"].value == pytest.approx(2 / 3)
    priced = {row.metric: row for row in aggregate(samples, scores, run, DEFAULT, slices=[], prices={"crop": 2.0})}
    assert (priced["cost_mean"].value, priced["cost_per_correct"].value) == (pytest.approx(7 / 3), 3.5)


def test_prices_by_tool_need_the_calls(two_runs):
    samples, _, scores = two_runs
    with pytest.raises(ValueError, match="Prices by tool"):
        aggregate(samples, scores, None, DEFAULT, prices={"crop": 2.0})


def test_metric_rows_can_be_written_as_json():
    rows = aggregate(*random_scores(3, 60, per_cluster=2), None, DEFAULT)
    assert json.loads(json.dumps([asdict(row) for row in rows], allow_nan=False))[0]["metric"] == "accuracy"
