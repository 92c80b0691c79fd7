"""From database rows to the columns that metrics read: a fixed number of queries, whatever the size of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from annotation.actions.freeze import gold_digest
from annotation.models import Benchmark, FacetValue, GoldBox, PlanTool, ReferenceCall, Revision, Sample
from annotation.schema import ORIGINAL, AnswerType, Target, ToolPlan
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
    RunColumns,
    SampleColumns,
    StepColumns,
)
from evaluation.models import Run, Step, Trajectory

COORDS = {"pixel": PIXEL, "norm1": NORM1, "norm1000": NORM1000}
CHUNK = 5000


@dataclass(frozen=True)
class LoadedSamples:
    """The gold of a benchmark as columns; ``pks[i]`` is the primary key of row ``i``; ``digest`` names this gold."""

    columns: SampleColumns
    pks: list[int]
    digest: str

    @property
    def row_of(self) -> dict[int, int]:
        return {pk: i for i, pk in enumerate(self.pks)}


@dataclass(frozen=True)
class LoadedRun:
    """Trajectories as columns; ``pks[i]`` is the trajectory of row ``i``, ``positions[j]`` the step position of step
    row ``j`` in its trajectory (steps after the answer are left out of the columns, so positions may skip)."""

    columns: RunColumns
    pks: list[int]
    positions: NDArray[np.int64]


def load_samples(benchmark: Benchmark) -> LoadedSamples:
    """All samples that have gold, in order of id. Six queries."""
    rows = list(
        Sample.objects.filter(benchmark=benchmark, gold__isnull=False)
        .order_by("key")
        .values_list("pk", "key", "width", "height", "image_group", "image_id", "image_name", "gold__revision_id")
    )
    revisions = [row[7] for row in rows]
    of_gold = {"revision__gold_of__sample__benchmark": benchmark}
    boxes = _grouped(GoldBox.objects.filter(**of_gold), "revision_id", "x1", "y1", "x2", "y2")
    calls = _grouped(ReferenceCall.objects.filter(**of_gold), "revision_id", "tool")
    tools = _grouped(PlanTool.objects.filter(**of_gold), "revision_id", "tool", "step")
    contents = {
        row[0]: row[1:]
        for row in Revision.objects.filter(gold_of__sample__benchmark=benchmark).values_list(
            "pk", "question", "answer_type", "options", "answers", "ordered"
        )
    }
    gold = [boxes.get(pk, []) for pk in revisions]
    columns = SampleColumns(
        keys=[row[1] for row in rows],
        size=np.array([[_nan(row[2]), _nan(row[3])] for row in rows], float).reshape(-1, 2),
        cluster=_codes([row[4] or row[5] or row[6] or ("sample", row[1]) for row in rows]),
        gold_start=_starts(gold),
        gold_boxes=np.array([box for several in gold for box in several], float).reshape(-1, 4),
        answers=[_answer_key(contents[pk]) for pk in revisions],
        references=[tuple(call[0] for call in calls[pk]) if pk in calls else None for pk in revisions],
        plans=[_plan(tools.get(pk, []), contents[pk][4]) for pk in revisions],
        facets=_facets(benchmark, [row[0] for row in rows]),
        prompt_words=np.array([len(contents[pk][0].split()) for pk in revisions], np.int64),
    )
    return LoadedSamples(columns, [row[0] for row in rows], gold_digest(benchmark))


def load_run(run: Run, samples: LoadedSamples, *, condition: str = "none", further: bool = False) -> LoadedRun:
    """The trajectories of a run under one condition: the lowest rollout of each sample, or (``further``) the others.
    Two queries."""
    found = Trajectory.objects.filter(run=run, condition=condition).order_by("sample__key", "rollout")
    row_of = samples.row_of
    rows: list[tuple[Any, ...]] = []
    last = None
    for row in found.values_list(*_TRAJECTORY_FIELDS).iterator(chunk_size=CHUNK):
        lowest = row[1] != last
        last = row[1]
        if row[1] in row_of and lowest is not further:
            rows.append(row)
    return _columns(rows, row_of, Step.objects.filter(trajectory__run=run, trajectory__condition=condition))


def load_trajectories(trajectories: Sequence[Trajectory]) -> LoadedRun:
    """Some trajectories on one sample, which is row 0, as columns; of one run or of several. One query."""
    rows = [tuple(getattr(trajectory, name) for name in _TRAJECTORY_FIELDS) for trajectory in trajectories]
    row_of = {trajectory.sample_id: 0 for trajectory in trajectories}
    return _columns(rows, row_of, Step.objects.filter(trajectory__in=[row[0] for row in rows]))


def _columns(rows: Sequence[tuple[Any, ...]], row_of: Mapping[int, int], found: QuerySet[Step]) -> LoadedRun:
    steps, finals, starts, positions, tools = _load_steps(found, rows)
    columns = RunColumns(
        sample=np.array([row_of[row[1]] for row in rows], np.int64),
        answers=[row[2] for row in rows],
        verdict=np.array([UNKNOWN if row[3] is None else TRUE if row[3] else FALSE for row in rows], np.int64),
        final_image=finals,
        step_start=starts,
        steps=steps,
        tools=tools,
        recognition=[_tuple(row[5]) for row in rows],
        plan=[_tuple(row[6]) for row in rows],
        recognition_map=[row[7] for row in rows],
        plan_map=[row[8] for row in rows],
        cost=np.array([_nan(row[9]) for row in rows], float),
        failed=np.array([bool(row[10]) for row in rows], bool),
    )
    return LoadedRun(columns, [row[0] for row in rows], positions)


_TRAJECTORY_FIELDS = (
    "pk", "sample_id", "answer", "judge_correct", "final_image", "recognition", "plan", "recognition_map", "plan_map",
    "usd", "error",
)  # fmt: skip
_STEP_FIELDS = (
    "trajectory_id", "position", "tool", "x1", "y1", "x2", "y2", "executed_x1", "executed_y1", "executed_x2",
    "executed_y2", "coords", "image_in", "image_out", "out_width", "out_height", "ok", "flag", "bbox_raw",
)  # fmt: skip


def _load_steps(
    found: QuerySet[Step], rows: Sequence[tuple[Any, ...]]
) -> tuple[StepColumns, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], list[str]]:
    by_trajectory: dict[int, list[tuple[Any, ...]]] = {}
    found = found.exclude(flag="post_answer").order_by("trajectory_id", "position")
    for row in found.values_list(*_STEP_FIELDS).iterator(chunk_size=CHUNK):
        by_trajectory.setdefault(row[0], []).append(row)
    tools: dict[str, int] = {}
    flat: list[tuple[Any, ...]] = []
    inputs: list[list[int]] = []
    outputs: list[int] = []
    finals, counts = [], []
    for row in rows:
        ours = by_trajectory.get(row[0], [])
        codes = {ORIGINAL: ORIGINAL_IMAGE}
        for step in ours:
            inputs.append([codes.setdefault(name, len(codes)) for name in _names(step[12])])
            outputs.append(NO_IMAGE if step[13] is None else codes.setdefault(step[13], len(codes)))
            tools.setdefault(step[2], len(tools))
        flat += ours
        counts.append(len(ours))
        finals.append(NO_IMAGE if row[4] is None else codes.setdefault(row[4], len(codes)))
    steps = StepColumns(
        tool=np.array([tools[step[2]] for step in flat], np.int64),
        bbox=_floats(flat, 3, 7),
        executed=_floats(flat, 7, 11),
        has_bbox=np.array([step[3] is not None or step[18] is not None for step in flat], bool),
        coords=np.array([COORDS[step[11]] for step in flat], np.int64),
        in_start=_starts(inputs),
        image_in=np.array([code for several in inputs for code in several], np.int64),
        image_out=np.array(outputs, np.int64),
        out_size=_floats(flat, 14, 16),
        ok=np.array([step[16] for step in flat], bool),
        unused=np.array([step[17] == "unused" for step in flat], bool),
    )
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    positions = np.array([step[1] for step in flat], np.int64)
    return steps, np.array(finals, np.int64), starts, positions, list(tools)


def _floats(rows: Sequence[tuple[Any, ...]], first: int, last: int) -> NDArray[np.float64]:
    cut = itemgetter(*range(first, last))
    return np.array([cut(row) for row in rows], float).reshape(-1, last - first)


def _names(image_in: Any) -> Sequence[str]:
    if image_in is None:
        return ()
    return [image_in] if isinstance(image_in, str) else image_in


def _tuple(names: Any) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _nan(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _starts(groups: Iterable[Sequence[Any]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(group) for group in groups], dtype=np.int64)]).astype(np.int64)


def _codes(names: Sequence[Any]) -> NDArray[np.int64]:
    codes: dict[Any, int] = {}
    return np.array([codes.setdefault(name, len(codes)) for name in names], np.int64)


def _grouped(rows: Any, key: str, *fields: str) -> dict[int, list[tuple[Any, ...]]]:
    ordered = rows.order_by(key, "position").values_list(key, *fields).iterator(chunk_size=CHUNK)
    return {pk: [row[1:] for row in group] for pk, group in groupby(ordered, key=itemgetter(0))}


def _answer_key(content: tuple[Any, ...]) -> AnswerKey:
    _, answer_type, options, answers, _ = content
    return AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options, tuple(answers))


def _plan(tools: list[tuple[str, int | None]], ordered: bool | None) -> ToolPlan:
    targets = tuple(Target(tool, step) for tool, step in tools if step is not None)
    return ToolPlan(targets, tuple(tool for tool, step in tools if step is None), ordered)


def _facets(benchmark: Benchmark, pks: list[int]) -> dict[str, list[tuple[str, ...]]]:
    row_of = {pk: i for i, pk in enumerate(pks)}
    facets: dict[str, list[tuple[str, ...]]] = {}
    rows = FacetValue.objects.filter(sample__benchmark=benchmark).order_by("name", "sample_id", "position")
    for name, pk, value in rows.values_list("name", "sample_id", "value").iterator(chunk_size=CHUNK):
        if pk in row_of:
            column = facets.setdefault(name, [()] * len(pks))
            column[row_of[pk]] += (value,)
    return facets
