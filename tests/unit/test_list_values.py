"""Rows that are kept for a value of a field."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.actions.list_values import BITS, LONGEST, NUMBERS, keys_of, packed_rows, put_rows


@given(st.sets(st.integers(0, 299)), st.sets(st.integers(0, 299)))
def test_rows_come_out_as_they_were_put_in_beside_those_that_are_there(rows: set[int], there: set[int]) -> None:
    kind, data = packed_rows(np.array(sorted(rows), np.int64)[::-1], 300)
    found = np.isin(np.arange(300), list(there))
    put_rows(found, kind, data)
    assert set(np.flatnonzero(found).tolist()) == rows | there
    assert (kind, len(data)) == ((NUMBERS, 4 * len(rows)) if len(rows) < 10 else (BITS, 38))


def test_values_are_kept_under_keys_that_no_two_share() -> None:
    long = "x" * LONGEST
    values = ["", "=", "any", long, f"{long}y", f"{long}z", "#" + "0" * 32]
    assert len({tuple(keys_of("tool", value)) for value in values}) == len(values)
    assert all(len(key) <= 200 for value in values for key in keys_of("tool", value))
    assert keys_of("tool", '["a", "b"]') == ["=a", "=b"]
    assert keys_of("crop_cell", "03-5") == keys_of("crop_cell", "3-05") == ["=3-5"]
    assert keys_of("aligned", "no pair") == keys_of("crop_cell", "5") == []
    assert keys_of("aligned", "Zoom In>crop") == keys_of("followed", "zoom_in>Crop")
