"""Agreement of crops: the IoU of unions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.crop_agreement import crop_agreement, union_ious
from evaluation.metrics.ragged import starts_of
from evaluation.metrics.regions import BoxSets
from tests.properties import fewer

BOX = st.tuples(*[st.integers(0, 9)] * 2, *[st.integers(1, 6)] * 2).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


def sets(*rows):
    boxes = np.array([box for row in rows for box in row], float).reshape(-1, 4)
    return BoxSets(boxes, starts_of(np.array([len(row) for row in rows], np.int64)))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([(0, 0, 10, 10)], [(0, 0, 10, 10)], 1),
        ([(0, 0, 10, 10)], [(5, 0, 15, 10)], 1 / 3),
        ([(0, 0, 5, 10), (5, 0, 10, 10)], [(0, 0, 10, 10)], 1),  # two halves are the whole
        ([(0, 0, 10, 10), (0, 0, 10, 10)], [(10, 0, 20, 10)], 0),  # a crop made twice counts once
        ([], [(0, 0, 10, 10)], np.nan),
        ([], [], np.nan),
    ],
)
def test_the_iou_of_unions(first, second, expected):
    assert union_ious(sets(first), sets(second)) == pytest.approx([expected], nan_ok=True)


@fewer()
@given(st.lists(BOX, min_size=1, max_size=4), st.lists(BOX, min_size=1, max_size=4))
def test_it_counts_pixels_and_knows_no_order(first, second):
    seen = [np.zeros((16, 16), bool) for _ in range(2)]
    for mask, boxes in zip(seen, (first, second), strict=True):
        for x1, y1, x2, y2 in boxes:
            mask[y1:y2, x1:x2] = True
    expected = (seen[0] & seen[1]).sum() / (seen[0] | seen[1]).sum()
    assert union_ious(sets(first), sets(second)) == pytest.approx([expected], abs=1e-12)
    assert union_ious(sets(second), sets(first)) == pytest.approx([expected], abs=1e-12)


def test_agreement_is_the_mean_where_both_have_a_crop():
    first = sets([(0, 0, 10, 10)], [(0, 0, 10, 10)], [], [(0, 0, 4, 4)])
    second = sets([(0, 0, 10, 10)], [(5, 0, 15, 10)], [(0, 0, 4, 4)], [(8, 8, 9, 9)])
    found = crop_agreement(first, second, np.arange(4))
    assert found.n == 3
    assert found.value == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert found.interval.method == "cluster-t"


def test_without_a_common_crop_it_is_undefined_and_not_0():
    found = crop_agreement(sets([]), sets([(0, 0, 1, 1)]), np.arange(1))
    assert (found.value, found.n, found.interval) == (None, 0, None)
