"""Tools chosen, confused, called one after another; pass rates by length."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.alignment import UNPAIRED, align
from evaluation.metrics.chain_lengths import length_table, lengths_by, pass_rate_by
from evaluation.metrics.chains import (
    LONGEST_NAME,
    Chains,
    chains_of,
    choices,
    confusion,
    confusion_words,
    pair_word,
    transition_words,
    transitions,
    uses,
)
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Step, Trajectory
from tests.unit.metrics_cases import sample

tools = st.lists(st.sampled_from("abcd"), max_size=6)


def chains(*cases: tuple[str | None, str]) -> Chains:
    """Reference and calls of each trajectory, a letter a tool; None: without a reference."""
    records = [sample(f"s{i}", reference=tuple(reference or "")) for i, (reference, _) in enumerate(cases)]
    samples = sample_columns(records)
    calls = [Trajectory("m", f"s{i}", steps=tuple(map(Step, predicted))) for i, (_, predicted) in enumerate(cases)]
    run = run_columns(calls, samples)
    return chains_of(samples, run, score_run(samples, run, MetricSettings()))


def pairs(found: list) -> dict[tuple[str, str], tuple[int, int]]:
    return {(pair.first, pair.second): (pair.times, pair.trajectories) for pair in found}


@given(st.lists(st.tuples(tools.filter(bool), tools), min_size=1, max_size=5))
def test_tools_are_confused_as_the_alignment_of_each_chain_says(cases: list[tuple[list[str], list[str]]]) -> None:
    found = confusion(chains(*[("".join(a), "".join(b)) for a, b in cases]))
    expected = Counter((row.reference or "", row.predicted or "") for a, b in cases for row in align(a, b))
    assert {pair: times for pair, (times, _) in pairs(found).items()} == expected


def test_pairs_of_tools_are_counted_by_call_and_by_trajectory() -> None:
    found = chains(("abc", "adc"), ("b", "dd"), (None, "a"), ("a", ""))
    assert pairs(confusion(found)) == {
        ("a", "a"): (1, 1), ("b", "d"): (2, 2), ("c", "c"): (1, 1), ("", "d"): (1, 1), ("a", ""): (1, 1)
    }  # fmt: skip
    assert confusion_words(found) == ["\na>a\nb>d\nc>c\n", "\n>d\nb>d\n", "", "\na>\n"]
    assert pairs(transitions(found)) == {
        ("", "a"): (2, 2), ("a", "d"): (1, 1), ("d", "c"): (1, 1), ("c", ""): (1, 1), ("", "d"): (1, 1),
        ("d", "d"): (1, 1), ("d", ""): (1, 1), ("a", ""): (1, 1), ("", ""): (1, 1),
    }  # fmt: skip
    assert transition_words(found)[1::2] == ["\n>d\nd>\nd>d\n", "\n>\n"]


def test_long_names_that_begin_alike_have_one_word() -> None:
    names = tuple("a" * LONGEST_NAME + end for end in ("", "b", "c"))
    one, two, three = (np.array(codes) for codes in ([0, 1], [2], [0]))
    found = Chains(
        names, np.array([0, 2, 3]), np.concatenate([one, two]), np.ones(3, bool), np.full(3, UNPAIRED),
        np.ones(2, bool), np.array([0, 0, 1]), three,
    )  # fmt: skip
    word = pair_word(names[0], names[0])
    assert [word in text.split("\n") for text in transition_words(found)] == [True, False]
    assert all(pair_word("", names[2]) in text.split("\n") for text in confusion_words(found))


def test_a_tool_is_chosen_once_per_sample_and_undefined_is_not_0() -> None:
    found = {row.tool: row for row in choices(chains(("ab", "aac"), ("ab", ""), (None, "d")), None)}
    assert [(row.tp, row.fp, row.fn) for row in found.values()] == [(1, 0, 1), (0, 0, 2), (0, 1, 0)]
    assert [(row.precision, row.recall) for row in found.values()] == [(1, 0.5), (None, 0), (0, None)]
    assert found["b"].precision_interval is None
    assert [(use.tool, use.calls, use.share, use.trajectories) for use in uses(chains((None, "aab")))] == [
        ("a", 2, 2 / 3, 1), ("b", 1, 1 / 3, 1)
    ]  # fmt: skip


def test_the_pass_rate_of_a_length_without_a_counted_answer_is_undefined() -> None:
    found = pass_rate_by(np.array([1, 1, 2, -1]), np.array([1.0, 0, 0, 1]), np.array([1.0, 1, 0, 1]), None)
    rows = [(row.value, row.n, row.right, row.counted, row.rate) for row in found]
    assert rows == [(1, 2, 1, 2, 0.5), (2, 1, 0, 0, None)]
    assert found[0].interval is not None
    assert found[1].interval is None


def test_lengths_are_held_against_the_references_there_are() -> None:
    reference, calls = np.array([5, 2, -1, 30]), np.array([3, 2, 9, 0])
    groups = [("both", np.array([0, 1, 2])), ("none", np.array([2]))]
    both, none = lengths_by(groups, reference, calls, calls, None)
    assert (both.n, both.reference.value, both.calls.value, both.error.value) == (2, 3.5, 2.5, 1)
    assert (none.n, none.error.value, none.error.interval) == (0, None, None)
    table = length_table(reference, calls)
    assert (table.sum(), table[5, 3], table[2, 2], table[10, 0]) == (3, 1, 1, 1)
