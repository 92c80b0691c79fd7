"""Answers that no rule decides or that people decided, grouped by equal text and options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import Q

from annotation.models import Benchmark, Revision
from annotation.schema import AnswerType
from evaluation.common.judging.words import ANSWER, UNDECIDED
from evaluation.metrics.answers import AnswerResult, group_key, judge_answer, key_digest
from evaluation.metrics.columns import UNKNOWN, AnswerKey
from evaluation.metrics.decided import holds, text_digest
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Judgement, JudgingItem, JudgingQueue, Trajectory
from evaluation.schema import DecisionWord
from evaluation.scoring.load.decisions import SAID, decision, decisions_on

CHUNK = 5000
UNMATCHED = "unmatched"
"""Default reason why an open answer is undecided: it equals no accepted answer."""

Votes = Mapping[int, Sequence[tuple[str, str, str, str]]]
"""Votes of people by trajectory: the word, its author and the digests of its subject."""


class Asked(NamedTuple):
    """The question and answer key of an answer."""

    question: str
    key: AnswerKey


@dataclass(frozen=True, slots=True)
class Said:
    """The decision on a group and its author ("" if unknown)."""

    letter: str
    word: str
    by: str


class Vote(NamedTuple):
    """A person's vote in a judging queue on the meaning of an answer: a letter, or a ``DecisionWord``."""

    word: str
    by: str
    trajectory: int


class Row(NamedTuple):
    """An answer with its question; ``said``: its decision, None without one."""

    pk: int
    run: int
    text: str | None
    asked: Asked
    said: Said | None


@dataclass(slots=True)
class AnswerGroup:
    """Answers of equal normalized text under equal options.

    ``key`` identifies the group in URLs. ``question`` is the question of one answer; ``accepted`` is filled for open
    answers only. ``by_run``: number of answers by run; ``trajectories``: those that were read, of all runs. ``votes``:
    of finished judging queues.
    """

    key: str
    text: str
    raw: str
    reason: str
    question: str
    multiple_choice: bool
    options: Mapping[str, str]
    accepted: tuple[str, ...]
    said: Said | None = None
    by_run: dict[int, int] = field(default_factory=dict)
    trajectories: list[int] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)

    @property
    def agreed(self) -> str:
        """The common word of all votes on this group; "" without votes, or if they differ or include undecided ones."""
        words = {vote.word for vote in self.votes}
        return words.pop() if len(words) == 1 and UNDECIDED not in words else ""

    @property
    def n(self) -> int:
        return sum(self.by_run.values())


def rows_of(pks: Collection[int]) -> Iterator[Row]:
    """Yield the answers of these trajectories in the order of their numbers, without samples without gold. Two queries
    per ``CHUNK`` of them.
    """
    keys: dict[str, AnswerKey] = {}
    for chunk in _chunks(pks):
        found = Trajectory.objects.filter(pk__in=chunk).order_by("pk")
        rows = list(found.values_list("pk", "run_id", "sample_id", "answer"))
        asked = asked_on({row[2] for row in rows}, keys)
        yield from (Row(pk, run, text, asked[sample], None) for pk, run, sample, text in rows if sample in asked)


def open_rows(pks: Collection[int]) -> Iterator[Row]:
    """Yield the same answers, without those that have a current decision. One more query per ``CHUNK``."""
    decided = {pk: one for chunk in _chunks(pks) for pk, one in decisions_on(chunk).items()}
    for row in rows_of(pks):
        if not (row.pk in decided and holds(decided[row.pk], row.text, row.asked.key)):
            yield row


def _chunks(pks: Collection[int]) -> Iterator[list[int]]:
    ordered = sorted(pks)
    return (ordered[first : first + CHUNK] for first in range(0, len(ordered), CHUNK))


def decided_rows(benchmark: Benchmark, hidden: Any, *, left: bool) -> Iterator[Row]:
    """Yield the answers with a current decision: those left for a judge, or the others. Two queries."""
    leave = Q(verdict=DecisionWord.LEAVE)
    found = Judgement.objects.of(benchmark).decisions().filter(leave if left else ~leave | Q(verdict=None))
    if hidden is not None:
        found = found.exclude(sample__in=hidden)
    asked = asked_on(found.order_by().values("sample"))
    fields = ("trajectory", "run_id", "sample_id", "trajectory__answer", "person__name", "judge", *SAID)
    for pk, run, sample, text, by, judge, *said in found.order_by("trajectory").values_list(*fields):
        one = decision(*said)
        if sample in asked and holds(one, text, asked[sample].key):
            yield Row(pk, run, text, asked[sample], Said(one.letter, one.word, by or judge))


def asked_on(samples: Any, keys: dict[str, AnswerKey] | None = None) -> dict[int, Asked]:
    """Return the current question and answer key by sample. ``samples``: their numbers, or a query for them. ``keys``:
    those read before; equal ones are the same object. One query.
    """
    of = Revision.objects.filter(gold_of__sample__in=samples)
    fields = ("gold_of__sample", "question", "answer_type", "options", "answers")
    known = {} if keys is None else keys
    found = {}
    for sample, question, answer_type, options, answers in of.values_list(*fields):
        key = AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
        found[sample] = Asked(question, known.setdefault(repr(key), key))
    return found


def votes_on(benchmark: Benchmark) -> Votes:
    """Return the votes of finished judging queues. Two queries."""
    unfinished = JudgingItem.objects.of(benchmark).unjudged().order_by().values("queue")
    queues = JudgingQueue.objects.filter(benchmark=benchmark).exclude(pk__in=unfinished).order_by()
    said = Judgement.objects.of(benchmark).given().exclude(person=None).exclude(trajectory=None)
    found: dict[int, list[tuple[str, str, str, str]]] = defaultdict(list)
    for pk, name, answer, verdict, text, key in (
        said.filter(kind=ANSWER, extra__queue__in=list(queues.values_list("pk", flat=True)))
        .order_by("person__name")
        .values_list("trajectory", "person__name", "answer", "verdict", "text_digest", "key_digest")
    ):
        found[pk].append((answer or verdict or UNDECIDED, name, text, key))
    return found


def groups_of(
    rows: Iterable[Row], settings: MetricSettings, votes: Votes = MappingProxyType({})
) -> Iterator[AnswerGroup]:
    """Yield the groups of these answers, each at the position of its first answer. Equal answers under one key are read
    once.
    """
    digests: dict[int, str] = {}
    readings: dict[tuple[str | None, str], AnswerResult] = {}
    groups: dict[tuple[str, Said | None], AnswerGroup] = {}
    for row in rows:
        key = row.asked.key
        about = digests.get(id(key)) or digests.setdefault(id(key), key_digest(key))
        if (row.text, about) not in readings:
            readings[row.text, about] = judge_answer(row.text, key, UNKNOWN, settings)
        judged = readings[row.text, about]
        name = group_key(judged.reading.normalized, about)
        group = groups.get((name, row.said))
        if group is None:
            group = groups[name, row.said] = _made(name, row, judged)
        group.by_run[row.run] = group.by_run.get(row.run, 0) + 1
        group.trajectories.append(row.pk)
        for word, by, *about_then in votes.get(row.pk, ()):
            if about_then == [text_digest(row.text), about]:
                group.votes.append(Vote(word, by, row.pk))
    yield from groups.values()


def _made(name: str, row: Row, judged: AnswerResult) -> AnswerGroup:
    key = row.asked.key
    return AnswerGroup(
        key=name,
        text=judged.reading.normalized,
        raw=(row.text or "").strip(),
        reason=judged.reason or judged.reading.reason or UNMATCHED,
        question=row.asked.question,
        multiple_choice=key.multiple_choice,
        options=key.options,
        accepted=() if key.multiple_choice else key.accepted,
        said=row.said,
    )
