"""Saves an annotator's work, complete or not, with a version, so that a tab never overwrites unseen work of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import known_to, require
from annotation.content.checks import validate_content
from annotation.content.drafts import StaleDraft, current_content, draft_of
from annotation.content.drawn_on import require_shown
from annotation.content.json import content_from_json, content_to_json
from annotation.content.transitions import apply_transition, lock_sample, update_sample_state
from annotation.models import Annotation, Draft, Sample, Skip, SkippedDraft
from annotation.queue.check_work import check_of, store
from annotation.queue.handed import shown_state
from annotation.queue.image_questions import questions_on_image
from annotation.queue.leases import ANNOTATE, acquire_author_lease, place_of
from annotation.validation import Check
from annotation.workflow import OPEN, Right, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict

NO_DRAFT = Annotation._meta.get_field("draft")
"""Cached as empty on a new annotation, which saves a query."""


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """The version that is stored now, and its validation results."""

    version: int
    checks: list[Check]


def save_draft(
    *, actor: User, sample: Sample, version: int, content: object, key: str = "", image: str = ""
) -> SavedDraft:
    """Store ``content`` over version ``version`` (0: the first save) and renew the lease.

    Repeating a save with the same ``key`` returns the same response. ``image``: the SHA-256 of the image that the boxes
    were drawn on, "" if unknown. Raises ``StaleDraft``, ``Conflict`` with the code ``lease_lost``, ``wrong_state`` or
    ``image_replaced``, ``InvalidInput`` for an invalid structure of ``content``, ``NotAllowed``.
    """
    require(actor, sample.benchmark, Right.ANNOTATE)
    parsed, names, facets = content_from_json(content)
    whole = content_to_json(parsed, names, facets)
    with transaction.atomic():
        if image and not version:
            # No draft yet that a replacement of the image at the same moment could change.
            lock_sample(sample)
        require_shown(sample, image)
        answer = check_of(actor, sample)
        if answer is not None:
            stored = store(actor, answer, sample, {"version": version, "content": whole, "key": key})
        else:
            stored = _store(own_annotation(actor, sample), version, whole, key)
    beside = questions_on_image(actor, sample).beside(sample)
    return SavedDraft(stored, validate_content(sample, parsed, facets, beside))


def own_annotation(actor: User, sample: Sample) -> Annotation:
    """Return this person's annotation of the sample as a draft, created or continued if needed, with a reservation."""
    annotation = Annotation.objects.filter(sample=sample, author=actor).select_related("draft").first()
    if annotation is not None and annotation.state not in OPEN:
        state = shown_state(actor, sample, annotation.state)
        raise Conflict(
            gettext("Your annotation of %(key)s is %(state)s and read-only.") % {"key": sample.key, "state": state},
            code="wrong_state",
        )
    if annotation is None or annotation.state == State.RETURNED:
        # The sample may change its state with the annotation.
        lock_sample(sample)
    handed_only = annotation is None and known_to(actor, sample.benchmark).handed_checks
    acquire_author_lease(actor, sample, annotation, handed_only=handed_only)
    if annotation is None:
        annotation = _begin(actor, sample, place_of(actor, sample))
    annotation.sample = sample
    if annotation.state == State.RETURNED:
        apply_transition(actor=actor, annotation=annotation, name="take_up")
    return annotation


def _begin(actor: User, sample: Sample, place: int) -> Annotation:
    """Create the annotation. Starting a sample removes an earlier skip of it."""
    try:
        with transaction.atomic():
            annotation = Annotation.objects.create(sample=sample, author=actor, place=place)
    except IntegrityError:
        raise Conflict(
            gettext("Another annotator has %(key)s. Take the next sample.") % {"key": sample.key}, code="lease_lost"
        ) from None
    NO_DRAFT.set_cached_value(annotation, None)
    audit.record(
        actor=actor, action="annotation.begin", subject=annotation, benchmark=sample.benchmark.slug,
        after=State.DRAFT.value, data={"sample": sample.key},
    )  # fmt: skip
    Skip.objects.filter(sample=sample, user=actor, seat=ANNOTATE).delete()
    SkippedDraft.objects.filter(sample=sample, user=actor).delete()
    update_sample_state(sample)
    return annotation


def _store(annotation: Annotation, version: int, content: Mapping[str, Any], key: str) -> int:
    """Write one conditional UPDATE, or the first row. The second of two writers gets the stored version."""
    draft = draft_of(annotation)
    if draft is None and version == 0:
        return Draft.objects.create(annotation=annotation, content=content, key=key).version
    if draft is not None and key and draft.key == key:
        return draft.version
    as_it_was = Draft.objects.filter(annotation=annotation, version=version)
    if not as_it_was.update(version=version + 1, content=dict(content), key=key, changed_at=timezone.now()):
        raise StaleDraft(annotation.sample.key, draft.version if draft else 0, current_content(annotation, draft))
    return version + 1
