"""Deciding every undecided answer in any way stays within the range of a metric, and reaches both of its ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, ScoreColumns
from evaluation.metrics.faithfulness import ARMS, faithfulness_columns, open_effect, paired_arms, paired_table
from evaluation.metrics.measures import evaluated_rows, grounding_measures
from evaluation.metrics.repeats import OpenRollouts, Rollouts, repeated, rollout_statistics
from evaluation.metrics.selection import AMONG, BOUNDED, QUADRANTS, SELECTED, columns_of, open_of, summarise
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.thresholds import quadrants_by_threshold, undecided_by_threshold
from evaluation.metrics.undecided import difference_range, mean_range
from evaluation.schema import Intervention
from tests.unit.score_cases import make_samples, make_scores

USUAL = MetricSettings()
RIGHT, WRONG, OPEN, UNASKED = (TRUE, False), (FALSE, False), (UNKNOWN, True), (UNKNOWN, False)
VERDICTS = st.sampled_from([RIGHT, WRONG, OPEN, OPEN, UNASKED])
CROPS = st.sampled_from(["grounded", "ungrounded", "no zoom"])
ROWS = st.lists(st.tuples(VERDICTS, CROPS), min_size=1, max_size=6)


def scores_of(rows) -> ScoreColumns:
    verdicts, crops = zip(*rows, strict=True)
    correct, undecided = zip(*verdicts, strict=True)
    inside = np.array([crop != "no zoom" for crop in crops])
    grounded = np.where(inside, [crop == "grounded" for crop in crops], UNKNOWN)
    return make_scores(len(rows), correct=correct, undecided=undecided, in_population=inside, grounded=grounded)


def decisions(scores: ScoreColumns) -> Iterator[ScoreColumns]:
    """The scores with every undecided answer decided, in every way."""
    rows = np.flatnonzero(scores.undecided)
    for verdicts in product([TRUE, FALSE], repeat=len(rows)):
        correct = scores.correct.copy()
        correct[rows] = verdicts
        yield replace(scores, correct=correct, undecided=np.zeros(len(scores), bool))


def points(scores: ScoreColumns) -> dict[str, float]:
    """Accuracy, the quadrants and the accuracies among the grounded and the others, where they are defined."""
    samples = make_samples(len(scores))
    measures = grounding_measures(samples, scores, evaluated_rows(samples, scores, USUAL), USUAL)
    found = {one.metric: one.numerator.sum() / one.denominator.sum() for one in measures if one.denominator.sum()}
    if all(name in found for name in AMONG):
        found["difference"] = found["accuracy_when_grounded"] - found["accuracy_when_ungrounded"]
    return {name: value for name, value in found.items() if name in BOUNDED or name == "difference"}


@given(ROWS, st.sampled_from(["incorrect", "exclude"]))
def test_the_grounding_measures_reach_both_ends_of_their_ranges(rows, undecided: str) -> None:
    scores, samples = scores_of(rows), make_samples(len(rows))
    settings = MetricSettings(undecided_answer=undecided)
    measures = grounding_measures(samples, scores, evaluated_rows(samples, scores, settings), settings)
    everyone = np.arange(len(rows))
    ranges = {one.metric: one.open.range(everyone) for one in measures if one.open is not None}
    grounded, ungrounded = (ranges[name] for name in AMONG)
    ranges["difference"] = difference_range(ungrounded, grounded)
    possible = [points(one) for one in decisions(scores)]
    assert {"accuracy", *QUADRANTS, *AMONG} <= ranges.keys()
    for name, ends in ranges.items():
        values = [one[name] for one in possible if name in one]
        # Whether a metric is defined does not depend on how answers are decided.
        assert len(values) in (0, len(possible))
        assert ends == pytest.approx((min(values), max(values)) if values else (None, None)), name


@given(ROWS)
def test_a_selection_has_the_ranges_of_the_run(rows) -> None:
    """By the columns that files keep, of all rows."""
    scores, samples = scores_of(rows), make_samples(len(rows))
    measures = grounding_measures(samples, scores, evaluated_rows(samples, scores, USUAL), USUAL)
    kept = {one.metric: one for measure in measures for one in (measure, *measure.ends())}
    columns = {f"n_{name}": one.numerator for name, one in kept.items()}
    columns |= {f"d_{name}": one.denominator for name, one in kept.items()}
    for name in ("accuracy", *QUADRANTS, *AMONG):
        assert set(columns_of(name)) <= kept.keys()
        assert open_of(name, columns).range() == kept[name].open.range()


ARM = st.lists(st.tuples(VERDICTS, VERDICTS), min_size=1, max_size=5)


def effect_columns(pairs, *, decided=False):
    """Trajectories without and under noise; an undecided answer is wrong, as scoring gives it."""
    samples, records, undecided = make_samples(len(pairs)), [], []
    for row, pair in enumerate(pairs):
        for condition, (correct, is_open) in zip(("none", "visual"), pair, strict=True):
            if correct != UNKNOWN or is_open:
                records.append(Intervention("m", f"s{row}", condition, correct == TRUE))
            if is_open:
                undecided.append((f"s{row}", condition))
    return faithfulness_columns(samples, [], records, [], USUAL, undecided)


def arms_of(pairs):
    return paired_arms(effect_columns(pairs), ARMS["ate_visual"], np.zeros(len(pairs), bool), USUAL)


def decided_pairs(pairs) -> Iterator[list]:
    places = [(row, arm) for row, pair in enumerate(pairs) for arm in (0, 1) if pair[arm] == OPEN]
    for verdicts in product([RIGHT, WRONG], repeat=len(places)):
        found = [list(pair) for pair in pairs]
        for (row, arm), verdict in zip(places, verdicts, strict=True):
            found[row][arm] = verdict
        yield found


@given(ARM)
def test_an_effect_and_its_arms_reach_both_ends_of_their_ranges(pairs) -> None:
    arms = arms_of(pairs)
    left = open_effect(arms.first, arms.second, arms.undecided)
    tables = [paired_table(one.first, one.second) for one in map(arms_of, decided_pairs(pairs))]
    for ends, name in ((left.before, "before"), (left.after, "after"), (left.difference, "difference")):
        values = [getattr(table, name) for table in tables]
        defined = values[0] is not None
        assert ends == pytest.approx((min(values), max(values)) if defined else (None, None)), name
    # As of a selection, by the codes that files keep: 2 right, 1 wrong, 3 undecided, 0 not in both.
    first, second = (
        np.where(flags, 3, codes + 1).astype(float)
        for codes, flags in zip((arms.first, arms.second), arms.undecided, strict=True)
    )
    found = summarise(SELECTED["ate_visual"], second, first, None)
    assert found.range == left.difference
    assert found.value == paired_table(arms.first, arms.second).difference


def test_an_undecided_recorded_outcome_is_none_and_pairs_of_records_have_no_range() -> None:
    records = [Intervention("m", "s0", condition, right) for condition, right in (("none", True), ("visual", False))]
    columns = faithfulness_columns(make_samples(1), records, records, [], USUAL, [("s0", "visual"), ("s9", "none")])
    arms = paired_arms(columns, ARMS["ate_visual"], np.zeros(1, bool), USUAL)
    assert open_effect(arms.first, arms.second, arms.undecided).difference == (-1.0, -1.0)


def test_the_worked_example_of_an_effect() -> None:
    left = open_effect(
        np.array([1, 1, 1, 0]), np.array([1, 1, 0, 0]), (np.zeros(4, bool), np.array([False, False, True, False]))
    )
    assert (left.before, left.after, left.difference) == ((0.75, 0.75), (0.5, 0.75), (-0.25, 0.0))
    detail = left.as_detail("accuracy_none", "accuracy_intervened")
    assert detail["low"] == -0.25
    assert detail["accuracy_intervened_high"] == 0.75


ROLLOUTS = st.lists(st.lists(VERDICTS, min_size=1, max_size=3), min_size=1, max_size=4).filter(
    lambda samples: sum(verdict == OPEN for one in samples for verdict in one) <= 6
)


def repeats_of(samples, *, left_out: bool = False):
    """Of the verdicts of the rollouts of each sample, the first one first; undecided ones are wrong, or left out."""
    rows = [(row, *verdict, place == 0) for row, one in enumerate(samples) for place, verdict in enumerate(one)]
    rows = [row for row in rows if row[1:3] != UNASKED]
    sample, correct, undecided, first = (np.array(column) for column in zip(*rows, strict=True)) if rows else EMPTY
    right, counted = (correct == TRUE).astype(float), ~undecided | (not left_out)
    found = Rollouts(sample[counted], right[counted], first[counted], sample[counted])
    return rollout_statistics(repeated(found), OpenRollouts(sample, right, right + undecided, first))


EMPTY = (np.zeros(0, int), np.zeros(0, int), np.zeros(0, bool), np.zeros(0, bool))


def decided_rollouts(samples) -> Iterator[list]:
    places = [(row, at) for row, one in enumerate(samples) for at, verdict in enumerate(one) if verdict == OPEN]
    for verdicts in product([RIGHT, WRONG], repeat=len(places)):
        found = [list(one) for one in samples]
        for (row, at), verdict in zip(places, verdicts, strict=True):
            found[row][at] = verdict
        yield found


@given(ROLLOUTS)
def test_repeated_rollouts_reach_both_ends_of_their_ranges(samples) -> None:
    found, possible = repeats_of(samples), [repeats_of(one) for one in decided_rollouts(samples)]
    if found is None:
        assert set(possible) == {None}
        return
    for name in ("value", "first", "always", "some", "never"):
        values = [getattr(one, name) for one in possible]
        ends = (None, None) if values[0] is None else (min(values), max(values))
        assert found.ranges[name] == pytest.approx(ends), name


def test_the_ranges_of_rollouts_know_no_setting() -> None:
    samples = [[RIGHT, OPEN, RIGHT], [WRONG, WRONG]]
    usual, left_out = repeats_of(samples), repeats_of(samples, left_out=True)
    assert (usual.value, left_out.value) == (1 / 3, 0.5)
    assert usual.ranges == left_out.ranges
    assert usual.ranges["value"] == pytest.approx((1 / 3, 0.5))


def test_the_range_of_a_mean_weighs_every_group_alike() -> None:
    assert mean_range(np.array([7, 7, 9]), np.array([1.0, 0, 0]), np.array([1.0, 1, 0])) == (0.25, 0.5)
    assert mean_range(np.zeros(0, int), np.zeros(0), np.zeros(0)) == (None, None)


@given(st.lists(st.tuples(VERDICTS, st.floats(0, 1)), min_size=1, max_size=6))
def test_at_every_threshold_undecided_answers_are_among_the_wrong_ones(rows) -> None:
    correct, undecided = (np.array(part) for part in zip(*(verdict for verdict, _ in rows), strict=True))
    ioa, inside = np.array([value for _, value in rows]), (correct != UNKNOWN) | undecided
    counts = quadrants_by_threshold(ioa, correct == TRUE, inside)
    left = undecided_by_threshold(ioa, undecided, inside)
    assert (left <= counts[:, 1::2]).all()
    assert (left.sum(axis=1) == undecided.sum()).all()
