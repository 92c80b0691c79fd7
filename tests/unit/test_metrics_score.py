"""A whole run: records become columns, and what must always hold of the scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import AnswerType, SampleContent, SampleRecord
from evaluation.metrics.columns import NO_IMAGE, TRUE, UNKNOWN, Quadrant, RunColumns, SampleColumns
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Coordinates, Step, StepFlag, Trajectory, Usage
from tests.properties import fewer
from tests.unit.metrics_cases import random_run, sample, score_all, zoom

DEFAULT = MetricSettings()
seeds = st.integers(0, 2**32 - 1)
quick = fewer()


@quick
@given(seeds)
def test_quadrants_partition_the_population(seed: int) -> None:
    found = score_run(*random_run(seed), DEFAULT)
    counts = np.bincount(found.quadrant[found.in_population], minlength=4)
    assert counts.sum() == found.in_population.sum()
    assert counts[Quadrant.GPAP] + counts[Quadrant.GPAM] == (found.grounded == TRUE).sum()
    assert ((found.grounded == UNKNOWN) == ~found.in_population).all()
    assert counts[Quadrant.GPAP] + counts[Quadrant.GMAP] <= (found.correct == 1).sum()
    assert not (found.in_population & ~found.invoked).any()
    assert (found.quadrant[~found.in_population] == Quadrant.OUTSIDE).all()


@quick
@given(seeds)
def test_shares_lie_between_nothing_and_everything(seed: int) -> None:
    found = score_run(*random_run(seed), DEFAULT)
    for values in (found.coverage, found.concentration, found.ioa, found.iou):
        inside = values[found.in_population]
        assert ((inside >= 0) & (inside <= 1)).all()
        assert np.isnan(values[~found.in_population]).all()
    assert (found.zoom_factor[~np.isnan(found.zoom_factor)] >= 1 - 1e-12).all()


@quick
@given(seeds)
def test_effective_calls_and_unique_tools_never_exceed_calls(seed: int) -> None:
    found = score_run(*random_run(seed), DEFAULT)
    assert (found.effective_calls <= found.calls).all()
    assert (found.unique_tools <= found.calls).all()
    assert (found.effective_unique_tools <= np.minimum(found.unique_tools, found.effective_calls)).all()
    assert (found.usable_crops + found.unusable_crops <= found.calls).all()


@quick
@given(seeds)
def test_coverage_never_decreases_along_a_trajectory(seed: int) -> None:
    samples, run = random_run(seed)
    found = score_run(samples, run, DEFAULT)
    for begin, end in zip(run.step_start[:-1], run.step_start[1:], strict=True):
        assert not (np.diff(found.step_coverage[begin:end]) < -1e-12).any()


def per_sample(samples: SampleColumns, run: RunColumns) -> dict[str, tuple[object, ...]]:
    found = score_run(samples, run, DEFAULT)
    fields = "correct", "quadrant", "ioa", "calls", "effective_calls", "edit_distance", "cropped_region_size"
    columns = [np.round(np.nan_to_num(np.asarray(getattr(found, f), float), nan=-9), 9).tolist() for f in fields]
    return {samples.keys[s]: row for s, *row in zip(found.sample.tolist(), *columns, strict=True)}


def trajectories_in(order: list[int]) -> tuple[SampleColumns, RunColumns]:
    records = [sample(f"s{i}", gold=[[0, 0, 10 + i, 10]], answers=("yes",), reference=("crop",)) for i in order]
    runs = [
        Trajectory(
            "m", f"s{i}", steps=tuple(zoom([k, 0, k + 5 * i + 1, 9]) for k in range(i)), answer="yes" if i % 2 else "no"
        )
        for i in reversed(order)
    ]
    samples = sample_columns(records)
    return samples, run_columns(runs, samples)


@quick
@given(st.permutations(range(6)))
def test_the_order_of_samples_changes_nothing(order: list[int]) -> None:
    assert per_sample(*trajectories_in(order)) == per_sample(*trajectories_in(list(range(6))))


@quick
@given(seeds, st.sampled_from([0.5, 3.0, 7.25]))
def test_scaling_pictures_and_boxes_together_changes_nothing(seed: int, factor: float) -> None:
    samples, run = random_run(seed)
    scale = np.where(run.steps.coords == 0, factor, 1.0)[:, None]
    steps = replace(
        run.steps,
        bbox=run.steps.bbox * scale,
        executed=run.steps.executed * scale,
        out_size=run.steps.out_size * factor,
    )
    scaled = replace(samples, size=samples.size * factor, gold_boxes=samples.gold_boxes * factor)
    before, after = score_run(samples, run, DEFAULT), score_run(scaled, replace(run, steps=steps), DEFAULT)
    np.testing.assert_allclose(after.ioa, before.ioa, atol=1e-9)
    np.testing.assert_allclose(after.cropped_region_size, before.cropped_region_size, atol=1e-9)
    assert after.quadrant.tolist() == before.quadrant.tolist()


def test_a_sample_without_a_crop_never_changes_the_grounded_score() -> None:
    records = [sample(key, gold=[[0, 0, 10, 10]]) for key in "abc"]
    cropped = [
        Trajectory("m", "a", steps=(zoom([0, 0, 10, 10]),)),
        Trajectory("m", "b", steps=(zoom([50, 50, 60, 60]),)),
    ]
    for extra in ([], [Trajectory("m", "c")], [Trajectory("m", "c", steps=(Step("blur", image_in="original"),))]):
        found = score_all(records, [*cropped, *extra])
        assert ((found.grounded == TRUE).sum(), found.in_population.sum()) == (1, 2)


def test_records_become_sample_columns() -> None:
    plain = SampleContent(question="How many cats are here?", answers=("2",))
    choice = SampleContent(answer_type=AnswerType.MULTIPLE_CHOICE, options={"A": "x"}, answers=("A",))
    found = sample_columns(
        [
            SampleRecord("a", plain, image="1.jpg", width=10, height=20, facets={"tier": (1,), "segment": ("x", "y")}),
            SampleRecord("b", choice, image="1.jpg", facets={"hard": (True,)}),
            SampleRecord("c", plain, image="1.jpg", image_group="1.jpg"),
            SampleRecord("d", plain),
        ]
    )
    assert found.cluster.tolist() == [0, 0, 1, 2]
    assert found.size[0].tolist() == [10, 20]
    assert np.isnan(found.size[1:]).all()
    assert found.facets == {
        "hard": [(), ("true",), (), ()],
        "segment": [("x", "y"), (), (), ()],
        "tier": [("1",), (), (), ()],
    }
    assert (found.answers[1].multiple_choice, found.answers[1].accepted) == (True, ("A",))
    assert found.references == [None] * 4
    assert found.prompt_words is not None
    assert found.prompt_words.tolist() == [5, 0, 5, 5]


def test_records_become_run_columns() -> None:
    steps = (
        zoom([0, 0, 1, 1], "original", "x", coords=Coordinates.NORM1, out_size=(5, 6)),
        zoom([0, 0, float("inf"), 1], ("x", "original"), None),
        Step("blur", bbox_raw="left corner", flag=StepFlag.UNUSED),
        zoom([0, 0, 1, 1], "x", "y", flag=StepFlag.POST_ANSWER),
    )
    samples = sample_columns([sample("a"), sample("b")])
    found = run_columns(
        [
            Trajectory("m", "b", steps=steps, final_image="x", judge_correct=False, usage=Usage(usd=0.5)),
            Trajectory("m", "a", error="timed out", answer="C"),
        ],
        samples,
    )
    assert found.sample.tolist() == [1, 0]
    assert found.step_start.tolist() == [0, 3, 3]
    assert [found.tools[code] for code in found.steps.tool] == ["crop", "crop", "blur"]
    assert found.steps.has_bbox.tolist() == [True, True, True]
    assert np.isnan(found.steps.bbox[1:]).all()
    assert found.steps.in_start.tolist() == [0, 1, 3, 3]
    assert found.steps.image_in.tolist() == [0, 1, 0]
    assert found.steps.image_out.tolist() == [1, NO_IMAGE, NO_IMAGE]
    assert found.steps.unused.tolist() == [False, False, True]
    assert (found.final_image.tolist(), found.verdict.tolist()) == ([1, NO_IMAGE], [0, -1])
    assert (found.cost[0], found.failed.tolist()) == (0.5, [False, True])


def test_a_trajectory_of_an_unknown_sample_is_named() -> None:
    with pytest.raises(ValueError, match="'ghost' is not in the benchmark"):
        run_columns([Trajectory("m", "ghost")], sample_columns([sample("a")]))
