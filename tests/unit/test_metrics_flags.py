"""The precision of flags: of those that the person who decided did not see, and of those they saw."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from annotation.statistics import wilson
from evaluation.metrics.flags import FlagDecision, Rate, flag_precision


def decided(changed: int, n: int, *, seen: bool = False) -> list[FlagDecision]:
    images = count(1000 * seen)
    return [FlagDecision(seen, at < changed, next(images)) for at in range(n)]


def width(found: Rate) -> float:
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


@pytest.mark.parametrize(("changed", "n"), [(0, 1), (3, 4), (7, 20), (20, 20)])
def test_the_precision_is_a_share_with_the_interval_of_wilson(changed: int, n: int) -> None:
    found, wanted = flag_precision(decided(changed, n), blind=True), wilson(changed, n)
    assert wanted is not None
    assert (found.hits, found.n, found.share) == (changed, n, changed / n)
    assert (found.low, found.high) == (wanted.low, wanted.high)


def test_flags_in_view_do_not_count_as_blind_and_the_reverse() -> None:
    both = decided(1, 4) + decided(3, 3, seen=True)
    assert flag_precision(both, blind=True).share == 0.25
    assert flag_precision(both, blind=False).share == 1.0


def test_without_a_flag_it_is_undefined_and_not_0() -> None:
    found = flag_precision(decided(2, 2, seen=True), blind=True)
    assert (found.share, found.n, found.low, found.high) == (None, 0, None, None)


def test_flags_of_one_image_say_less_than_as_many_of_different_images() -> None:
    apart = decided(12, 40)
    together = [FlagDecision(False, one.changed, one.image // 4) for one in apart]
    wide, narrow = flag_precision(together, blind=True), flag_precision(apart, blind=True)
    assert wide.share == narrow.share
    assert width(wide) > width(narrow)


def test_the_interval_covers_a_known_rate() -> None:
    rng, covered = np.random.default_rng(4), 0
    for _ in range(300):
        found = flag_precision(decided(int(rng.binomial(60, 0.35)), 60), blind=True)
        covered += found.low is not None and found.high is not None and found.low <= 0.35 <= found.high
    assert covered >= 273, "95% of 300 less three standard errors"
