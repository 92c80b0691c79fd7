"""The questions about one image on pages: each with its URL, and the form for another question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex

from django.urls import reverse

from annotation.common.access import allowed
from annotation.models import Sample
from annotation.queue.image_questions import ImageQuestion, ImageQuestions
from annotation.workflow import Right
from webapp.accounts.models import User

MOST_SHOWN = 12
REQUEST_BYTES = 32


@dataclass(frozen=True, slots=True)
class StripItem:
    number: int
    key: str
    question: str
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class QuestionStrip:
    """``items``: empty if the person knows only one question. ``more_n`` are not shown. ``url``: the target of the
    form, "" if the person cannot ask another question. ``request``: the key of the request. ``count`` of ``most``
    questions, if no other can be asked (else None).
    """

    items: tuple[StripItem, ...]
    more_n: int
    url: str
    request: str
    count: int | None
    most: int | None


def strip_of(user: User, sample: Sample, questions: ImageQuestions) -> QuestionStrip:
    """The strip on a page of this sample."""
    slug = sample.benchmark.slug
    asks = sample.image_id is not None and allowed(user, sample.benchmark, Right.ANNOTATE)
    rows = questions.rows if len(questions.rows) > 1 else ()
    shown = [row for row in rows if row.number <= MOST_SHOWN or row.key == sample.key]
    return QuestionStrip(
        items=tuple(_items(shown, sample, slug)),
        more_n=len(rows) - len(shown),
        url=reverse("annotation:ask-another", args=[slug, sample.key]) if asks and not questions.is_full else "",
        request=token_hex(REQUEST_BYTES),
        count=questions.count if asks and questions.is_full else None,
        most=questions.most,
    )


def _items(rows: Sequence[ImageQuestion], sample: Sample, slug: str) -> list[StripItem]:
    return [
        StripItem(
            number=row.number,
            key=row.key,
            question=row.question,
            href=reverse("annotation:annotate-sample" if row.own else "evaluation:sample", args=[slug, row.key]),
            current=row.key == sample.key,
        )
        for row in rows
    ]
