"""Planted errors in drafts of models: their disclosure after a submission, and what they keep from becoming gold.

A submission that adopts a planted error is rejected: the sample stays open for its author, who learns which field it
is. Nothing differs before a submission. This includes gold checks, whose drafts have errors in the same share.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.sentences import translated
from annotation.content.proposals_on_image import on_image
from annotation.drafting import Arm, Field, adopts, arm_of
from annotation.marking import Sentence, gettext_noop
from annotation.models import Annotation, Benchmark, Proposal, ProposalUse, Sample
from annotation.schema import SampleContent
from annotation.validation import Check, Level
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict

PLACES = {Field.ANSWER: "answer", Field.BOXES: "gold_boxes"}
ADOPTED = {
    Field.ANSWER: gettext_noop(
        "The drafted answer was a planted error, and you adopted it. Look at the image, correct the answer and submit "
        "again. If the answer is correct, report a problem to the lead."
    ),
    Field.BOXES: gettext_noop(
        "The drafted boxes were a planted error, and you adopted them. Look at the image, move the boxes and submit "
        "again. If the boxes are correct, report a problem to the lead."
    ),
}
UNRESOLVED = gettext_noop(
    "This content has a planted error of a draft (%(field)s), so it can't become gold. Correct it. If it is correct, a "
    "lead can withdraw the error under Settings, Drafting."
)


def planted_for(user: User, sample: Sample, begun: datetime | None) -> list[Proposal]:
    """The drafts with a planted error that this person saw on a sample: also if the lead no longer shows drafts, as the
    person may have adopted one before. Boxes are in pixels of the image that the sample has. ``begun``: as of
    ``offer_to``. No query where no model drafts, otherwise one, and one more if there are boxes."""
    if not sample.benchmark.has_drafting:
        return []
    found = Proposal.objects.filter(sample=sample).planted().select_related("drafting").order_by("field")
    if begun is not None:
        found = found.filter(created_at__lte=begun)
    shown = [
        one for one in found if arm_of(one.drafting.seed, user.pk, sample.pk, one.drafting.control_share) is Arm.SHOWN
    ]
    return on_image(sample, shown)


def adopted_in(planted: Sequence[Proposal], content: SampleContent) -> list[Proposal]:
    """Those of the planted errors that a submission adopts."""
    return [one for one in planted if adopts(Field(one.field), one.planted_error, one.content, content)]


def checks_of(adopted: Sequence[Proposal]) -> list[Check]:
    """The findings that the author sees after the submission."""
    return [Check(PLACES[Field(one.field)], Level.ERROR, Sentence(ADOPTED[Field(one.field)])) for one in adopted]


def note_adoption(annotation: Annotation, planted: Sequence[Proposal], adopted: Sequence[Proposal]) -> None:
    """Note of the first submission which planted errors it adopts. Call inside a transaction."""
    taken = {one.pk for one in adopted}
    rows = [
        ProposalUse(annotation=annotation, proposal=one, arm=Arm.SHOWN.value, decision="", adopted=one.pk in taken)
        for one in planted
    ]
    ProposalUse.objects.bulk_create(rows, ignore_conflicts=True)
    for one in adopted:
        audit.record(
            actor=annotation.author, action="annotation.planted_error", subject=annotation,
            benchmark=annotation.sample.benchmark.slug, data={"sample": annotation.sample.key, "field": one.field},
        )  # fmt: skip


def disclosure(sample: Sample, *, planted: bool) -> str:
    """The sentence for an author whose submission has none of the planted errors that they saw; "" without any."""
    message = gettext("A draft of %(key)s was a planted error. Your submission does not have it.")
    return message % {"key": sample.key} if planted else ""


def refuse_planted(sample: Sample, content: SampleContent) -> None:
    """Raise ``Conflict`` if this content, which is to become gold, has a planted error that a person adopted."""
    if found := unresolved_in(sample, content):
        raise Conflict(f"{sample.key}: {translated(found[0].text)}", code="planted_error")


def unresolved_in(sample: Sample, content: SampleContent) -> list[Check]:
    """The findings on content that has a planted error which a person adopted on this sample. One query."""
    if sample.pk is None:
        return []
    used = ProposalUse.objects.filter(adopted=True, proposal__sample=sample).values("proposal")
    found = Proposal.objects.planted().filter(pk__in=used)
    return [
        Check(PLACES[Field(one.field)], Level.ERROR, Sentence(UNRESOLVED, field=one.field))
        for one in adopted_in(on_image(sample, list(found)), content)
    ]


def withdraw_error(*, actor: User, benchmark: Benchmark, key: str, field: str) -> Proposal:
    """Withdraw a planted error, because its content is correct. People who adopted it can submit it. Raises
    ``Conflict`` if the sample has no such error."""
    require(actor, benchmark, Right.MANAGE)
    found = Proposal.objects.planted().filter(drafting__benchmark=benchmark, sample__key=key, field=field)
    proposal = found.select_related("sample").first()
    if proposal is None or not found.update(withdrawn_at=timezone.now()):
        message = gettext("%(key)s has no planted error in this field.")
        raise Conflict(message % {"key": key}, code="no_error")
    audit.record(
        actor, "benchmark.planted_error_withdrawn", benchmark, benchmark.slug, data={"sample": key, "field": field}
    )
    return proposal
