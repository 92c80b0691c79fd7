"""What a question to a judge is about, and what can be said of it."""

from __future__ import annotations

from evaluation.metrics.columns import TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.faithfulness import sufficient
from evaluation.metrics.settings import MetricSettings
from evaluation.models import JudgingItem
from evaluation.schema import JudgementKind

RELIABILITY, SUFFICIENCY, ANSWER = JudgingItem.Kind
CROPS, ANSWERS = "crops", "answers"
"""What a queue can be about."""
UNDECIDED = "undecided"
REASONS = ("too small to read", "wrong place", "says otherwise", "only part of it")
VERDICTS = ("yes", "no", UNDECIDED)


YES = frozenset({"yes", "right", "correct", "true"})


SOMEBODY = "a person"


UNNAMED = "a judge"


def word_of(verdict: str | None, answer: str | None, kind: str, key: AnswerKey, settings: MetricSettings) -> str | None:
    """What a judgment comes to: the first word of its verdict, or whether its answer is correct; None: nothing."""
    said = next(iter((verdict or "").split()), "").strip(".,;:!").casefold()
    if kind != JudgementKind.SUFFICIENCY or said in YES or said == "no" or answer is None:
        return said if verdict is not None else None
    right = sufficient(verdict, answer, key, settings)
    return None if right == UNKNOWN else "yes" if right == TRUE else "no"
