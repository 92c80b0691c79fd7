"""Reading answers: what a model wrote becomes a letter or a value, never a guess."""

from __future__ import annotations

from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.reading import read_answer
from evaluation.metrics.settings import MetricSettings

OPTIONS = {"A": "kettle", "B": "cup", "C": "lamp", "D": "vase"}


def test_an_answer_is_blank_read_or_unread() -> None:
    key = AnswerKey(True, OPTIONS, ("B",))
    found = [read_answer(text, key, MetricSettings()) for text in (" ", "B. cup", "no idea")]
    assert [(one.state, one.letter) for one in found] == [("blank", ""), ("read", "B"), ("unread", "")]
