"""Answers that no rule decides, in groups that one decision settles: equal text under equal options.

What is right is not told, so that nobody decides by the result. Of open answers the accepted strings are: whether an
answer says the same cannot be seen without them. Samples of judging queues that a person has not finished are left out
for them, whatever was said there.

Scores name the group of each undecided answer, so that groups are counted without reading answers, and one of each is
read where it is shown. Names of scores that were read with other gold, settings or rules are not today's: then all
answers are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from annotation.models import Benchmark
from evaluation.answers.read.rows import (
    UNMATCHED,
    AnswerGroup,
    Votes,
    asked_on,
    decided_rows,
    groups_of,
    open_rows,
    rows_of,
    votes_on,
)
from evaluation.common.judging.known import withheld_samples
from evaluation.importers.decisions import GROUP
from evaluation.metrics.decided import holds
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Judgement, Run
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.decisions import SAID, decision
from evaluation.store.undecided import UndecidedAnswers

MOST_NAMED = 1000
"""Groups or answers that a query names; more are not named one by one."""


class State(StrEnum):
    """What became of a group: nothing yet, a person decided, or a person left it to a judge."""

    OPEN = "open"
    DECIDED = "decided"
    LEFT = "left"


@dataclass(slots=True)
class Tally:
    """A group, counted. ``first``: the lowest number of its trajectories; ``by_run``: how many answers of each run;
    ``voted``: its trajectories of which judges said something; ``read``: the group, where all of it was read."""

    key: str
    reason: str
    multiple_choice: bool
    first: int
    by_run: dict[int, int] = field(default_factory=dict)
    voted: list[int] = field(default_factory=list)
    read: AnswerGroup | None = None

    @property
    def n(self) -> int:
        return sum(self.by_run.values())


@dataclass(frozen=True)
class AnswerGroups:
    """The groups of one state, the largest first. Before they were narrowed, as answers: ``by_reason`` of the run,
    ``by_run`` of the reason. ``names``: of the runs; ``withheld``: samples may be omitted for who asks."""

    tallies: Sequence[Tally]
    by_reason: Counter[str]
    by_run: Counter[int]
    names: dict[int, str]
    withheld: bool
    _examples: Callable[[Collection[int]], Iterable[AnswerGroup]]

    @property
    def answers(self) -> int:
        return sum(tally.n for tally in self.tallies)

    @property
    def groups(self) -> list[AnswerGroup]:
        """All of them, read."""
        return self.read(self.tallies)

    def read(self, tallies: Sequence[Tally]) -> list[AnswerGroup]:
        """These groups: of each that is only counted, one answer is read, and those of which judges spoke."""
        found: dict[str, AnswerGroup] = {}
        counted = [tally for tally in tallies if not tally.read]
        for first in range(0, len(counted), MOST_NAMED):
            pks = [pk for tally in counted[first : first + MOST_NAMED] for pk in (tally.first, *tally.voted)]
            found |= {group.key: group for group in self._examples(pks)}
        groups = ((tally, tally.read or found.get(tally.key)) for tally in tallies)
        return [replace(group, by_run=tally.by_run) for tally, group in groups if group]

    def named(self, keys: Collection[str]) -> list[AnswerGroup]:
        return self.read([tally for tally in self.tallies if tally.key in keys])


def read_groups(
    benchmark: Benchmark, user: Any, *, state: State = State.OPEN, run: int | None = None, reason: str = ""
) -> AnswerGroups:
    """The groups that this person may see; None: a command, which sees all. A fixed number of queries.

    What judges said is told with open groups, but to nobody from whom samples are withheld: equal texts stand on
    others, too.
    """
    runs = list(Run.objects.of(benchmark))
    hidden = withheld_samples(user, benchmark) if user is not None else None
    withheld = hidden is not None and hidden.exists()
    hidden = hidden if withheld else None
    undecided = UndecidedAnswers(benchmark, runs, hidden) if state is State.OPEN else None
    fresh = StalenessChecker(benchmark, numbers={benchmark.pk: undecided.snapshot.number} if undecided else None)
    settings = fresh.settings[benchmark.pk]
    votes = votes_on(benchmark) if state is State.OPEN and not withheld else {}
    if undecided is None:
        every = _tallies(groups_of(decided_rows(benchmark, hidden, left=state is State.LEFT), settings))
    elif any(fresh.read_before(one.scoring) for one in _scored(runs)):
        every = _tallies(groups_of(open_rows(undecided.pks()), settings, votes))
    else:
        every = _counted(undecided, votes)
    found, by_reason, by_run = _narrowed(every, run, reason)
    names = {one.pk: str(one) for one in runs}
    return AnswerGroups(found, by_reason, by_run, names, withheld, lambda pks: _examples(pks, settings, votes))


def _scored(runs: Iterable[Run]) -> Iterator[Run]:
    return (run for run in runs if hasattr(run, "scoring"))


def _narrowed(every: Sequence[Tally], run: int | None, reason: str) -> tuple[list[Tally], Counter[str], Counter[int]]:
    """Return the groups of a run and a reason, the largest first, and the counts of all groups by reason and by
    run."""
    by_reason: Counter[str] = Counter()
    by_run: Counter[int] = Counter()
    for tally in every:
        by_reason[tally.reason] += tally.n if run is None else tally.by_run.get(run, 0)
        if reason in ("", tally.reason):
            for one, n in tally.by_run.items():
                by_run[one] += n
    shown = [tally for tally in every if reason in ("", tally.reason)]
    if run is not None:
        shown = [replace(one, by_run={run: one.by_run[run]}) for one in shown if run in one.by_run]
    shown.sort(key=lambda tally: (-tally.n, tally.first))
    return shown, +by_reason, by_run


def _tallies(groups: Iterable[AnswerGroup]) -> list[Tally]:
    """Return the tallies of groups whose answers were all read."""
    return [
        Tally(
            group.key, group.reason, group.multiple_choice, group.trajectories[0], group.by_run,
            [vote.trajectory for vote in group.votes], group,
        )
        for group in groups
    ]  # fmt: skip


def _counted(undecided: UndecidedAnswers, votes: Votes) -> list[Tally]:
    """The groups as scores name them, without the answers decided or left since. Two queries."""
    groups: dict[str, Tally] = {}
    for name, run, reason, multiple_choice, first, n in undecided.grouped():
        if name not in groups:
            groups[name] = Tally(name, _REASON_WORDS.get(reason, reason), multiple_choice, first)
        by_run = groups[name].by_run
        by_run[run] = by_run.get(run, 0) + n
    settled = _settled(undecided)
    for name, run in settled.values():
        if name in groups:
            by_run = groups[name].by_run
            by_run[run] -= 1
            if not by_run[run]:
                del by_run[run]
    if votes:
        for pk, name in sorted(undecided.group_of(list(votes)).items()):
            if pk not in settled and name in groups:
                groups[name].voted.append(pk)
    return [tally for tally in groups.values() if tally.by_run]


def _settled(undecided: UndecidedAnswers) -> dict[int, tuple[str, int]]:
    """Group and run of those of these answers that have a current decision, by trajectory."""
    rows = Judgement.objects.of(undecided.snapshot.benchmark).decisions().exclude(trajectory=None)
    said = list(rows.values_list("trajectory", "run_id", "sample_id", "trajectory__answer", *SAID))
    if not said:
        return {}
    groups = undecided.group_of([row[0] for row in said])
    asked = asked_on(rows.order_by().values("sample"))
    return {
        pk: (groups[pk], run)
        for pk, run, sample, text, *one in said
        if pk in groups and sample in asked and holds(decision(*one), text, asked[sample].key)
    }


_REASON_WORDS = {"": UNMATCHED, "nothing": "none"}
"""Reasons that the store has under another name."""


def _examples(trajectories: Collection[int], settings: MetricSettings, votes: Votes) -> Iterator[AnswerGroup]:
    return groups_of(rows_of(trajectories), settings, votes)


def read_open_groups(
    benchmark: Benchmark, user: Any, keys: Collection[str], *, run: int | None = None
) -> list[AnswerGroup]:
    """The groups of these names that wait for a decision, with all of their answers. Only these are read, unless scores
    were read with other gold, settings or rules."""
    keys = {key for key in keys if GROUP.match(key)}
    runs = list(Run.objects.of(benchmark))
    undecided = UndecidedAnswers(benchmark, runs, withheld_samples(user, benchmark) if user is not None else None)
    fresh = StalenessChecker(benchmark, numbers={benchmark.pk: undecided.snapshot.number})
    named = len(keys) <= MOST_NAMED and not any(fresh.read_before(one.scoring) for one in _scored(runs))
    found = groups_of(open_rows(undecided.pks(keys if named else None, run)), fresh.settings[benchmark.pk])
    return [group for group in found if group.key in keys]
