"""Metrics of a run on the whole and on slices: worked examples, pooling, populations, identities
(docs/metrics.md#identities, #intervals)."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import Target, ToolPlan
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.catalogue import METRICS, SHARE
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.intervals import wilson
from evaluation.metrics.settings import MetricSettings
from tests.properties import fewer
from tests.unit.score_cases import make_samples, make_scores, random_scores

QUADRANTS = (
    "valid_grounded_reasoning",
    "ground_success_answer_failure",
    "ungrounded_correct_answer",
    "dual_failure",
)
OUTCOMES = (
    "exact_match",
    "outcome_extra_only",
    "outcome_missing_only",
    "outcome_substitute",
    "outcome_out_of_order",
)
RUNS = st.builds(random_scores, st.integers(0, 10_000), st.integers(2, 60), per_cluster=st.integers(1, 3))


def table(samples, scores, slices=(), **changed):
    """Rows of the whole benchmark by metric name."""
    rows = aggregate(samples, scores, None, MetricSettings(**changed), slices=slices)
    return {row.metric: row for row in rows if row.slice_by == ""}


def test_the_worked_example_of_grounding():
    scores = make_scores(
        10,
        correct=[1, 1, 0, 1, 1, 1, 1, 1, 1, 0],
        invoked=[True] * 4 + [False] * 6,
        in_population=[True] * 4 + [False] * 6,
        grounded=[True, True, True, False] + [False] * 6,
    )
    found = table(make_samples(10), scores)
    assert [found[name].value for name in ("accuracy", "tool_ratio", "grounded_score")] == [0.8, 0.4, 0.75]
    assert [found[name].value for name in QUADRANTS] == [0.5, 0.25, 0.25, 0]
    assert {found[name].n for name in QUADRANTS} == {4}
    assert (found["accuracy"].ci_low, found["accuracy"].ci_method) == (wilson(8, 10).low, "wilson")
    assert found["accuracy_when_grounded"].value == pytest.approx(2 / 3)
    assert found["accuracy_when_ungrounded"].value == 1


def test_the_worked_example_of_toolchains():
    samples = make_samples(3, references=[("a",) * 5, ("a",) * 2, ("a",)])
    scores = make_scores(
        3, calls=[3, 2, 0], effective_calls=[1, 2, 0], unique_tools=[2, 1, 0], reference_calls=[5, 2, 1]
    )
    found = table(samples, scores)
    assert found["tool_call_rate"].value == pytest.approx(2 / 3)
    assert found["calls_mean"].value == pytest.approx(5 / 3)
    assert found["effective_calls_mean"].value == 1
    assert found["chain_mae"].value == 1
    assert found["effective_chain_mae"].value == pytest.approx(5 / 3)
    assert found["tool_efficiency"].value == 0.6
    called = table(samples, scores, mae_population="called")
    assert (called["chain_mae"].value, called["chain_mae"].n) == (1, 2)
    assert table(samples, scores, mae_population="nonempty")["effective_chain_mae"].value == 2


def test_a_missing_sample_leaves_or_counts_as_wrong():
    # The closest chain to no call is the shortest that is accepted.
    samples = make_samples(4, references=[("a", "b", "c")] * 4, accepted=[[("a", "b")], [], [("a",)], [("d", "e")]])
    scores = make_scores(
        1, correct=[1], calls=[2], effective_calls=[1], invoked=[True], in_population=[True], reference_calls=[2]
    )
    left, wrong = table(samples, scores), table(samples, scores, missing_sample="wrong")
    assert (left["accuracy"].value, left["accuracy"].n) == (1, 1)
    assert (wrong["accuracy"].value, wrong["accuracy"].n) == (0.25, 4)
    assert (wrong["tool_ratio"].value, wrong["calls_mean"].value, wrong["chain_mae"].value) == (0.25, 0.5, 1.5)
    assert (wrong["tool_call_count"].value, wrong["tool_efficiency"].value) == (0.5, 0.5)
    assert wrong["grounded_score"].n == 1
    assert wrong["exact_match"].n == 0
    assert left["accuracy"].detail["missing"] == wrong["accuracy"].detail["missing"] == 3


def test_undecided_answers_count_as_wrong_or_leave():
    scores = make_scores(
        3,
        correct=[1, -1, 0],
        undecided=[False, True, False],
        invoked=[True] * 3,
        in_population=[True] * 3,
        grounded=[True, True, False],
    )
    wrong, left = table(make_samples(3), scores), table(make_samples(3), scores, undecided_answer="exclude")
    assert (wrong["accuracy"].value, wrong["ground_success_answer_failure"].value) == (pytest.approx(1 / 3),) * 2
    assert (left["accuracy"].value, left["accuracy"].n, left["tool_ratio"].n) == (0.5, 2, 2)
    assert (left["grounded_score"].value, left["ground_success_answer_failure"].value) == (0.5, 0)
    assert left["tool_call_rate"].n == 3
    assert left["accuracy"].detail["undecided"] == 1


def test_samples_that_ask_for_no_answer_are_in_no_accuracy():
    plan = ToolPlan((Target("a", 1),))
    samples = make_samples(2, answers=[AnswerKey(False, {}, ())] * 2, plans=[plan] * 2)
    found = table(samples, make_scores(2, correct=[-1] * 2, plan_outcome=[0, 1]))
    assert (found["accuracy"].value, found["accuracy"].n) == (None, 0)
    assert (found["exact_match"].value, found["task_completable_rate"].value) == (0.5, 1)


def test_groups_are_pooled_and_never_averaged():
    samples = make_samples(10, facets={"category": [("small",)] * 2 + [("large",)] * 8})
    rows = aggregate(samples, make_scores(10, correct=[1, 1] + [0] * 8), None, MetricSettings(), slices=["category"])
    accuracy = {row.slice: row.value for row in rows if row.metric == "accuracy"}
    assert accuracy == {"": 0.2, "small": 1, "large": 0}


def test_a_sample_belongs_to_every_segment_it_lists():
    samples = make_samples(3, facets={"segment": [("a", "b"), ("b",), ()]})
    rows = aggregate(samples, make_scores(3, correct=[1, 0, 1]), None, MetricSettings(), slices=["segment"])
    found = {row.slice: (row.value, row.n) for row in rows if row.metric == "accuracy" and row.slice_by}
    assert found == {"a": (1, 1), "b": (0.5, 2)}


def test_slices_by_number_of_targets_and_of_calls():
    plans = [ToolPlan(tuple(Target(f"t{i}", i + 1) for i in range(k))) for k in (1, 2, 7, 9)]
    scores = make_scores(4, plan_outcome=[0, 1, 2, 0], plan_prefix=[1, 2, 1, 9], calls=[0, 1, 12, 30])
    rows = aggregate(make_samples(4, plans=plans), scores, None, MetricSettings())
    exact = {(r.slice_by, r.slice): r.n for r in rows if r.metric == "exact_match"}
    assert exact == {("", ""): 4, ("targets", "1"): 1, ("targets", "2"): 1, ("targets", "6+"): 2,
                     ("calls", "0"): 1, ("calls", "1"): 1, ("calls", "10+"): 2}  # fmt: skip


def test_success_by_size_counts_all_queries_and_is_undefined_above_the_size():
    plans = [ToolPlan((Target("a", 1),)), ToolPlan((Target("a", 1), Target("b", 2)))]
    scores = make_scores(2, plan_outcome=[0, 0], plan_prefix=[1, 2])
    rows = aggregate(make_samples(2, plans=plans), scores, None, MetricSettings(), slices=["targets"])
    found = {(r.slice, r.metric[-1]): r.value for r in rows if r.metric.startswith("success")}
    assert found == {("", "1"): 1, ("", "2"): 1, ("", "3"): 0, ("1", "1"): 1, ("1", "2"): None, ("1", "3"): None,
                     ("2", "1"): 1, ("2", "2"): 1, ("2", "3"): None}  # fmt: skip
    assert next(r for r in rows if r.metric == "success_rate_at_1" and r.slice == "").n == 1


def test_macro_scores_are_means_over_queries():
    prf = [[1, 1, 1], [0, 0, 0], [1, 1 / 3, 1 / 2], [np.nan] * 3]
    found = table(make_samples(4), make_scores(4, recognition_prf=prf))
    values = [found[f"recognition_{part}"].value for part in ("precision", "recall", "f1")]
    assert values == pytest.approx([2 / 3, 4 / 9, 1 / 2])
    assert found["recognition_f1"].n == 3
    assert found["recognition_f1"].ci_low is None


def test_clusters_widen_the_interval_and_are_said():
    answers = np.random.default_rng(0).integers(0, 2, 50)
    scores = make_scores(200, correct=np.repeat(answers, 4))
    row = table(make_samples(200, cluster=np.repeat(np.arange(50), 4)), scores)["accuracy"]
    assert row.ci_method == "cluster-t"
    assert row.detail["deff"] == pytest.approx(4, rel=0.05)
    assert row.detail["n_eff"] == pytest.approx(50, rel=0.05)
    assert row.ci_high - row.ci_low > 1.8 * wilson(int(answers.sum()) * 4, 200).halfwidth * 2


def test_two_rollouts_of_a_sample_are_one_cluster():
    scores = make_scores(6, sample=[0, 0, 1, 1, 2, 2], correct=[1, 1, 0, 0, 1, 0])
    row = table(make_samples(3), scores)["accuracy"]
    assert (row.n, row.detail["clusters"], row.detail["missing"]) == (6, 3, 0)


def test_a_run_of_errors_only_has_no_values():
    found = table(make_samples(3), make_scores(2, failed=[True, True], missing_answer=[True, True]))
    assert {row.value for row in found.values()} == {None}
    assert found["accuracy"].detail["run_failed"]
    assert (found["accuracy"].detail["failed"], found["accuracy"].detail["missing"]) == (2, 1)
    partly = table(make_samples(3), make_scores(2, failed=[True, False], correct=[0, 1]))
    assert (partly["accuracy"].value, partly["accuracy"].detail["failed"]) == (0.5, 1)


def test_no_trajectory_at_all_is_undefined_everywhere():
    found = table(make_samples(3), make_scores(0))
    assert {row.value for row in found.values()} == {None}
    assert found["accuracy"].detail["missing"] == 3


def test_cost_per_correct_answer_is_a_ratio_of_totals():
    found = table(make_samples(3), make_scores(3, correct=[1, 0, 1], calls=[2, 3, 1], cost=[0.5, np.nan, 1.5]))
    assert (found["cost_mean"].value, found["cost_per_correct"].value, found["usd_mean"].value) == (2, 3, 1)
    assert table(make_samples(1), make_scores(1, calls=[2]))["cost_per_correct"].value is None


def test_bootstrapped_metrics_state_seed_and_draws_and_repeat():
    samples, scores = random_scores(4, 120)
    first, again = table(samples, scores), table(samples, scores)
    assert first == again
    assert first["mean_ioa"].ci_method == first["tool_efficiency"].ci_method == "cluster-bootstrap"
    assert first["mean_ioa"].detail["draws"] == 2000
    assert "seed" in first["mean_ioa"].detail


@fewer()
@given(RUNS)
def test_the_identities_of_counts_hold_on_every_slice(run):
    rows = aggregate(*run, None, MetricSettings())
    slices = {(row.slice_by, row.slice) for row in rows}
    for place in slices:
        found = {row.metric: row for row in rows if (row.slice_by, row.slice) == place}
        if "grounded_score" in found:
            counts = [found[name].numerator for name in QUADRANTS]
            assert sum(counts) == found["grounded_score"].n <= found["tool_ratio"].numerator <= found["accuracy"].n
            assert counts[0] + counts[1] == found["grounded_score"].numerator
            assert counts[0] + counts[2] <= found["accuracy"].numerator
        assert sum(found[name].numerator for name in OUTCOMES) == found["exact_match"].n
        completable = found["exact_match"].numerator + found["outcome_extra_only"].numerator
        assert found["task_completable_rate"].numerator == completable
        rates = [found[f"success_rate_at_{k}"].value for k in (1, 2, 3)]
        defined = [rate for rate in rates if rate is not None]
        assert defined == sorted(defined, reverse=True)
        if found["calls_mean"].n:
            assert found["effective_calls_mean"].value <= found["calls_mean"].value
            assert found["unique_tools_mean"].value <= found["calls_mean"].value


@fewer()
@given(RUNS)
def test_a_pooled_value_lies_between_its_smallest_and_largest_group(run):
    rows = aggregate(*run, None, MetricSettings(), slices=["category"])
    for whole in (row for row in rows if row.slice_by == "" and row.value is not None):
        groups = [r for r in rows if r.metric == whole.metric and r.slice_by and r.value is not None]
        if whole.metric != "cost_per_correct" and groups:
            values = [group.value for group in groups]
            assert min(values) - 1e-9 <= whole.value <= max(values) + 1e-9
            assert sum(group.n for group in groups) == whole.n


@fewer()
@given(RUNS, st.integers(0, 1000))
def test_the_order_of_trajectories_changes_no_value(run, seed):
    samples, scores = run
    order = np.random.default_rng(seed).permutation(len(scores))
    turned = dataclasses.replace(
        scores,
        **{
            f.name: getattr(scores, f.name)[order]
            for f in dataclasses.fields(scores)
            if isinstance(getattr(scores, f.name), np.ndarray) and len(getattr(scores, f.name)) == len(order)
        },
    )
    for before, after in zip(
        aggregate(samples, scores, None, MetricSettings()),
        aggregate(samples, turned, None, MetricSettings()),
        strict=True,
    ):
        assert (before.metric, before.slice_by, before.slice, before.n) == (
            after.metric, after.slice_by, after.slice, after.n)  # fmt: skip
        assert before.value == pytest.approx(after.value)
        if before.ci_method != "cluster-bootstrap":
            assert before.ci_low == pytest.approx(after.ci_low)


@fewer()
@given(RUNS, st.sampled_from(["exclude", "wrong"]), st.sampled_from(["incorrect", "exclude"]))
def test_shares_are_shares_and_intervals_hold_their_value(run, missing, undecided):
    changed = MetricSettings(missing_sample=missing, undecided_answer=undecided)
    for row in aggregate(*run, None, changed):
        if row.value is not None and METRICS[row.metric].unit == SHARE:
            assert 0 <= row.value <= 1
        if row.ci_low is not None and row.value is not None:
            assert row.ci_low - 1e-9 <= row.value <= row.ci_high + 1e-9
        assert (row.ci_low is None) == (row.ci_method == "")
        assert row.value is None or row.n > 0


@fewer()
@given(RUNS)
def test_chain_errors_are_at_least_the_distance_of_the_mean_lengths(run):
    samples, scores = run
    lengths = scores.reference_calls
    inside = lengths >= 0
    found = table(samples, scores)
    if inside.any():
        for name, calls in (("chain_mae", scores.calls), ("effective_chain_mae", scores.effective_calls)):
            assert found[name].value >= abs(lengths[inside].mean() - calls[inside].mean()) - 1e-9
