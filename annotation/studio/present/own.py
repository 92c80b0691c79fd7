"""The page of a person's own work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from annotation.common.access import known_to
from annotation.common.sample import thumbnail_of
from annotation.models import Annotation, Benchmark, CheckAnswer, Review, Revision, Sample
from annotation.queue.places import Place, places_in_review
from annotation.studio.read.own import own_counts, own_rows
from annotation.workflow import State
from webapp.accounts.models import User

PAGE_SIZE = 40
WORDS: dict[State, tuple[str, Any]] = {
    State.DRAFT: ("draft", pgettext_lazy("state of a sample", "Draft")),
    State.RETURNED: ("returned", gettext_lazy("Returned")),
    State.SUBMITTED: ("review", gettext_lazy("Submitted")),
    State.IN_REVIEW: ("review", gettext_lazy("In review")),
    State.ACCEPTED: ("accepted", gettext_lazy("Accepted")),
    State.SUPERSEDED: ("accepted", gettext_lazy("Another annotation was accepted")),
    State.DISCARDED: ("discarded", gettext_lazy("Discarded")),
}
"""State of an annotation -> its sign and its words."""
OPENING = (Review.Decision.RETURN, Review.Decision.DISCARD)
"""Decisions that are shown to a person who gets gold checks. Acceptance is hidden, because gold checks are never
accepted.
"""


@dataclass(frozen=True)
class OwnRow:
    """An own sample. ``held``: it can be taken back until then. ``place``: among the samples that wait for review."""

    sample: Sample
    href: str
    thumbnail: str
    question: str
    sign: str
    words: str
    changed_at: datetime
    held: datetime | None
    comments: int
    unresolved: int
    decision: Review | None
    place: Place | None


def own_context(user: User, benchmark: Benchmark, state: str, page: str) -> dict[str, Any]:
    """``rows`` (OwnRow), ``page`` of them, ``states`` (words, address, current: of the filter). A fixed number of
    queries."""
    counts = own_counts(user, benchmark)
    address = reverse("annotation:my-work", args=[benchmark.slug])
    states = [(f"{gettext('All')} {sum(counts.values())}", address, state not in counts)]
    states += [
        (f"{WORDS[one][1]} {n}", f"{address}?{urlencode({'state': one.value})}", state == one)
        for one, n in counts.items()
        if n or state == one
    ]
    shown = Paginator(own_rows(user, benchmark, state), PAGE_SIZE).get_page(page)
    numbers = [number for _, number in shown.object_list]
    return {"rows": _rows(user, benchmark, numbers), "page": shown, "states": states}


def _rows(user: User, benchmark: Benchmark, numbers: Sequence[int]) -> list[OwnRow]:
    told = known_to(user, benchmark)
    samples = Sample.objects.filter(pk__in=numbers).select_related("image").in_bulk()
    annotations = _with_comments(Annotation.objects.filter(sample__in=numbers, author=user).select_related("draft"))
    answers = _with_comments(
        CheckAnswer.objects.begun().filter(check_of__sample__in=numbers, user=user).select_related("check_of")
    )
    newest: dict[int, Revision] = {}
    for revision in Revision.objects.filter(annotation__in=annotations).order_by("number"):
        newest[revision.annotation_id] = revision
    places = places_in_review(benchmark) if told.states else {}
    last = _last_decisions(annotations, everything=told.states)
    made = {one.sample_id: one for one in annotations}
    checks = {one.check_of.sample_id: one for one in answers}
    rows = []
    for number in numbers:
        sample = samples[number]
        sample.benchmark = benchmark
        mine = made.get(number) or checks[number]
        if isinstance(mine, Annotation):
            row = _row(sample, mine, told.states, newest.get(mine.pk), last.get(mine.pk), places.get(number))
        else:
            row = _row_of_check(sample, mine)
        rows.append(row)
    return rows


def _with_comments(found: Any) -> list[Any]:
    """Each with ``comments_n``, its comments, and ``unresolved_n``, its threads that are not resolved."""
    threads = Q(comments__parent__isnull=True, comments__resolved_at__isnull=True, comments__isnull=False)
    return list(found.annotate(comments_n=Count("comments"), unresolved_n=Count("comments", filter=threads)))


def _last_decisions(annotations: Sequence[Annotation], *, everything: bool) -> dict[int, Review]:
    reviews = Review.objects.filter(revision__annotation__in=annotations).select_related("reviewer", "revision")
    known = reviews if everything else reviews.filter(decision__in=OPENING)
    return {review.revision.annotation_id: review for review in known.order_by("created_at", "pk")}


def _row(
    sample: Sample, mine: Annotation, told: bool, revision: Revision | None, last: Review | None, place: Place | None
) -> OwnRow:
    state = State(mine.state)
    if not told and state in (State.IN_REVIEW, State.ACCEPTED, State.SUPERSEDED):
        state = State.SUBMITTED
    draft = getattr(mine, "draft", None)
    question = str(draft.content.get("question", "")) if draft else revision.question if revision else ""
    # The start of its review is hidden from a person who gets gold checks.
    at = draft.changed_at if draft else (revision.submitted_at if revision else None) or mine.changed_at
    waits = state in (State.SUBMITTED, State.IN_REVIEW) and mine.held_until is None
    return _shown(sample, mine, state, question, at, last, place if waits else None)


def _row_of_check(sample: Sample, answer: CheckAnswer) -> OwnRow:
    question = str(answer.content.get("question", ""))
    at = answer.handed_in_at or answer.changed_at
    return _shown(sample, answer, State(answer.shown_state), question, at, None, None)


def _shown(
    sample: Sample, mine: Annotation | CheckAnswer, state: State, question: str, at: datetime, last: Review | None,
    place: Place | None,
) -> OwnRow:  # fmt: skip
    held = mine.held_until if mine.held_until and mine.held_until > timezone.now() else None
    counts: Any = mine
    return OwnRow(
        sample=sample,
        href=reverse("annotation:annotate-sample", args=[sample.benchmark.slug, sample.key]),
        thumbnail=thumbnail_of(sample),
        question=question,
        sign=WORDS[state][0],
        words=str(WORDS[state][1]),
        changed_at=at,
        held=held,
        comments=counts.comments_n,
        unresolved=counts.unresolved_n,
        decision=last,
        place=place,
    )
