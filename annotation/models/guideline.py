from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.benchmark import Benchmark
from annotation.models.querysets.guidelines import GuidelineQuerySet
from annotation.models.sample import Image

NAME = 12
"""Characters of the SHA-256 of an image that name it in guidelines."""


class Guideline(models.Model):
    """The written rules for annotating a benchmark, as they were published. A change makes the next number; work names
    the guidelines that were in force when it was submitted."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="guidelines")
    number = models.PositiveIntegerField()
    body = models.TextField(help_text="Markdown; see annotation.guideline_text.")
    note = models.CharField(max_length=300, blank=True, default="", help_text="What changed.")
    must_read = models.BooleanField(
        default=True, db_default=True, help_text="People read what changed before they get the next sample."
    )
    published_at = models.DateTimeField(auto_now_add=True)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    objects = GuidelineQuerySet.as_manager()

    class Meta:
        ordering = ["benchmark_id", "-number"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "number"], name="guideline_number_once")]

    def __str__(self) -> str:
        return f"guidelines {self.number} of {self.benchmark}"


class GuidelineReading(models.Model):
    """A person confirmed that they read these guidelines."""

    guideline = models.ForeignKey(Guideline, on_delete=models.CASCADE, related_name="readings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    read_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["guideline", "user"], name="guideline_read_once")]

    def __str__(self) -> str:
        return f"{self.user} read {self.guideline}"


class GuidelineImage(models.Model):
    """An image that was uploaded into the guidelines of a benchmark. Texts name it by ``reference``, which is the same
    on every server."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="guideline_images")
    image = models.ForeignKey(Image, on_delete=models.PROTECT, related_name="guideline_images")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["benchmark_id", "-uploaded_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "image"], name="guideline_image_once")]

    def __str__(self) -> str:
        return self.reference

    @property
    def name(self) -> str:
        return self.image.sha256[:NAME]

    @property
    def reference(self) -> str:
        return f"image:{self.name}"
