"""r_acc and r_format by rule, for trainers that send the text alone."""

from __future__ import annotations

from annotation.models import Benchmark, Revision
from annotation.schema import AnswerType
from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.settings import MetricSettings


def answer_key_of(benchmark: Benchmark, key: str) -> AnswerKey | None:
    """The gold answer of a sample, None without one. One query."""
    of = Revision.objects.filter(gold_of__sample__benchmark=benchmark, gold_of__sample__key=key)
    row = of.values_list("answer_type", "options", "answers").first()
    if row is None or not row[2]:
        return None
    return AnswerKey(row[0] == AnswerType.MULTIPLE_CHOICE, row[1] or {}, tuple(row[2]))


def rewards_by_rule(text: str, key: AnswerKey, settings: MetricSettings) -> tuple[float, float]:
    """r_acc = 1 if the answer in the text is correct, else 0; r_format = 1 if the answer can be read, else 0."""
    found = judge_answer(text, key, UNKNOWN, settings)
    return float(found.correct == TRUE), float(not found.unread and not found.missing)
