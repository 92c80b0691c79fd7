"""The rollout groups of a run, which are its trajectories on one sample, with the rewards of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, QuerySet
from django.utils.translation import gettext

from annotation.content.records import record_of
from annotation.models import Benchmark, Sample
from annotation.regions import is_point
from evaluation.common.judging.known import judgements_known_to
from evaluation.common.judging.words import YES
from evaluation.metrics.columns import NO_IMAGE, TRUE, UNKNOWN, NoGrounding, ScoreColumns
from evaluation.metrics.gold_rewards import RolloutCall
from evaluation.metrics.records import sample_columns
from evaluation.metrics.score import score_run
from evaluation.models import Judgement, Rollout, RolloutGroup, Run, Trajectory
from evaluation.runner.rollouts import RolloutPrompt, RolloutReward, Scheme, SentRollout, reward_group
from evaluation.runner.tokens import tokens_of_images
from evaluation.schema import JudgementKind
from evaluation.scoring.load.columns import LoadedRun, load_trajectories

BATCH = 50
"""Groups that are rewarded at once."""


@dataclass(frozen=True, slots=True)
class RunGroup:
    """One sample and its trajectories in a run, in order of rollout. If ``rewards`` is empty, they are undefined, and
    ``reason`` says why.
    """

    sample: str
    trajectories: tuple[int, ...]
    numbers: tuple[int, ...]
    rewards: tuple[RolloutReward, ...]
    reason: str = ""

    @property
    def rows(self) -> list[tuple[int, int, RolloutReward]]:
        """Primary key and rollout number of each trajectory, and its rewards."""
        return list(zip(self.trajectories, self.numbers, self.rewards, strict=False)) if self.rewards else []


def runs_with_groups(benchmark: Benchmark) -> list[Run]:
    """The runs that have several rollouts of a sample, by model and setting. One query."""
    repeated = Trajectory.objects.of(benchmark).filter(condition="none", rollout__gt=0).order_by().values("run")
    return list(Run.objects.of(benchmark).filter(pk__in=repeated).order_by("model__name", "setting", "pk"))


def group_samples(run: Run) -> QuerySet[Any, int]:
    """The samples with at least two rollouts in a run, as primary keys in order of their IDs."""
    rows = Trajectory.objects.filter(run=run, condition="none").order_by("sample__key")
    return rows.values("sample__key").annotate(n=Count("pk")).filter(n__gte=2).values_list("sample", flat=True)


def imported_rollouts(groups: QuerySet[RolloutGroup], *, rewarded: bool = False) -> QuerySet[Rollout]:
    """The rollouts of imported groups, by group and place in it. ``rewarded``: those that have rewards."""
    rows = Rollout.objects.filter(group__in=groups).select_related("group").order_by("group__group_id", "position")
    return rows.filter(reward_final__isnull=False) if rewarded else rows


def imported_groups(groups: QuerySet[RolloutGroup]) -> QuerySet[RolloutGroup]:
    """Imported groups with rollouts, by name, with their number and the means of their rewards."""
    means = {name: Avg(f"rollouts__reward_{name}") for name in ("sufficiency", "minimality", "final")}
    return groups.annotate(rollouts_n=Count("rollouts"), **means).filter(rollouts_n__gt=0).order_by("group_id")


def reward_groups(run: Run, scheme: Scheme) -> Iterator[RunGroup]:
    """All groups of a run, some at a time, for a command."""
    samples = list(group_samples(run))
    for first in range(0, len(samples), BATCH):
        yield from read_groups(run, samples[first : first + BATCH], scheme)


def read_groups(run: Run, pks: Sequence[int], scheme: Scheme, user: Any = None) -> list[RunGroup]:
    """The groups of a run on these samples, in that order, rewarded under ``scheme``. A fixed number of queries. A
    group with verdicts that ``user`` may not know yet has a reason instead of rewards; None: a command.

    r_acc is 1 for a correct answer, else 0; r_format is 1 if an answer could be read, else 0. r_s is the verdict of the
    judge models on the trajectory, else 1 if its crops cover half of the gold.
    """
    loaded_samples = {sample.pk: sample for sample in Sample.objects.with_gold().filter(pk__in=pks)}
    samples = [loaded_samples[pk] for pk in pks]
    row_of = {pk: row for row, pk in enumerate(pks)}
    found = list(
        Trajectory.objects.filter(run=run, sample__in=pks, condition="none").order_by("sample__key", "rollout")
    )
    columns = sample_columns([record_of(sample) for sample in samples])
    loaded = load_trajectories(found, row_of)
    scores = score_run(columns, loaded.columns, scheme.settings)
    verdicts = _verdicts(loaded.pks)
    known = set(judgements_known_to(user, run.benchmark).filter(trajectory__in=verdicts).values_list("trajectory"))
    groups = []
    for sample in samples:
        places = [place for place, one in enumerate(found) if one.sample_id == sample.pk]
        pks_of, numbers = tuple(found[place].pk for place in places), tuple(found[place].rollout for place in places)
        shapes = record_of(sample).content.gold_boxes
        # Rewards are of areas: a polygon counts as the box around it, a point not at all.
        gold = [(box.x1, box.y1, box.x2, box.y2) for box in shapes if not is_point(box)]
        try:
            if any(pk in verdicts and (pk,) not in known for pk in pks_of):
                raise ValueError(gettext("You still judge this sample, so its rewards are not shown yet."))
            if not sample.width or not sample.height:
                raise ValueError(gettext("The size of the image is unknown."))
            prompt = RolloutPrompt((int(sample.width), int(sample.height)), tuple(gold))
            rollouts = [_rollout(loaded, scores, place, scheme, verdicts, prompt.size) for place in places]
            groups.append(RunGroup(sample.key, pks_of, numbers, reward_group(sample.key, rollouts, prompt, scheme)))
        except ValueError as error:
            groups.append(RunGroup(sample.key, pks_of, numbers, (), str(error)))
    return groups


def _rollout(
    loaded: LoadedRun, scores: ScoreColumns, place: int, scheme: Scheme, verdicts: Mapping[int, bool],
    present: tuple[int, int],
) -> SentRollout:  # fmt: skip
    """The trajectory in row ``place``, on a sample whose image has the size ``present``. Raises ``ValueError`` where a
    reward is undefined."""
    if scores.correct[place] == UNKNOWN and not scores.undecided[place]:
        raise ValueError(gettext("The sample has no gold answer."))
    if scores.no_grounding[place] == NoGrounding.IMAGE_REPLACED:
        raise ValueError(gettext("The image was replaced after the rollouts were recorded."))
    steps = range(loaded.columns.step_start[place], loaded.columns.step_start[place + 1])
    own = loaded.columns.recorded_size[place].tolist() if len(loaded.columns.recorded_size) else [math.nan] * 2
    scale = [1.0 if math.isnan(side) else side / now for side, now in zip(own, present, strict=True)]
    calls, sizes = [], []
    for step in steps:
        x1, y1, x2, y2 = (float(edge) for edge in scores.step_crops[step])
        crop = None if math.isnan(x1) else (x1, y1, x2, y2)
        calls.append(RolloutCall(crop, failed=not loaded.columns.steps.ok[step]))
        if loaded.columns.steps.ok[step] and loaded.columns.steps.image_out[step] != NO_IMAGE:
            sizes.append(_size(loaded, step, crop, scale))
    read = not scores.unread[place] and not scores.missing_answer[place]
    tokens = tokens_of_images(sizes, scheme.family)
    pk = loaded.pks[place]
    acc = float(scores.correct[place] == TRUE)
    return SentRollout(str(pk), acc, float(read), None, calls, verdicts.get(pk), float(tokens))


def _size(
    loaded: LoadedRun, step: int, crop: tuple[float, float, float, float] | None, scale: Sequence[float]
) -> tuple[int, int]:
    """Width and height of the image that a step returned: as recorded, else those of its crop. ``scale``: pixels of the
    image that it was recorded on, per pixel of the present one."""
    width, height = (float(side) for side in loaded.columns.steps.out_size[step])
    if not math.isnan(width) and not math.isnan(height):
        return int(width), int(height)
    if crop is None:
        raise ValueError(gettext("The size of an image that a call returned is unknown."))
    return math.ceil((crop[2] - crop[0]) * scale[0]), math.ceil((crop[3] - crop[1]) * scale[1])


def _verdicts(trajectories: Sequence[int]) -> dict[int, bool]:
    """Whether the crops of a trajectory are sufficient by the majority of the judge models that say yes or no."""
    rows = Judgement.objects.filter(
        trajectory__in=trajectories, kind=JudgementKind.SUFFICIENCY, person=None, decides=False, verdict__isnull=False
    )
    votes: dict[int, int] = {}
    for pk, verdict in rows.values_list("trajectory", "verdict"):
        word = next(iter(str(verdict).split()), "").strip(".,;:!").casefold()
        if word in YES or word == "no":
            votes[pk] = votes.get(pk, 0) + (1 if word in YES else -1)
    return {pk: balance > 0 for pk, balance in votes.items() if balance}
