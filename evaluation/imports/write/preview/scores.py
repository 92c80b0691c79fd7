"""The few drawn trajectories scored by the metrics themselves, so that the preview says what the import will say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.content.records import record_of
from annotation.models import Benchmark, Sample
from annotation.schema import ORIGINAL, place, shortened
from evaluation.metrics.columns import TRUE, UNKNOWN, Quadrant, ScoreColumns
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.schema import Coordinates, Step, StepFlag, Trajectory
from evaluation.scoring.settings import settings_of

STEPS = 30
"""Steps of a record that are shown; all are counted."""
NEAR = 0.5
"""Original pixels by which a box must have been moved to be called clipped."""
SIDES = ("left", "top", "right", "bottom")


def shown_trajectories(
    benchmark: Benchmark, records: Sequence[Trajectory], raws: Mapping[Any, str]
) -> list[dict[str, Any]]:
    """One JSON object per trajectory: what it did, its crops in original pixels, its answer as read, its scores."""
    if not records:
        return []
    stored = {
        sample.key: sample
        for sample in Sample.objects.filter(benchmark=benchmark, key__in={r.sample_id for r in records}).with_gold()
    }
    columns = sample_columns([record_of(sample) for sample in stored.values()])
    run = run_columns(records, columns)
    scores = score_run(columns, run, settings_of(benchmark))
    shown = []
    for row, record in enumerate(records):
        first, last = run.step_start[row], run.step_start[row + 1]
        crops = scores.step_crops[first:last]
        shown.append(
            _said(record, stored[record.sample_id])
            | _scored(scores, row)
            | _steps(record, crops, stored[record.sample_id])
            | {"raw": raws.get((record.file, record.row or record.line, record.sample_id), "")}
        )
    return shown


def _said(record: Trajectory, sample: Sample) -> dict[str, Any]:
    gold = record_of(sample).content
    return {
        "sample": record.sample_id,
        "model": record.model,
        "setting": record.setting,
        "condition": str(record.condition),
        "rollout": record.rollout,
        "file": record.file,
        "place": place(record.line, record.row),
        "question": shortened(gold.question, 300),
        "said": None if record.answer is None else shortened(record.answer, 200),
        "error": shortened(record.error, 200),
        "gold": [box.as_list() for box in gold.gold_boxes],
        "width": sample.width,
        "height": sample.height,
        "sha256": sample.image.sha256 if sample.image else "",
    }


def _scored(scores: ScoreColumns, row: int) -> dict[str, Any]:
    correct, grounded = int(scores.correct[row]), int(scores.grounded[row])
    quadrant = int(scores.quadrant[row])
    return {
        "read": shortened(scores.letter[row], 60),
        "correct": None if correct == UNKNOWN else correct == TRUE,
        "missing": bool(scores.missing_answer[row]),
        "unread": bool(scores.unread[row]),
        "quadrant": None if quadrant == Quadrant.OUTSIDE else Quadrant.NAMES[quadrant],
        "grounded": None if grounded == UNKNOWN else grounded == TRUE,
        "population": bool(scores.in_population[row]),
        "coverage": _number(scores.coverage[row]),
        "concentration": _number(scores.concentration[row]),
        "usable": int(scores.usable_crops[row]),
        "unusable": int(scores.unusable_crops[row]),
        "scored_by": int(scores.crop_index[row]) + 1,
    }


def _steps(record: Trajectory, crops: Any, sample: Sample) -> dict[str, Any]:
    """The steps as rows, and the usable crops with the number of their step."""
    rows, marks = [], []
    counted = iter(crops.tolist())
    for number, step in enumerate(record.steps, 1):
        box = None if step.flag == StepFlag.POST_ANSWER else next(counted)
        usable = box is not None and not np.isnan(box[0])
        if usable:
            marks.append({"turn": number, "box": box})
        rows.append(_row(number, step, box if usable else None, sample))
    return {"steps": rows[:STEPS], "steps_n": len(rows), "crops": marks, "clipped": _clipped_count(rows)}


def _clipped_count(rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(row["used"] == "clipped" for row in rows)


def _row(number: int, step: Step, crop: Sequence[float] | None, sample: Sample) -> dict[str, Any]:
    used, note = _use(step, crop, sample)
    asked = step.bbox if step.bbox is not None else step.bbox_raw
    return {
        "number": number,
        "tool": shortened(step.tool, 60),
        "asked": ", ".join(f"{value:g}" for value in step.bbox) if step.bbox else shortened(asked or "", 60),
        "space": step.coords.value,
        "pixels": ", ".join(f"{value:.0f}" for value in crop) if crop else "",
        "used": used,
        "note": note,
    }


def _use(step: Step, crop: Sequence[float] | None, sample: Sample) -> tuple[str, str]:
    """Return how the call was used, in two words, and why."""
    if step.flag == StepFlag.POST_ANSWER:
        return "ignored", "called after the answer"
    if step.flag == StepFlag.UNUSED:
        return "no crop", "its image came too late for the answer"
    if not step.ok:
        return "no crop", shortened(step.observation, 80) or "the call failed"
    if crop is None:
        return _without_crop(step, sample)
    if step.executed_bbox is not None and step.executed_bbox != step.bbox:
        return "as executed", "the recorded box differs from the requested box"
    over = _over_the_edge(step, crop, sample)
    return ("clipped", over) if over else ("as asked", "")


def _without_crop(step: Step, sample: Sample) -> tuple[str, str]:
    if step.bbox is None:
        return ("no crop", "these are not four numbers") if step.bbox_raw else ("no box", "")
    if not sample.width or not sample.height:
        return "no crop", "the image size is unknown"
    return "no crop", "the box is outside the image"


def _over_the_edge(step: Step, crop: Sequence[float], sample: Sample) -> str:
    """Return how far a box on the original exceeded its edges; "" if it did not, or if it lies on another image."""
    if step.image_in != ORIGINAL or step.bbox is None or not sample.width or not sample.height:
        return ""
    unit = {Coordinates.NORM1: 1.0, Coordinates.NORM1000: 1000.0}.get(step.coords)
    size = (sample.width, sample.height) * 2
    asked = [value * (side / unit if unit else 1) for value, side in zip(step.bbox, size, strict=True)]
    moved = [
        f"{abs(wanted - got):.0f} px over the {name} edge"
        for wanted, got, name in zip(asked, crop, SIDES, strict=True)
        if abs(wanted - got) > NEAR
    ]
    return ", ".join(moved)


def _number(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)
