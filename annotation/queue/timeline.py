"""History of a sample and its annotations, from the audit log, oldest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation.common.access import allowed, known_to
from annotation.models import Annotation, BenchmarkSchema, Sample
from annotation.queue.check_work import check_of
from annotation.queue.handed import UNSEEN
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

WORDS = {
    "annotation.begin": gettext_lazy("started a draft"),
    "annotation.planted_error": gettext_lazy("adopted a planted error of a draft, and was asked to correct it"),
    "annotation.submit": gettext_lazy("submitted"),
    "annotation.take_back": gettext_lazy("took the submission back"),
    "annotation.hand_in": gettext_lazy("submitted for good"),
    "annotation.start_review": gettext_lazy("started a review"),
    "annotation.stop_review": gettext_lazy("left the review"),
    "annotation.answer_blind": gettext_lazy("answered blind"),
    "annotation.accept": gettext_lazy("accepted"),
    "annotation.fix_and_accept": gettext_lazy("fixed and accepted"),
    "annotation.accept_unreviewed": gettext_lazy("accepted without a review"),
    "annotation.return": gettext_lazy("returned"),
    "annotation.send_back": gettext_lazy("returned"),
    "annotation.discard": gettext_lazy("discarded"),
    "annotation.take_up": gettext_lazy("started again"),
    "annotation.reopen": gettext_lazy("reopened"),
    "annotation.supersede": gettext_lazy("closed an annotation, because another one was accepted"),
    "annotation.supersede_agreed": gettext_lazy("closed an annotation that agrees with the accepted one"),
    "annotation.question_changed": gettext_lazy("returned, because the question changed"),
    "annotation.adjudicate": gettext_lazy("combined the annotations"),
    "annotation.import": gettext_lazy("imported"),
    "annotation.import_results": gettext_lazy("imported"),
    "annotation.comment": gettext_lazy("commented"),
    "annotation.resolve": gettext_lazy("resolved a comment"),
    "annotation.unresolve": gettext_lazy("reopened a comment"),
    "gold_check.begin": gettext_lazy("started a draft"),
    "gold_check.answer": gettext_lazy("submitted"),
    "gold_check.take_back": gettext_lazy("took the submission back"),
    "gold_check.comment": gettext_lazy("commented"),
    "gold_check.resolve": gettext_lazy("resolved a comment"),
    "gold_check.unresolve": gettext_lazy("reopened a comment"),
    "sample.ask": gettext_lazy("asked another question about the image"),
    "sample.skip": gettext_lazy("skipped"),
    "sample.report": gettext_lazy("reported a problem"),
    "sample.resolve": gettext_lazy("resolved a reported problem"),
    "sample.extra_annotator": gettext_lazy("requested an extra annotator, because the annotations differ"),
    "sample.assign": gettext_lazy("assigned"),
    "sample.release": gettext_lazy("returned to the queue"),
    "sample.discard": gettext_lazy("discarded"),
    "sample.reopen": gettext_lazy("reopened"),
    "sample.compare": gettext_lazy("compared the annotations"),
    "sample.split": gettext_lazy("kept this question as a separate sample"),
    "sample.prioritize": gettext_lazy("changed the priority"),
    "sample.make_variants": gettext_lazy("made variants"),
    "sample.variant": gettext_lazy("made this variant"),
    "sample.update_add": gettext_lazy("added the sample from a portable file"),
    "sample.update_gold": gettext_lazy("took over the gold of a portable file"),
    "sample.update_keep": gettext_lazy("added revisions of a portable file"),
    "sample.update_discuss": gettext_lazy("added reviews and comments of a portable file"),
    "sample.replace_image": gettext_lazy("replaced the image"),
    "sample.delete": gettext_lazy("deleted the sample"),
    "sample.withdraw": gettext_lazy("withdrew the sample"),
    "sample.restore": gettext_lazy("restored the sample"),
    "sample.purge": gettext_lazy("deleted the sample permanently"),
}


AS_ANNOTATION: dict[str, dict[str, Any]] = {
    "gold_check.begin": {},
    "gold_check.answer": {"revision": 1},
    "gold_check.take_back": {},
}
"""The events and data of a gold check that its annotator may know, as they would be for an annotation."""
REMARKS = ("gold_check.comment", "gold_check.resolve", "gold_check.unresolve")
"""The remarks that they see unchanged."""


WITH_SCHEMA = ("annotation.submit", "annotation.fix_and_accept", "annotation.adjudicate", "gold_check.answer")
"""The events that write a revision, or look as if they did."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: the person (None: automatic), the action as text, the states before and after, and the reason.
    ``schema``: of a submission or a fix, the number of the schema that was in force; None without one."""

    when: datetime
    who: str | None
    action: str
    words: str
    before: str
    after: str
    why: str
    data: dict[str, Any]
    schema: int | None = None


def timeline(sample: Sample, viewer: User, *, own: bool = False) -> list[Event]:
    """Return the events that this person may know: reviewers and leads all, an annotator those of their own annotation,
    as everyone with ``own``. Three queries, one for the viewer's roles, one for schemas if anything was submitted, and
    one for a gold check: for its annotator, it looks like one of their annotations.
    """
    sees_all = not own and allowed(viewer, sample.benchmark, Right.REVIEW)
    annotations = Annotation.objects.filter(sample=sample)
    if not sees_all:
        annotations = annotations.filter(author=viewer)
    about = Q(
        subject_type=Annotation._meta.label_lower,
        subject_id__in=[str(pk) for pk in annotations.values_list("pk", flat=True)],
    )
    on_sample = Q(subject_type=Sample._meta.label_lower, subject_id=str(sample.pk))
    about |= on_sample if sees_all else on_sample & Q(actor=viewer)
    answer = None if sees_all else check_of(viewer, sample)
    if answer is not None and answer.is_begun:
        about |= Q(
            subject_type=answer._meta.label_lower, subject_id=str(answer.pk), action__in=[*AS_ANNOTATION, *REMARKS]
        )
    handed = known_to(viewer, sample.benchmark).handed_checks
    unseen = [f"annotation.{name}" for name in UNSEEN] if handed else []
    entries = list(
        AuditEntry.objects.filter(about).exclude(action__in=unseen).select_related("actor").order_by("created", "pk")
    )
    written = any(entry.action in WITH_SCHEMA for entry in entries)
    schemas = BenchmarkSchema.objects.history(sample.benchmark) if written else []
    return [
        Event(
            entry.created, str(entry.actor) if entry.actor else None, entry.action,
            str(WORDS.get(entry.action, entry.action)), entry.before, entry.after, entry.reason,
            AS_ANNOTATION.get(entry.action, entry.data),
            _in_force(schemas, entry.created) if entry.action in WITH_SCHEMA else None,
        )
        for entry in entries
    ]  # fmt: skip


def _in_force(schemas: list[tuple[datetime, int]], at: datetime) -> int | None:
    return next((number for since, number in reversed(schemas) if since <= at), None)
