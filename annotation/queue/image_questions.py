"""The questions about one image that a person may know: their own, and gold ones if they see gold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import OuterRef, Q, Subquery

from annotation.common.access import known_to
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
    own = own_questions(user, list(there))
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


def own_questions(user: User, samples: Collection[int]) -> dict[int, str]:
    """Return this person's questions on these samples, by number: "" if not written yet. Gold checks are included like
    other samples. Three queries.
    """
    newest = Revision.objects.filter(annotation=OuterRef("pk")).order_by("-number").values("question")[:1]
    mine = Annotation.objects.filter(author=user, sample__in=samples, kind=Annotation.Kind.OWN)
    begun = mine.exclude(state=State.DISCARDED).order_by()
    checks = CheckAnswer.objects.begun().filter(user=user, check_of__sample__in=samples).order_by()
    asked = Assignment.objects.filter(user=user, sample__in=samples, sample__asked_from__isnull=False)
    found = dict.fromkeys(asked.values_list("sample", flat=True), "")
    # Values and no objects: every saved draft asks for these.
    for number, draft, submitted in begun.values_list("sample", "draft__content", Subquery(newest)):
        found[number] = str(draft.get("question", "")) if draft is not None else submitted or ""
    for number, content in checks.values_list("check_of__sample", "content"):
        found[number] = str(content.get("question", ""))
    return found
