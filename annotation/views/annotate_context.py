"""What the studio page and the page of the queue show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch
from django.urls import reverse

from annotation.actions.access import known_to
from annotation.actions.check_work import check_of, shown_content
from annotation.actions.checks_of import checks_of
from annotation.actions.comments import comments_on, may_discuss
from annotation.actions.content_json import content_from_json, content_to_json
from annotation.actions.draft import current_content, draft_of
from annotation.actions.handed import shown_state
from annotation.actions.pause import pause_for
from annotation.actions.revisions import facets_of
from annotation.actions.skip import skipped_draft
from annotation.actions.suggestions import suggestions_for
from annotation.models import (
    Annotation,
    BankTool,
    Benchmark,
    CheckAnswer,
    Draft,
    Lease,
    Review,
    Revision,
    Sample,
    Skip,
    SkippedDraft,
    ToolName,
)
from annotation.schema import SampleContent
from annotation.views.studio_keys import STUDIO, keys_json
from annotation.views.work_loading import bank_json, comments_json, known_facets, picture_json, thumbnail_of
from annotation.workflow import SampleState, State
from webapp.accounts.models import User

MOST_ROWS = 100
MOST_PROPOSALS = 30
STEPS = {
    "draft": "annotation:draft",
    "submit": "annotation:submit",
    "skip": "annotation:skip",
    "release": "annotation:release",
    "renew": "annotation:renew",
    "ahead": "annotation:ahead",
    "comments": "annotation:review-comments",
}


@dataclass(frozen=True)
class QueueRow:
    """One of my drafts or of what was returned to me, with the reviewer's words."""

    sample: Sample
    href: str
    thumbnail: str
    question: str
    changed_at: datetime
    by: str = ""
    reasons: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True)
class SkippedRow:
    """A sample that somebody skipped, for the lead."""

    sample: Sample
    who: str
    reason: str
    at: datetime


def studio_json(user: User, sample: Sample, rights: dict[str, bool]) -> dict[str, Any]:
    """What the studio's script needs. Nothing in it comes from another annotator's work on the sample."""
    annotation = Annotation.objects.filter(sample=sample, author=user).select_related("draft").first()
    if annotation is not None:
        annotation.sample = sample
    answer = check_of(user, sample) if annotation is None else None
    draft = draft_of(annotation) if annotation else answer
    slug = sample.benchmark.slug
    state = (
        shown_state(user, sample, annotation.state)
        if annotation
        else answer.shown_state
        if answer
        else State.DRAFT.value
    )
    content = _content(user, annotation, answer, sample)
    begun = annotation is not None or (answer is not None and answer.is_begun)
    comments = _comments(user, annotation or answer, slug)
    editable = state in (State.DRAFT, State.RETURNED) and _is_open(annotation or answer, sample)
    urls = {name: reverse(route, args=[slug, sample.key]) for name, route in STEPS.items()}
    urls |= {
        "next": reverse("annotation:annotate-next", args=[slug]),
        "queue": reverse("annotation:annotate", args=[slug]),
    }
    return {
        "key": sample.key,
        "image": picture_json(sample),
        "image_problem": sample.image_problem,
        "content": content,
        "version": draft.version if draft else 0,
        "state": state,
        "editable": editable,
        "suggestions": _suggestions(sample) if editable else [],
        "keys": keys_json(user, STUDIO),
        "facets": known_facets(sample.benchmark),
        "bank": bank_json(sample.benchmark),
        "urls": urls,
        "returned": returned_json(annotation),
        "begun": begun,
        "checks": _checks(content, sample) if begun else None,
        "comments": comments,
        "discussed": any(not thread["resolved"] for thread in comments),
        "revision": _newest(annotation or answer),
        "rights": rights,
    }


def _checks(content: dict[str, Any], sample: Sample) -> list[dict[str, Any]]:
    """What the checks say of work that was begun, as saving it would say."""
    return [asdict(one) for one in checks_of(sample, content_from_json(content)[0])]


def _newest(mine: Annotation | CheckAnswer | None) -> int:
    """The number of the last submitted revision; 0 before the first."""
    if mine is None or isinstance(mine, CheckAnswer):
        return int(mine is not None and mine.state == CheckAnswer.State.HANDED_IN)
    return Revision.objects.filter(annotation=mine).order_by("-number").values_list("number", flat=True).first() or 0


def _suggestions(sample: Sample) -> list[dict[str, Any]]:
    return [{"box": one.box.as_list(), "source": one.source, "note": one.note} for one in suggestions_for(sample)]


def _content(user: User, annotation: Annotation | None, answer: CheckAnswer | None, sample: Sample) -> dict[str, Any]:
    """What was written so far, also before it was skipped, or what a sample begins with."""
    if answer is not None:
        return shown_content(answer, sample)
    written = current_content(annotation, draft_of(annotation)) if annotation else skipped_draft(user, sample)
    return written or content_to_json(SampleContent(), (), facets_of(sample))


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


def queue_context(user: User, benchmark: Benchmark, *, lead: bool) -> dict[str, Any]:
    """My drafts, what was returned to me, how many are to do for me, what I wrote of samples that I skipped (``kept``:
    samples are opened by who chooses them), and what anybody skipped, for a lead."""
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(user)
    drafts = sorted([*_rows(user, benchmark, State.DRAFT), *_check_rows(user, benchmark)], key=_when)
    returned = _rows(user, benchmark, State.RETURNED)
    to_do = Sample.objects.open_to(user, queues).count()
    return {
        "drafts": drafts,
        "returned": returned,
        "to_do": to_do if known_to(user, benchmark).states else None,
        "nothing": not (drafts or returned or to_do),
        "pause": None if queues else pause_for(user, benchmark),
        "next_url": reverse("annotation:annotate-next", args=[benchmark.slug]),
        "kept": _kept_rows(user, benchmark) if known_to(user, benchmark).states else [],
        "skipped": _skipped(benchmark) if lead else [],
        "proposals": _proposals(user, benchmark),
    }


def _proposals(user: User, benchmark: Benchmark) -> list[BankTool]:
    """The tools that this person proposed and what became of them, the newest first; the first of its names is the one
    it was proposed by. Two queries."""
    mine = BankTool.objects.filter(benchmark=benchmark, proposed_by=user).order_by("-pk")
    names = Prefetch("names", queryset=ToolName.objects.order_by("pk"))
    return list(mine.select_related("merged_into", "decided_by").prefetch_related(names)[:MOST_PROPOSALS])


def _rows(user: User, benchmark: Benchmark, state: State) -> list[QueueRow]:
    """Three queries for any number of rows."""
    mine = Annotation.objects.filter(author=user, state=state, sample__benchmark=benchmark).not_skipped_by(user)
    annotations = list(mine.select_related("sample__image").order_by("changed_at")[:MOST_ROWS])
    drafts = {d.annotation_id: d for d in Draft.objects.filter(annotation__in=annotations)}
    newest: dict[int, Revision] = {}
    revisions = Revision.objects.filter(annotation__in=annotations).prefetch_related("reviews__reviewer")
    for revision in revisions.order_by("annotation", "number"):
        newest[revision.annotation_id] = revision
    return [_row(benchmark, one, drafts.get(one.pk), newest.get(one.pk)) for one in annotations]


def _when(row: QueueRow) -> datetime:
    return row.changed_at


def _check_rows(user: User, benchmark: Benchmark) -> list[QueueRow]:
    """Drafts of gold checks, which look like any. One query."""
    begun = CheckAnswer.objects.on(benchmark).begun_by(user)
    rows = begun.select_related("check_of__sample__image").order_by("changed_at")[:MOST_ROWS]
    return [_check_row(benchmark, one) for one in rows]


def _check_row(benchmark: Benchmark, answer: CheckAnswer) -> QueueRow:
    sample = answer.check_of.sample
    sample.benchmark = benchmark
    href = reverse("annotation:annotate-sample", args=[benchmark.slug, sample.key])
    return QueueRow(sample, href, thumbnail_of(sample), str(answer.content.get("question", "")), answer.changed_at)


def _kept_rows(user: User, benchmark: Benchmark) -> list[QueueRow]:
    """What this person wrote of samples that they skipped and that still wait for somebody. One query."""
    kept = SkippedDraft.objects.filter(user=user, sample__benchmark=benchmark, sample__state=SampleState.TO_DO)
    rows = kept.select_related("sample__image").order_by("changed_at")[:MOST_ROWS]
    return [_kept_row(benchmark, one) for one in rows]


def _kept_row(benchmark: Benchmark, kept: SkippedDraft) -> QueueRow:
    sample = kept.sample
    sample.benchmark = benchmark
    href = reverse("annotation:annotate-sample", args=[benchmark.slug, sample.key])
    return QueueRow(sample, href, thumbnail_of(sample), str(kept.content.get("question", "")), kept.changed_at)


def _row(benchmark: Benchmark, annotation: Annotation, draft: Draft | None, revision: Revision | None) -> QueueRow:
    sample = annotation.sample
    sample.benchmark = benchmark
    question = str(draft.content.get("question", "")) if draft else revision.question if revision else ""
    reviews = [r for r in revision.reviews.all() if r.decision == Review.Decision.RETURN] if revision else []
    review = reviews[-1] if reviews else None
    return QueueRow(
        sample=sample,
        href=reverse("annotation:annotate-sample", args=[benchmark.slug, sample.key]),
        thumbnail=thumbnail_of(sample),
        question=question,
        changed_at=draft.changed_at if draft else annotation.changed_at,
        by=str(review.reviewer) if review else "",
        reasons=tuple(review.reasons) if review else (),
        comment=review.comment if review else "",
    )


def _skipped(benchmark: Benchmark) -> list[SkippedRow]:
    skips = Skip.objects.filter(sample__benchmark=benchmark, seat=Lease.Seat.ANNOTATE)
    unsettled = skips.filter(sample__state__in=["to_do", "draft", "returned"]).select_related("sample", "user")
    return [SkippedRow(one.sample, str(one.user), one.reason, one.created_at) for one in unsettled[:MOST_ROWS]]
