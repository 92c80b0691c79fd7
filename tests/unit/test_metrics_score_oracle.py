"""The vectorised scores against plain loops over the same definitions, under every setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.plain import score_run_plain
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import CHOICES, MetricSettings
from tests.unit.metrics_cases import random_run

SCORING = ("no_crop", "crop_box", "multi_crop", "multi_gold", "open_match", "undecided_answer", "tool_aliases")


def assert_same(seed: int, chosen: MetricSettings, **size: int) -> None:
    samples, run = random_run(seed, **size)
    found, expected = score_run(samples, run, chosen), score_run_plain(samples, run, chosen)
    for name, values in expected.items():
        got = getattr(found, name)
        if name == "letter":
            assert got == values
            continue
        wanted = np.array(values, float).reshape(np.shape(got))
        np.testing.assert_allclose(np.asarray(got, float), wanted, rtol=1e-9, atol=1e-9, err_msg=f"{name}, seed {seed}")


@given(
    st.integers(0, 2**32 - 1),
    st.fixed_dictionaries({name: st.sampled_from(CHOICES[name]) for name in SCORING}),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
)
def test_a_run_scores_as_plain_loops_score_it(seed: int, chosen: dict[str, Any], threshold: float) -> None:
    assert_same(seed, MetricSettings(**chosen, ioa_threshold=threshold))


@pytest.mark.parametrize("multi_crop", CHOICES["multi_crop"])
@pytest.mark.parametrize("multi_gold", CHOICES["multi_gold"])
@pytest.mark.parametrize("no_crop", CHOICES["no_crop"])
def test_every_way_of_several_crops_and_golds_agrees(multi_crop: str, multi_gold: str, no_crop: str) -> None:
    chosen = MetricSettings(multi_crop=multi_crop, multi_gold=multi_gold, no_crop=no_crop)
    assert_same(7, chosen, rows=40, max_steps=4)


def test_long_trajectories_agree() -> None:
    assert_same(3, MetricSettings(multi_crop="union"), rows=3, max_steps=40, max_gold=8)


@pytest.mark.parametrize("rows", [1, 2])
def test_runs_without_steps_agree(rows: int) -> None:
    assert_same(0, MetricSettings(), rows=rows, max_steps=0)


def test_an_empty_run_has_empty_scores() -> None:
    samples, run = random_run(0, rows=0)
    assert len(score_run(samples, run, MetricSettings())) == 0
