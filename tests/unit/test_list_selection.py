"""Counting and finding rows of a table, beside the plain way."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.actions.list_places import Places
from evaluation.actions.list_selection import Joint, Selected

ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 40), st.sampled_from([7, 1_000_003]), st.booleans()))


@given(ROWS)
def test_columns_counted_together_are_those_counted_alone(rows):
    columns = {name: np.array([row[i] for row in rows], np.int64) for i, name in enumerate(("low", "calls", "run"))}
    found = Selected(np.array([row[3] for row in rows], np.bool_))
    together = found.counted_together(Joint(columns))
    for name, column in columns.items():
        assert together[name] == found.counted(column) == Counter(column[found.mask].tolist())


@pytest.mark.parametrize("apart", [1, 5_000])
@given(numbers=st.lists(st.integers(1, 60), unique=True), wanted=st.lists(st.integers(-2, 70)))
def test_every_number_is_found_where_it_stands_and_no_other(apart, numbers, wanted):
    found = Places(np.array(numbers, np.int64) * apart).of(np.array(wanted, np.int64) * apart)
    assert found.tolist() == [numbers.index(one) for one in wanted if one in numbers]
