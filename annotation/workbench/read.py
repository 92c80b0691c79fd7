"""Decides whose answer from the last image of a toolchain counts, and for which purpose."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.common.access import known_to, require
from annotation.content.revisions import content_of
from annotation.models import Annotation, Gold, Revision, Sample
from annotation.models.querysets.waiting import WAITING_STATES
from annotation.queue.handed import is_handed
from annotation.schema import SampleContent
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import Conflict, NotAllowed


def end_to_answer(user: User, sample: Sample) -> SampleContent:
    """The content whose toolchain ends in the image that the person is asked about: what waits for a review, else the
    gold. A person who is handed gold checks is asked about no gold: that would show which samples have any.

    Raises ``NotAllowed`` for people who wrote on the sample, and ``Conflict`` if it has no toolchain.
    """
    require(user, sample.benchmark, Right.REVIEW)
    annotated = Annotation.objects.filter(sample=sample, author=user).exists() or is_handed(user, sample)
    if annotated or Revision.objects.filter(annotation__sample=sample, author=user).exists():
        message = gettext("You annotated %(key)s yourself. Another person must answer from its last image.")
        raise NotAllowed(message % {"key": sample.key}, code="own_work")
    waiting = Revision.objects.filter(
        annotation__sample=sample, annotation__state__in=WAITING_STATES, annotation__held_until__isnull=True,
        submitted_at__isnull=False,
    )  # fmt: skip
    found = waiting.with_content().order_by("-pk").first()
    if found is None and not known_to(user, sample.benchmark).handed_checks:
        gold = Gold.objects.filter(sample=sample).values("revision")[:1]
        found = Revision.objects.filter(pk__in=gold).with_content().first()
    content = content_of(found) if found else SampleContent()
    if not content.reference_toolchain or content.unanswerable is not None:
        message = gettext("%(key)s has no toolchain that ends in an image.")
        raise Conflict(message % {"key": sample.key}, code="no_toolchain")
    return content
