"""The questions about one image that a person may know: their own, and gold ones if they see gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from annotation.common.access import known_to
from annotation.content.drafts import draft_of
from annotation.content.questions import most_questions
from annotation.models import Annotation, Assignment, CheckAnswer, Revision, Sample
from annotation.workflow import SampleState, State
from webapp.accounts.models import User


@dataclass(frozen=True, slots=True)
class ImageQuestion:
    """A question about an image. ``number`` counts from 1 among those that the person may know; ``question`` is "" if
    none is written yet. ``own``: the person works on the sample, or has.
    """

    number: int
    key: str
    question: str
    own: bool


@dataclass(frozen=True, slots=True)
class ImageQuestions:
    """``rows`` in the order in which the samples were made. ``count``: questions about the image, of which there may be
    ``most`` (None: any number)."""

    rows: tuple[ImageQuestion, ...]
    count: int
    most: int | None

    @property
    def is_full(self) -> bool:
        return self.most is not None and self.count >= self.most

    def beside(self, sample: Sample) -> dict[str, str]:
        """The questions of the other samples, by key."""
        return {row.key: row.question for row in self.rows if row.question and row.key != sample.key}


def questions_on_image(user: User, sample: Sample) -> ImageQuestions:
    """The questions about the image of this sample, including its own, without discarded samples.

    At most five queries, and one if no other sample has the image. People who cannot see gold only get questions that
    were assigned to them, so that neither the rows nor the count reveal gold checks."""
    there = _on_image(sample)
    if len(there) == 1:
        return ImageQuestions((ImageQuestion(1, sample.key, "", own=True),), 1, most_questions(sample.benchmark))
    sees_gold = known_to(user, sample.benchmark).gold
    own = own_questions(user, Sample.objects.filter(pk__in=there))
    gold = {pk: question for pk, (_, question) in there.items() if question is not None} if sees_gold else {}
    texts = {sample.pk: ""} | gold | own
    rows = tuple(
        ImageQuestion(number, there[pk][0], texts[pk], pk in own)
        for number, pk in enumerate((pk for pk in there if pk in texts), 1)
    )
    return ImageQuestions(rows, len(there) if sees_gold else len(rows), most_questions(sample.benchmark))


def _on_image(sample: Sample) -> dict[int, tuple[str, str | None]]:
    """Key and gold question of the samples with the same image, by number. The sample itself always is one."""
    same = Q(image__isnull=False, image=sample.image_id) & ~Q(state=SampleState.DISCARDED)
    found = Sample.objects.filter(Q(pk=sample.pk) | same, benchmark=sample.benchmark_id)
    rows = found.order_by("pk").values_list("pk", "key", "gold__revision__question")
    return {pk: (key, question) for pk, key, question in rows}


def own_questions(user: User, samples: QuerySet[Any, Any]) -> dict[int, str]:
    """Return this person's questions on these samples, by number: "" if not written yet. Gold checks are included like
    other samples. Three queries.
    """
    newest = Revision.objects.filter(annotation=OuterRef("pk")).order_by("-number").values("question")[:1]
    mine = Annotation.objects.filter(author=user, sample__in=samples, kind=Annotation.Kind.OWN)
    begun = mine.exclude(state=State.DISCARDED).select_related("draft").annotate(submitted=Subquery(newest))
    checks = CheckAnswer.objects.begun().filter(user=user, check_of__sample__in=samples)
    asked = Assignment.objects.filter(user=user, sample__in=samples, sample__asked_from__isnull=False)
    found = dict.fromkeys(asked.values_list("sample", flat=True), "")
    for one in begun:
        draft = draft_of(one)
        found[one.sample_id] = str(draft.content.get("question", "")) if draft else one.submitted or ""
    for number, content in checks.values_list("check_of__sample", "content"):
        found[number] = str(content.get("question", ""))
    return found
