"""Converts stored results of models back to records, for exports and replays. One pass, constant memory,
fixed order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import F, Q, QuerySet

from annotation.models import Benchmark, ImageReplacement
from annotation.workflow import ExportStates, SampleState
from evaluation.common.judging.known import judgements_known_to
from evaluation.common.lineage.write import TRAINING, place_in, recorded_place, recorded_training, training_of
from evaluation.models import Intervention, Judgement, RolloutGroup, Run, Step, Trajectory
from evaluation.models.querysets.runs import TrajectoryQuerySet
from evaluation.schema import AboutAnswer, Coordinates, JudgementKind, Rollout, StepFlag, Usage
from evaluation.schema import Intervention as InterventionRecord
from evaluation.schema import Judgement as JudgementRecord
from evaluation.schema import RolloutGroup as RolloutGroupRecord
from evaluation.schema import Step as StepRecord
from evaluation.schema import Trajectory as TrajectoryRecord
from evaluation.scoring.load.images import Earliers, digest_of_image, earlier_images, image_of, stated_size
from webapp.common.ordering import by_code_points

BATCH = 1000


def on_samples(states: ExportStates) -> list[Q]:
    """The condition of rows whose sample is in an export."""
    return [] if states is ExportStates.ALL else [Q(sample__state=SampleState.ACCEPTED)]


def trajectory_records(benchmark: Benchmark, states: ExportStates = ExportStates.ALL) -> Iterator[TrajectoryRecord]:
    """The trajectories on samples of these states, with their steps and the position of their run in a lineage, by
    model, setting, sample, rollout and condition."""
    found = (
        Trajectory.objects.of(benchmark)
        .filter(*on_samples(states))
        .select_related("run__model", "run__lineage", "sample__image")
        .prefetch_related("steps")
        .order_by("run__model__name", "run__setting", "sample__key", "rollout", "condition")
    )
    before, earlier = None, earlier_images(ImageReplacement.objects.filter(sample__benchmark=benchmark))
    for row in found.iterator(chunk_size=BATCH):
        yield replace(trajectory_record(row, earlier), extra=_placed(row.extra, row.run, is_first=row.run_id != before))
        before = row.run_id


def run_trajectories(rows: TrajectoryQuerySet) -> Iterator[TrajectoryRecord]:
    """The trajectories ``rows`` of one run with their steps, by sample, rollout and condition, in an order that is the
    same on every database."""
    found = rows.select_related("run__model", "run__lineage", "sample__image").prefetch_related("steps")
    found = found.order_by(by_code_points("sample__key"), "rollout", by_code_points("condition"))
    earlier = earlier_images(ImageReplacement.objects.filter(sample__in=rows.values("sample")))
    for place, row in enumerate(found.iterator(chunk_size=BATCH)):
        yield replace(trajectory_record(row, earlier), extra=_placed(row.extra, row.run, is_first=place == 0))
        # A row and its steps refer to each other, and would stay until the garbage collector finds them.
        row._prefetched_objects_cache.clear()


def _placed(extra: Mapping[str, Any], run: Run, *, is_first: bool) -> dict[str, Any]:
    """With ``lineage`` and ``step`` as the run has them now: it may have been moved since its file was read. The first
    one of a run also says what is known of the training."""
    if recorded_place(extra) is not None:
        ours = {"lineage", "step"} | ({TRAINING} if recorded_training(extra) else set())
        extra = {name: value for name, value in extra.items() if name not in ours}
    place = place_in(run)
    if place is None or run.lineage is None:
        return dict(extra)
    said = training_of(run.lineage) if is_first else {}
    return {**extra, "lineage": place.lineage, "step": place.step, **({TRAINING: said} if said else {})}


def trajectory_record(row: Trajectory, earlier: Earliers | None = None) -> TrajectoryRecord:
    """One trajectory as a record, as imported, with its image if the sample ever had another one. ``earlier``: as of
    ``image_of``."""
    if earlier is None:
        earlier = earlier_images(ImageReplacement.objects.filter(sample=row.sample_id))
    return TrajectoryRecord(
        model=row.run.model.name,
        sample_id=row.sample.key,
        setting=row.run.setting,
        rollout=row.rollout,
        condition=row.condition,
        steps=tuple(_step(step) for step in row.steps.all()),
        final_image=row.final_image,
        answer=row.answer,
        judge_correct=row.judge_correct,
        recognition=_tuple(row.recognition),
        plan=_tuple(row.plan),
        recognition_map=row.recognition_map,
        plan_map=row.plan_map,
        error=row.error,
        usage=Usage(row.input_tokens, row.output_tokens, row.seconds, row.usd),
        extra=row.extra,
        image_size=stated_size(row) or image_of(row, earlier).size,
        image_sha256=digest_of_image(row, earlier),
    )


def _step(row: Step) -> StepRecord:
    return StepRecord(
        tool=row.tool,
        arguments=row.arguments,
        bbox=_box(row.x1, row.y1, row.x2, row.y2),
        bbox_raw=row.bbox_raw,
        coords=Coordinates(row.coords),
        image_in=tuple(row.image_in) if isinstance(row.image_in, list) else row.image_in,
        image_out=row.image_out,
        out_size=(row.out_width, row.out_height) if row.out_width is not None and row.out_height is not None else None,
        ok=row.ok,
        text=row.text,
        observation=row.observation,
        executed_bbox=_box(row.executed_x1, row.executed_y1, row.executed_x2, row.executed_y2),
        label=row.label,
        flag=StepFlag(row.flag),
        extra=row.extra,
    )


def _box(*corners: float | None) -> tuple[float, float, float, float] | None:
    x1, y1, x2, y2 = corners
    return None if x1 is None or y1 is None or x2 is None or y2 is None else (x1, y1, x2, y2)


def _tuple(names: Any) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def intervention_records(benchmark: Benchmark, states: ExportStates = ExportStates.ALL) -> Iterator[InterventionRecord]:
    rows = Intervention.objects.filter(*on_samples(states), run__in=benchmark.runs.all())
    rows = rows.select_related("run__model", "sample")
    for row in rows.order_by("run__model__name", "run__setting", "sample__key", "condition").iterator(chunk_size=BATCH):
        yield intervention_record(row)


def intervention_record(row: Intervention) -> InterventionRecord:
    return InterventionRecord(
        row.run.model.name, row.sample.key, row.condition, row.correct, row.answer, row.run.setting, row.extra
    )


def judgement_records(
    benchmark: Benchmark, user: Any = None, states: ExportStates = ExportStates.ALL
) -> Iterator[JudgementRecord]:
    """Yield the judgments that this person may read. None represents a command, which reads all."""
    rows = judgements_known_to(user, benchmark).filter(*on_samples(states))
    rows = rows.select_related("run__model", "sample", "trajectory")
    order = ("run__model__name", "run__setting", "sample__key", "kind", "judge", *_ORDER_OF_ANSWERS)
    for row in rows.defer("trajectory__answer", "trajectory__extra").order_by(*order).iterator(chunk_size=BATCH):
        yield judgement_record(row)


def judgement_record(row: Judgement) -> JudgementRecord:
    return JudgementRecord(
        row.run.model.name, row.sample.key, JudgementKind(row.kind), row.verdict, row.answer, row.judge,
        row.run.setting, row.extra, about=_about(row),
    )  # fmt: skip


_ORDER_OF_ANSWERS = (F("trajectory__rollout").asc(nulls_first=True), "trajectory__condition", "decides")


def _about(row: Judgement) -> AboutAnswer | None:
    if row.trajectory is None:
        return None
    place = row.trajectory.rollout, row.trajectory.condition
    return AboutAnswer(*place, row.text_digest, row.key_digest, row.decides)


def rollout_group_records(benchmark: Benchmark) -> Iterator[RolloutGroupRecord]:
    yield from group_records(RolloutGroup.objects.filter(benchmark=benchmark).order_by("group_id"))


def group_records(groups: QuerySet[RolloutGroup]) -> Iterator[RolloutGroupRecord]:
    """These rollout groups as records, in their order."""
    for row in groups.prefetch_related("rollouts").iterator(chunk_size=BATCH):
        rollouts = tuple(Rollout(r.image_tokens, r.acc, r.format, r.sufficient) for r in row.rollouts.all())
        yield RolloutGroupRecord(row.group_id, rollouts, row.alpha, row.extra)
