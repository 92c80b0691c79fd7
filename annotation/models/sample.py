from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotation.models.benchmark import Benchmark
from annotation.models.querysets.samples import FacetValueQuerySet, SampleQuerySet
from annotation.workflow import SampleState

HIGHEST_PRIORITY = 9
TAKEN_DOWN = "Image removed: "
"""How ``image_problem`` of samples begins whose image was taken down; the reason follows."""
REMOVABLE: Any = {"null": True}
"""Of the benchmark of a sample: null once it is removed. Kept from the type checker, because only code that reads
``Sample.everything`` meets removed samples."""


class Image(models.Model):
    """A stored image, named by the sha256 of its file; width and height are after the EXIF orientation.

    ``removed``: a takedown deleted its files, and they are refused if they are uploaded again. ``allowed``: they are
    accepted again. ``problem`` is the reason why there are no pixels.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        READY = "ready"
        FAILED = "failed"
        REMOVED = "removed"
        ALLOWED = "allowed"

    sha256 = models.CharField(max_length=64, unique=True)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    format = models.CharField(max_length=8)
    orientation = models.PositiveSmallIntegerField(default=1)
    bytes = models.BigIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    problem = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(width__gt=0, height__gt=0), name="image_has_an_area")]

    def __str__(self) -> str:
        return f"{self.sha256[:12]} ({self.width} × {self.height})"


class OriginalFile(models.Model):
    """An uploaded file whose image was stored without its metadata. The file itself is not kept."""

    sha256 = models.CharField(max_length=64)
    bytes = models.BigIntegerField()
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="originals")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sha256", "image"], name="original_file_once")]

    def __str__(self) -> str:
        return f"{self.sha256[:12]} stored as {self.image}"


_FromSamples = models.Manager.from_queryset(SampleQuerySet)


class SampleManager(_FromSamples):
    """The samples of benchmarks: without deleted and withdrawn ones."""

    def get_queryset(self) -> SampleQuerySet:
        return super().get_queryset().filter(benchmark__isnull=False)  # type: ignore[return-value]  # made by Django


class Sample(models.Model):
    """An image and its question. Revisions hold the content; ``gold`` is the accepted one.

    A deleted sample is of no benchmark: ``benchmark`` is null, and ``removed_from`` names the one to restore it to.
    So no query that reaches samples by their benchmark can find it. ``withdrawn`` is the reason why a sample of a
    frozen version was removed. It stays as long as the version. ``everything`` contains removed samples.

    ``image_name`` is the name of the image in the file. ``image_problem`` is the reason why its pixels are not stored.
    Width and height come from the image or the file; without them grounding is not scorable.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="samples", **REMOVABLE)
    key = models.CharField(max_length=200)
    state = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in SampleState], default=SampleState.TO_DO.value
    )
    image = models.ForeignKey(Image, null=True, blank=True, on_delete=models.PROTECT, related_name="samples")
    image_name = models.CharField(max_length=500, blank=True, default="")
    image_problem = models.TextField(blank=True, default="")
    image_group = models.CharField(max_length=200, blank=True, default="")
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    evidence_share = models.FloatField(
        null=True, blank=True, help_text="Area of the gold boxes / area of the image; derived when gold is saved."
    )
    disagreement = models.FloatField(
        null=True, blank=True, help_text="How far those who annotated it are apart, 0 to 1; derived as they submit."
    )
    extra_places = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="People who annotate it beyond the overlap."
    )
    priority = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="0 to 9: those of a higher one are assigned first."
    )
    extra = models.JSONField(default=dict, blank=True)
    source = models.ForeignKey(
        "annotation.ImportRecord",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The import that made it.",
    )
    asked_from = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="asked",
        help_text="The first sample of the image, where a person asked a further question about it.",
    )
    variant_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="variants",
        help_text="The sample whose image this one's image was made of; see ImageVariant.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    removed_from = models.ForeignKey(
        Benchmark, null=True, blank=True, on_delete=models.CASCADE, related_name="removed_samples", db_index=False
    )
    deleted_at = models.DateTimeField(null=True, blank=True, help_text="When it was deleted or withdrawn.")
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    withdrawn = models.TextField(
        default="", db_default="", blank=True, help_text="Why it was withdrawn. Empty if it was not."
    )
    purging = models.BooleanField(
        default=False, db_default=False, help_text="A job deletes it permanently. It can't be restored."
    )

    objects = SampleManager()
    everything = _FromSamples()

    class Meta:
        ordering = ["benchmark_id", "key"]
        constraints = [
            models.CheckConstraint(
                condition=Q(benchmark__isnull=False, removed_from=None, deleted_at=None, withdrawn="", purging=False)
                | Q(benchmark=None, removed_from__isnull=False, deleted_at__isnull=False),
                name="sample_in_place_or_removed",
            ),
            models.UniqueConstraint(fields=["benchmark", "key"], name="sample_key_once"),
            models.CheckConstraint(
                condition=Q(width__isnull=True, height__isnull=True)
                | Q(width__isnull=False, height__isnull=False, width__gt=0, height__gt=0),
                name="sample_size_whole",
            ),
            models.CheckConstraint(condition=~Q(key=""), name="sample_has_a_key"),
            models.CheckConstraint(
                condition=Q(priority__gte=0, priority__lte=HIGHEST_PRIORITY), name="sample_priority_to_nine"
            ),
        ]
        indexes = [
            models.Index(fields=["removed_from"], condition=Q(removed_from__isnull=False), name="sample_removed"),
            models.Index(fields=["benchmark", "state"], name="sample_by_state"),
            models.Index(fields=["benchmark", "state", "key"], name="sample_in_order"),
            models.Index(
                fields=["benchmark", "-priority", "key"], condition=Q(priority__gt=0), name="sample_by_priority"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def agreement(self) -> float | None:
        """The complement of ``disagreement``: 1 − disagreement."""
        return None if self.disagreement is None else 1 - self.disagreement


class ImageVariant(models.Model):
    """The recipe by which the image of a sample was made from another image. It remains if the original sample is
    deleted.

    ``polygons``: the exact shape of each gold box, for recipes that do not keep boxes; empty for others.
    ``directions``: words of the question and options that name a direction, for recipes that move places.
    """

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, related_name="variant")
    parent = models.ForeignKey(Image, on_delete=models.PROTECT, related_name="variants")
    source_key = models.CharField(max_length=200, help_text="The ID of the sample that it was made of.")
    recipe = models.JSONField(help_text="Kind, dose and choice.")
    seed = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64, help_text="sha256 of size and pixels: the recipe gives them again.")
    polygons = models.JSONField(default=list, blank=True)
    directions = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["sample_id"]

    def __str__(self) -> str:
        return f"{self.sample} of {self.source_key}"


class ImageReplacement(models.Model):
    """The image that a sample had until another replaced it. Versions that were frozen before show it.

    ``boxes``: what became of the boxes of the gold."""

    class Boxes(models.TextChoices):
        KEPT = "kept", gettext_lazy("kept")
        SCALED = "scaled", gettext_lazy("scaled")
        RETURNED = "returned", gettext_lazy("returned to the annotators")

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="replacements")
    image = models.ForeignKey(Image, on_delete=models.PROTECT, related_name="replacements")
    boxes = models.CharField(max_length=8, choices=Boxes)
    comment = models.TextField(blank=True, default="")
    replaced_at = models.DateTimeField()
    replaced_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["sample_id", "replaced_at", "pk"]

    def __str__(self) -> str:
        return f"{self.image} of {self.sample} until {self.replaced_at}"


class FacetValue(models.Model):
    """One value of a facet of a sample (category, tier, dimension, segment or any other).

    ``value`` is the text on pages and in slices; ``kind`` is the JSON type in the file. The kind "bank" marks segments
    that come from the tools of the gold plan.
    """

    class Kind(models.TextChoices):
        TEXT = "text"
        JSON = "json"
        BANK = "bank", gettext_lazy("from the tool bank")

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="facets")
    # That of the sample: the index by value begins with it, and deleting one goes by its samples.
    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="+", db_index=False, **REMOVABLE)
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField(default=0)
    value = models.CharField(max_length=200)
    kind = models.CharField(max_length=4, choices=Kind, default=Kind.TEXT)

    objects = FacetValueQuerySet.as_manager()

    class Meta:
        ordering = ["sample_id", "name", "position"]
        constraints = [models.UniqueConstraint(fields=["sample", "name", "position"], name="facet_position_once")]
        indexes = [
            models.Index(fields=["name", "value"], name="facet_by_value"),
            models.Index(fields=["benchmark", "name", "value", "position"], name="facet_of_benchmark"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"

    def original(self) -> Any:
        """The value as in the file: text, number or truth value."""
        return json.loads(self.value) if self.kind == self.Kind.JSON else self.value


class Gold(models.Model):
    """The accepted revision of a sample: at most one."""

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, related_name="gold")
    revision = models.OneToOneField("annotation.Revision", on_delete=models.PROTECT, related_name="gold_of")
    accepted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "gold"
        indexes = [models.Index(F("accepted_at"), name="gold_by_time")]

    def __str__(self) -> str:
        return f"gold of {self.sample}"
