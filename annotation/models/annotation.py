from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.querysets.samples import AnnotationQuerySet, RevisionQuerySet
from annotation.models.querysets.tools import PlanToolQuerySet
from annotation.models.sample import Sample
from annotation.schema import AnswerType, Likeness, Outline, OutlineKind, outline_of
from annotation.tool_bank import LONGEST_NAME
from annotation.workflow import State


class Annotation(models.Model):
    """One person's version of a sample's gold. Submitted revisions never change.

    Without an author, it was imported, or an adjudicator or an automatic consensus combined several annotations."""

    class Kind(models.TextChoices):
        OWN = "own"
        IMPORTED = "imported"
        ADJUDICATED = "adjudicated"

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="annotations")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="annotations"
    )
    state = models.CharField(max_length=10, choices=[(s.value, s.value) for s in State], default=State.DRAFT.value)
    kind = models.CharField(max_length=11, choices=Kind, default=Kind.OWN, db_default=Kind.OWN)
    place = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Which of the sample's places to annotate it fills; none for an imported one."
    )
    held_until = models.DateTimeField(
        null=True, blank=True, help_text="Submitted, and its author can take it back until then; its draft is kept."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "author"], name="annotation_once_per_author"),
            models.UniqueConstraint(
                fields=["sample", "kind"], condition=Q(author__isnull=True), name="annotation_once_without_author"
            ),
            models.UniqueConstraint(
                fields=["sample", "place"], condition=Q(place__isnull=False), name="annotation_once_per_place"
            ),
            models.CheckConstraint(
                condition=Q(held_until__isnull=True) | Q(state="submitted"), name="annotation_held_while_submitted"
            ),
        ]
        indexes = [
            models.Index(fields=["author", "state"], name="annotation_by_author"),
            models.Index(fields=["held_until"], condition=Q(held_until__isnull=False), name="annotation_held"),
        ]

    def __str__(self) -> str:
        return f"{self.sample} by {self.author or 'the importer'}"


class Revision(models.Model):
    """The content of an annotation at one moment. Submitted revisions never change (a trigger refuses it)."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    question = models.TextField(blank=True, default="")
    answer_type = models.CharField(max_length=4, choices=[(t.value, t.value) for t in AnswerType])
    options = models.JSONField(default=dict, blank=True, help_text="{letter: text}")
    answers = models.JSONField(default=list, blank=True, help_text="The gold letter, or the accepted strings.")
    ordered = models.BooleanField(null=True, blank=True)
    unanswerable = models.TextField(
        null=True, blank=True, help_text="Why the question cannot be answered; null: it is answered."
    )
    digest = models.CharField(max_length=64, help_text="sha256 of the content in canonical form.")
    facets = models.JSONField(
        null=True, blank=True, help_text="{name: [value]} as its author has them; null: imported."
    )
    provenance = models.JSONField(
        null=True,
        blank=True,
        help_text="{field: {from: [revision], how}} of an adjudicated annotation; null: no other.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    submitted_at = models.DateTimeField(null=True, blank=True)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["annotation", "number"], name="revision_number_once")]

    def __str__(self) -> str:
        return f"r{self.number} of {self.annotation}"

    @property
    def choices(self) -> dict[str, str]:
        """The options to choose from: none of an open-ended question, also if its file states options."""
        return dict(self.options or {}) if self.answer_type == AnswerType.MULTIPLE_CHOICE else {}

    @property
    def evidence(self) -> list[GoldBox | GoldShape]:
        """Its boxes, polygons and points in their order. Best prefetched."""
        return sorted([*self.gold_boxes.all(), *self.gold_shapes.all()], key=lambda one: one.position)


class GoldBox(models.Model):
    """One box of evidence in original pixels: never empty, never outside the image."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="gold_boxes")
    position = models.PositiveSmallIntegerField()
    x1 = models.FloatField()
    y1 = models.FloatField()
    x2 = models.FloatField()
    y2 = models.FloatField()
    label = models.TextField(blank=True, default="")
    source = models.TextField(
        blank=True, default="", db_default="", help_text="Whose suggestion the box was adopted from; drawn: none."
    )
    image_width = models.PositiveIntegerField(
        null=True, help_text="The size of the sample's image when the box was drawn."
    )
    image_height = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["revision", "position"]
        verbose_name_plural = "gold boxes"
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="gold_box_position_once"),
            models.CheckConstraint(condition=Q(x2__gt=F("x1"), y2__gt=F("y1")), name="gold_box_not_empty"),
            models.CheckConstraint(
                condition=Q(image_width__isnull=True, image_height__isnull=True)
                | Q(
                    image_width__isnull=False,
                    image_height__isnull=False,
                    x1__gte=0,
                    y1__gte=0,
                    x2__lte=F("image_width"),
                    y2__lte=F("image_height"),
                ),
                name="gold_box_inside_picture",
            ),
        ]

    def __str__(self) -> str:
        return f"[{self.x1:g}, {self.y1:g}, {self.x2:g}, {self.y2:g}]"


class GoldShape(models.Model):
    """A polygon or a point of evidence in original pixels. Its position is among the boxes of its revision, too."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="gold_shapes")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=7, choices=[(kind.value, kind.value) for kind in OutlineKind])
    points = models.JSONField(help_text="[[x, y], …]: the vertices of a polygon in order, or one point.")
    label = models.TextField(blank=True, default="")
    source = models.TextField(blank=True, default="", help_text="As of a box.")

    class Meta:
        ordering = ["revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="gold_shape_position_once"),
            models.CheckConstraint(
                condition=Q(kind__in=[kind.value for kind in OutlineKind]), name="gold_shape_of_known_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.points}"

    @property
    def outline(self) -> Outline:
        """The same as a record."""
        return outline_of(self.kind, self.points)

    # The bounding box, as of a ``GoldBox``.
    x1 = property(lambda self: self.outline.x1)
    y1 = property(lambda self: self.outline.y1)
    x2 = property(lambda self: self.outline.x2)
    y2 = property(lambda self: self.outline.y2)


class ReferenceCall(models.Model):
    """One call of the reference toolchain. ``image_in``: one image id, a list of them, or null."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="reference_calls")
    position = models.PositiveSmallIntegerField()
    tool = models.TextField()
    arguments = models.JSONField(default=dict, blank=True)
    image_in = models.JSONField(null=True, blank=True)
    image_out = models.TextField(null=True, blank=True)
    # A default would rebuild the table in SQLite, and lose its triggers.
    source = models.TextField(
        null=True, blank=True, help_text="The model whose draft the call was adopted from; null: a person's own."
    )

    class Meta:
        ordering = ["revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="reference_call_position_once"),
            models.CheckConstraint(
                condition=Q(image_out__isnull=True) | ~Q(image_out="original"), name="reference_call_keeps_original"
            ),
        ]

    def __str__(self) -> str:
        return self.tool


class PlanTool(models.Model):
    """A tool of the tool plan: a target with its step, or (step null) a distractor.

    ``likeness``: how a distractor resembles a target; "": unknown. ``either``: the group of targets of one step of
    which one is enough; null: in no group."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="plan_tools")
    position = models.PositiveSmallIntegerField()
    tool = models.TextField()
    key = models.CharField(
        max_length=LONGEST_NAME,
        default="",
        editable=False,
        help_text="The name in the form that the tool bank searches.",
    )
    step = models.PositiveSmallIntegerField(null=True, blank=True)
    likeness = models.CharField(
        max_length=10, blank=True, default="", choices=[(one.value, one.value) for one in Likeness]
    )
    either = models.PositiveSmallIntegerField(null=True, blank=True)

    objects = PlanToolQuerySet.as_manager()

    class Meta:
        ordering = ["revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="plan_tool_position_once"),
            models.CheckConstraint(condition=Q(step__isnull=True) | Q(step__gte=1), name="plan_step_from_one"),
        ]
        indexes = [models.Index(fields=["key"], name="plan_tool_by_key")]

    def __str__(self) -> str:
        return self.tool if self.step is None else f"{self.tool} ({self.step})"


class Review(models.Model):
    """One person's decision on one revision, never their own."""

    class Decision(models.TextChoices):
        ACCEPT = "accept"
        FIX_AND_ACCEPT = "fix_and_accept"
        RETURN = "return"
        DISCARD = "discard"

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="reviews")
    revision_author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=16, choices=Decision)
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True, default="")
    blind_answer = models.TextField(null=True, blank=True)
    blind_seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "reviewer"], name="review_once_per_reviewer"),
            models.CheckConstraint(
                condition=Q(revision_author__isnull=True) | ~Q(reviewer=F("revision_author")),
                name="review_never_of_own_work",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} {self.revision}"
