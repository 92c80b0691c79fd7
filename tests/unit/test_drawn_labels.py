"""Labels on items that were drawn with unequal probabilities (docs/metrics.md#drawn-labels)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.drawn_labels import Batch, draw, drawn_rate, inclusion

SHARES = st.lists(st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.8, 1.0]), min_size=1, max_size=40)


def planted(seed, items=300, rate=0.55, votes=5):
    """Truth, share of yes votes, and the verdict of a judge with TPR .8 and TNR .7."""
    generator = np.random.default_rng(seed)
    truth = (generator.random(items) < rate).astype(float)
    yes = generator.random((items, votes)) < np.where(truth == 1, 0.8, 0.3)[:, None]
    return generator, truth, yes.mean(axis=1), (yes.mean(axis=1) > 0.5).astype(float)


def drawn(generator, truth, share, judged, sizes):
    """Batches with labels that tell the truth; λ of each from those before it."""
    batches, taken, weight = [], np.zeros(len(truth), bool), 1.0
    for size in sizes:
        rest = np.flatnonzero(~taken)
        chances = inclusion(share[rest], size)
        chosen = draw(chances, generator)
        batches.append(Batch(rest[chosen], chances[chosen], truth[rest[chosen]], weight))
        taken[rest[chosen]] = True
        weight = drawn_rate(judged, batches).next_weight
    return batches


def test_the_worked_examples():
    assert inclusion(np.array([0, 0.5, 1, 1]), 2).tolist() == pytest.approx([1 / 3, 1, 1 / 3, 1 / 3])
    batch = Batch(np.array([0, 2]), np.array([0.5, 0.5]), np.array([1.0, 1.0]), 1.0)
    assert drawn_rate(np.array([1.0, 1, 0, 0]), [batch]).value == 1


@given(SHARES, st.integers(1, 40))
def test_probabilities_are_positive_and_add_up_to_the_size(shares, size):
    found = inclusion(np.array(shares), min(size, len(shares)))
    assert ((found > 0) & (found <= 1)).all()
    assert found.sum() == pytest.approx(min(size, len(shares)))
    assert len(set(draw(found, np.random.default_rng(1)).tolist())) == min(size, len(shares))


def test_undecided_items_are_all_drawn_if_there_is_room():
    certain = np.array([True, False, False, True, False, False])
    assert inclusion(np.full(6, 0.5), 3, certain).tolist() == pytest.approx([1, 0.25, 0.25, 1, 0.25, 0.25])
    assert inclusion(np.full(6, 0.5), 1, certain).tolist() == pytest.approx([1 / 6] * 6)


def test_each_item_is_drawn_with_its_probability():
    chances = inclusion(np.array([0, 0, 0.5, 0.2, 1, 0.8, 0.4, 0]), 3)
    generator = np.random.default_rng(5)
    counts = np.bincount(np.concatenate([draw(chances, generator) for _ in range(4000)]), minlength=8)
    assert np.abs(counts / 4000 - chances).max() < 0.025


def test_drawn_labels_of_a_judge_are_unbiased_where_the_votes_that_differ_are_not():
    """|bias| < .005 over 2,000 draws; the mean of the same labels without weights is off."""
    generator, truth, share, judged = planted(3)
    found, plain = [], []
    chances = inclusion(share, 60)
    for _ in range(2000):
        chosen = draw(chances, generator)
        found.append(drawn_rate(judged, [Batch(chosen, chances[chosen], truth[chosen], 0.5)]).value)
        plain.append(truth[chosen].mean())
    assert abs(np.mean(found) - truth.mean()) < 0.005
    assert abs(np.mean(plain) - truth.mean()) > 0.005


def test_later_batches_with_the_weight_of_earlier_ones_are_unbiased_too():
    generator, truth, share, judged = planted(4, items=120)
    found = [drawn_rate(judged, drawn(generator, truth, share, judged, (20, 20))).value for _ in range(500)]
    assert abs(np.mean(found) - truth.mean()) < 0.01


def test_intervals_cover_the_rate_behind_a_planted_judge():
    """Of 100 fixed seeds at least 93."""
    covered = 0
    for seed in range(100):
        generator, truth, share, judged = planted(1000 + seed)
        interval = drawn_rate(judged, drawn(generator, truth, share, judged, (40, 40))).interval
        covered += interval.low <= 0.55 <= interval.high
    assert covered >= 93


def test_what_is_labeled_completely_is_known_but_for_the_items_themselves():
    truth, judged = np.array([1.0, 0, 1, 1, 0, 1]), np.array([1.0, 1, 0, 1, 0, 0])
    found = drawn_rate(judged, [Batch(np.arange(6), np.ones(6), truth, 1.0)])
    assert found.value == pytest.approx(4 / 6)
    assert found.error == pytest.approx((4 / 6 * 2 / 6 / 6) ** 0.5)
    assert found.half_with_more is None


def test_who_could_not_tell_gives_no_label_and_one_label_is_not_enough():
    truth = np.array([1.0, np.nan, 1, 0])
    found = drawn_rate(np.zeros(8), [Batch(np.arange(4), np.full(4, 0.5), truth, 0.0)])
    assert (found.labeled, found.value) == (3, pytest.approx(2 / 0.375 / 8))
    assert drawn_rate(np.zeros(8), [Batch(np.arange(1), np.ones(1), np.ones(1), 1.0)]) is None
    assert drawn_rate(np.zeros(8), []) is None


def test_ten_more_labels_make_the_interval_shorter():
    generator, truth, share, judged = planted(9)
    found = drawn_rate(judged, drawn(generator, truth, share, judged, (60,)))
    assert found.half_with_more < 1.96 * found.error


def test_items_of_one_image_widen_the_interval():
    generator, truth, share, judged = planted(9)
    batches = drawn(generator, truth, share, judged, (60,))
    tens_of_one_verdict = judged.astype(int) * 30 + np.arange(300) // 10
    alone, together = (drawn_rate(judged, batches, codes) for codes in (np.arange(300), tens_of_one_verdict))
    assert alone.error == pytest.approx(drawn_rate(judged, batches).error, rel=0.01)
    assert together.error > 1.1 * alone.error
