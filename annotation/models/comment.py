from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.annotation import Annotation, Revision
from annotation.models.querysets.quality import BlindAnswerQuerySet
from annotation.work_rules import Condition


class Comment(models.Model):
    """A comment on an annotation, at a place in the image (pixels of the original) or on the whole annotation.

    A thread is a first comment and its replies (``parent``). Resolving the first comment resolves the thread. A comment
    on an answer to a gold check (``check_answer``) looks like any other to its author.
    """

    annotation = models.ForeignKey(Annotation, null=True, blank=True, on_delete=models.CASCADE, related_name="comments")
    check_answer = models.ForeignKey(
        "annotation.CheckAnswer", null=True, blank=True, on_delete=models.CASCADE, related_name="comments"
    )
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="answers")
    text = models.TextField()
    x = models.FloatField(null=True, blank=True)
    y = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(annotation__isnull=False, check_answer__isnull=True)
                | Q(annotation__isnull=True, check_answer__isnull=False),
                name="comment_on_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(x__isnull=True, y__isnull=True) | Q(x__gte=0, y__gte=0), name="comment_place_whole"
            ),
            models.CheckConstraint(
                condition=Q(parent__isnull=True) | Q(x__isnull=True, resolved_at__isnull=True),
                name="comment_answer_has_no_place",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def about(self) -> Any:
        """The annotation, or the answer to a gold check, that the comment refers to."""
        return self.annotation or self.check_answer


class Mention(models.Model):
    """A person whom a comment mentions with @ and who can see its subject."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="mentions")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mentions")

    class Meta:
        ordering = ["comment", "pk"]
        constraints = [models.UniqueConstraint(fields=["comment", "person"], name="mention_once")]

    def __str__(self) -> str:
        return f"{self.person} in {self.comment_id}"


class BlindAnswer(models.Model):
    """The answer of a reviewer before they saw the gold, and the seconds it took: human accuracy on the sample.

    ``condition`` is what they saw: the image, only the gold crops, or the image after the crops. ``right`` is null if
    the text cannot be compared: an open answer in other words, or no answer.
    """

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="blind_answers")
    revision_author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="blind_answers")
    condition = models.CharField(
        max_length=10, choices=[(c.value, c.value) for c in Condition], default=Condition.PICTURE.value
    )
    answer = models.TextField(blank=True, default="")
    unsure = models.BooleanField(default=False)
    seconds = models.FloatField()
    right = models.BooleanField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BlindAnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "reviewer", "condition"], name="blind_answer_once"),
            models.CheckConstraint(condition=Q(seconds__gte=0), name="blind_answer_takes_time"),
            models.CheckConstraint(
                condition=Q(revision_author__isnull=True) | ~Q(reviewer=F("revision_author")),
                name="blind_answer_never_of_own_work",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reviewer} on {self.revision}"
