"""From records (``annotation.schema``, ``evaluation.schema``) to the columns that metrics read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from annotation.schema import ORIGINAL, AnswerType, Box, Outline, SampleRecord
from evaluation.detections import detections_in
from evaluation.metrics.columns import (
    FALSE,
    NO_IMAGE,
    NORM1,
    NORM1000,
    ORIGINAL_IMAGE,
    PIXEL,
    TRUE,
    UNKNOWN,
    AnswerKey,
    Floats,
    RunColumns,
    SampleColumns,
    StepColumns,
)
from evaluation.metrics.ragged import starts_of
from evaluation.schema import Coordinates, Step, StepFlag, Trajectory

COORDINATES: Mapping[Coordinates, int] = {
    Coordinates.PIXEL: PIXEL,
    Coordinates.NORM1: NORM1,
    Coordinates.NORM1000: NORM1000,
}
VERDICTS: Mapping[bool | None, int] = {True: TRUE, False: FALSE, None: UNKNOWN}
_NO_BOX = (math.nan,) * 4


def sample_columns(records: Sequence[SampleRecord]) -> SampleColumns:
    """The samples of a benchmark as columns, in the order given.

    A sample's cluster is its ``image_group``, else its image, else the sample itself. An empty reference toolchain
    means that the sample has none. Facet values become text (truth values "true" and "false").
    """
    book: dict[tuple[str, str], int] = {}
    clusters = [book.setdefault(_cluster(r), len(book)) for r in records]
    gold = [box.as_list() for r in records for box in r.content.gold_boxes]
    names = sorted({name for r in records for name in r.facets})
    return SampleColumns(
        keys=[r.id for r in records],
        size=np.array([_size(r.width, r.height) for r in records], float).reshape(-1, 2),
        cluster=np.array(clusters, np.int64),
        gold_start=starts_of(np.array([len(r.content.gold_boxes) for r in records], np.int64)),
        gold_boxes=np.array(gold, float).reshape(-1, 4),
        gold_outlines=known_outlines([box for r in records for box in r.content.gold_boxes]),
        answers=[_answer_key(r) for r in records],
        references=[tuple(call.tool for call in r.content.reference_toolchain) or None for r in records],
        plans=[r.content.plan for r in records],
        facets={name: [tuple(map(_as_text, r.facets.get(name, ()))) for r in records] for name in names},
        prompt_words=np.array([len(r.content.question.split()) for r in records], np.int64),
    )


def known_outlines(shapes: Sequence[Box]) -> Sequence[Outline | None]:
    """Return ``SampleColumns.gold_outlines`` of all shapes."""
    found = [shape if isinstance(shape, Outline) else None for shape in shapes]
    return found if any(found) else ()


def run_columns(trajectories: Sequence[Trajectory], samples: SampleColumns) -> RunColumns:
    """The trajectories of one run and condition as columns; steps flagged ``post_answer`` are omitted.

    Raises ``ValueError`` for a trajectory whose sample is not in ``samples``.
    """
    rows = {key: row for row, key in enumerate(samples.keys)}
    if unknown := next((t.sample_id for t in trajectories if t.sample_id not in rows), None):
        raise ValueError(f"Sample {unknown!r} is not in the benchmark. Import the sample first, or drop its record.")
    kept = [[s for s in t.steps if s.flag != StepFlag.POST_ANSWER] for t in trajectories]
    tools: dict[str, int] = {}
    books: list[dict[str, int]] = [{ORIGINAL: ORIGINAL_IMAGE} for _ in trajectories]
    steps = _step_columns([(s, book) for own, book in zip(kept, books, strict=True) for s in own], tools)
    return RunColumns(
        sample=np.array([rows[t.sample_id] for t in trajectories], np.int64),
        answers=[t.answer for t in trajectories],
        verdict=np.array([VERDICTS[t.judge_correct] for t in trajectories], np.int64),
        final_image=np.array([_code(t.final_image, b) for t, b in zip(trajectories, books, strict=True)], np.int64),
        step_start=starts_of(np.array([len(own) for own in kept], np.int64)),
        steps=steps,
        tools=list(tools),
        recognition=[t.recognition for t in trajectories],
        plan=[t.plan for t in trajectories],
        recognition_map=[t.recognition_map for t in trajectories],
        plan_map=[t.plan_map for t in trajectories],
        cost=np.array([math.nan if t.usage.usd is None else t.usage.usd for t in trajectories], float),
        failed=np.array([bool(t.error) for t in trajectories], bool),
        detector=np.array([detections_in(t.extra) is not None for t in trajectories], bool),
    )


def _step_columns(steps: Sequence[tuple[Step, dict[str, int]]], tools: dict[str, int]) -> StepColumns:
    inputs = [[_code(picture, book) for picture in _pictures(s.image_in)] for s, book in steps]
    return StepColumns(
        tool=np.array([tools.setdefault(s.tool, len(tools)) for s, _ in steps], np.int64),
        bbox=_boxes([s.bbox for s, _ in steps]),
        executed=_boxes([s.executed_bbox for s, _ in steps]),
        has_bbox=np.array([s.bbox is not None or s.bbox_raw is not None for s, _ in steps], bool),
        coords=np.array([COORDINATES[s.coords] for s, _ in steps], np.int64),
        in_start=starts_of(np.array([len(codes) for codes in inputs], np.int64)),
        image_in=np.array(list(chain.from_iterable(inputs)), np.int64),
        image_out=np.array([_code(s.image_out, book) for s, book in steps], np.int64),
        out_size=np.array([s.out_size or (math.nan, math.nan) for s, _ in steps], float).reshape(-1, 2),
        ok=np.array([s.ok for s, _ in steps], bool),
        unused=np.array([s.flag == StepFlag.UNUSED for s, _ in steps], bool),
    )


def _boxes(boxes: Sequence[tuple[float, float, float, float] | None]) -> Floats:
    """(n, 4); a box with a number that is not finite is a NaN row."""
    out = np.array([_NO_BOX if box is None else box for box in boxes], float).reshape(-1, 4)
    out[~np.isfinite(out).all(axis=1)] = np.nan
    return out


def _pictures(image_in: str | tuple[str, ...] | None) -> tuple[str, ...]:
    if image_in is None:
        return ()
    return (image_in,) if isinstance(image_in, str) else tuple(image_in)


def _code(picture: str | None, book: dict[str, int]) -> int:
    return NO_IMAGE if picture is None else book.setdefault(picture, len(book))


def _cluster(record: SampleRecord) -> tuple[str, str]:
    if record.image_group is not None:
        return "group", record.image_group
    return ("image", record.image) if record.image is not None else ("sample", record.id)


def _size(width: int | None, height: int | None) -> tuple[float, float]:
    return (math.nan, math.nan) if width is None or height is None else (float(width), float(height))


def _answer_key(record: SampleRecord) -> AnswerKey:
    content = record.content
    return AnswerKey(content.answer_type == AnswerType.MULTIPLE_CHOICE, content.options, content.answers)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
