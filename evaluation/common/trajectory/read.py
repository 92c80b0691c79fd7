"""One trajectory for its page: every turn's crop in original pixels, and its overlap with gold.

Scoring stores one crop per trajectory; the others are computed here, with the same metrics, when they are viewed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import F
from django.db.models.functions import Left, Length
from django.utils.translation import gettext

from annotation.content.chains.read import KnownChain, further_chains
from annotation.content.records import record_of
from annotation.models import Benchmark
from annotation.schema import SampleRecord
from evaluation.metrics.columns import UNKNOWN, Floats, NoGrounding, Quadrant, SampleColumns, ScoreColumns
from evaluation.metrics.grounding import gold_sets
from evaluation.metrics.producers import Producers, find_producers
from evaluation.metrics.ragged import TIE, rows_of
from evaluation.metrics.records import sample_columns
from evaluation.metrics.references import GOLD_CHAIN, NO_CHAIN
from evaluation.metrics.regions import BoxSets
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.shares import Shares, measure_regions
from evaluation.models import Intervention, Replay, ReplayedStep, Step, Trajectory
from evaluation.schema import StepFlag
from evaluation.scoring.load.columns import LoadedRun, load_trajectories
from evaluation.scoring.load.images import HERE, Earlier, Recorded
from evaluation.scoring.settings import settings_of
from evaluation.store.scores import Score, put_scores
from webapp.common.errors import NotFound

Corners = tuple[float, float, float, float]
LONG = ("answer", "extra", "recognition", "plan", "recognition_map", "plan_map")
"""Fields that may be megabytes, which a row of a table does not need."""


@dataclass(frozen=True, slots=True)
class TurnMeasures:
    """The region that one call shows, in original pixels, and its shares of gold; None if undefined.

    ``covered`` is the share of gold that all crops up to and including this one cover; ``scored``: this is the scored
    crop under the settings: the executed box, or the requested one.
    """

    executed: Corners | None
    requested: Corners | None
    scored: Corners | None
    coverage: float | None
    concentration: float | None
    ioa: float | None
    iou: float | None
    covered: float | None
    effective: bool


@dataclass(frozen=True)
class TrajectoryDetail:
    """A trajectory with its columns (one row each), its scores computed now, and its turns by step position.

    Calls after the answer are in no column, and therefore not among ``turns``. ``further``: the accepted toolchains in
    addition to the gold's.
    """

    record: SampleRecord
    samples: SampleColumns
    loaded: LoadedRun
    scores: ScoreColumns
    settings: MetricSettings
    turns: Mapping[int, TurnMeasures]
    further: Sequence[KnownChain] = ()

    @cached_property
    def producers(self) -> Producers:
        return find_producers(self.loaded.columns)

    @property
    def reference(self) -> KnownChain | None:
        """The accepted toolchain that the measures refer to; without a ``number`` it is the gold's."""
        place = int(self.scores.reference_chain[0])
        if place == GOLD_CHAIN:
            return KnownChain(None, self.record.content.reference_toolchain, "", "", None)
        return None if place == NO_CHAIN else self.further[place - 1]

    @property
    def chains(self) -> int:
        """The number of accepted reference toolchains of the sample."""
        return len(self.further) + bool(self.record.content.reference_toolchain)

    @property
    def has_gold(self) -> bool:
        return bool(self.scores.scorable[0])

    @property
    def grounding_lost(self) -> bool:
        """Whether it is outside the grounding population because its image was replaced."""
        return bool(self.scores.no_grounding[0] == NoGrounding.IMAGE_REPLACED)

    @property
    def earlier(self) -> Sequence[Earlier]:
        """The earlier images of its sample."""
        return next(iter(self.loaded.earlier.values()), ())

    @property
    def recorded(self) -> Recorded:
        """The image that it was recorded on."""
        columns = self.loaded.columns
        if not len(columns.lost_image) or not len(columns.recorded_size):
            return HERE
        size, lost = columns.recorded_size[0], bool(columns.lost_image[0])
        return Recorded(None if np.isnan(size[0]) else (int(size[0]), int(size[1])), lost)

    def agrees_with(self, score: Score) -> bool:
        """Whether a stored score says what the gold and the settings of now say."""
        exact = ("in_population", "calls", "effective_calls", "plan_outcome", "letter")
        same = all(getattr(score, name) == _plain(getattr(self.scores, name)[0]) for name in exact)
        quadrant = int(self.scores.quadrant[0])
        same = same and score.quadrant == ("" if quadrant == Quadrant.OUTSIDE else Quadrant.NAMES[quadrant])
        for name in ("grounded", "reference_chain", "reference_calls", "edit_distance", "lcs"):
            stored, now = getattr(score, name), _plain(getattr(self.scores, name)[0])
            same = same and (UNKNOWN if stored is None else stored) == now
        return same and all(
            _close(getattr(score, name), _number(getattr(self.scores, name)[0]))
            for name in ("coverage", "concentration", "ioa", "iou")
        )


def load_trajectory(benchmark: Benchmark, pk: int) -> Trajectory:
    """A trajectory with all that its page says of run, sample and gold. Six queries; raises ``NotFound``."""
    of_gold = ("gold_boxes", "gold_shapes", "reference_calls", "plan_tools")
    rows = (
        Trajectory.objects.of(benchmark)
        .select_related(
            "run__model", "run__scoring", "run__file", "sample__image", "sample__gold__revision", "replay__person"
        )
        .prefetch_related("sample__facets", *(f"sample__gold__revision__{name}" for name in of_gold))
    )
    found: Trajectory | None = rows.filter(pk=pk).first()
    if found is None:
        raise NotFound(
            gettext("%(title)s has no trajectory %(pk)s. It may have been replaced by a later import.")
            % {"title": benchmark.title, "pk": pk}
        )
    # The same object, because it knows the roles of this person.
    found.run.benchmark = benchmark
    return found


def kept_replay(trajectory: Trajectory) -> Replay | None:
    """The replay that replaces the record in scores: kept, and of the image that the sample has now."""
    replay: Replay | None = getattr(trajectory, "replay", None)
    image = trajectory.sample.image
    return replay if replay and image and replay.image == image.sha256 else None


def read_trajectory(trajectory: Trajectory) -> TrajectoryDetail:
    """The trajectory, loaded with its sample ``with_gold``, under the settings of its benchmark. Four queries."""
    settings = settings_of(trajectory.run.benchmark)
    record = record_of(trajectory.sample)
    further = further_chains(trajectory.sample)
    accepted = [[tuple(call.tool for call in known.calls) for known in further]]
    samples = replace(sample_columns([record]), accepted=accepted)
    loaded = load_trajectories([trajectory])
    scores = score_run(samples, loaded.columns, settings)
    turns = _turns(samples, loaded, scores, settings)
    return TrajectoryDetail(record, samples, loaded, scores, settings, turns, further)


def read_on_sample(sample: Any) -> list[Trajectory]:
    """Return the trajectories that metrics use on one sample: one of each run, by name of the model. Two queries."""
    found = (
        Trajectory.objects.of(sample.benchmark_id)
        .filter(sample=sample)
        .evaluated()
        .select_related("run__model", "sample")
    )
    rows = list(found.defer(*LONG).order_by("run__model__name", "run__setting", "pk"))
    put_scores(rows)
    return rows


def read_last_crops(trajectories: Sequence[Trajectory], sample: Any) -> dict[int, Corners]:
    """The last usable crop of each of these on one sample, by primary key; without one it is omitted. Two queries."""
    return {pk: crops[-1][1] for pk, crops in read_crops(trajectories, sample).items()}


def read_crops(trajectories: Sequence[Trajectory], sample: Any) -> dict[int, list[tuple[int, Corners]]]:
    """All usable crops of each of these on one sample, by primary key, as turn number (from 1) and corners; without
    one it is omitted. Two queries."""
    whole = list(Trajectory.objects.filter(pk__in=[trajectory.pk for trajectory in trajectories]))
    samples, loaded = sample_columns([record_of(sample)]), load_trajectories(whole)
    crops = score_run(samples, loaded.columns, MetricSettings()).step_crops
    found: dict[int, list[tuple[int, Corners]]] = {}
    rows = rows_of(loaded.columns.step_start).tolist()
    for row, position, box in zip(rows, loaded.positions.tolist(), crops, strict=True):
        if corners := corners_of(box):
            found.setdefault(loaded.pks[row], []).append((position + 1, corners))
    return found


def read_turns(trajectory: Trajectory, *, first: int, count: int, cap: int | None) -> list[Step]:
    """``count`` steps from position ``first``. Up to ``cap`` characters of their texts are read (None: all of them).

    Each has ``text_start``, ``observation_start`` and the lengths of the whole, ``text_length``,
    ``observation_length``, and ``replayed``: what a kept replay puts instead of the record, or None. One
    query, two with a replay.
    """
    steps = Step.objects.filter(trajectory=trajectory, position__gte=first).order_by("position")
    starts = {f"{name}_start": Left(name, cap) if cap else F(name) for name in ("text", "observation")}
    lengths = {f"{name}_length": Length(name) for name in ("text", "observation")}
    found: list[Any] = list(steps.annotate(**starts, **lengths).defer("text", "observation")[:count])
    replayed = ReplayedStep.objects.in_force().filter(replay__trajectory=trajectory, position__gte=first)
    by_position = {row.position: row for row in replayed[:count]} if kept_replay(trajectory) else {}
    for step in found:
        step.replayed = by_position.get(step.position)
    return found


def read_arguments(trajectory: Trajectory, most: int) -> list[Any]:
    """The arguments of the first calls that count, in their order: a row for each row of the columns. One query."""
    steps = Step.objects.filter(trajectory=trajectory).exclude(flag=StepFlag.POST_ANSWER).order_by("position")
    return list(steps.values_list("arguments", flat=True)[:most])


def read_others(trajectory: Trajectory) -> tuple[list[Trajectory], list[Intervention]]:
    """The same run on the same sample, under every condition and rollout, this one too; and conditions of which only
    the outcome was recorded. Three queries."""
    same = {"run": trajectory.run_id, "sample": trajectory.sample_id}
    found = list(Trajectory.objects.filter(**same).defer(*LONG).order_by("condition", "rollout"))
    put_scores(found, [trajectory.run])
    for one in found:
        one.sample = trajectory.sample
    return found, list(Intervention.objects.filter(**same).order_by("condition"))


def _turns(
    samples: SampleColumns, loaded: LoadedRun, scores: ScoreColumns, settings: MetricSettings
) -> dict[int, TurnMeasures]:
    other = {"executed": "requested", "requested": "executed"}[settings.crop_box]
    boxes = {settings.crop_box: scores.step_crops, other: scores.step_crops}
    if not np.isnan(loaded.columns.steps.executed).all():
        boxes[other] = score_run(samples, loaded.columns, replace(settings, crop_box=other)).step_crops
    shares = _shares(scores.step_crops, samples, settings)
    return {
        int(position): TurnMeasures(
            executed=corners_of(boxes["executed"][row]),
            requested=corners_of(boxes["requested"][row]),
            scored=corners_of(scores.step_crops[row]),
            coverage=_number(shares.coverage[row]),
            concentration=_number(shares.concentration[row]),
            ioa=_number(shares.ioa[row]),
            iou=_number(shares.iou[row]),
            covered=_number(scores.step_coverage[row]),
            effective=bool(scores.effective[row]),
        )
        for row, position in enumerate(loaded.positions)
    }


def _shares(crops: Floats, samples: SampleColumns, settings: MetricSettings) -> Shares:
    """Every step's crop against the gold of the one sample; NaN without a crop or without gold."""
    shares = Shares.filled(len(crops), np.nan)
    gold = gold_sets(samples)
    used = np.flatnonzero(~np.isnan(crops[:, 0]))
    if gold.counts[0] and len(used):
        each = gold.take(np.zeros(len(used), np.int64))
        shares.put(used, measure_regions(BoxSets.single(crops[used]), each, settings.multi_gold))
    return shares


def corners_of(box: Floats) -> Corners | None:
    """Return a row of boxes; None if it is NaN."""
    x1, y1, x2, y2 = box.tolist()
    return None if math.isnan(x1) else (x1, y1, x2, y2)


def _number(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


def _plain(value: Any) -> Any:
    return value[:200] if isinstance(value, str) else value.item()


def _close(stored: float | None, computed: float | None) -> bool:
    if stored is None or computed is None:
        return stored is computed
    return abs(stored - computed) <= TIE
