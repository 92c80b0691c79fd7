"""From the text of a model to a letter or a value, never guessing."""

from __future__ import annotations

from evaluation.metrics.answer_text import answer_text
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.letters import read_letter
from evaluation.metrics.reading.record import NORMALIZED_LENGTH, Reading
from evaluation.metrics.settings import MetricSettings


def read_answer(text: str | None, key: AnswerKey, settings: MetricSettings) -> Reading:
    """What ``text`` says under ``key``: an option's letter, or the value of an open answer.

    The gold answer is never asked: only the options and the kind of answer.
    """
    found = answer_text(text)
    if not found:
        return Reading("blank")
    shown = found[:NORMALIZED_LENGTH]
    if not key.multiple_choice:
        return Reading("read", value=found, where="text", rule="text", strength="exact", normalized=shown)
    letter = read_letter(found, key.options)
    if not letter:
        return Reading("unread", normalized=shown, reason="none")
    return Reading("read", letter, where="text", rule="letter", strength="exact", normalized=shown)
