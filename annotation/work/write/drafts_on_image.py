"""Unsubmitted work on a sample whose image is replaced: its boxes and toolchain in pixels of the new image."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, Q

from annotation.content.drawn_on import json_in_pixels_of
from annotation.content.rescaling import Fit, Size, fit_of
from annotation.models import Annotation, CheckAnswer, Comment, Draft, Sample, SkippedDraft


def draft_on_new_image(sample: Sample, old: Size, new: Size, now: datetime) -> None:
    """Change drafts on the sample to pixels of its new image: scaled, or without evidence and toolchain if the shape
    differs. Texts stay. Places of comments change in the same way. Call inside the transaction of the replacement.

    Drafts are those of annotations, of submissions that can be taken back, of skipped samples, and of gold checks and
    qualification tests. Their version changes, so that an open page does not save over them.
    """
    annotations = Annotation.objects.filter(sample=sample)
    drafts = Draft.objects.filter(annotation__in=annotations.values("pk"))
    for draft in drafts.order_by("pk").select_for_update(no_key=True):
        changed = {"content": json_in_pixels_of(draft.content, old, new), "version": F("version") + 1, "key": ""}
        Draft.objects.filter(pk=draft.pk).update(**changed)
    # Their revision is made later, and is then of the new image.
    annotations.held().update(changed_at=now)
    for kept in SkippedDraft.objects.filter(sample=sample).order_by("pk").select_for_update(no_key=True):
        SkippedDraft.objects.filter(pk=kept.pk).update(content=json_in_pixels_of(kept.content, old, new))
    _places(sample, old, new)
    is_open = Q(state=CheckAnswer.State.DRAFT) | Q(held_until__isnull=False)
    answers = CheckAnswer.objects.filter(is_open, check_of__sample=sample).exclude(content={})
    for answer in answers.order_by("pk").select_for_update(of=("self",), no_key=True):
        changed = {"content": json_in_pixels_of(answer.content, old, new), "version": F("version") + 1, "key": ""}
        CheckAnswer.objects.filter(pk=answer.pk).update(**changed)


def _places(sample: Sample, old: Size, new: Size) -> None:
    """Places of comments on the new image. On one of another shape, the comments are on the whole annotation."""
    on_sample = Q(annotation__sample=sample) | Q(check_answer__check_of__sample=sample)
    placed = Comment.objects.filter(pk__in=Comment.objects.filter(on_sample, x__isnull=False).values("pk"))
    if fit_of(old, new) is Fit.OTHER:
        placed.update(x=None, y=None)
    else:
        placed.update(x=F("x") * new[0] / old[0], y=F("y") * new[1] / old[1])
