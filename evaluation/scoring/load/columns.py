"""Columns for metrics from database rows, in a fixed number of queries for a run of any size."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone
from numpy.typing import NDArray

from annotation.content.freeze import gold_digest
from annotation.content.rescaling import Size
from annotation.models import (
    AcceptedChain,
    Benchmark,
    ContentChange,
    FacetValue,
    GoldBox,
    GoldShape,
    ImageReplacement,
    PlanTool,
    ReferenceCall,
    Revision,
    Sample,
)
from annotation.models.querysets.samples import cluster_image
from annotation.schema import AnswerType, Outline, Target, ToolPlan, outline_of
from evaluation.detections import detections_in
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey, RunColumns, SampleColumns, cluster_codes
from evaluation.models import ReplayedStep, Run, Step, Trajectory
from evaluation.scoring.load.decisions import decisions_on, judged_on
from evaluation.scoring.load.images import Earliers, earlier_images, recorded_image
from evaluation.scoring.load.steps import CHUNK, load_steps
from webapp.common.bulk import raw_value
from webapp.common.garbage_collection import gc_paused


@dataclass(frozen=True)
class LoadedSamples:
    """The gold of a benchmark as columns; ``pks[i]`` is the primary key of row ``i``; ``digest`` names the gold;
    ``at``: before they were loaded, so that a later change makes their scores stale; ``earlier``: the images that were
    replaced, by primary key."""

    columns: SampleColumns
    pks: list[int]
    digest: str
    at: datetime
    earlier: Earliers = field(default_factory=dict)

    @property
    def row_of(self) -> dict[int, int]:
        return {pk: i for i, pk in enumerate(self.pks)}


@dataclass(frozen=True)
class LoadedRun:
    """Trajectories as columns; ``pks[i]`` is the trajectory of row ``i``, ``positions[j]`` the step position of step
    row ``j`` in its trajectory (steps after the answer are omitted of the columns, so positions may skip);
    ``failed[j]``: it failed as recorded, whatever a replay gave; ``earlier``: the earlier images of their samples, of
    ``load_trajectories``."""

    columns: RunColumns
    pks: list[int]
    positions: NDArray[np.int64]
    failed: NDArray[np.bool_]
    earlier: Earliers = field(default_factory=dict)


@gc_paused()
def load_samples(benchmark: Benchmark) -> LoadedSamples:
    """All samples that have gold, in order of id. Eleven queries."""
    at = timezone.now()
    rows = list(
        Sample.objects.filter(benchmark=benchmark, gold__isnull=False)
        .order_by("key")
        .values_list("pk", "key", "width", "height", "image_group", cluster_image(), "image_name", "gold__revision_id")
    )
    revisions = [row[7] for row in rows]
    of_gold = {"revision__gold_of__sample__benchmark": benchmark}
    boxes = _grouped(GoldBox.objects.filter(**of_gold), "revision_id", "position", "x1", "y1", "x2", "y2")
    calls = _grouped(ReferenceCall.objects.filter(**of_gold), "revision_id", "tool")
    tools = _grouped(PlanTool.objects.filter(**of_gold), "revision_id", "tool", "step")
    contents = _contents(benchmark)
    shapes = _grouped(GoldShape.objects.filter(**of_gold), "revision_id", "position", "kind", "points")
    gold = [_in_order(boxes.get(pk, []), shapes.get(pk, [])) for pk in revisions]
    columns = SampleColumns(
        keys=[row[1] for row in rows],
        size=np.array([[_nan(row[2]), _nan(row[3])] for row in rows], float).reshape(-1, 2),
        cluster=cluster_codes((row[1], *row[4:7]) for row in rows),
        gold_start=_starts(gold),
        gold_boxes=np.array([box for several in gold for box, _ in several], float).reshape(-1, 4),
        gold_outlines=[outline for several in gold for _, outline in several] if shapes else (),
        answers=_answer_keys(contents[pk] for pk in revisions),
        references=[tuple(call[0] for call in calls[pk]) if pk in calls else None for pk in revisions],
        plans=_plans((tuple(tools.get(pk, ())), contents[pk][4]) for pk in revisions),
        facets=_facets(benchmark, [row[0] for row in rows]),
        prompt_words=np.array([len(contents[pk][0].split()) for pk in revisions], np.int64),
        accepted=_accepted(benchmark, [row[0] for row in rows]),
    )
    earlier = earlier_images(ImageReplacement.objects.filter(sample__benchmark=benchmark))
    return LoadedSamples(columns, [row[0] for row in rows], gold_digest(benchmark), at, earlier)


_KEPT: tuple[tuple[Any, ...], LoadedSamples] | None = None


def kept_samples(benchmark: Benchmark) -> LoadedSamples:
    """``load_samples``, cached in this process for the next run of the benchmark until something changes."""
    global _KEPT
    at = timezone.now()
    number = ContentChange.objects.numbers([benchmark.pk])[benchmark.pk]
    key = (benchmark.pk, benchmark.created_at, number, gold_digest(benchmark))
    kept = _KEPT
    if kept is None or kept[0] != key:
        _KEPT = kept = (key, load_samples(benchmark))
    return replace(kept[1], at=at)


def forget_samples() -> None:
    """Clear the cache of ``kept_samples``."""
    global _KEPT
    _KEPT = None


def load_run(run: Run, samples: LoadedSamples, *, condition: str = "none", further: bool = False) -> LoadedRun:
    """Load the trajectories of a run under one condition. Five queries.

    These are the lowest rollout of each sample, or the other rollouts (``further``). Stored replays replace the
    recorded results."""
    found = Trajectory.objects.filter(run=run, condition=condition).order_by("sample__key", "rollout")
    row_of = samples.row_of
    rows: list[tuple[Any, ...]] = []
    last = None
    fields = [raw_value(name) if name == "judge_correct" else name for name in _TRAJECTORY_FIELDS]
    texts = [Cast(name, TextField()) for name in _TRAJECTORY_JSON]
    for row in found.values_list(*fields, *texts).iterator(chunk_size=CHUNK):
        lowest = row[1] != last
        last = row[1]
        if row[1] in row_of and lowest is not further:
            rows.append(row)
    predicted = [_parsed(row[field] for row in rows) for field in range(-len(texts), 0)]
    plain = condition == "none" and not further
    judged = judged_on([run.pk], {(run.pk, row[1]): row[0] for row in rows} if plain else {})
    loaded = _columns(rows, row_of, predicted, found.order_by().values("pk"), judged)
    sizes = samples.columns.size
    loaded = _on_images(loaded, rows, samples.earlier, lambda row: _size(*sizes[row_of[row[1]]].tolist()))
    return _of_detectors(loaded, [run.by_detector] * len(rows))


def load_trajectories(trajectories: Sequence[Trajectory], row_of: Mapping[int, int] | None = None) -> LoadedRun:
    """Load some trajectories as columns, of one or several runs, the lowest rollout of a sample first. Five queries.

    ``row_of``: the row of each sample. Without it, all trajectories are on one sample, which is row 0."""
    rows = [tuple(getattr(trajectory, name) for name in _TRAJECTORY_FIELDS) for trajectory in trajectories]
    row_of = row_of or {trajectory.sample_id: 0 for trajectory in trajectories}
    predicted = [[getattr(trajectory, name) for trajectory in trajectories] for name in _TRAJECTORY_JSON]
    plain = {(one.run_id, one.sample_id): one.pk for one in reversed(trajectories) if one.condition == "none"}
    judged = judged_on({one.run_id for one in trajectories}, plain, row_of)
    loaded = _columns(rows, row_of, predicted, [row[0] for row in rows], judged)
    earlier = earlier_images(ImageReplacement.objects.filter(sample__in=list(row_of)))
    samples = Sample.objects.filter(pk__in=list(row_of)) if earlier or _any_stated(rows) else Sample.objects.none()
    present = {pk: _size(width, height) for pk, width, height in samples.values_list("pk", "width", "height")}
    loaded = replace(_on_images(loaded, rows, earlier, lambda row: present[row[1]]), earlier=earlier)
    return _of_detectors(loaded, [detections_in(one.extra) is not None for one in trajectories])


def _of_detectors(loaded: LoadedRun, detector: list[bool]) -> LoadedRun:
    """The columns with the rows of detectors marked."""
    if not any(detector):
        return loaded
    return replace(loaded, columns=replace(loaded.columns, detector=np.array(detector, np.bool_)))


def _on_images(
    loaded: LoadedRun, rows: Sequence[tuple[Any, ...]], earlier: Earliers, present: Callable[[Any], Size | None]
) -> LoadedRun:
    """The columns with the images that the trajectories were recorded on. ``present``: of a row, the size of the image
    that its sample has, None if unknown."""
    if not earlier and not _any_stated(rows):
        return loaded
    found = [recorded_image(earlier.get(row[1], ()), row[7], _size(*row[8:10]), present(row)) for row in rows]
    sizes = np.array([one.size or (np.nan, np.nan) for one in found], float).reshape(-1, 2)
    lost = np.array([one.lost for one in found], np.bool_)
    return replace(loaded, columns=replace(loaded.columns, recorded_size=sizes, lost_image=lost))


def _any_stated(rows: Sequence[tuple[Any, ...]]) -> bool:
    return any(row[8] for row in rows)


def _size(width: float | None, height: float | None) -> Size | None:
    """Width and height; None if unknown (also NaN)."""
    return (int(width), int(height)) if width and height and width == width and height == height else None


_TRAJECTORY_FIELDS = (
    "pk", "sample_id", "answer", "judge_correct", "final_image", "usd", "error", "image_number", "image_width",
    "image_height",
)  # fmt: skip
_TRAJECTORY_JSON = ("recognition", "plan", "recognition_map", "plan_map")


def _columns(
    rows: Sequence[tuple[Any, ...]],
    row_of: Mapping[int, int],
    predicted: Sequence[list[Any]],
    of: Any,
    judged: Mapping[int, Sequence[tuple[str | None, str | None]]],
) -> LoadedRun:
    """``of``: the trajectories whose steps are read, as primary keys or the query that gives them. ``judged``: of
    ``judged_on``."""
    pks = [row[0] for row in rows]
    replayed = ReplayedStep.objects.filter(replay__trajectory__in=of)
    steps = load_steps(_steps_of(pks, of), replayed, pks, [row[4] for row in rows])
    recognition, plan, recognition_map, plan_map = predicted
    decided = decisions_on(of)
    columns = RunColumns(
        sample=np.array([row_of[row[1]] for row in rows], np.int64),
        answers=[row[2] for row in rows],
        verdict=np.array([UNKNOWN if row[3] is None else TRUE if row[3] else FALSE for row in rows], np.int64),
        final_image=steps.final_image,
        step_start=steps.start,
        steps=steps.columns,
        tools=steps.tools,
        recognition=[_tuple(names) for names in recognition],
        plan=[_tuple(names) for names in plan],
        recognition_map=recognition_map,
        plan_map=plan_map,
        cost=np.array([_nan(row[5]) for row in rows], float),
        failed=np.array([bool(row[6]) for row in rows], bool),
        decided={row: decided[pk] for row, pk in enumerate(pks) if pk in decided} if decided else {},
        judged={row: judged[pk] for row, pk in enumerate(pks) if pk in judged} if judged else {},
    )
    return LoadedRun(columns, pks, steps.positions, steps.failed)


def _steps_of(pks: Sequence[int], of: Any) -> QuerySet[Step]:
    """The steps of these trajectories, and possibly of others between them, which ``load_steps`` omits.

    Rows from one file are adjacent, so a range of keys is read. Looking up the trajectory of every step among those of
    the run takes 50% longer.
    """
    if pks and max(pks) - min(pks) < 2 * len(pks):
        return Step.objects.filter(trajectory__gte=min(pks), trajectory__lte=max(pks))
    return Step.objects.filter(trajectory__in=of)


def _parsed(texts: Iterable[str | None]) -> list[Any]:
    """Parse JSON texts. Most are equal and are parsed once, so the values must not be changed in place."""
    values: dict[str | None, Any] = {None: None}
    found = []
    for text in texts:
        if text not in values:
            values[text] = json.loads(text or "null")
        found.append(values[text])
    return found


def _tuple(names: Any) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _nan(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _starts(groups: Iterable[Sequence[Any]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(group) for group in groups], dtype=np.int64)]).astype(np.int64)


def _grouped(rows: Any, key: str, *fields: str) -> dict[int, list[tuple[Any, ...]]]:
    ordered = rows.order_by(key, "position").values_list(key, *fields).iterator(chunk_size=CHUNK)
    groups: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in ordered:
        groups[row[0]].append(row[1:])
    return dict(groups)


def _in_order(
    boxes: Sequence[tuple[Any, ...]], shapes: Sequence[tuple[Any, ...]]
) -> list[tuple[tuple[float, ...], Outline | None]]:
    """The evidence of a revision: bounding boxes, each with its polygon or point."""
    found: list[tuple[int, tuple[float, ...], Outline | None]] = [(box[0], box[1:], None) for box in boxes]
    for position, kind, points in shapes:
        outline = outline_of(kind, points)
        found.append((position, (outline.x1, outline.y1, outline.x2, outline.y2), outline))
    return [(box, outline) for _, box, outline in sorted(found, key=lambda one: one[0])]


def _contents(benchmark: Benchmark) -> dict[int, tuple[Any, ...]]:
    """Question, answer type, options, answers and order of every gold revision."""
    texts = [Cast(name, TextField()) for name in ("options", "answers")]
    found = Revision.objects.filter(gold_of__sample__benchmark=benchmark)
    fields = ("pk", "question", "answer_type", raw_value("ordered"))
    rows = list(found.values_list(*fields, *texts).iterator(chunk_size=CHUNK))
    options, answers = (_parsed(row[field] for row in rows) for field in (4, 5))
    return {
        row[0]: (row[1], row[2], named, right, None if row[3] is None else bool(row[3]))
        for row, named, right in zip(rows, options, answers, strict=True)
    }


def _answer_keys(contents: Iterable[tuple[Any, ...]]) -> list[AnswerKey]:
    """Return answer keys. Equal options and answers are one object, so equal keys are also one object."""
    known: dict[tuple[str, int, int], AnswerKey] = {}
    found = []
    for _, answer_type, options, answers, _ in contents:
        place = (answer_type, id(options), id(answers))
        if place not in known:
            known[place] = AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options, tuple(answers))
        found.append(known[place])
    return found


def _accepted(benchmark: Benchmark, pks: list[int]) -> list[list[tuple[str, ...]]]:
    """Return the other accepted toolchains of each sample as tool names, in the order of ``further_chains``."""
    chains: dict[int, list[tuple[str, ...]]] = {}
    rows = AcceptedChain.objects.filter(sample__benchmark=benchmark).order_by("pk").values_list("sample_id", "calls")
    for pk, calls in rows:
        chains.setdefault(pk, []).append(tuple(call["tool"] for call in calls))
    return [chains.get(pk, []) for pk in pks] if chains else []


def _plans(given: Iterable[tuple[tuple[tuple[Any, ...], ...], bool | None]]) -> list[ToolPlan]:
    """Return a plan for each list of tools with their steps, and whether it is ordered. Equal plans are one
    object."""
    known: dict[Any, ToolPlan] = {}
    found = []
    for place in given:
        if place not in known:
            tools, ordered = place
            targets = tuple(Target(tool, step) for tool, step in tools if step is not None)
            known[place] = ToolPlan(targets, tuple(tool for tool, step in tools if step is None), ordered)
        found.append(known[place])
    return found


def _facets(benchmark: Benchmark, pks: list[int]) -> dict[str, list[tuple[str, ...]]]:
    row_of = {pk: i for i, pk in enumerate(pks)}
    facets: dict[str, list[tuple[str, ...]]] = {}
    found = FacetValue.objects.filter(sample__benchmark=benchmark).order_by()
    # Sorted here: PostgreSQL has no statistics of a table that was just filled and may walk an index row by row.
    rows = sorted(found.values_list("name", "sample_id", "position", "value").iterator(chunk_size=CHUNK))
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    for name, pk, _, value in rows:
        if pk in row_of:
            if name not in facets:
                facets[name] = [()] * len(pks)
            values = (*facets[name][row_of[pk]], value)
            facets[name][row_of[pk]] = known.setdefault(values, values)
    return facets
