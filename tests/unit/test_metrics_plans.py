"""Recognition, selection and plan order: every worked example of docs/metrics.md#plans, and its identities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import Target, ToolPlan
from evaluation.metrics.columns import Outcome
from evaluation.metrics.matching import match, normalised, normalised_map, similarity, target_names
from evaluation.metrics.plans import (
    precision_recall_f1,
    query_of,
    score_plan,
    score_plans,
    sr_population,
    success_at,
)
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Trajectory
from tests.unit.metrics_cases import sample

ABCD = ToolPlan((Target("A", 1), Target("B", 2), Target("C", 2), Target("D", 3)))
ABC = ToolPlan((Target("A", 1), Target("B", 2), Target("C", 3)))


def outcome(text, plan=ABCD, judge=None):
    return score_plan(normalised(text.split(",")), query_of(plan), judge or {})


@pytest.mark.parametrize(
    ("predicted", "target", "matches"),
    [
        ("knives", "Knife", True),
        ("boxes", "Box", True),
        ("box", "Boxes", True),
        ("saw", "hand saws", False),
        ("batteries", "Battery", True),
        ("shelves", "shelf", True),
        ("brushes", "Brush", True),
        ("potatoes", "potato", True),
        ("keys", "key", True),
        ("hammers", "hammer", True),
        ("hammeres", "hammer", False),
        ("  Hand   SAW ", "hand saw", True),
    ],
)
def test_names_match_in_either_grammatical_number(predicted, target, matches):
    assert match(normalised([predicted]), target_names([target]), {}) == [0 if matches else -1]


def test_each_target_is_taken_once_in_order_of_prediction():
    targets = target_names(["Knife", "Saw"])
    assert match(["knives", "knife", "saw"], targets, {}) == [0, -1, 1]


def test_the_judge_is_asked_before_grammatical_number_and_after_the_same_name():
    targets = target_names(["Knife", "Saw"])
    assert match(["knives"], targets, {"knives": "saw"}) == [1]
    assert match(["knife"], targets, {"knife": "saw"}) == [0]
    assert match(["knives"], targets, {"knives": None}) == [-1]
    assert match(["knives"], targets, {"knives": "hammer"}) == [-1]


def test_a_judges_mapping_is_read_by_normalised_names():
    assert normalised_map({" Big  Knife": "SAW", "x": None, "y": " "}) == {"big knife": "saw", "x": None, "y": None}


def test_fuzzy_recognition_takes_the_most_similar_free_target():
    hand_saw = target_names(["Hand Saw"])
    assert match(["saw"], hand_saw, {}) == [-1]
    assert match(["saw"], hand_saw, {}, fuzzy=True) == [0]
    assert similarity("saw", "hand saw") == 0.85
    assert match(["hammer", "pliers"], target_names(["hammer", "hammer set"]), {}, fuzzy=True) == [0, -1]
    assert match(["hammer", "hammer"], target_names(["hammer", "hammer set"]), {}, fuzzy=True) == [0, 1]
    assert match(["saw"], target_names(["hand saw", "fret saw"]), {}, fuzzy=True) == [0]


def test_reported_precision_recall_and_f1_are_means_over_queries():
    scene = target_names(["a", "b", "c"])
    rows = [
        precision_recall_f1(["a", "b", "c"], scene, {}),
        precision_recall_f1(["x"], scene, {}),
        precision_recall_f1(["a"], scene, {}),
    ]
    assert rows == [(1, 1, 1), (0, 0, 0), (1, pytest.approx(1 / 3), pytest.approx(1 / 2))]
    assert np.mean(rows, axis=0) == pytest.approx([2 / 3, 4 / 9, 1 / 2])


def test_a_repeated_name_counts_once_and_an_empty_list_scores_nothing():
    scene = target_names(["a", "b"])
    assert precision_recall_f1(["a", "a"], scene, {}) == (1, 0.5, pytest.approx(2 / 3))
    assert precision_recall_f1([], scene, {}) == (0, 0, 0)
    assert precision_recall_f1(["a"], target_names([]), {}) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A,C,B,D", Outcome.EXACT),
        ("A,C,D,B", Outcome.OUT_OF_ORDER),
        ("A,X,B,C,D", Outcome.EXTRA_ONLY),
        ("A,A,B,C,D", Outcome.EXTRA_ONLY),
        ("A,B,C", Outcome.MISSING_ONLY),
        ("A,B,C,X", Outcome.SUBSTITUTE),
        ("D,A,B,C,X", Outcome.OUT_OF_ORDER),
        ("", Outcome.MISSING_ONLY),
        ("C,A", Outcome.MISSING_ONLY),
    ],
)
def test_the_outcome_of_a_plan(text, expected):
    assert outcome(text).outcome == expected


def test_a_query_without_order_has_no_order_to_break():
    free = ToolPlan(ABCD.targets, ordered=False)
    found = outcome("D,C,B,A", free)
    assert (found.outcome, found.prefix, found.pairs) == (Outcome.EXACT, 4, 0)


@pytest.mark.parametrize(
    ("text", "prefix"), [("A,B,X", 2), ("B,A,C", 0), ("A,B,C", 3), ("A,C,B", 1), ("", 0), ("A,X,B", 1), ("A,B,C,D", 3)]
)
def test_the_correct_prefix_skips_no_target(text, prefix):
    assert outcome(text, ABC).prefix == prefix


def test_order_violations_are_pairs_of_different_steps_reversed():
    found = outcome("D,B,C")
    assert (found.reversed_pairs, found.pairs) == (2, 2)
    assert outcome("B,C").pairs == 0


def scored(plan, predicted, settings=None, **more):
    samples = sample_columns([sample("s", plan=plan)])
    run = run_columns([Trajectory("m", "s", plan=predicted, **more)], samples)
    return score_plans(samples, run, MetricSettings(**settings or {}))


def test_collapse_drops_a_repeated_name_and_extra_keeps_it():
    names = ("A", "A", "B", "C", "D")
    assert scored(ABCD, names).plan_outcome[0] == Outcome.EXTRA_ONLY
    assert scored(ABCD, names, {"plan_repeats": "collapse"}).plan_outcome[0] == Outcome.EXACT
    other_name = ("A", "As", "B", "C", "D")
    assert scored(ABCD, other_name, {"plan_repeats": "collapse"}).plan_outcome[0] == Outcome.EXTRA_ONLY


def test_an_absent_prediction_is_undefined_and_an_empty_one_is_not():
    absent, empty = scored(ABCD, None), scored(ABCD, ())
    assert absent.plan_outcome[0] == Outcome.NONE
    assert absent.plan_prefix[0] == -1
    assert np.isnan(absent.selection_prf).all()
    assert empty.plan_outcome[0] == Outcome.MISSING_ONLY
    assert empty.selection_prf.tolist() == [[0, 0, 0]]


def test_recognition_is_of_the_whole_scene_and_selection_of_the_targets():
    plan = ToolPlan((Target("hammer", 1),), distractors=("saw",))
    found = scored(plan, ("hammer",), recognition=("saw", "hammer", "moon"), recognition_map={"moon": None})
    assert found.recognition_prf[0] == pytest.approx([2 / 3, 1, 0.8])
    assert found.selection_prf[0] == pytest.approx([1, 1, 1])


def test_rows_are_aligned_when_only_some_have_a_plan():
    samples = sample_columns([sample("p", plan=ABC), sample("none")])
    run = run_columns([Trajectory("m", "none", plan=("A",)), Trajectory("m", "p", plan=("A", "B", "C"))], samples)
    found = score_plans(samples, run, MetricSettings())
    assert found.plan_outcome.tolist() == [Outcome.NONE, Outcome.EXACT]
    assert found.plan_prefix.tolist() == [-1, 3]


def test_the_population_of_success_rates_follows_the_setting():
    one, two_free = ToolPlan((Target("A", 1),)), ToolPlan((Target("A", 1), Target("B", 1)))
    marked = ToolPlan((Target("A", 1),), ordered=True)
    unmarked = ToolPlan(ABC.targets, ordered=False)
    plans = [one, two_free, ABC, marked, unmarked, ToolPlan()]
    expected = {
        "ordered": [False, False, True, True, False, False],
        "multi": [False, True, True, False, True, False],
        "all": [True, True, True, True, True, False],
    }
    for name, population in expected.items():
        assert sr_population(plans, MetricSettings(sr_population=name)).tolist() == population


@pytest.mark.parametrize(
    ("sr_short", "success", "counted"),
    [
        ("fail", [False, True], [True, True]),
        ("exclude", [False, True], [False, True]),
        ("cap", [True, True], [True, True]),
    ],
)
def test_queries_with_fewer_than_k_targets_follow_the_setting(sr_short, success, counted):
    found = success_at(3, np.array([2, 3]), np.array([2, 4]), MetricSettings(sr_short=sr_short))
    assert [f.tolist() for f in found] == [success, counted]


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.lists(st.sampled_from(["t0", "t1", "t2", "t3", "t4", "x"]), max_size=7),
    st.sampled_from([None, True, False]),
)
def test_every_plan_has_one_outcome_that_fits_its_counts(steps, predicted, ordered):
    plan = ToolPlan(tuple(Target(f"t{i}", step) for i, step in enumerate(steps)), ordered=ordered)
    found = score_plan(predicted, query_of(plan), {})
    assert found.missing + (len(predicted) - found.extra) == len(steps)
    assert (found.outcome in (Outcome.MISSING_ONLY, Outcome.SUBSTITUTE)) == (found.missing > 0)
    assert (found.outcome == Outcome.EXACT) == (found.missing == found.extra == 0 and found.in_order)
    assert found.in_order == (found.reversed_pairs == 0)
    assert 0 <= found.prefix <= len(steps)
    assert found.prefix < len(steps) or found.missing == 0
