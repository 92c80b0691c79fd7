"""Questions of revisions under conditions: their images, and the judging of answers by people and models."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext_lazy

from annotation.evidence import Condition
from annotation.importers.fields import Number4
from annotation.models import GoldBox, GoldShape, Revision, Sample
from annotation.regions import polygons_in
from annotation.schema import AnswerType, Box, Point, SampleContent
from evaluation.common.source_images import source_image
from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.settings import MetricSettings
from evaluation.runner.evidence import shown_image
from evaluation.runner.images import SentImage

CONDITION_WORDS = {
    Condition.IMAGE: gettext_lazy("Full image"),
    Condition.SMALL: gettext_lazy("Image at 1024 px"),
    Condition.MASKED: gettext_lazy("Gold masked"),
    Condition.CROP: gettext_lazy("Gold crop alone"),
    Condition.QUESTION: gettext_lazy("Question alone"),
}
PEOPLE_SEE = "fit:2048"
"""The size at which people see the image of a condition, in the form of an image policy."""


def boxes_of(revision: Revision) -> list[Number4]:
    """The gold boxes, in pixels of the original; of a polygon or a point, the box around it."""
    return [box_of(box) for box in revision.evidence]


def box_of(shape: GoldBox | GoldShape) -> Number4:
    """The box, or the one around a polygon or a point."""
    return (shape.x1, shape.y1, shape.x2, shape.y2)


def polygons_of(revision: Revision) -> dict[int, Sequence[Point]]:
    """The corners of the gold's polygons, by position among ``boxes_of``."""
    drawn = revision.evidence
    return polygons_in(one.outline if isinstance(one, GoldShape) else Box(*box_of(one)) for one in drawn)


def condition_image(sample: Sample, revision: Revision, condition: Condition) -> SentImage | None:
    """The image that people see under a condition, None for the question alone. Raises ``CannotApply`` without gold
    boxes, and ``PictureProblem`` for a damaged file."""
    return shown_image(condition, source_image(sample), boxes_of(revision), PEOPLE_SEE, polygons=polygons_of(revision))


def judged(answer: str | None, content: SampleContent, settings: MetricSettings) -> tuple[str, bool | None]:
    """The answer as read, and whether it is correct by the rules of answers (docs/metrics.md#answers).

    None with a text: undecided. None with "": unread, whatever ``unread_answer`` says, because what cannot be read says
    nothing about an annotator or the evidence.
    """
    key = AnswerKey(content.answer_type is AnswerType.MULTIPLE_CHOICE, content.options, content.answers)
    found = judge_answer(answer, key, UNKNOWN, settings) if answer else None
    if found is None or found.unread:
        return "", None
    right = True if found.correct == TRUE else False if found.correct == FALSE else None
    return found.letter or str(answer), right
