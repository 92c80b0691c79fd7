"""The gold answer of a sample, for trainers that send the text alone."""

from __future__ import annotations

from annotation.models import Benchmark, Revision
from annotation.schema import AnswerType
from evaluation.metrics.columns import AnswerKey


def answer_key_of(benchmark: Benchmark, key: str) -> AnswerKey | None:
    """The gold answer of a sample, None without one. One query."""
    of = Revision.objects.filter(gold_of__sample__benchmark=benchmark, gold_of__sample__key=key)
    row = of.values_list("answer_type", "options", "answers").first()
    if row is None or not row[2]:
        return None
    return AnswerKey(row[0] == AnswerType.MULTIPLE_CHOICE, row[1] or {}, tuple(row[2]))
