from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from evaluation.models.experiment import Experiment
from evaluation.models.judging import new_key
from evaluation.models.querysets.live import on_samples
from evaluation.models.querysets.studies import HumanAnswerQuerySet, ParticipantQuerySet, StudySampleQuerySet

_FromStudySample = models.Manager.from_queryset(StudySampleQuerySet)


class StudySampleManager(_FromStudySample):
    """The samples of studies that are neither deleted nor withdrawn."""

    def get_queryset(self) -> StudySampleQuerySet:
        return super().get_queryset().filter(on_samples())  # type: ignore[return-value]  # made by Django


class StudySample(models.Model):
    """A sample drawn for a human study. ``stratum``: its index in ``strata`` of the design."""

    # Found by the constraint below, which begins with it.
    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="study_samples", db_index=False)
    sample = models.ForeignKey("annotation.Sample", on_delete=models.PROTECT, related_name="+")
    stratum = models.PositiveIntegerField()

    objects = StudySampleManager()

    class Meta:
        ordering = ["experiment", "pk"]
        constraints = [models.UniqueConstraint(fields=["experiment", "sample"], name="study_sample_once")]

    def __str__(self) -> str:
        return f"{self.sample} in study {self.experiment_id}"


class Participant(models.Model):
    """A participant of a human study.

    ``number``: their rollout in the run of the study, from 0 in the order in which people started. ``finished_at``:
    after this, they get no more samples and may see gold and runs.
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="participants", db_index=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="studies")
    number = models.PositiveIntegerField()
    begun_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = ParticipantQuerySet.as_manager()

    class Meta:
        ordering = ["experiment", "number"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "person"], name="participant_once"),
            models.UniqueConstraint(fields=["experiment", "number"], name="participant_number_once"),
        ]

    def __str__(self) -> str:
        return f"person {self.number + 1} of study {self.experiment_id}"


_FromHumanAnswer = models.Manager.from_queryset(HumanAnswerQuerySet)


class HumanAnswerManager(_FromHumanAnswer):
    """The answers on samples that are neither deleted nor withdrawn."""

    def get_queryset(self) -> HumanAnswerQuerySet:
        return super().get_queryset().filter(on_samples())  # type: ignore[return-value]  # made by Django


class HumanAnswer(models.Model):
    """The answer of one person for one sample of a study, created on assignment.

    ``place``: the index of its place for the sample, from 0; null: this person skipped it. A conditional UPDATE takes
    over an expired place, so that exactly one person gets it. ``steps``: the zooms, as ``{"box": [x1, y1, x2, y2],
    "seconds": s}`` in pixels of the original. ``seconds``: time without pauses.
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="human_answers", db_index=False)
    sample = models.ForeignKey("annotation.Sample", on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="human_answers")
    key = models.CharField(max_length=22, unique=True, default=new_key, help_text="Its name in addresses. Random.")
    place = models.PositiveSmallIntegerField(null=True)
    answer = models.TextField(null=True)
    recognition = models.JSONField(null=True)
    plan = models.JSONField(null=True)
    familiarity = models.PositiveSmallIntegerField(null=True)
    unsure = models.BooleanField(default=False)
    seconds = models.FloatField(null=True)
    steps = models.JSONField(default=list)
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)

    objects = HumanAnswerManager()

    class Meta:
        ordering = ["experiment", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "sample", "person"], name="human_answer_once"),
            models.UniqueConstraint(fields=["experiment", "sample", "place"], name="human_answer_once_per_place"),
            models.CheckConstraint(
                condition=Q(done_at=None) | Q(place__isnull=False, familiarity__gte=1, familiarity__lte=5),
                name="human_answer_done_with_familiarity",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} on {self.sample}"
