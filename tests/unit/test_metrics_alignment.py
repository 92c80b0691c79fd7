"""Toolchains side by side."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bench.plain_chains import kendall, levenshtein, longest_common
from evaluation.metrics.alignment import Edit, align
from evaluation.metrics.many_chains import align_multiple
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Step, Trajectory
from tests.properties import fewer
from tests.unit.metrics_cases import random_run, sample, score_all, score_one

names = st.lists(st.sampled_from("abcd"), max_size=7)


def chain(tools: str) -> list[Step]:
    return [Step(t, image_in="original") for t in tools]


@pytest.mark.parametrize(
    ("reference", "predicted", "distance", "lcs", "tau"),
    [
        ("abc", "bad", 3, 1, -1),
        ("abc", "abc", 0, 3, 1),
        ("abc", "", 3, 0, math.nan),
        ("ab", "ba", 2, 1, -1),
        ("abc", "acb", 2, 2, 1 / 3),
        ("aab", "baa", 2, 2, -1),  # repeats: the first place of each tool
        ("ab", "ac", 1, 1, math.nan),  # one tool in both
    ],
)
def test_chains_against_their_reference(reference: str, predicted: str, distance: int, lcs: int, tau: float) -> None:
    found = score_one(sample(reference=tuple(reference)), *chain(predicted))
    assert (found.edit_distance[0], found.lcs[0]) == (distance, lcs)
    assert found.kendall_tau[0] == pytest.approx(tau, nan_ok=True)


@pytest.mark.parametrize(
    ("gold", "further", "called", "place", "distance"),
    [
        ("abc", ["ab"], "ab", 1, 0),
        ("ab", ["abc", "ad"], "ab", 0, 0),
        ("cd", ["ef", "abcd"], "ab", 2, 2),  # as many edits, but two calls in common
        ("abc", ["abc"], "abc", 0, 0),  # alike in everything: the gold's
        ("xa", ["ay", "az"], "a", 0, 1),
        (None, ["xyz", "ab"], "ac", 2, 1),  # the gold has none
        ("ab", ["c"], "", 1, 1),  # the closest to no call is the shortest
        (None, [], "ab", -1, -1),
    ],
)
def test_a_trajectory_is_held_against_the_closest_accepted_chain(
    gold: str | None, further: list[str], called: str, place: int, distance: int
) -> None:
    samples = sample_columns([sample(reference=tuple(gold or ""))])
    samples = replace(samples, accepted=[[tuple(names) for names in further]])
    run = run_columns([Trajectory("m", "s", steps=tuple(chain(called)))], samples)
    found = score_run(samples, run, MetricSettings())
    chains = [gold, *further]
    assert (found.reference_chain[0], found.edit_distance[0]) == (place, distance)
    assert found.reference_calls[0] == (-1 if place < 0 else len(chains[place] or ""))


@fewer()
@given(st.integers(0, 10_000))
def test_with_one_chain_or_the_same_one_twice_nothing_changes(seed: int) -> None:
    samples, run = random_run(seed)
    alone, none, again = (
        score_run(replace(samples, accepted=further), run, MetricSettings())
        for further in ((), [()] * len(samples), [[] if one is None else [one] for one in samples.references])
    )
    for name, column in vars(alone).items():
        assert_array_equal(column, getattr(none, name))
        assert_array_equal(column, getattr(again, name))


def test_without_a_reference_nothing_is_defined() -> None:
    found = score_one(sample(), *chain("ab"))
    assert (found.edit_distance[0], found.lcs[0], math.isnan(found.kendall_tau[0])) == (-1, -1, True)


def test_names_are_compared_canonically() -> None:
    record = sample(reference=("Binarize", "Convert Color"))
    found = score_one(record, Step("opencv_threshold"), Step("colorspace_lab"))
    assert (found.edit_distance[0], found.lcs[0], found.kendall_tau[0]) == (0, 2, 1)


def test_failed_calls_are_aligned_too() -> None:
    assert score_one(sample(reference=("a",)), Step("a", ok=False)).edit_distance[0] == 0


def test_chains_of_very_different_lengths_are_scored_together() -> None:
    pairs = ["abca" * k for k in (1, 9, 0, 40)], ["abc", "cab" * 30, "a", "bca" * 20]
    cases = list(product(*pairs))
    records = [sample(f"s{i}", reference=tuple(a)) for i, (a, _) in enumerate(cases)]
    found = score_all(records, [Trajectory("m", f"s{i}", steps=tuple(chain(b))) for i, (_, b) in enumerate(cases)])
    for i, (a, b) in enumerate(cases):
        if a:
            assert (found.edit_distance[i], found.lcs[i]) == (levenshtein(a, b), longest_common(a, b))
            assert found.kendall_tau[i] == pytest.approx(kendall(a, b), nan_ok=True)


@given(names, names)
def test_edits_lead_from_the_reference_to_the_prediction(reference: list[str], predicted: list[str]) -> None:
    rows = align(reference, predicted)
    assert [r.reference for r in rows if r.reference is not None] == reference
    assert [r.predicted for r in rows if r.predicted is not None] == predicted
    assert sum(r.edit != Edit.MATCH for r in rows) == levenshtein(reference, predicted)
    assert all((r.edit == Edit.MATCH) == (r.reference == r.predicted) for r in rows)


def test_edits_keep_names_as_written() -> None:
    rows = align(["Crop", "Binarize"], ["opencv_crop", "blur", "threshold"])
    assert [(r.edit.value, r.reference, r.predicted) for r in rows] == [
        ("match", "Crop", "opencv_crop"),
        ("insert", None, "blur"),
        ("match", "Binarize", "threshold"),
    ]


@given(st.permutations("abcdef"))
def test_tau_of_two_orders_of_the_same_tools_is_kendalls(order: list[str]) -> None:
    from scipy.stats import kendalltau

    found = score_one(sample(reference=tuple("abcdef")), *chain("".join(order)))
    assert found.kendall_tau[0] == pytest.approx(kendalltau(np.arange(6), ["abcdef".index(t) for t in order])[0])


@given(st.lists(st.sampled_from("ab"), max_size=4), st.lists(names, min_size=1, max_size=4))
def test_many_chains_stand_in_one_table_and_move_each_other_nowhere(
    reference: list[str], chains: list[list[str]]
) -> None:
    found = align_multiple(reference, chains)
    assert [column.center for column in found.columns if column.center is not None] == list(range(len(reference)))
    for row, chain_ in enumerate(chains):
        places = [column.places[row] for column in found.columns]
        assert [place for place in places if place is not None] == list(range(len(chain_)))
        assert found.distances[row] == levenshtein(reference, chain_)
        alone = align_multiple(reference, [chain_])
        beside = [column.places[row] for column in found.columns if column.center is not None]
        assert beside == [column.places[0] for column in alone.columns if column.center is not None]
    added = [column for column in found.columns if column.center is None]
    tools = [{chains[row][at] for row, at in enumerate(column.places) if at is not None} for column in added]
    assert all(len(several) == 1 for several in tools)


def test_without_a_reference_the_chain_in_the_middle_is_the_centre() -> None:
    found = align_multiple(None, ["abc", "abxc", "c"])
    assert (found.center, found.distances) == (0, [0, 1, 2])
    assert [column.places for column in found.columns] == [
        (0, 0, None), (1, 1, None), (None, 2, None), (2, 3, 0)
    ]  # fmt: skip
    assert align_multiple(None, []).columns == []
