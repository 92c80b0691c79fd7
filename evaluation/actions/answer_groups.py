"""Answers that no rule decides, in groups that one decision settles: equal text under equal options.

What is right is not told, so that nobody decides by the result. Of open answers the accepted strings are: whether an
answer says the same cannot be seen without them. Samples of judging queues that somebody has not finished are left out
for them, whatever was said there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from django.db.models import Q

from annotation.models import Benchmark, Revision
from annotation.schema import AnswerType
from evaluation.actions.decisions import SAID, decision
from evaluation.actions.judging_known import withheld_samples
from evaluation.actions.metric_settings import settings_of
from evaluation.metrics.answers import AnswerResult, group_key, judge_answer, key_digest
from evaluation.metrics.columns import UNKNOWN, AnswerKey
from evaluation.metrics.decided import holds
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Judgement, Run, Trajectory
from evaluation.schema import DecisionWord

UNMATCHED = "unmatched"
"""Why an open answer is undecided where no other reason is known: it equals nothing that is accepted."""


class State(StrEnum):
    """What became of a group: nothing yet, a person decided, or somebody left it to a judge."""

    OPEN = "open"
    DECIDED = "decided"
    LEFT = "left"


class Asked(NamedTuple):
    """What an answer is an answer to."""

    question: str
    key: AnswerKey


@dataclass(frozen=True, slots=True)
class Said:
    """What a group was decided to say, and by whom ("" by nobody who is known here)."""

    letter: str
    word: str
    by: str


@dataclass(slots=True)
class AnswerGroup:
    """Answers of equal normalized text under equal options. ``key`` names it in addresses. ``question`` is that of one
    of them; ``accepted`` is told of open answers alone. ``by_run``: the trajectories of each run, by number."""

    key: str
    text: str
    raw: str
    reason: str
    question: str
    multiple_choice: bool
    options: Mapping[str, str]
    accepted: tuple[str, ...]
    said: Said | None = None
    by_run: dict[int, list[int]] = field(default_factory=dict)

    @property
    def trajectories(self) -> list[int]:
        return [pk for pks in self.by_run.values() for pk in pks]

    @property
    def n(self) -> int:
        return sum(map(len, self.by_run.values()))

    def n_of(self, run: int) -> int:
        return len(self.by_run.get(run, ()))


@dataclass(frozen=True)
class AnswerGroups:
    """The groups of one state, the largest first. Before they were narrowed, as answers: ``by_reason`` of the run,
    ``by_run`` of the reason. ``names``: of the runs; ``withheld``: samples may be left out for who asks."""

    groups: Sequence[AnswerGroup]
    by_reason: Mapping[str, int]
    by_run: Mapping[int, int]
    names: Mapping[int, str]
    withheld: bool

    @property
    def answers(self) -> int:
        return sum(group.n for group in self.groups)

    def named(self, keys: Collection[str]) -> list[AnswerGroup]:
        return [group for group in self.groups if group.key in keys]


def read_groups(
    benchmark: Benchmark, user: Any, *, state: State = State.OPEN, run: int | None = None, reason: str = ""
) -> AnswerGroups:
    """The groups that this person may see; None: a command, which sees all. A fixed number of queries."""
    names = {one.pk: str(one) for one in Run.objects.of(benchmark).without_tables()}
    hidden = withheld_samples(user, benchmark) if user is not None else None
    rows = _open_rows(benchmark, hidden) if state is State.OPEN else _decided_rows(benchmark, hidden, state)
    every = list(_groups(rows, settings_of(benchmark)))
    by_reason: Counter[str] = Counter()
    by_run: Counter[int] = Counter()
    for group in every:
        by_reason[group.reason] += group.n if run is None else group.n_of(run)
        if reason in ("", group.reason):
            by_run.update({one: len(pks) for one, pks in group.by_run.items()})
    shown = [group for group in every if reason in ("", group.reason)]
    if run is not None:
        shown = [replace(group, by_run={run: group.by_run[run]}) for group in shown if group.n_of(run)]
    shown.sort(key=lambda group: (-group.n, group.text, group.key))
    return AnswerGroups(shown, +by_reason, by_run, names, hidden is not None and hidden.exists())


class _Row(NamedTuple):
    pk: int
    run: int
    sample: int
    text: str | None
    asked: Asked
    said: Said | None


_OF_ROW = ("pk", "run_id", "sample_id", "answer")


def _open_rows(benchmark: Benchmark, hidden: Any) -> Iterator[_Row]:
    """The answers that are undecided, and about which no decision of today stands. Four queries."""
    found = Trajectory.objects.of(benchmark).undecided_answers()
    if hidden is not None:
        found = found.exclude(sample__in=hidden)
    asked = _asked(found)
    decided = {
        pk: decision(*said)
        for pk, *said in Judgement.objects.decisions()
        .filter(trajectory__in=found.values("pk"))
        .values_list("trajectory_id", *SAID)
    }
    for pk, run, sample, text in found.order_by("pk").values_list(*_OF_ROW):
        if sample in asked and not (pk in decided and holds(decided[pk], text, asked[sample].key)):
            yield _Row(pk, run, sample, text, asked[sample], None)


def _decided_rows(benchmark: Benchmark, hidden: Any, state: State) -> Iterator[_Row]:
    """The answers about which a decision of today stands: those that were left, or the others. Three queries."""
    left = Q(verdict=DecisionWord.LEAVE)
    found = Judgement.objects.of(benchmark).decisions().filter(left if state is State.LEFT else ~left | Q(verdict=None))
    if hidden is not None:
        found = found.exclude(sample__in=hidden)
    asked = _asked(Trajectory.objects.filter(judgements__in=found))
    fields = [f"trajectory__{name}" for name in _OF_ROW]
    for pk, run, sample, text, by, judge, *said in found.order_by("trajectory").values_list(
        *fields, "person__name", "judge", *SAID
    ):
        one = decision(*said)
        if sample in asked and holds(one, text, asked[sample].key):
            yield _Row(pk, run, sample, text, asked[sample], Said(one.letter, one.word, by or judge))


def _asked(trajectories: Any) -> dict[int, Asked]:
    """Question and answer key of today by sample. One query."""
    of = Revision.objects.filter(gold_of__sample__in=trajectories.order_by().values("sample"))
    fields = ("gold_of__sample", "question", "answer_type", "options", "answers")
    keys: dict[str, AnswerKey] = {}
    found = {}
    for sample, question, answer_type, options, answers in of.values_list(*fields):
        key = AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
        found[sample] = Asked(question, keys.setdefault(repr(key), key))
    return found


def _groups(rows: Iterable[_Row], settings: MetricSettings) -> Iterator[AnswerGroup]:
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
        group.by_run.setdefault(row.run, []).append(row.pk)
    yield from groups.values()


def _made(name: str, row: _Row, judged: AnswerResult) -> AnswerGroup:
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
