"""The results of people on gold checks, for the lead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from annotation.models import Benchmark, CheckAnswer, GoldCheck, Pause
from annotation.quality.read.agreement import facet_values, short_names
from annotation.work_rules import Standing


@dataclass(frozen=True)
class CheckRow:
    """One submitted answer: its sample, its author, and the result of the comparison."""

    answer: CheckAnswer
    key: str
    name: str
    values: tuple[str, ...]


@dataclass
class CheckGroup:
    """The answers of a person, or to the samples with one value of a facet, as ids of samples."""

    name: str
    person: int | None = None
    answered: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    pause: Pause | None = None

    @property
    def standing(self) -> Standing:
        return Standing(len(self.passed), len(self.passed) + len(self.failed))

    def add(self, row: CheckRow) -> None:
        self.answered.append(row.key)
        {True: self.passed, False: self.failed, None: self.undecided}[row.answer.passed].append(row.key)


def check_rows(benchmark: Benchmark, by: str = "") -> list[CheckRow]:
    """Every answer submitted, the newest first. One query, and one for the values of the facet ``by``."""
    found = CheckAnswer.objects.on(benchmark).handed_in().select_related("check_of__sample__image", "user", "gold")
    answers = list(found.order_by("-handed_in_at", "-pk"))
    names = short_names({one.user_id: str(one.user) for one in answers})
    values = facet_values(benchmark, by) if by else {}
    return [
        CheckRow(one, one.check_of.sample.key, names[one.user_id], tuple(values.get(one.check_of.sample_id, ())))
        for one in answers
    ]


def by_person(benchmark: Benchmark, rows: Iterable[CheckRow]) -> list[CheckGroup]:
    """One group for each person who answered or is paused for it, by name. One query."""
    groups: dict[int, CheckGroup] = {}
    for row in rows:
        groups.setdefault(row.answer.user_id, CheckGroup(row.name, row.answer.user_id)).add(row)
    for pause in Pause.objects.standing().by_itself().filter(benchmark=benchmark).select_related("user"):
        if pause.user is not None:
            groups.setdefault(pause.user.pk, CheckGroup(str(pause.user), pause.user.pk)).pause = pause
    return sorted(groups.values(), key=lambda group: group.name)


def grouped(rows: Sequence[CheckRow], names: Callable[[CheckRow], Sequence[str]]) -> list[CheckGroup]:
    """One group for each name, in order; an answer with several names is in each."""
    groups: dict[str, CheckGroup] = {}
    for row in rows:
        for name in names(row):
            groups.setdefault(name, CheckGroup(name)).add(row)
    return [group for _, group in sorted(groups.items())]


def running_checks(benchmark: Benchmark) -> list[GoldCheck]:
    """The checks that run, in order of id. One query."""
    running = GoldCheck.objects.filter(sample__benchmark=benchmark, active=True)
    return list(running.with_results().select_related("sample__image").order_by("sample__key"))
