"""The subjects of questions to judges, and the possible verdicts."""

from __future__ import annotations

from evaluation.metrics.columns import TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.faithfulness import sufficient
from evaluation.metrics.settings import MetricSettings
from evaluation.models import JudgingItem
from evaluation.schema import JudgementKind

RELIABILITY, SUFFICIENCY, ANSWER = JudgingItem.Kind
CROPS, ANSWERS = "crops", "answers"
"""The subjects of a queue."""
UNDECIDED = "undecided"
REASONS = ("too small to read", "wrong place", "says otherwise", "only part of it")
VERDICTS = ("yes", "no", UNDECIDED)


YES = frozenset({"yes", "right", "correct", "true"})


SOMEBODY = "a person"


UNNAMED = "a judge"


def word_of(verdict: str | None, answer: str | None, kind: str, key: AnswerKey, settings: MetricSettings) -> str | None:
    """Return the result of a judgment: the first word of its verdict, or whether its answer is correct; None if
    undecidable.
    """
    said = next(iter((verdict or "").split()), "").strip(".,;:!").casefold()
    if kind != JudgementKind.SUFFICIENCY or said in YES or said == "no" or answer is None:
        return said if verdict is not None else None
    right = sufficient(verdict, answer, key, settings)
    return None if right == UNKNOWN else "yes" if right == TRUE else "no"
