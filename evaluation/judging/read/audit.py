"""The accuracy of the reader, measured by a queue about answers: how many of the answers that it read, people read
alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Revision
from annotation.schema import AnswerType
from annotation.statistics import Interval, wilson
from evaluation.common.judging.known import judgements_known_to
from evaluation.common.judging.words import ANSWER, UNDECIDED
from evaluation.metrics.answers import judge_answer, key_digest
from evaluation.metrics.columns import TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.decided import text_digest
from evaluation.metrics.reading import read_answer
from evaluation.metrics.settings import MetricSettings
from evaluation.models import JudgingQueue, Trajectory
from evaluation.schema import DecisionWord
from evaluation.scoring.settings import settings_of


@dataclass(frozen=True, slots=True)
class Difference:
    """An answer that people and the reader read differently, each in a word: an option, none, same."""

    trajectory: Trajectory
    people: str
    reader: str


@dataclass(frozen=True)
class ReaderAudit:
    """``n``: answers that the rules read and on which people agree; ``correct``: those with the same result.

    Separate: ``unread`` answers that people could read, ``unclear`` ones that no one could read or on which people
    differ, and those whose text or options have ``changed`` since. ``cases``: the trajectories of each by its name."""

    n: int
    correct: int
    unread: int
    unclear: int
    changed: int
    differences: Sequence[Difference]
    cases: Mapping[str, Sequence[int]]

    @property
    def interval(self) -> Interval | None:
        """Wilson's, 95%."""
        return wilson(self.correct, self.n)


def audit_reader(user: Any, queue: JudgingQueue) -> ReaderAudit | None:
    """Audit the reader with what this person may know about a queue on answers; None for another queue or before the
    first judgment. Answers are read again under the current settings. Five queries."""
    asked = queue.items.filter(kind=ANSWER).values("trajectory")
    said = judgements_known_to(user, queue.benchmark).given().filter(trajectory__in=asked, extra__queue=queue.pk)
    words: dict[int, set[tuple[str, str, str]]] = defaultdict(set)
    for pk, answer, verdict, *digests in said.values_list(
        "trajectory", "answer", "verdict", "text_digest", "key_digest"
    ):
        words[pk].add((answer or verdict or "", *digests))
    rows = Trajectory.objects.filter(pk__in=words).select_related("run__model", "sample")
    keys, settings = _keys(rows), settings_of(queue.benchmark)
    found: dict[str, list[int]] = {name: [] for name in ("n", "correct", "unread", "unclear", "changed")}
    differences = []
    for row in rows.order_by("sample__key", "run"):
        outcome, people, reader = _compared(row.answer, keys.get(row.sample_id), words[row.pk], settings)
        for name in ("n", "correct") if outcome == "correct" else (outcome,):
            found[name].append(row.pk)
        if outcome == "n":
            differences.append(Difference(row, people, reader))
    counts = {name: len(pks) for name, pks in found.items()}
    return ReaderAudit(**counts, differences=differences, cases=found) if words else None


def _keys(rows: Any) -> dict[int, AnswerKey]:
    of = Revision.objects.filter(gold_of__sample__in=rows.values("sample"))
    return {
        sample: AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
        for sample, answer_type, options, answers in of.values_list(
            "gold_of__sample", "answer_type", "options", "answers"
        )
    }


def _compared(
    text: str | None, key: AnswerKey | None, said: set[tuple[str, str, str]], settings: MetricSettings
) -> tuple[str, str, str]:
    """Return the category of one answer ("correct" counts in ``n`` too), the reading of people and that of
    the reader.
    """
    now = None if key is None else (text_digest(text), key_digest(key))
    if key is None or any(one[1:] != now for one in said):
        return "changed", "", ""
    people = {word for word, *_ in said}
    if len(people) > 1 or UNDECIDED in people:
        return "unclear", "", ""
    [word] = people
    reader = _reads(text, key, settings)
    if not reader:
        return "unread", word, ""
    return ("correct" if reader == word else "n"), word, reader


def _reads(text: str | None, key: AnswerKey, settings: MetricSettings) -> str:
    """The reader's word for an answer; "" where it reads nothing that decides."""
    if key.multiple_choice:
        return read_answer(text, key, settings).letter
    correct = judge_answer(text, key, UNKNOWN, settings).correct
    return "" if correct == UNKNOWN else DecisionWord.SAME if correct == TRUE else DecisionWord.DIFFERENT
