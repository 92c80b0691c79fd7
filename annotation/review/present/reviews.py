"""The page of reviews and the review studio. No gold is shown before the blind answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from annotation.common.access import known_to
from annotation.common.chain_marks import mark_json
from annotation.common.keys import editor_keys
from annotation.common.sample import bank_json, comments_json, known_facets, revision_head, thumbnail_of
from annotation.common.sentences import checks_json
from annotation.common.task import task_json
from annotation.content.chains.read import mark_of
from annotation.content.checks import validate_gold
from annotation.content.comments import comments_on
from annotation.content.drawn_on import shown_json, shown_on_image
from annotation.content.evidence import mismatches_for
from annotation.content.revisions import content_of, facets_in
from annotation.models import Annotation, AuditItem, Benchmark, Image, Review, Revision, Sample
from annotation.queue.blind.present import blind_json
from annotation.queue.leases import queue_of
from annotation.queue.pauses import pause_for
from annotation.queue.places import in_order_of_review
from annotation.task_schema import FacetAuthor
from annotation.work_rules import BlindRule
from annotation.workflow import SampleState
from webapp.accounts.models import User

MOST_ROWS = 100
ROUTES = {
    "blind": "annotation:review-blind",
    "decide": "annotation:review-decide",
    "comments": "annotation:review-comments",
    "skip": "annotation:review-skip",
    "report": "annotation:report-problem",
    "release": "annotation:review-release",
    "renew": "annotation:review-renew",
    "time": "annotation:review-time",
}


@dataclass(frozen=True)
class WaitingRow:
    """A sample that waits for this reviewer. The question is shown, nothing of the gold."""

    sample: Sample
    href: str
    thumbnail: str
    question: str
    author: str
    disputed: bool
    submitted_at: datetime | None
    round: int


@dataclass(frozen=True)
class DecidedRow:
    """One of my last decisions."""

    sample: Sample
    decision: str
    reasons: tuple[str, ...]
    comment: str
    at: datetime


def review_json(user: User, annotation: Annotation, revision: Revision, rights: dict[str, bool]) -> dict[str, Any]:
    """Data for the review's script. See ``blind_json`` for the content before the blind answer."""
    sample = annotation.sample
    slug = sample.benchmark.slug
    shown = blind_json(user, sample, revision)
    urls = {name: reverse(route, args=[slug, sample.key]) for name, route in ROUTES.items()}
    urls |= {"next": reverse("annotation:review-next", args=[slug]), "queue": reverse("annotation:review", args=[slug])}
    shown |= {"urls": urls, "rights": rights}
    return shown | (_after(user, annotation, revision, slug) if shown["open"] else {})


def _after(user: User, annotation: Annotation, revision: Revision, slug: str) -> dict[str, Any]:
    """The data that the page shows after the blind answer is saved."""
    sample = annotation.sample
    earlier = Revision.objects.filter(annotation=annotation, number__lt=revision.number).with_content()
    previous = earlier.select_related("annotation__sample", "author").order_by("-number").first()
    shown = shown_on_image(sample, [previous])[0] if previous else None
    checks = validate_gold(sample, content_of(revision), facets_in(revision))
    return {
        "author": str(revision.author) if revision.author else gettext("the importer"),
        "previous": shown_json(previous, shown) if previous and shown else None,
        "previous_lost": bool(shown and shown.lost),
        "previous_revision": revision_head(previous) if previous else None,
        "history": _history(annotation),
        "checks": checks_json(checks),
        "comments": comments_json(comments_on(annotation), slug),
        "facets": known_facets(sample.benchmark),
        "task": task_json(sample.benchmark.task, FacetAuthor.ANNOTATOR, FacetAuthor.REVIEWER),
        "bank": bank_json(sample.benchmark),
        "editor_keys": editor_keys(user, sample.benchmark.task),
        "chain": _chain(sample, revision, slug),
        "mismatches": [asdict(one) for one in mismatches_for(user, sample, [revision]).get(revision.pk, ())],
    }


def _chain(sample: Sample, revision: Revision, slug: str) -> dict[str, Any] | None:
    """Address to run and verify the reference toolchain, and who verified it; None without calls or an image."""
    content = content_of(revision)
    if not content.reference_toolchain or sample.image is None or sample.image.state != Image.State.READY:
        return None
    urls = {name: reverse(f"annotation:chain-{name}", args=[slug, sample.key]) for name in ("run", "verify")}
    return {
        **urls,
        "mark": mark_json(mark_of(sample, content), content),
        "blind": reverse("annotation:chain-end", args=[slug, sample.key]),
    }


def _history(annotation: Annotation) -> list[dict[str, Any]]:
    """The decisions on the earlier revisions, oldest first."""
    reviews = Review.objects.filter(revision__annotation=annotation).select_related("reviewer", "revision")
    return [
        {
            "revision": review.revision.number,
            "by": str(review.reviewer),
            "decision": review.decision,
            "reasons": list(review.reasons),
            "comment": review.comment,
            "at": review.created_at.isoformat(),
        }
        for review in reviews.order_by("created_at", "pk")
    ]


def reviews_context(user: User, benchmark: Benchmark) -> dict[str, Any]:
    """Submissions for this reviewer, and their last decisions."""
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(user)
    waiting = in_order_of_review(Sample.objects.to_review_by(user, queues), queues)
    total = waiting.count()
    mine = Review.objects.filter(reviewer=user, revision__annotation__sample__benchmark=benchmark)
    decided = mine.select_related("revision__annotation__sample__image").order_by("-created_at", "-pk")
    own = Annotation.objects.filter(sample__benchmark=benchmark, author=user).to_review().count()
    told = known_to(user, benchmark)
    return {
        "waiting": _waiting_rows(benchmark, list(waiting.select_related("image")[:MOST_ROWS])),
        "waiting_n": total,
        "own_n": own if told.states else 0,
        "audits_n": AuditItem.objects.of(benchmark).for_person(user).count() if queues and told.gold else 0,
        "nothing": not total,
        "blind": queue_of(benchmark).blind != BlindRule.OFF,
        "decided": [_decided(benchmark, review) for review in decided[:20]],
        "pause": None if queues else pause_for(user, benchmark),
        "next_url": reverse("annotation:review-next", args=[benchmark.slug]),
    }


def _waiting_rows(benchmark: Benchmark, samples: list[Sample]) -> list[WaitingRow]:
    """One query for any number of samples."""
    newest: dict[int, Revision] = {}
    annotations: dict[int, set[int]] = {}
    revisions = Revision.objects.filter(
        annotation__in=Annotation.objects.filter(sample__in=samples).to_review().values("pk"),
        submitted_at__isnull=False,
    ).select_related("annotation", "author")
    for revision in revisions.order_by("annotation__sample", "-annotation__pk", "number"):
        newest[revision.annotation.sample_id] = revision
        annotations.setdefault(revision.annotation.sample_id, set()).add(revision.annotation_id)
    found = [sample for sample in samples if sample.pk in newest]
    return [_waiting(benchmark, sample, newest[sample.pk], len(annotations[sample.pk])) for sample in found]


def _waiting(benchmark: Benchmark, sample: Sample, revision: Revision, annotations: int) -> WaitingRow:
    sample.benchmark = benchmark
    author = str(revision.author) if revision.author else gettext("the importer")
    if annotations > 1:
        author = gettext("%(count)s annotators") % {"count": annotations}
    return WaitingRow(
        sample=sample,
        href=reverse("annotation:review-sample", args=[benchmark.slug, sample.key]),
        thumbnail=thumbnail_of(sample),
        question=revision.question,
        author=author,
        disputed=sample.state == SampleState.DISPUTED,
        submitted_at=revision.submitted_at,
        round=revision.number,
    )


def _decided(benchmark: Benchmark, review: Review) -> DecidedRow:
    sample = review.revision.annotation.sample
    sample.benchmark = benchmark
    return DecidedRow(sample, review.decision, tuple(review.reasons), review.comment, review.created_at)
