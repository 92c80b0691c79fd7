from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.annotation import Revision
from annotation.models.querysets.quality import CheckAnswerQuerySet, GoldCheckQuerySet
from annotation.models.sample import Sample
from annotation.work_rules import BoxMeasure, CheckRule, PauseRule


class QualityRules(models.Model):
    """The quality rules of a benchmark. A benchmark without a row has the defaults: no gold checks.

    ``seed`` determines every random draw for this benchmark, so that each draw can be repeated.
    """

    benchmark = models.OneToOneField("annotation.Benchmark", on_delete=models.CASCADE, related_name="quality")
    seed = models.PositiveIntegerField(default=0)
    check_first = models.PositiveSmallIntegerField(default=0, help_text="Samples of a person that begin with checks.")
    check_share = models.FloatField(default=0.0, help_text="Share of gold checks among later assigned samples.")
    box_measure = models.CharField(
        max_length=3, choices=[(m.value, m.value) for m in BoxMeasure], default=BoxMeasure.IOU.value
    )
    box_least = models.FloatField(default=0.5, help_text="A check whose boxes measure less is not passed.")
    any_question = models.BooleanField(
        default=False, help_text="Answers to a question worded otherwise than the known one decide themselves too."
    )
    pause_after = models.PositiveSmallIntegerField(default=10, help_text="Checks before a person is paused.")
    pause_below = models.FloatField(null=True, blank=True, help_text="Accuracy below which a person is paused.")

    quiz_size = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Samples of the qualification test; 0: annotators need none."
    )
    quiz_pass = models.FloatField(default=0.8, db_default=0.8, help_text="Share of its samples to pass.")
    quiz_attempts = models.PositiveSmallIntegerField(default=2, db_default=2, help_text="Attempts per person.")

    extra_below = models.FloatField(
        null=True, blank=True, help_text="Agreement, 0 to 1, below which one more person annotates a sample."
    )
    extra_most = models.PositiveSmallIntegerField(default=1, help_text="Most additional people per sample.")

    class Meta:
        verbose_name_plural = "quality rules"
        constraints = [
            models.CheckConstraint(condition=Q(check_share__gte=0, check_share__lte=0.5), name="quality_check_share"),
            models.CheckConstraint(condition=Q(box_least__gte=0, box_least__lte=1), name="quality_box_least"),
            models.CheckConstraint(condition=Q(quiz_pass__gt=0, quiz_pass__lte=1), name="quality_quiz_pass"),
        ]

    def __str__(self) -> str:
        return f"quality rules of {self.benchmark}"

    @property
    def checks_run(self) -> bool:
        """Whether gold checks are assigned at all, alone or as a qualification test."""
        return bool(self.check_first or self.check_share or self.quiz_size)

    @property
    def check_rule(self) -> CheckRule:
        return CheckRule(BoxMeasure(self.box_measure), self.box_least, self.any_question)

    @property
    def pause_rule(self) -> PauseRule:
        return PauseRule(self.pause_after, self.pause_below)


class GoldCheck(models.Model):
    """An accepted sample that is assigned to annotators like any other, to measure their accuracy against its gold."""

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, related_name="gold_check")
    active = models.BooleanField(default=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    objects = GoldCheckQuerySet.as_manager()

    def __str__(self) -> str:
        return f"gold check {self.sample}"


class QualificationAttempt(models.Model):
    """One attempt of a person at the qualification test of a benchmark, or the decision of a lead that they need none
    (``waived_by``). Its samples are the ``CheckAnswer`` rows that name it. ``passed`` is null while it is open."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="qualifications")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="qualifications")
    number = models.PositiveSmallIntegerField()
    needed = models.FloatField(help_text="Share of its samples to pass, fixed when the attempt began.")
    passed = models.BooleanField(null=True, blank=True)
    waived_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.CharField(max_length=300, blank=True, default="")
    began_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["benchmark_id", "user_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "user", "number"], name="qualification_number_once"),
            models.UniqueConstraint(
                fields=["benchmark", "user"], condition=Q(passed__isnull=True), name="qualification_open_once"
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.user} on {self.benchmark}"


class CheckAnswer(models.Model):
    """The work of one person on a gold check. It is not an annotation, so it can never become gold.

    ``version`` and ``key`` are those of a draft. ``passed`` is null while it is undecided: not submitted, or the answer
    to another question than the known one. The lead decides on the latter (``decided_by``).
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        HANDED_IN = "handed_in"
        SKIPPED = "skipped"

    check_of = models.ForeignKey(GoldCheck, on_delete=models.CASCADE, related_name="answers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="check_answers")
    attempt = models.ForeignKey(
        QualificationAttempt, null=True, blank=True, on_delete=models.CASCADE, related_name="answers"
    )
    place = models.PositiveSmallIntegerField(help_text="Index of the reservation among those of annotators.")
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    version = models.PositiveIntegerField(default=0)
    key = models.CharField(max_length=80, blank=True, default="")
    content = models.JSONField(default=dict, blank=True)
    gold = models.ForeignKey(Revision, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    same_question = models.BooleanField(null=True, blank=True)
    same_answer = models.BooleanField(null=True, blank=True)
    iou = models.FloatField(null=True, blank=True)
    covered = models.FloatField(null=True, blank=True, help_text="Share of the known evidence inside the boxes drawn.")
    passed = models.BooleanField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    began_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    handed_in_at = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(
        null=True, blank=True, help_text="Submitted, and can be taken back until then; compared with gold afterwards."
    )

    objects = CheckAnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["check_of", "user"], name="check_answer_once"),
            models.UniqueConstraint(fields=["check_of", "place"], name="check_answer_has_its_place"),
            models.CheckConstraint(
                condition=Q(passed__isnull=True) | Q(state="handed_in", handed_in_at__isnull=False),
                name="check_answer_decided_after_handing_in",
            ),
            models.CheckConstraint(
                condition=Q(held_until__isnull=True) | Q(state="handed_in", passed__isnull=True),
                name="check_answer_held_undecided",
            ),
        ]
        indexes = [
            models.Index(fields=["user", "state"], name="check_answer_by_person"),
            models.Index(fields=["held_until"], condition=Q(held_until__isnull=False), name="check_answer_held"),
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.check_of}"

    @property
    def sample(self) -> Sample:
        return self.check_of.sample

    @property
    def author_id(self) -> int:
        """The author, under the name that annotations use."""
        return self.user_id

    @property
    def is_begun(self) -> bool:
        """Whether it has content that still counts."""
        return self.version > 0 or self.state == self.State.HANDED_IN

    @property
    def shown_state(self) -> str:
        """The state that an annotation in this situation would have."""
        return "submitted" if self.state == self.State.HANDED_IN else "draft"

    def as_data(self) -> dict[str, Any]:
        """The comparison as the audit log stores it."""
        names = ("same_question", "same_answer", "iou", "covered", "passed")
        return {name: getattr(self, name) for name in names}
