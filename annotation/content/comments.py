"""Remarks on an annotation, between its author and its reviewers; those on a gold check are for the lead."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import allowed, require
from annotation.common.notices import notify_commented
from annotation.content.drawn_on import require_shown
from annotation.content.mentions import mentionable, named_in
from annotation.content.transitions import lock_sample
from annotation.models import Annotation, Benchmark, CheckAnswer, Comment, Mention
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput, NotAllowed

LONGEST = 5000
About = Annotation | CheckAnswer


def may_discuss(actor: User, annotation: About) -> bool:
    """Return whether this person may read and write remarks: the author of the annotation, and reviewers of the
    benchmark.
    """
    return annotation.author_id == actor.pk or allowed(actor, annotation.sample.benchmark, Right.REVIEW)


def comments_on(annotation: About) -> QuerySet[Comment]:
    return Comment.objects.filter(**_named(annotation))


def remarks_on_checks(benchmark: Benchmark) -> QuerySet[Comment]:
    """Comments on gold checks, newest first. Only the lead sees them, because gold checks are never reviewed."""
    found = Comment.objects.filter(check_answer__check_of__sample__benchmark=benchmark)
    return found.select_related("author", "check_answer__check_of__sample").order_by("-created_at", "-pk")


def _named(annotation: About) -> dict[str, About]:
    return {"check_answer" if isinstance(annotation, CheckAnswer) else "annotation": annotation}


def _action(annotation: About, verb: str) -> str:
    return f"{'gold_check' if isinstance(annotation, CheckAnswer) else 'annotation'}.{verb}"


def add_comment(
    *,
    actor: User,
    annotation: About,
    text: str,
    place: tuple[float, float] | None = None,
    parent: int | None = None,
    image: str = "",
) -> Comment:
    """A remark, at a place of the image or on the whole, or an answer to one (``parent``: its number). ``image``: the
    SHA-256 of the image that the place is on, "" if unknown.

    Raises ``InvalidInput`` for an empty text, a place outside the image, or a parent of another annotation, and
    ``Conflict`` with the code ``image_replaced``.
    """
    _require(actor, annotation)
    if not text or len(text) > LONGEST:
        raise InvalidInput(gettext("A comment needs 1 to %(limit)s characters.") % {"limit": LONGEST}, field="text")
    sample = annotation.sample
    if place:
        require_shown(sample, image)
    if (
        place
        and sample.width
        and sample.height
        and not (0 <= place[0] <= sample.width and 0 <= place[1] <= sample.height)
    ):
        raise InvalidInput(
            gettext("The place is outside the image (%(width)s × %(height)s).")
            % {"width": sample.width, "height": sample.height},
            field="x",
        )
    with transaction.atomic():
        if place and image:
            lock_sample(sample)
            require_shown(sample, image)
        thread = _thread(annotation, parent)
        comment = Comment.objects.create(
            **_named(annotation), author=actor, text=text, parent=thread,
            x=place[0] if place and not thread else None, y=place[1] if place and not thread else None,
        )  # fmt: skip
        audit.record(
            actor=actor, action=_action(annotation, "comment"), subject=annotation, benchmark=sample.benchmark.slug,
            reason=text, data={"sample": sample.key, "comment": comment.pk},
        )  # fmt: skip
        mentioned = named_in(text, mentionable(actor, annotation)) if "@" in text else []
        Mention.objects.bulk_create([Mention(comment=comment, person=person) for person in mentioned])
        notify_commented(actor, comment, mentioned)
    return comment


def resolve_comment(*, actor: User, comment: Comment, resolved: bool = True) -> Comment:
    """Mark a thread as dealt with, or open it again; doing it twice changes nothing."""
    about: About = comment.about
    _require(actor, about)
    if comment.parent_id is not None:
        raise InvalidInput(gettext("Resolve a thread at its first comment."), field="comment")
    with transaction.atomic():
        now = timezone.now() if resolved else None
        changed = Comment.objects.filter(pk=comment.pk, resolved_at__isnull=resolved).update(
            resolved_at=now, resolved_by=actor if resolved else None
        )
        if changed:
            audit.record(
                actor=actor, action=_action(about, "resolve" if resolved else "unresolve"), subject=about,
                benchmark=about.sample.benchmark.slug, data={"sample": about.sample.key, "comment": comment.pk},
            )  # fmt: skip
    comment.refresh_from_db()
    return comment


def _thread(annotation: About, parent: int | None) -> Comment | None:
    """The first comment of the thread that ``parent`` belongs to."""
    if parent is None:
        return None
    found = comments_on(annotation).filter(pk=parent).select_related("parent").first()
    if found is None:
        raise InvalidInput(
            gettext("The comment you reply to is not on this annotation. Reload the page."), field="parent"
        )
    return found.parent or found


def _require(actor: User, annotation: About) -> None:
    require(actor, annotation.sample.benchmark, Right.VIEW)
    if not may_discuss(actor, annotation):
        raise NotAllowed(
            gettext("Only the author and reviewers can comment on %(key)s.") % {"key": annotation.sample.key}
        )
