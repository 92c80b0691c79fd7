"""The studio page and the page of the queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch
from django.urls import reverse

from annotation.common.access import known_to
from annotation.common.sample import thumbnail_of
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
from annotation.queue.pauses import pause_for
from annotation.workflow import SampleState, State
from webapp.accounts.models import User

MOST_ROWS = 100
MOST_PROPOSALS = 30


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
    """A sample that a person skipped, for the lead."""

    sample: Sample
    who: str
    reason: str
    at: datetime


def queue_context(user: User, benchmark: Benchmark, *, lead: bool) -> dict[str, Any]:
    """The person's drafts, returned work and number of samples to do, and their content of skipped samples (``kept``).

    Leads choose their samples themselves and also get everything that was skipped."""
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
    begun = CheckAnswer.objects.filter(check_of__sample__benchmark=benchmark).begun_by(user)
    rows = begun.select_related("check_of__sample__image").order_by("changed_at")[:MOST_ROWS]
    return [_check_row(benchmark, one) for one in rows]


def _check_row(benchmark: Benchmark, answer: CheckAnswer) -> QueueRow:
    sample = answer.check_of.sample
    sample.benchmark = benchmark
    href = reverse("annotation:annotate-sample", args=[benchmark.slug, sample.key])
    return QueueRow(sample, href, thumbnail_of(sample), str(answer.content.get("question", "")), answer.changed_at)


def _kept_rows(user: User, benchmark: Benchmark) -> list[QueueRow]:
    """Return the drafts of this person for samples that they skipped and that still wait. One query."""
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
