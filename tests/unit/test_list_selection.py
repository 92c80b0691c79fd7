"""Counting and finding rows of a table, beside the plain way."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.actions.list_places import Places
from evaluation.actions.list_selection import Joint, Selected, digest, packed
from evaluation.query.masks import within
from evaluation.query.numbers import bounds
from evaluation.query.samples import SampleRows
from evaluation.query.syntax import Term

ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 40), st.sampled_from([7, 1_000_003]), st.booleans()))


@given(ROWS)
def test_columns_counted_together_are_those_counted_alone(rows):
    columns = {name: np.array([row[i] for row in rows], np.int64) for i, name in enumerate(("low", "calls", "run"))}
    found = Selected(np.array([row[3] for row in rows], np.bool_))
    together = Joint(columns).counted(found)
    for name, column in columns.items():
        assert together[name] == found.counted(column) == Counter(column[found.mask].tolist())
        assert found.counted_in({one: packed(column == one) for one in set(column.tolist())}) == together[name]


@given(st.lists(st.booleans(), min_size=1), st.data())
def test_rows_have_one_key_and_others_another(rows, data):
    mask = np.array(rows, np.bool_)
    other = mask.copy()
    other[data.draw(st.integers(0, len(rows) - 1))] ^= True
    assert digest(mask) == digest(mask.copy()) != digest(other)


def test_what_is_counted_once_is_counted_of_these_rows_and_told_again():
    counts, mask = {}, np.array([True, False, True])
    first = Selected(mask, counts).once("two", lambda: 2)
    assert [first, Selected(mask, counts).once("two", lambda: 3), Selected(mask).once("two", lambda: 3)] == [2, 2, 3]


@pytest.mark.parametrize("apart", [1, 5_000])
@given(numbers=st.lists(st.integers(1, 60), unique=True), wanted=st.lists(st.integers(-2, 70)))
def test_every_number_is_found_where_it_stands_and_no_other(apart, numbers, wanted):
    found = Places(np.array(numbers, np.int64) * apart).of(np.array(wanted, np.int64) * apart)
    assert found.tolist() == [numbers.index(one) for one in wanted if one in numbers]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans())))
def test_rows_of_a_sample_stand_together_and_are_counted_and_found_by_it(rows):
    ranks, chosen = [rank for rank, _ in sorted(rows)], np.array([met for _, met in sorted(rows)], np.bool_)
    by_sample = SampleRows(np.array(ranks, np.int64), 7)
    counts = [sum(met for rank, met in rows if rank == sample) for sample in range(7)]
    assert by_sample.counted(chosen).tolist() == counts
    assert by_sample.on(chosen).tolist() == [n > 0 for n in counts]
    assert by_sample.spread(np.arange(7) / 2).tolist() == [rank / 2 for rank in ranks]


@pytest.mark.parametrize("sign", [":", "<", "<=", ">", ">="])
@given(numbers=st.lists(st.integers(-1, 127)), value=st.decimals(-3, 300, places=1).map(str))
def test_whole_numbers_are_compared_as_the_same_numbers_with_a_point_are(sign, numbers, value):
    term = Term("calls", sign, value)
    wanted = bounds(term)
    met = [number >= 0 and wanted.low < number < wanted.high for number in numbers]
    assert within(np.array(numbers, np.int8), term).tolist() == met
    assert within(np.array([np.nan if one < 0 else one for one in numbers], float), term).tolist() == met
