"""What calling tools did, on worked examples."""

from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.statistics import wilson
from evaluation.metrics.calling import calling_effect
from evaluation.metrics.comparison import Pairing


def found(before: str, after: str, called: str, cluster: list[int] | None = None):
    n = len(before)
    rows = np.arange(n)
    samples = SimpleNamespace(cluster=np.array(cluster or list(range(n))))

    def run(text: str) -> SimpleNamespace:
        correct = np.array([one == "1" for one in text], np.int64)
        return SimpleNamespace(sample=rows, correct=correct, called=np.array([one == "c" for one in called]))

    return calling_effect(samples, run(before), run(after), Pairing(rows, rows))


def test_benefit_and_harm_are_of_samples_with_a_call() -> None:
    made = found("0001111100" + "01", "1110111100" + "00", "cccccccccc" + "--")
    assert (made.n, made.benefit, made.harm, made.needless, made.futile) == (10, 3, 1, 4, 2)
    assert made.net == pytest.approx(0.2)
    assert made.p_value == pytest.approx(0.625)
    assert (made.uncalled, made.unmet, made.unmet_share) == (2, 2, 1.0)


def test_without_a_call_nothing_is_defined() -> None:
    made = found("01", "10", "--")
    assert (made.n, made.net, made.p_value, made.interval) == (0, None, None, None)
    assert made.unmet_share == 0.5


def test_samples_of_an_image_are_a_cluster() -> None:
    made = found("0000", "1111", "cccc", [1, 1, 2, 2])
    assert (made.p_value, made.p_cluster) == (0.125, 0.5)


def test_shares_are_of_samples_with_a_call_and_unmet_has_its_interval() -> None:
    made = found("0001111100" + "0100", "1110111100" + "0001", "cccccccccc" + "----")
    assert [made.share(name) for name in ("benefit", "harm", "needless", "futile")] == [0.3, 0.1, 0.4, 0.2]
    assert made.unmet_interval == wilson(3, 4)
    nothing = found("01", "10", "--")
    assert (nothing.share("benefit"), nothing.unmet_share) == (None, 0.5)
    assert found("01", "10", "cc").unmet_interval is None


BITS = st.integers(1, 9).flatmap(
    lambda n: st.tuples(*(st.lists(st.sampled_from(letters), min_size=n, max_size=n) for letters in ("01", "01", "c-")),
                        st.lists(st.integers(0, 3), min_size=n, max_size=n))
)  # fmt: skip


@given(BITS)
def test_counts_and_tests_equal_an_independent_script(bits: tuple[list[str], list[str], list[str], list[int]]) -> None:
    before, after, called, cluster = bits
    made = found("".join(before), "".join(after), "".join(called), cluster)
    rows = [(b, a, g) for b, a, c, g in zip(before, after, called, cluster, strict=True) if c == "c"]
    pairs = [(b, a) for b, a, _ in rows]
    counts = [pairs.count(pair) for pair in (("0", "1"), ("1", "0"), ("1", "1"), ("0", "0"))]
    assert [made.benefit, made.harm, made.needless, made.futile] == counts
    assert made.n == len(rows) == sum(counts)
    assert (made.uncalled, made.unmet) == (
        called.count("-"), sum(a == "0" for a, c in zip(after, called, strict=True) if c == "-"),
    )  # fmt: skip
    if not rows:
        assert (made.net, made.p_value) == (None, None)
        return
    assert made.net == pytest.approx((counts[0] - counts[1]) / len(rows))
    m, least = counts[0] + counts[1], min(counts[:2])
    tail = 2 * sum(math.comb(m, i) for i in range(least + 1)) / 2**m
    assert made.p_value == pytest.approx(min(1.0, tail))
    sums = [sum(int(a) - int(b) for b, a, g in rows if g == group) for group in {g for _, _, g in rows}]
    flips = [abs(sum(s * d for s, d in zip(signs, sums, strict=True))) for signs in product((-1, 1), repeat=len(sums))]
    assert made.p_cluster == pytest.approx(sum(one >= abs(sum(sums)) for one in flips) / len(flips))
