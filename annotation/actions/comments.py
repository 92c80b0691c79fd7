"""Remarks on an annotation, between its author and who reviews it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from annotation.actions.access import allowed, require
from annotation.models import Annotation, Comment
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput, NotAllowed

LONGEST = 5000


def may_discuss(actor: User, annotation: Annotation) -> bool:
    """Whether this person may read and write remarks: who made the annotation, and who reviews the benchmark."""
    return annotation.author_id == actor.pk or allowed(actor, annotation.sample.benchmark, Right.REVIEW)


def add_comment(
    *,
    actor: User,
    annotation: Annotation,
    text: str,
    place: tuple[float, float] | None = None,
    parent: int | None = None,
) -> Comment:
    """A remark, at a place of the picture or on the whole, or an answer to one (``parent``: its number).

    Raises ``InvalidInput`` for an empty text, a place outside the picture, or a parent of another annotation.
    """
    _require(actor, annotation)
    if not text or len(text) > LONGEST:
        raise InvalidInput(f"A comment has 1 to {LONGEST} characters.", field="text")
    sample = annotation.sample
    if (
        place
        and sample.width
        and sample.height
        and not (0 <= place[0] <= sample.width and 0 <= place[1] <= sample.height)
    ):
        raise InvalidInput(f"The place lies outside the picture of {sample.width} × {sample.height}.", field="x")
    with transaction.atomic():
        thread = _thread(annotation, parent)
        comment = Comment.objects.create(
            annotation=annotation, author=actor, text=text, parent=thread,
            x=place[0] if place and not thread else None, y=place[1] if place and not thread else None,
        )  # fmt: skip
        audit.record(
            actor=actor, action="annotation.comment", subject=annotation, benchmark=sample.benchmark.slug, reason=text,
            data={"sample": sample.key, "comment": comment.pk},
        )  # fmt: skip
    return comment


def resolve_comment(*, actor: User, comment: Comment, resolved: bool = True) -> Comment:
    """Mark a thread as dealt with, or open it again; doing it twice changes nothing."""
    _require(actor, comment.annotation)
    if comment.parent_id is not None:
        raise InvalidInput("A thread is resolved at its first comment.", field="comment")
    with transaction.atomic():
        now = timezone.now() if resolved else None
        changed = Comment.objects.filter(pk=comment.pk, resolved_at__isnull=resolved).update(
            resolved_at=now, resolved_by=actor if resolved else None
        )
        if changed:
            audit.record(
                actor=actor, action="annotation.resolve" if resolved else "annotation.unresolve",
                subject=comment.annotation, benchmark=comment.annotation.sample.benchmark.slug,
                data={"sample": comment.annotation.sample.key, "comment": comment.pk},
            )  # fmt: skip
    comment.refresh_from_db()
    return comment


def _thread(annotation: Annotation, parent: int | None) -> Comment | None:
    """The first comment of the thread that ``parent`` belongs to."""
    if parent is None:
        return None
    found = Comment.objects.filter(annotation=annotation, pk=parent).select_related("parent").first()
    if found is None:
        raise InvalidInput("The comment you answer is not on this annotation. Load the page again.", field="parent")
    return found.parent or found


def _require(actor: User, annotation: Annotation) -> None:
    require(actor, annotation.sample.benchmark, Right.VIEW)
    if not may_discuss(actor, annotation):
        raise NotAllowed(f"Only the author of an annotation and reviewers discuss it: {annotation.sample.key}.")
