"""Crops of a trajectory on an image that another one replaced."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tests.properties  # noqa: F401  the number of examples
from evaluation.metrics.columns import NoGrounding, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Trajectory
from tests.unit.metrics_cases import multiple_choice, random_run, sample, zoom

SHARES = (
    "coverage", "concentration", "ioa", "iou", "union_coverage", "step_coverage", "zoom_factor", "cropped_region_size",
)  # fmt: skip
FLAGS = ("grounded", "quadrant", "in_population", "center_hit", "crop_index", "usable_crops", "unusable_crops")


def on_other_image(samples: SampleColumns, run: RunColumns, size: np.ndarray) -> tuple[SampleColumns, RunColumns]:
    """The same with images of these sizes, to which gold is scaled; trajectories stay as recorded. An edge of the image
    is scaled to exactly the other edge, so that gold outside of it stays outside."""
    now, own = (np.repeat(one, np.diff(samples.gold_start), axis=0) for one in (size, samples.size))
    moved = replace(samples, size=size, gold_boxes=samples.gold_boxes * np.tile(now, 2) / np.tile(own, 2))
    return moved, replace(run, recorded_size=samples.size[run.sample])


@example(seed=682, width=7, height=251, multi=("best", "union"))
@given(
    seed=st.integers(0, 2**32 - 1), width=st.integers(7, 5000), height=st.integers(7, 5000),
    multi=st.sampled_from([("best", "union"), ("union", "any"), ("mean", "mean"), ("last", "all")]),
)  # fmt: skip
def test_scaling_image_and_gold_leaves_every_share_equal(
    seed: int, width: int, height: int, multi: tuple[str, str]
) -> None:
    samples, run = random_run(seed)
    samples = replace(samples, size=np.where(np.isnan(samples.size), 60.0, samples.size))
    settings = MetricSettings(multi_crop=multi[0], multi_gold=multi[1])
    before = score_run(samples, run, settings)
    after = score_run(*on_other_image(samples, run, np.tile([width, height], (len(samples), 1)) * 1.0), settings)
    for name in SHARES:
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), rtol=0, atol=1e-9, err_msg=name)
    for name in FLAGS:
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name), err_msg=name)


def scored(lost: bool = False, size: tuple[int, int] = (1000, 800)) -> ScoreColumns:
    """A sample of 2000 × 1600 pixels with gold [200, 200, 400, 400], and a trajectory on an image of ``size``."""
    samples = sample_columns([sample(gold=[[200, 200, 400, 400]], width=2000, height=1600, **multiple_choice())])
    steps = (zoom([100, 100, 300, 200]),)
    run = run_columns([Trajectory("m", "s", steps=steps, answer="C")], samples)
    run = replace(run, recorded_size=np.array([size], float), lost_image=np.array([lost]))
    return score_run(samples, run, MetricSettings())


def test_a_crop_is_scaled_to_the_image_that_replaced_its_own() -> None:
    scores = scored()
    assert scores.step_crops.tolist() == [[200, 200, 600, 400]]
    assert (scores.coverage[0], scores.concentration[0]) == (1.0, 0.5)
    assert scores.no_grounding[0] == NoGrounding.NONE


def test_on_a_lost_image_grounding_is_undefined_and_the_answer_counts() -> None:
    scores = scored(lost=True, size=(900, 900))
    for name in ("coverage", "concentration", "ioa", "iou", "union_coverage", "zoom_factor"):
        assert np.isnan(getattr(scores, name)[0]), name
    assert np.isnan(scores.step_crops).all()
    assert np.isnan(scores.step_coverage).all()
    assert (scores.in_population[0], scores.grounded[0], scores.quadrant[0]) == (False, -1, -1)
    assert NoGrounding.NAMES[scores.no_grounding[0]] == "image_replaced"
    assert (scores.correct[0], scores.usable_crops[0], scores.invoked[0]) == (1, 1, True)
    assert scores.cropped_region_size[0] == pytest.approx(200 * 100 / 900**2), "a share of its own image"


def test_the_first_reason_that_applies_is_given() -> None:
    records = [
        sample("none"), sample("unknown", gold=[[0, 0, 9, 9]], width=None), sample("far", gold=[[0, 0, 9, 9]]),
        sample("in", gold=[[0, 0, 9, 9]]),
    ]  # fmt: skip
    samples = sample_columns(records)
    steps = (zoom([0, 0, 9, 9]),)
    done = [Trajectory("m", one.id, steps=() if one.id == "far" else steps) for one in records]
    scores = score_run(samples, run_columns(done, samples), MetricSettings())
    names = [NoGrounding.NAMES[code] if code >= 0 else "" for code in scores.no_grounding]
    assert names == ["no_gold", "size_unknown", "no_zoom", ""]


def test_a_run_without_earlier_images_is_scored_as_before() -> None:
    samples, run = random_run(3)
    same = replace(run, recorded_size=np.full((len(run), 2), np.nan), lost_image=np.zeros(len(run), bool))
    before, after = (score_run(samples, one, MetricSettings()) for one in (run, same))
    for name in (*SHARES, *FLAGS):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
