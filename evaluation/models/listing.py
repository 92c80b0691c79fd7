from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext

from evaluation.models.run import Trajectory


class Tag(models.Model):
    """A word that people assign to trajectories, shared by the benchmark or (``owner``) private to one person."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=60)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name"], condition=Q(owner=None), name="shared_tag_once"),
            models.UniqueConstraint(fields=["benchmark", "name", "owner"], name="tag_once_per_owner"),
            models.CheckConstraint(condition=~Q(name=""), name="tag_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Tagging(models.Model):
    # Found by the constraint below, which begins with it.
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, related_name="taggings", db_index=False)
    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="taggings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tag", "trajectory"], name="tagged_once")]

    def __str__(self) -> str:
        return f"{self.tag} on {self.trajectory_id}"


class Note(models.Model):
    """A person's note on a trajectory: on the whole, on one turn (from 1), or on an image region in its pixels.

    Everyone who can see the trajectory can see the note."""

    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="notes")
    turn = models.PositiveIntegerField(null=True, blank=True)
    x1 = models.FloatField(null=True, blank=True)
    y1 = models.FloatField(null=True, blank=True)
    x2 = models.FloatField(null=True, blank=True)
    y2 = models.FloatField(null=True, blank=True)
    text = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="note_says_something"),
            models.CheckConstraint(
                condition=Q(x1=None, y1=None, x2=None, y2=None) | Q(x1__lt=models.F("x2"), y1__lt=models.F("y2")),
                name="note_region_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:40]


class SavedSlice(models.Model):
    """A query of a benchmark with a name, for all of its members."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="saved_slices")
    name = models.CharField(max_length=60)
    query = models.TextField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name"], name="saved_slice_once"),
            models.CheckConstraint(condition=~Q(name=""), name="saved_slice_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class FailureLabel(models.Model):
    """A failure that a person set, as a code of ``evaluation.metrics.failures``.

    The ``current`` one replaces that of the rule. ``benchmark`` is that of the trajectory, so that all labels of a
    benchmark are read at once."""

    benchmark = models.ForeignKey("annotation.Benchmark", on_delete=models.CASCADE, related_name="+")
    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="failure_labels")
    failure = models.SmallIntegerField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    current = models.BooleanField(default=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trajectory"], condition=Q(current=True), name="failure_label_in_force"),
        ]

    def __str__(self) -> str:
        return f"{self.failure} on {self.trajectory_id}"

    @property
    def said_by(self) -> str:
        """The name of the person who set it, also if the account was deleted."""
        return str(self.person or gettext("a former member"))
