from __future__ import annotations

import uuid
from string import ascii_uppercase
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from evaluation.detections import DETECTOR, is_score
from evaluation.models.querysets.judging import JudgementQuerySet
from evaluation.models.querysets.live import live, on_samples
from evaluation.models.querysets.runs import RunQuerySet, TrajectoryQuerySet
from evaluation.schema import FILE_READINGS

PROTOCOL = "protocols"
"""The key in ``Run.extra`` for how the model was run, as a portable file has it."""
PEOPLE, PEOPLE_NAME = "people", "People"
"""The key in ``Run.extra`` that marks a run of a human study, and the name of its model."""


class Model(models.Model):
    """A vision-language model, or a scripted baseline that runs here."""

    name = models.CharField(max_length=200, unique=True)
    baseline = models.BooleanField(default=False)
    url = models.URLField(blank=True, default="")

    def __str__(self) -> str:
        return self.name


class RunManager(models.Manager.from_queryset(RunQuerySet)):  # type: ignore[misc]  # made by Django
    """All runs except staged and deleted ones."""

    def get_queryset(self) -> RunQuerySet:
        return super().get_queryset().filter(staged_for=None, deleted_at=None)


class Run(models.Model):
    """One model on one benchmark under one setting.

    ``staged_for``: the import that fills this run before it replaces another one. ``deleted_at``: when it was put in
    the trash. ``objects`` and ``benchmark.runs`` leave staged and deleted runs out; ``everything`` contains them.
    Queries that reach runs from other rows use ``evaluation.models.querysets.live``.
    """

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="runs")
    model = models.ForeignKey(Model, on_delete=models.PROTECT, related_name="runs")
    setting = models.CharField(max_length=200, blank=True, default="")
    note = models.TextField(blank=True, default="")
    extra = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    uid = models.UUIDField(
        default=uuid.uuid4,
        editable=False,
        help_text="The same on every server that has this run from a portable file.",
    )
    revision = models.PositiveBigIntegerField(
        default=0, db_default=0, help_text="Another after every transaction that changes its trajectories."
    )
    staged_for = models.ForeignKey(
        "annotation.ImportRecord", null=True, blank=True, on_delete=models.CASCADE, related_name="staged_runs"
    )
    number = models.PositiveIntegerField(
        null=True, help_text="Of its letter, given once in a benchmark. None while it is staged."
    )
    lineage = models.ForeignKey(
        "evaluation.Lineage", null=True, blank=True, on_delete=models.RESTRICT, related_name="runs"
    )
    step = models.PositiveBigIntegerField(null=True, blank=True, help_text="Of the training. None without a lineage.")
    deleted_at = models.DateTimeField(null=True, blank=True, help_text="When it was put in the trash.")
    purging = models.BooleanField(
        default=False, db_default=False, help_text="A job deletes it permanently. It can't be restored."
    )
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = RunManager()
    everything = models.Manager.from_queryset(RunQuerySet)()

    class Meta:
        ordering = ["benchmark", "model__name", "setting"]
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "model", "setting"], condition=live(), name="run_once_per_setting"
            ),
            models.UniqueConstraint(fields=["staged_for", "model", "setting"], name="staged_run_once"),
            models.UniqueConstraint(fields=["benchmark", "number"], name="run_number_once"),
            models.UniqueConstraint(fields=["benchmark", "uid"], name="run_uid_once"),
            models.CheckConstraint(
                condition=Q(staged_for__isnull=False) | Q(number__isnull=False), name="run_has_a_number"
            ),
            models.UniqueConstraint(fields=["lineage", "setting", "step"], condition=live(), name="run_once_per_step"),
            models.CheckConstraint(condition=Q(staged_for=None) | Q(deleted_at=None), name="run_staged_or_deleted"),
            models.CheckConstraint(
                condition=Q(lineage__isnull=True, step__isnull=True) | Q(lineage__isnull=False, step__isnull=False),
                name="run_has_lineage_and_step",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model}, {self.setting}" if self.setting else str(self.model)

    @property
    def letter(self) -> str:
        """The number as pages show it: 1 is A, 26 is Z, 27 is AA; "" while the run is staged."""
        text, number = "", self.number or 0
        while number:
            number, rest = divmod(number - 1, 26)
            text = ascii_uppercase[rest] + text
        return text

    @property
    def detector_threshold(self) -> float | None:
        """The score threshold of a detector's run; None for a model's run."""
        found = self.extra.get(DETECTOR)
        threshold = found.get("threshold") if isinstance(found, dict) else None
        return float(threshold) if is_score(threshold) else None

    @property
    def by_detector(self) -> bool:
        """Whether a detector made the run. It has tool recognition, no other metric and no rank."""
        return self.detector_threshold is not None

    @property
    def by_people(self) -> bool:
        """Whether people made the run in a human study. Its metrics are estimates, and it has no rank."""
        return PEOPLE in self.extra


_FromTrajectory = models.Manager.from_queryset(TrajectoryQuerySet)


class TrajectoryManager(_FromTrajectory):
    """The trajectories on samples that are neither deleted nor withdrawn."""

    def get_queryset(self) -> TrajectoryQuerySet:
        return super().get_queryset().filter(on_samples())  # type: ignore[return-value]  # made by Django


class Trajectory(models.Model):
    """The recorded output of a run for one sample.

    ``condition`` "none": without an intervention. ``recognition`` and ``plan`` are lists of tool names, null if the
    request failed or was not made. ``image_number``: which image of the sample it was recorded on, by the number of
    ``ImageReplacement`` rows before; its boxes are in pixels of that image.
    """

    # Found by the constraint below, which begins with it.
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="trajectories", db_index=False)
    sample = models.ForeignKey("annotation.Sample", on_delete=models.PROTECT, related_name="trajectories")
    rollout = models.PositiveIntegerField(default=0)
    condition = models.CharField(max_length=40, default="none")
    answer = models.TextField(null=True, blank=True)
    judge_correct = models.BooleanField(null=True, blank=True)
    final_image = models.TextField(null=True, blank=True)
    recognition = models.JSONField(null=True, blank=True)
    plan = models.JSONField(null=True, blank=True)
    recognition_map = models.JSONField(default=dict, blank=True)
    plan_map = models.JSONField(default=dict, blank=True)
    error = models.TextField(blank=True, default="")
    input_tokens = models.BigIntegerField(null=True, blank=True)
    output_tokens = models.BigIntegerField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    usd = models.FloatField(null=True, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    image_number = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="How many images of the sample had been replaced when it was recorded; null: none.",
    )
    image_width = models.PositiveIntegerField(
        null=True, blank=True, help_text="Of the image that it was recorded on, if its file states it."
    )
    image_height = models.PositiveIntegerField(null=True, blank=True)
    digest = models.CharField(max_length=32, help_text="Of the record as read: the same record again changes nothing.")
    row_digest = models.BinaryField(
        max_length=16, null=True, help_text="Of the row as written: the same row again is not even read."
    )
    source = models.ForeignKey("annotation.ImportRecord", null=True, on_delete=models.SET_NULL, related_name="+")
    line = models.PositiveBigIntegerField(null=True, blank=True)

    objects = TrajectoryManager()
    everything = _FromTrajectory()
    score: Any
    """Set by ``evaluation.store.scores`` from the file of the run; None if the trajectory is not scored."""

    class Meta:
        ordering = ["run", "sample__key", "rollout", "condition"]
        verbose_name_plural = "trajectories"
        constraints = [
            models.UniqueConstraint(fields=["run", "sample", "rollout", "condition"], name="trajectory_once"),
        ]
        indexes = [models.Index(fields=["row_digest"], name="trajectory_by_row")]

    def __str__(self) -> str:
        return f"{self.run} on {self.sample}"

    @property
    def file_reading(self) -> str:
        """The answer as extracted in the imported file; "" if the file has none."""
        found = (self.extra.get(name) for name in FILE_READINGS)
        return next((str(one) for one in found if one is not None), "")


class ToolList(models.Model):
    """The import of one of the two tool lists of a trajectory that was joined from two records.

    The trajectory holds the names. ``extra`` and ``line`` are those of the record with this list. A trajectory from one
    record has no such rows.
    """

    class Name(models.TextChoices):
        RECOGNITION = "recognition"
        PLAN = "plan"

    # Found by the constraint below, which begins with it.
    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="tool_lists", db_index=False)
    name = models.CharField(max_length=12, choices=Name.choices)
    source = models.ForeignKey("annotation.ImportRecord", null=True, on_delete=models.SET_NULL, related_name="+")
    extra = models.JSONField(default=dict, blank=True)
    line = models.PositiveBigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trajectory", "name"], name="tool_list_once"),
            models.CheckConstraint(condition=Q(name__in=["recognition", "plan"]), name="tool_list_known_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.trajectory}"


class Step(models.Model):
    """One tool call of a trajectory: the requested box and, if recorded, the executed box.

    Boxes are in ``coords`` of the step's input image, as recorded; null if the call has none.
    """

    # Found by the constraint below, which begins with it.
    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="steps", db_index=False)
    position = models.PositiveIntegerField()
    tool = models.TextField()
    arguments = models.JSONField(default=dict, blank=True)
    x1 = models.FloatField(null=True)
    y1 = models.FloatField(null=True)
    x2 = models.FloatField(null=True)
    y2 = models.FloatField(null=True)
    executed_x1 = models.FloatField(null=True)
    executed_y1 = models.FloatField(null=True)
    executed_x2 = models.FloatField(null=True)
    executed_y2 = models.FloatField(null=True)
    bbox_raw = models.JSONField(null=True, blank=True)
    coords = models.CharField(max_length=8, default="pixel")
    image_in = models.JSONField(null=True, blank=True)
    image_out = models.TextField(null=True, blank=True)
    out_width = models.FloatField(null=True)
    out_height = models.FloatField(null=True)
    ok = models.BooleanField(default=True)
    text = models.TextField(blank=True, default="")
    observation = models.TextField(blank=True, default="")
    label = models.TextField(blank=True, default="")
    flag = models.CharField(max_length=12, blank=True, default="")
    extra = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["trajectory", "position"]
        constraints = [
            models.UniqueConstraint(fields=["trajectory", "position"], name="step_position_once"),
            models.CheckConstraint(condition=Q(coords__in=["pixel", "norm1", "norm1000"]), name="step_known_coords"),
            models.CheckConstraint(
                condition=Q(flag__in=["", "post_answer", "unused"]),
                name="step_known_flag",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position + 1} {self.tool}"


class InterventionManager(models.Manager["Intervention"]):
    """The interventions on samples that are neither deleted nor withdrawn."""

    def get_queryset(self) -> models.QuerySet[Intervention]:
        return super().get_queryset().filter(on_samples())


class Intervention(models.Model):
    """Whether a run was correct on a sample under a condition, if only this was recorded (no trajectory)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="interventions")
    sample = models.ForeignKey("annotation.Sample", on_delete=models.PROTECT, related_name="+")
    condition = models.CharField(max_length=40)
    correct = models.BooleanField(null=True, blank=True)
    answer = models.TextField(null=True, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    source = models.ForeignKey("annotation.ImportRecord", null=True, on_delete=models.SET_NULL, related_name="+")

    objects = InterventionManager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "sample", "condition"], name="intervention_once")]

    def __str__(self) -> str:
        return f"{self.run} on {self.sample}, {self.condition}"


_FromJudgement = models.Manager.from_queryset(JudgementQuerySet)


class JudgementManager(_FromJudgement):
    """The judgments on samples that are neither deleted nor withdrawn."""

    def get_queryset(self) -> JudgementQuerySet:
        return super().get_queryset().filter(on_samples())  # type: ignore[return-value]  # made by Django


class Judgement(models.Model):
    """A verdict of a judge model or a person on an answer, its reliability or its sufficiency.

    ``person``: who gave it here; ``judge`` is then their sign-in address. Verdicts of people in judging queues are the
    reference for judge models. No metric of the run uses them.

    ``trajectory``: the judged trajectory, null if the judgment came from a file without naming one. It then refers to
    the trajectory that metrics use. ``text_digest`` identifies what was judged: the text or, for crops, the text with
    its boxes. ``key_digest`` identifies the options or accepted strings. The judgment applies only to these.
    ``decides``: a decision on the meaning of the answer, which scores use: an option (``answer``), or a
    ``DecisionWord`` as ``verdict``.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="judgements")
    sample = models.ForeignKey("annotation.Sample", on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12)
    judge = models.CharField(max_length=200, blank=True, default="")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="judgements"
    )
    trajectory = models.ForeignKey(
        Trajectory, null=True, blank=True, on_delete=models.CASCADE, related_name="judgements", db_index=False
    )
    decides = models.BooleanField(default=False)
    text_digest = models.CharField(max_length=32, blank=True, default="")
    key_digest = models.CharField(max_length=32, blank=True, default="")
    verdict = models.TextField(null=True, blank=True)
    answer = models.TextField(null=True, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    source = models.ForeignKey("annotation.ImportRecord", null=True, on_delete=models.SET_NULL, related_name="+")

    objects = JudgementManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "sample", "kind", "judge"],
                condition=Q(trajectory=None),
                name="judgement_once_per_judge",
            ),
            # Also used to find the judgments of a trajectory, which are deleted with it.
            models.UniqueConstraint(
                fields=["trajectory", "kind", "judge", "decides"], name="judgement_once_per_trajectory"
            ),
            models.UniqueConstraint(fields=["trajectory"], condition=Q(decides=True), name="decided_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["reliability", "sufficiency", "answer"]), name="judgement_known_kind"
            ),
            models.CheckConstraint(
                condition=Q(decides=False) | Q(kind="answer", trajectory__isnull=False), name="decides_on_an_answer"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.run} on {self.sample}"


class RolloutGroup(models.Model):
    """Rollouts of one prompt that are rewarded together (docs/metrics.md#reward-rules).

    ``alpha``: the value of this group, used instead of the setting."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="rollout_groups")
    group_id = models.CharField(max_length=200)
    alpha = models.FloatField(null=True, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    reward_settings = models.JSONField(
        null=True, blank=True, help_text="The settings that the rewards were computed with."
    )
    source = models.ForeignKey("annotation.ImportRecord", null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["benchmark", "group_id"], name="rollout_group_once")]

    def __str__(self) -> str:
        return self.group_id


class Rollout(models.Model):
    """One rollout of a group with its rewards. Rewards are derived: null until computed, and where undefined."""

    group = models.ForeignKey(RolloutGroup, on_delete=models.CASCADE, related_name="rollouts")
    position = models.PositiveIntegerField()
    image_tokens = models.FloatField()
    acc = models.FloatField()
    format = models.FloatField()
    sufficient = models.BooleanField()
    reward_sufficiency = models.FloatField(null=True)
    reward_minimality = models.FloatField(null=True)
    reward_final = models.FloatField(null=True)

    class Meta:
        ordering = ["group", "position"]
        constraints = [models.UniqueConstraint(fields=["group", "position"], name="rollout_position_once")]

    def __str__(self) -> str:
        return f"{self.group} {self.position}"
