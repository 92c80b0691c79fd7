from __future__ import annotations

from django.conf import settings
from django.db import models

from evaluation.models.querysets.replay import ReplayedStepQuerySet
from evaluation.models.run import Trajectory


class Replay(models.Model):
    """The stored replay of a trajectory. Scores use its results instead of the recorded ones.

    It belongs to one image. If the sample has another image now, scores use the record again.
    """

    trajectory = models.OneToOneField(Trajectory, on_delete=models.CASCADE, related_name="replay")
    image = models.CharField(max_length=64, help_text="SHA-256 of the image it ran on.")
    opencv = models.CharField(max_length=40, help_text="The version of the library it ran with.")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"replay of {self.trajectory_id}"


class ReplayedStep(models.Model):
    """The result of one call. ``ok`` null: the call could not be run again, and the recorded result counts.

    The box is the executed box of a successful zoom call, in ``coords`` of the step; otherwise it is null.
    """

    # Found by the constraint below, which begins with it.
    replay = models.ForeignKey(Replay, on_delete=models.CASCADE, related_name="steps", db_index=False)
    position = models.PositiveIntegerField()
    outcome = models.CharField(max_length=10)
    reason = models.TextField(blank=True, default="")
    ok = models.BooleanField(null=True)
    x1 = models.FloatField(null=True)
    y1 = models.FloatField(null=True)
    x2 = models.FloatField(null=True)
    y2 = models.FloatField(null=True)
    out_width = models.PositiveIntegerField(null=True)
    out_height = models.PositiveIntegerField(null=True)
    digest = models.CharField(max_length=64, blank=True, default="", help_text="sha256 of the pixels it returned.")

    objects = ReplayedStepQuerySet.as_manager()

    class Meta:
        ordering = ["replay", "position"]
        constraints = [models.UniqueConstraint(fields=["replay", "position"], name="replayed_step_once")]

    def __str__(self) -> str:
        return f"{self.position + 1} {self.outcome}"
