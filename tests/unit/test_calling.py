"""What calling tools did, on worked examples."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

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
