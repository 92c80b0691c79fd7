"""Interventions, judgements and visual quantity: the worked examples of docs/metrics.md#faithfulness-measures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.faithfulness import (
    ARMS,
    FaithfulnessColumns,
    Flips,
    Outcomes,
    adjusted_over_arms,
    answer_change_rate,
    evidence_of_samples,
    faithfulness_columns,
    flip_rate,
    paired_arms,
    paired_effect,
    paired_table,
    reliable,
    sufficient,
)
from evaluation.metrics.intervals import wilson
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.significance import holm
from evaluation.schema import Intervention, Judgement, JudgementKind
from tests.unit.score_cases import LETTERS, make_samples, make_scores

OPEN = AnswerKey(multiple_choice=False, options={}, accepted=("white",))


def arms(both, lost, gained, neither):
    first = np.repeat([1, 1, 0, 0], [both, lost, gained, neither])
    return first, np.repeat([1, 0, 1, 0], [both, lost, gained, neither])


def recorded(**conditions):
    return FaithfulnessColumns(Outcomes({name: np.array(codes) for name, codes in conditions.items()}))


def pairs(columns, effect, text_only, settings=None):
    return paired_arms(columns, ARMS[effect], text_only, settings or MetricSettings())


def effect_of(columns, effect, cluster, text_only, settings=None):
    arms = pairs(columns, effect, text_only, settings)
    return paired_effect(arms.first, arms.second, cluster)


def metric(rows, name):
    return next(row for row in rows if row.metric == name and row.slice_by == "")


def test_the_worked_example_of_an_intervention():
    none, text = arms(20, 6, 1, 13)
    effect = paired_effect(none, text, np.arange(40))
    assert effect.table.difference == -0.125
    assert effect.p_value == pytest.approx(0.125)
    assert effect.p_cluster == effect.p_value
    assert effect.clustered is None
    assert effect.interval.low < -0.125 < effect.interval.high


def test_clusters_change_the_p_value_beside_mcnemars():
    none, text = np.ones(12, int), np.zeros(12, int)
    effect = paired_effect(none, text, np.arange(12) // 4)
    assert effect.p_value == pytest.approx(2 / 2**12)
    assert effect.p_cluster == pytest.approx(2 / 2**3)


def test_samples_without_both_conditions_leave_the_pairs():
    table = paired_table(np.array([1, 1, UNKNOWN, 0]), np.array([0, UNKNOWN, 1, 0]))
    assert (table.n, table.lost, table.gained, table.neither) == (2, 1, 0, 1)


def test_the_share_that_turned_is_of_both_ways_and_its_interval_knows_pictures():
    none, text = arms(20, 6, 1, 13)
    alone = flip_rate(none, text, np.arange(40))
    assert (alone.n, alone.count, alone.share) == (40, 7, 0.175)
    assert alone.interval == wilson(7, 40)
    assert flip_rate(none, text, np.arange(40) // 4).interval.method != "wilson"
    assert flip_rate(none, np.full(40, UNKNOWN), np.arange(40)) == Flips(0, 0, None, None)


def test_answers_change_where_they_are_read_otherwise_right_or_wrong():
    samples, shown = make_samples(5), np.zeros(5, bool)
    none, noise = ["A", "(b)", "B", "A", "B"], ["A.", "B", "A", None, "no idea"]
    records = [
        Intervention("m", f"s{i}", condition, True, answer)
        for condition, answers in (("none", none), ("visual", noise))
        for i, answer in enumerate(answers)
    ]
    columns = faithfulness_columns(samples, records, [], [], MetricSettings())
    found = answer_change_rate(pairs(columns, "ate_visual", shown), np.arange(5))
    assert (found.n, found.count, found.interval) == (3, 1, wilson(1, 3))  # none said, and none read, is no other one
    assert answer_change_rate(pairs(columns, "ate_text", shown), np.arange(5)).share is None
    text_only = np.arange(5) == 2
    assert answer_change_rate(pairs(columns, "ate_visual", text_only), np.arange(5)).share == 0


def test_open_answers_are_the_same_as_they_are_compared_with_gold():
    samples = make_samples(2, answers=[OPEN] * 2)
    said = {"none": ["White", "grey"], "visual": ["white.", "green"]}
    records = [
        Intervention("m", f"s{i}", name, False, one) for name, both in said.items() for i, one in enumerate(both)
    ]
    columns = faithfulness_columns(samples, records, [], [], MetricSettings())
    arms = pairs(columns, "ate_visual", np.zeros(2, bool))
    assert answer_change_rate(arms, np.arange(2)).share == 0.5
    assert flip_rate(arms.first, arms.second, np.arange(2)).share == 0


def test_outcomes_of_one_kind_are_paired_and_a_baseline_is_never_borrowed():
    """D1.1: three ordinary trajectories, none and visual recorded for two samples, visual alone for the third."""
    samples, shown = make_samples(4), np.zeros(4, bool)
    record = lambda key, condition, correct, answer: Intervention("m", key, condition, correct, answer)  # noqa: E731
    records = [
        *(record(key, "none", True, "A") for key in ("s0", "s1")),
        *(record(key, "visual", False, "B") for key in ("s0", "s1", "s2")),
    ]
    ordinary = [record(f"s{i}", "none", True, "A") for i in range(4)]
    columns = faithfulness_columns(samples, records, ordinary, [], MetricSettings())
    found = pairs(columns, "ate_visual", shown)
    assert found.counts == {"pairs_recorded": 2, "pairs_trajectories": 0, "pairs_arms": 0, "unpaired": 1}
    assert paired_table(found.first, found.second).n == 2
    assert answer_change_rate(found, np.arange(4)).n == 2

    under = [record("s1", "visual", True, "A"), record("s2", "visual", True, "B"), record("s3", "text", False, "B")]
    columns = faithfulness_columns(samples, records, [*ordinary, *under], [], MetricSettings())
    found = pairs(columns, "ate_visual", shown)
    # The second sample has both kinds of pair and counts by its recorded one; the third is paired by trajectories.
    assert found.counts == {"pairs_recorded": 2, "pairs_trajectories": 1, "pairs_arms": 0, "unpaired": 0}
    assert found.second.tolist() == [0, 0, 1, UNKNOWN]
    assert found.first.tolist() == [1, 1, 1, UNKNOWN]
    assert found.recorded[:3].tolist() == [True, True, False]
    assert pairs(columns, "ate_text", shown).counts == {
        "pairs_recorded": 0,
        "pairs_trajectories": 1,
        "pairs_arms": 0,
        "unpaired": 0,
    }
    left_out = np.array([True, False, False, False])
    assert pairs(columns, "ate_visual", left_out).counts["pairs_recorded"] == 1


def test_an_arm_of_the_lab_is_compared_with_the_recorded_trajectory_or_with_sham():
    samples, shown = make_samples(3), np.zeros(3, bool)
    record = lambda key, condition, correct: Intervention("m", key, condition, correct, "A" if correct else "B")  # noqa: E731
    files = [record("s2", "none", False), record("s2", "visual", True)]
    made = [record(f"s{i}", "none", True) for i in range(3)]
    made += [record(f"s{i}", "sham@prefix", i == 0) for i in range(3)]
    made += [record(f"s{i}", "noise-100@prefix", False) for i in range(3)]
    firsts = {}
    for reference in ("recorded", "sham"):
        columns = faithfulness_columns(samples, files, made, [], MetricSettings(ate_reference=reference))
        found = pairs(columns, "ate_visual", shown)
        assert found.counts == {"pairs_recorded": 1, "pairs_trajectories": 0, "pairs_arms": 2, "unpaired": 0}
        assert found.second.tolist() == [0, 0, 1]
        firsts[reference] = found.first.tolist()
    assert firsts == {"recorded": [1, 1, 0], "sham": [1, 0, 0]}, "what a file recorded keeps its baseline"


def test_a_comparison_with_the_placebo_takes_three_arms_of_one_kind():
    """D1.1 (d)."""
    samples, shown = make_samples(2), np.zeros(2, bool)
    record = lambda key, condition, correct: Intervention("m", key, condition, correct)  # noqa: E731
    records = [record("s0", "none", True), record("s0", "visual", False), record("s1", "placebo", True)]
    under = [record(key, name, True) for key in ("s0", "s1") for name in ("none", "placebo")]
    columns = faithfulness_columns(samples, records, under, [], MetricSettings())
    beyond = pairs(columns, "visual_beyond_placebo", shown)
    assert beyond.counts == {"pairs_recorded": 0, "pairs_trajectories": 0, "pairs_arms": 0, "unpaired": 1}
    under += [record("s0", "visual", True), record("s1", "visual", False)]
    columns = faithfulness_columns(samples, records, under, [], MetricSettings())
    beyond = pairs(columns, "visual_beyond_placebo", shown)
    assert beyond.counts == {"pairs_recorded": 0, "pairs_trajectories": 2, "pairs_arms": 0, "unpaired": 0}
    assert beyond.second.tolist() == [1, 0]


def test_conditions_against_none_are_adjusted_for_each_other_alone():
    found = adjusted_over_arms({"ate_text": 0.02, "ate_visual": 0.03, "ate_placebo": None, "text_beyond_placebo": 0.01})
    assert found == {"ate_text": 0.04, "ate_visual": 0.04, "ate_placebo": None}


def test_nothing_recorded_is_undefined():
    effect = effect_of(FaithfulnessColumns(), "ate_text", np.arange(3), np.zeros(3, bool))
    assert effect.table.n == 0
    assert effect.table.difference is None
    assert effect.p_value is None


def test_text_only_trajectories_leave_the_pairs_unless_asked_for():
    columns = recorded(none=[1, 1, 1], text=[0, 1, 0])
    text_only = np.array([True, False, False])
    for population, n in (("paired_mcot", 2), ("paired", 3)):
        settings = MetricSettings(interv_population=population)
        assert effect_of(columns, "ate_text", np.arange(3), text_only, settings).table.n == n


def test_a_sample_without_a_trajectory_is_not_known_to_be_text_only():
    scores = make_scores(2, visual_evidence=[True, False])
    text_only, with_evidence = evidence_of_samples(make_samples(3), scores)
    assert text_only.tolist() == [False, True, False]
    assert with_evidence.tolist() == [True, False, False]


@given(st.lists(st.tuples(*[st.sampled_from([0, 1])] * 3), min_size=1, max_size=40))
def test_beyond_placebo_is_the_difference_of_the_two_effects(rows):
    none, placebo, visual = (np.array(column) for column in zip(*rows, strict=True))
    columns = recorded(none=none, placebo=placebo, visual=visual)
    about = (np.arange(len(rows)), np.zeros(len(rows), bool))
    effects = [effect_of(columns, name, *about).table.difference for name in ("ate_visual", "ate_placebo")]
    beyond = effect_of(columns, "visual_beyond_placebo", *about).table.difference
    assert beyond == pytest.approx(effects[0] - effects[1])


def test_a_model_that_ignores_its_crops_shows_no_effect_in_95_runs_of_100():
    """Its answers under noise and under the placebo differ by chance alone, more alike on one picture than on two."""
    rng, found = np.random.default_rng(9), []
    about = (np.repeat(np.arange(50), 6), np.zeros(300, bool))
    for _ in range(400):
        easy = np.repeat(rng.beta(2, 2, 50), 6)
        answers = (rng.random((3, 300)) < easy).astype(np.int64)
        columns = recorded(**dict(zip(("none", "visual", "placebo"), answers, strict=True)))
        effect, beyond = (effect_of(columns, name, *about) for name in ("ate_visual", "visual_beyond_placebo"))
        found.append([p < 0.05 for p in holm([effect.p_cluster, beyond.p_cluster])])
    alarms = np.array(found).any(axis=1).mean()
    assert alarms <= 0.05 + 1.96 * (0.05 * 0.95 / 400) ** 0.5


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1])), min_size=1, max_size=40))
def test_the_effect_is_the_difference_of_the_two_accuracies(rows):
    first, second = (np.array(column) for column in zip(*rows, strict=True))
    table = paired_table(first, second)
    if table.n:
        assert table.difference == pytest.approx(table.after - table.before)
        assert table.difference == pytest.approx((table.gained - table.lost) / table.n)


@pytest.mark.parametrize(
    ("verdict", "code"),
    [("Yes.", TRUE), ("**yes**, clearly", TRUE), ("No", FALSE), ("Certainly yes", FALSE), ("yesterday", FALSE),
     ("", UNKNOWN), (None, UNKNOWN)],
)  # fmt: skip
def test_only_a_first_word_yes_is_reliable(verdict, code):
    assert reliable(verdict) == code


@pytest.mark.parametrize(
    ("verdict", "answer", "key", "code"),
    [
        ("yes", None, LETTERS, TRUE),
        ("No, it is cut", "A", LETTERS, FALSE),
        (None, "(a)", LETTERS, TRUE),
        (None, "B", LETTERS, FALSE),
        ("perhaps", "A", LETTERS, TRUE),
        (None, "White!", OPEN, TRUE),
        (None, "pale", OPEN, FALSE),
        ("perhaps", None, LETTERS, FALSE),
        (None, "", LETTERS, FALSE),
        (None, None, LETTERS, UNKNOWN),
    ],
)
def test_sufficiency_is_a_verdict_or_an_answer_that_is_right(verdict, answer, key, code):
    assert sufficient(verdict, answer, key, MetricSettings()) == code


def test_records_become_columns_and_the_last_one_wins():
    samples = make_samples(3)
    found = faithfulness_columns(
        samples,
        [
            Intervention("m", "s0", "none", correct=True),
            Intervention("m", "s0", "none", correct=False),
            Intervention("m", "s1", "text", correct=None),
            Intervention("m", "unknown", "text", correct=True),
        ],
        [],
        [
            Judgement("m", "s2", JudgementKind.RELIABILITY, verdict="Yes"),
            Judgement("m", "s1", JudgementKind.SUFFICIENCY, answer="A"),
            Judgement("m", "s1", JudgementKind.ANSWER, verdict="no"),
        ],
        MetricSettings(),
    )
    assert found.recorded.correct["none"].tolist() == [0, -1, -1]
    assert found.recorded.correct["text"].tolist() == [-1, -1, -1]
    assert found.reliability.tolist() == [-1, -1, 1]
    assert found.sufficiency.tolist() == [-1, 1, -1]


def test_the_worked_example_of_reliability_counts_who_lacks_a_judgement():
    samples = make_samples(10)
    scores = make_scores(10, visual_evidence=[True] * 8 + [False] * 2)
    judged = FaithfulnessColumns(reliability=np.array([1, 1, 1, 0, 0, 0, -1, -1, 1, 1]))
    row = metric(aggregate(samples, scores, None, MetricSettings(), faithfulness=judged), "reliability")
    assert (row.value, row.n, row.detail["not_judged"]) == (0.5, 6, 2)
    missing = metric(aggregate(samples, scores, None, MetricSettings()), "sufficiency")
    assert (missing.value, missing.n) == (None, 0)


def test_the_worked_example_of_visual_quantity():
    samples = make_samples(2)
    scores = make_scores(2, cropped_region_size=[0.15, 0], calls=[2, 0], visual_evidence=[True, False])
    rows = aggregate(samples, scores, None, MetricSettings())
    assert metric(rows, "cropped_region_size").value == pytest.approx(0.075)
    assert metric(rows, "tool_call_count").value == 1
    seen = aggregate(samples, scores, None, MetricSettings(crz_population="mcot"))
    assert metric(seen, "cropped_region_size").value == pytest.approx(0.15)
    assert metric(seen, "tool_call_count").n == 1


def test_crops_that_overlap_cover_more_than_the_image_and_so_may_the_interval():
    scores = make_scores(30, cropped_region_size=[1.9, 2.1] * 15, calls=[2] * 30, visual_evidence=[True] * 30)
    found = metric(aggregate(make_samples(30), scores, None, MetricSettings()), "cropped_region_size")
    assert found.value == pytest.approx(2)
    assert found.ci_low < 2 < found.ci_high


def test_an_effect_beyond_placebo_names_the_arm_it_is_measured_against():
    columns = recorded(none=[1, 1, 1, 1], placebo=[1, 1, 1, 0], visual=[0, 0, 0, 0])
    scores = make_scores(4, visual_evidence=[True] * 4)
    row = metric(
        aggregate(make_samples(4), scores, None, MetricSettings(), faithfulness=columns), "visual_beyond_placebo"
    )
    assert (row.value, row.detail["accuracy_placebo"], row.detail["accuracy_intervened"]) == (-0.75, 0.75, 0)
    assert "accuracy_none" not in row.detail


def test_effects_are_rows_with_flips_both_ways_and_both_p_values():
    none, text = arms(20, 6, 1, 13)
    samples = make_samples(40, facets={"category": [("x",)] * 20 + [("y",)] * 20})
    columns = recorded(none=none, text=text)
    scores = make_scores(40, visual_evidence=[True] * 40)
    rows = aggregate(samples, scores, None, MetricSettings(), faithfulness=columns)
    row = metric(rows, "ate_text")
    assert (row.value, row.n, row.numerator, row.ci_method) == (-0.125, 40, -5, "newcombe")
    assert row.p_value == row.detail["p_cluster"] == pytest.approx(0.125)
    assert (row.detail["lost"], row.detail["gained"]) == (6, 1)
    assert (row.detail["turned"], row.detail["turned_method"]) == (0.175, "wilson")
    assert row.detail["p_holm"] == row.detail["p_cluster"]  # the only condition
    assert row.detail["accuracy_intervened"] - row.detail["accuracy_none"] == pytest.approx(-0.125)
    parts = [r for r in rows if r.metric == "ate_text" and r.slice_by == "category"]
    assert sum(r.numerator for r in parts) == -5
