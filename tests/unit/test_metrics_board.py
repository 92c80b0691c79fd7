"""What a board of many runs claims, at its real sizes."""

import time
from itertools import combinations, pairwise

import numpy as np
import pytest

from evaluation.metrics.ranking import rank_models
from evaluation.metrics.significance import cluster_differences, holm, mcnemar, sign_flip

ENTRIES, SAMPLES = 134, 500


@pytest.fixture(scope="module")
def crowded_board():
    """134 entries on the same 500 samples, by right answers from 76.8 % down to 1.6 %, so near to each other that a
    neighbour is mostly one sample away. Samples have a difficulty of their own, as those of a benchmark have."""
    rng = np.random.default_rng(134)
    difficulty = rng.normal(0, 1.5, SAMPLES)
    right = np.zeros((SAMPLES, ENTRIES), np.int64)
    for entry, count in enumerate(np.linspace(384, 8, ENTRIES).round().astype(int)):
        easiest = np.argsort(difficulty + rng.normal(0, 1, SAMPLES))[:count]
        right[easiest, entry] = 1
    return right


def pair(right, a, b):
    lost = int(((right[:, a] == 1) & (right[:, b] == 0)).sum())
    gained = int(((right[:, a] == 0) & (right[:, b] == 1)).sum())
    return lost, gained


def test_no_two_neighbours_of_a_crowded_board_separate(crowded_board):
    """As of SWE-bench verified: 0 of 133 adjacent pairs separate, though the first and the last clearly do."""
    counts = crowded_board.sum(axis=0)
    assert (counts[0], counts[-1]) == (384, 8)
    assert all(upper >= lower for upper, lower in pairwise(counts))
    adjusted = holm([mcnemar(*pair(crowded_board, a, b)) for a, b in pairwise(range(ENTRIES))])
    assert len(adjusted) == 133
    assert sum(p < 0.05 for p in adjusted) == 0
    assert mcnemar(*pair(crowded_board, 0, ENTRIES - 1)) < 1e-50


def test_rank_ranges_of_a_crowded_board_overlap_and_take_a_second(crowded_board):
    begun = time.process_time()
    found = rank_models(crowded_board[:, :50].astype(float), np.arange(SAMPLES))
    assert time.process_time() - begun < 3  # 10 000 joint draws of 50 models; a second on a quiet machine
    assert found.draws >= 10_000
    assert all(s.low <= s.rank <= s.high for s in found.standings)
    assert all(upper.high >= lower.low for upper, lower in pairwise(found.standings))
    assert sum(s.p_best for s in found.standings) == pytest.approx(1)


def test_190_pairs_of_exact_tests_with_holm_take_a_second():
    rng = np.random.default_rng(20)
    right = (rng.random((2000, 20)) < np.linspace(0.5, 0.6, 20)).astype(np.int64)
    cluster = np.repeat(np.arange(500), 4)
    begun = time.process_time()
    pairs = list(combinations(range(20), 2))
    exact = holm([mcnemar(*pair(right, a, b)) for a, b in pairs])
    clustered = holm([sign_flip(cluster_differences(right[:, a], right[:, b], cluster)) for a, b in pairs])
    assert time.process_time() - begun < 3
    assert len(exact) == len(clustered) == 190


def test_the_cluster_test_keeps_its_level_where_mcnemar_does_not():
    """50 pictures with 6 questions, no difference between the models, but a picture that suits one or the other."""
    rng = np.random.default_rng(68)
    cluster, trials = np.repeat(np.arange(50), 6), 1000
    lean = np.repeat(rng.normal(0, 0.9, (trials, 2, 50)), 6, axis=2)
    right = (rng.random((trials, 2, 300)) < 1 / (1 + np.exp(-lean))).astype(np.int64)
    lost = ((right[:, 0] == 1) & (right[:, 1] == 0)).sum(axis=1)
    gained = ((right[:, 0] == 0) & (right[:, 1] == 1)).sum(axis=1)
    liberal = np.mean([mcnemar(int(b), int(c)) < 0.05 for b, c in zip(lost, gained, strict=True)])
    exact = np.mean([sign_flip(cluster_differences(a, b, cluster)) < 0.05 for a, b in right])
    assert 0.03 <= exact <= 0.06
    assert liberal > 0.10
