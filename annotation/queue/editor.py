"""Data for the studio's script: the sample, its annotator's work so far, and comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from annotation.common.access import known_to
from annotation.common.keys import editor_keys
from annotation.common.sample import bank_json, comments_json, known_facets, picture_json
from annotation.common.sentences import checks_json
from annotation.common.task import task_json
from annotation.content.checks import validate_content
from annotation.content.clicks import click_shapes, clicks_for, drafting_shown
from annotation.content.comments import comments_on, may_discuss
from annotation.content.drafts import current_content, draft_of
from annotation.content.drawn_on import images_in_same_pixels, last_change_of_pixels, replacements_of
from annotation.content.json import blank_content, content_from_json
from annotation.content.planted import planted_for
from annotation.content.proposals import Offer, offer_to, proposals_json
from annotation.content.revisions import facets_of, revision_json
from annotation.content.suggestions import suggestions_for
from annotation.drafting import Arm
from annotation.models import Annotation, CheckAnswer, ImageReplacement, Proposal, Review, Revision, Sample
from annotation.queue.check_work import check_of, shown_content
from annotation.queue.handed import shown_state
from annotation.queue.qualification import given_question
from annotation.queue.shared_question import fixed_question, may_refuse, with_fixed
from annotation.queue.skip import skipped_draft
from annotation.schema import Box, Outline
from annotation.task_schema import FacetAuthor
from annotation.workflow import OPEN, State
from webapp.accounts.models import User


def studio_json(
    user: User, sample: Sample, rights: dict[str, bool], beside: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Data for the studio's script. Nothing in it comes from another annotator's work on the sample. ``beside``: as of
    ``validate_content``."""
    annotation = Annotation.objects.filter(sample=sample, author=user).select_related("draft").first()
    if annotation is not None:
        annotation.sample = sample
    answer = check_of(user, sample) if annotation is None else None
    draft = draft_of(annotation) if annotation else answer
    slug = sample.benchmark.slug
    state = _state(user, sample, annotation, answer)
    content = _content(user, annotation, answer, sample)
    given = given_question(answer) if state in OPEN else None
    fixed = given or (fixed_question(user, sample) if state in OPEN and answer is None else None)
    content = with_fixed(content, fixed)
    begun = annotation is not None or (answer is not None and answer.is_begun)
    comments = _comments(user, annotation or answer, slug)
    editable = state in (State.DRAFT, State.RETURNED) and _is_open(annotation or answer, sample)
    drafting = drafting_shown(sample) if editable and fixed is None else None
    offer = offer_of(user, sample, annotation or answer) if drafting is not None else None
    clicks = click_shapes(sample) and clicks_for(user, sample, drafting) is not None
    earlier, returned = replacements_of(sample), returned_json(annotation)
    urls = {name: reverse(route, args=[slug, sample.key]) for name, route in STEPS.items()}
    urls |= {
        "next": reverse("annotation:annotate-next", args=[slug]),
        "queue": reverse("annotation:annotate", args=[slug]),
    }
    return {
        "key": sample.key,
        "image": picture_json(sample),
        "image_problem": sample.image_problem,
        "same_pixels": images_in_same_pixels(sample, earlier),
        "replaced": _replaced(earlier, annotation, returned) if editable else None,
        "content": content,
        "version": draft.version if draft else 0,
        "state": state,
        "editable": editable,
        "fixed": fixed is not None,
        "may_refuse": fixed is not None and may_refuse(user, sample) and answer is None,
        "test": answer is not None and answer.attempt_id is not None,
        "suggestions": _suggestions(sample, offer) if editable else [],
        "drafts": proposals_json(offer),
        "click": reverse("evaluation:click-shape", args=[slug, sample.key]) if clicks else None,
        "keys": editor_keys(user, sample.benchmark.task, clicks=bool(clicks)),
        "facets": known_facets(sample.benchmark),
        "task": task_json(sample.benchmark.task, FacetAuthor.ANNOTATOR),
        "bank": bank_json(sample.benchmark),
        "urls": urls,
        "returned": returned,
        "begun": begun,
        "take_back": take_back_json(annotation or answer),
        "checks": _checks(content, sample, beside) if begun else None,
        "comments": comments,
        "discussed": any(not thread["resolved"] for thread in comments),
        "revision": _newest(annotation or answer),
        "rights": rights,
    }


def _state(user: User, sample: Sample, annotation: Annotation | None, answer: CheckAnswer | None) -> str:
    if annotation is not None:
        return shown_state(user, sample, annotation.state)
    return answer.shown_state if answer is not None else State.DRAFT.value


def _replaced(
    earlier: Sequence[ImageReplacement], annotation: Annotation | None, returned: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Return the size of the image that another replaced, and the comment of the lead, until the author saves again.
    None if the comment of a return says the same."""
    draft = draft_of(annotation) if annotation else None
    if annotation is None or not earlier or (draft is not None and draft.key):
        return None
    submitted = Revision.objects.filter(annotation=annotation).aggregate(last=Max("submitted_at"))["last"]
    last = last_change_of_pixels(earlier, submitted)
    if last is None or (returned is not None and returned["at"] >= last.replaced_at.isoformat()):
        return None
    return {"size": [last.image.width, last.image.height], "comment": last.comment}


def _checks(content: dict[str, Any], sample: Sample, beside: Mapping[str, str] | None) -> list[dict[str, Any]]:
    """Validation of work in progress, the same as on saving."""
    parsed, _, facets = content_from_json(content)
    return checks_json(validate_content(sample, parsed, facets, beside))


def shown_boxes(user: User, sample: Sample) -> dict[str, Any]:
    """Return the boxes and facets of a sample that this person sees, as content JSON: those of their own work, or else
    of the gold if they may see it. For its annotator, a gold check looks like their own work.
    """
    annotation = Annotation.objects.filter(sample=sample, author=user).select_related("draft").first()
    answer = check_of(user, sample) if annotation is None else None
    if annotation is None and answer is None and known_to(user, sample.benchmark).gold:
        gold = Revision.objects.filter(gold_of__sample=sample).with_content().first()
        content = revision_json(gold) if gold else _content(user, None, None, sample)
    else:
        content = _content(user, annotation, answer, sample)
    return {name: content[name] for name in ("gold_boxes", "facets") if content.get(name)}


def _newest(mine: Annotation | CheckAnswer | None) -> int:
    """The number of the last submitted revision, also while it can be taken back; 0 before the first."""
    if mine is None or isinstance(mine, CheckAnswer):
        return int(mine is not None and mine.state == CheckAnswer.State.HANDED_IN)
    last = Revision.objects.filter(annotation=mine).order_by("-number").values_list("number", flat=True).first() or 0
    return last + int(mine.held_until is not None)


def take_back_json(mine: Annotation | CheckAnswer | None) -> dict[str, Any] | None:
    """Return until when a submission can be withdrawn, None if it cannot. The database decides when it is attempted."""
    if mine is None or mine.held_until is None or mine.held_until <= timezone.now():
        return None
    return {"until": mine.held_until.isoformat()}


def offer_of(user: User, sample: Sample, mine: Annotation | CheckAnswer | None) -> Offer | None:
    """Return the drafts of models for this person's work on a sample; none if its question is fixed."""
    begun = mine.created_at if isinstance(mine, Annotation) else mine.began_at if mine is not None else None
    return offer_to(user, sample, begun)


def planted_of(user: User, sample: Sample, mine: Annotation | CheckAnswer | None) -> list[Proposal]:
    """Return the drafts with a planted error that this person saw; none if its question is given."""
    if isinstance(mine, CheckAnswer) and given_question(mine) is not None:
        return []
    begun = mine.created_at if isinstance(mine, Annotation) else mine.began_at if mine is not None else None
    return planted_for(user, sample, begun)


def _suggestions(sample: Sample, offer: Offer | None) -> list[dict[str, Any]]:
    """Boxes of models; none in the control arm of drafts, which has no help of models."""
    if offer is not None and offer.arm is Arm.WITHHELD:
        return []
    return [
        {"box": one.box.as_list(), "source": one.source, "note": one.note} | _points(one.box)
        for one in suggestions_for(sample)
    ]


def _points(shape: Box) -> dict[str, Any]:
    """The corners of a polygon."""
    return {"points": [list(point) for point in shape.points]} if isinstance(shape, Outline) else {}


def _content(user: User, annotation: Annotation | None, answer: CheckAnswer | None, sample: Sample) -> dict[str, Any]:
    """Return the content written so far, including before a skip, or the initial content of a sample."""
    if answer is not None:
        return shown_content(answer, sample)
    written = current_content(annotation, draft_of(annotation)) if annotation else skipped_draft(user, sample)
    return written or blank_content(sample.benchmark.task, facets_of(sample))


def _is_open(mine: Annotation | CheckAnswer | None, sample: Sample) -> bool:
    return mine is not None or sample.state not in ("accepted", "discarded")


def returned_json(annotation: Annotation | None) -> dict[str, Any] | None:
    """The reviewer's words on the last revision, while its author works on it again."""
    if annotation is None or annotation.state not in (State.DRAFT, State.RETURNED):
        return None
    review = last_return(annotation)
    if review is None:
        return None
    return {
        "by": str(review.reviewer),
        "reasons": list(review.reasons),
        "comment": review.comment,
        "at": review.created_at.isoformat(),
        "content": current_content(annotation, None),
    }


def last_return(annotation: Annotation) -> Review | None:
    """The decision that returned the newest revision, if that is what happened to it."""
    newest = Revision.objects.filter(annotation=annotation).order_by("-number").values("pk")[:1]
    returned = Review.objects.filter(revision__in=newest, decision=Review.Decision.RETURN)
    return returned.select_related("reviewer").order_by("-created_at").first()


def _comments(user: User, mine: Annotation | CheckAnswer | None, slug: str) -> list[dict[str, Any]]:
    return comments_json(comments_on(mine), slug) if mine is not None and may_discuss(user, mine) else []


STEPS = {
    "draft": "annotation:draft",
    "submit": "annotation:submit",
    "skip": "annotation:skip",
    "release": "annotation:release",
    "renew": "annotation:renew",
    "time": "annotation:annotate-time",
    "ahead": "annotation:ahead",
    "take_back": "annotation:take-back",
    "hand_in": "annotation:hand-in",
    "previous": "annotation:my-previous",
    "following": "annotation:my-following",
    "report": "annotation:report-problem",
    "comments": "annotation:review-comments",
}
