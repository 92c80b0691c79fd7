"""Runs to score in tests: made by hand from short records, or at random with every oddity a log can hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotation.schema import AnswerType, SampleContent, SampleRecord, ToolCall, ToolPlan, boxes_of
from evaluation.metrics.columns import AnswerKey, RunColumns, SampleColumns, ScoreColumns, StepColumns
from evaluation.metrics.ragged import starts_of
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Step, Trajectory

TOOLS = (
    "crop", "opencv_zoom_in", "image_zoom_in_tool", "blur", "Canny Edge", "resize", "opencv_rotate", "my tool",
    "Crop", "colorspace_gray", "Convert Color",
)  # fmt: skip


def sample(key: str = "s", gold: Sequence[Sequence[float]] = (), **content: Any) -> SampleRecord:
    """A sample of a 1000 × 800 picture; ``width``, ``height`` and ``reference`` may be given, the rest is content."""
    width, height = content.pop("width", 1000), content.pop("height", 800)
    reference = tuple(ToolCall(tool) for tool in content.pop("reference", ()))
    made = SampleContent(gold_boxes=boxes_of(gold), reference_toolchain=reference, **content)
    return SampleRecord(id=key, content=made, width=width, height=height)


def zoom(box: Any, image_in: Any = "original", image_out: str | None = "a", **more: Any) -> Step:
    return Step(more.pop("tool", "crop"), bbox=box and tuple(box), image_in=image_in, image_out=image_out, **more)


def score_one(record: SampleRecord, *steps: Step, settings: dict[str, Any] | None = None, **more: Any) -> ScoreColumns:
    """The scores of one trajectory on one sample."""
    return score_all([record], [Trajectory("m", record.id, steps=steps, **more)], settings)


def score_all(
    records: Sequence[SampleRecord], trajectories: Sequence[Trajectory], settings: dict[str, Any] | None = None
) -> ScoreColumns:
    samples = sample_columns(records)
    return score_run(samples, run_columns(trajectories, samples), MetricSettings(**settings or {}))


def multiple_choice(gold: str = "C", **options: str) -> dict[str, Any]:
    """The content of a multiple-choice sample."""
    named = options or {"A": "black", "C": "white"}
    return {"answer_type": AnswerType.MULTIPLE_CHOICE, "options": named, "answers": (gold,)}


def random_run(
    seed: int, rows: int = 12, max_steps: int = 5, grid: int = 10, max_gold: int = 3
) -> tuple[SampleColumns, RunColumns]:
    """A run with failed, unused, unreadable, nested and rescaled calls, reused pictures and missing things.

    Boxes lie on a coarse grid, so that ties and exact halves are frequent.
    """
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, max_gold + 1, rows)
    size = rng.integers(grid // 2, grid + 1, (rows, 2)) * 10.0
    size[rng.random(rows) < 0.05] = np.nan
    samples = SampleColumns(
        keys=[f"s{i}" for i in range(rows)],
        size=size,
        cluster=np.arange(rows),
        gold_start=starts_of(counts),
        gold_boxes=_random_boxes(rng, int(counts.sum()), grid),
        answers=[_random_key(rng) for _ in range(rows)],
        references=[None if rng.random() < 0.2 else _random_tools(rng) for _ in range(rows)],
        plans=[ToolPlan() for _ in range(rows)],
        accepted=[[_random_tools(rng) for _ in range(rng.integers(0, 4))] for _ in range(rows)],
    )
    step_start = starts_of(rng.integers(0, max_steps + 1, rows))
    run = RunColumns(
        sample=rng.permutation(rows),
        answers=[str(a) if (a := rng.choice(["C", "(a)", "", "white", "B. black", "C, D", "no idea"])) else None
                 for _ in range(rows)],
        verdict=rng.choice([-1, -1, -1, 0, 1], rows),
        final_image=rng.choice([-1, -1, 0, 1, 2, 3], rows),
        step_start=step_start,
        steps=_random_steps(rng, int(step_start[-1]), grid),
        tools=TOOLS,
        recognition=[None] * rows,
        plan=[None] * rows,
        recognition_map=[{}] * rows,
        plan_map=[{}] * rows,
        cost=np.full(rows, np.nan),
        failed=np.zeros(rows, bool),
    )  # fmt: skip
    return samples, run


def _random_steps(rng: np.random.Generator, steps: int, grid: int) -> StepColumns:
    inputs = rng.choice([0, 1, 2], steps, p=[0.05, 0.8, 0.15])
    out_size = rng.integers(1, grid, (steps, 2)) * 20.0
    out_size[rng.random(steps) < 0.5] = np.nan
    coords = rng.choice([0, 0, 1, 2], steps)
    scale = np.array([1.0, 1 / (10 * grid), 100 / grid])[coords][:, None]
    bbox, executed = _random_boxes(rng, steps, grid) * scale, _random_boxes(rng, steps, grid) * scale
    executed[rng.random(steps) < 0.6] = np.nan
    return StepColumns(
        tool=rng.choice(len(TOOLS), steps, p=np.array([5, 3, 2, 2, 1, 2, 1, 1, 1, 1, 1]) / 20),
        bbox=bbox,
        executed=executed,
        has_bbox=np.ones(steps, bool),
        coords=coords,
        in_start=starts_of(inputs),
        image_in=rng.choice([0, 1, 2, 3], int(inputs.sum()), p=[0.6, 0.2, 0.1, 0.1]),
        image_out=rng.choice([-1, 1, 1, 2, 3], steps),
        out_size=out_size,
        ok=rng.random(steps) < 0.85,
        unused=rng.random(steps) < 0.1,
    )


def _random_boxes(rng: np.random.Generator, boxes: int, grid: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Mostly valid boxes on the grid; some reversed, outside, or unreadable."""
    out = np.sort(rng.integers(-1, grid + 1, (boxes, 2, 2)), axis=1).reshape(boxes, 4) * 10.0
    turned = rng.random(boxes) < 0.05
    out[turned] = out[turned][:, [2, 3, 0, 1]]
    out[rng.random(boxes) < 0.05] = np.nan
    return out


def _random_key(rng: np.random.Generator) -> AnswerKey:
    if rng.random() < 0.3:
        return AnswerKey(False, {}, ("white",))
    return AnswerKey(True, {"A": "dog", "B": "cat", "C": "white", "D": "black"}, (str(rng.choice(["A", "C"])),))


def _random_tools(rng: np.random.Generator) -> tuple[str, ...]:
    return tuple(TOOLS[i] for i in rng.integers(0, len(TOOLS), rng.integers(0, 6)))
