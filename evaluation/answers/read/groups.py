"""Groups of answers that no rule decides. One decision covers a group: equal text under equal options.

The correct option is not shown, so that decisions don't depend on the result. For open answers the accepted strings are
shown, because a person needs them to compare. Samples of judging queues that a person has not finished are omitted for
this person, whatever their decisions.

Scores name the group of each undecided answer, so that groups are counted without reading answers. One answer of each
is read when it is shown. Names in scores with other gold, settings or rules are outdated: then all answers are read.
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
"""The maximum number of groups or answers that a query names individually."""


class State(StrEnum):
    """The state of a group: open, decided by a person, or left to a judge by a person."""

    OPEN = "open"
    DECIDED = "decided"
    LEFT = "left"


@dataclass(slots=True)
class Tally:
    """The counts of a group. ``first``: the lowest number of its trajectories; ``by_run``: number of answers by run;
    ``voted``: its trajectories with votes of judges; ``read``: the group, if all of it was read.
    """

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
    """The groups of one state, the largest first. Number of answers before filters: ``by_reason`` of the run,
    ``by_run`` of the reason. ``names``: of the runs; ``withheld``: samples may be omitted for this person.
    """

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
        """All groups, with their answers read."""
        return self.read(self.tallies)

    def read(self, tallies: Sequence[Tally]) -> list[AnswerGroup]:
        """Return these groups. Of groups that are only counted, one answer is read, and those with votes of judges."""
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
    """Return the groups that this person may see; None: a command, which sees all. A fixed number of queries.

    Open groups include the votes of judges. People from whom samples are withheld see no votes, because other samples
    can have equal texts.
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
    """Return the groups as named by scores, without the answers decided or left since. Two queries."""
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
    """Return group and run, by trajectory, of those answers that have a current decision."""
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
"""Reasons with another name in the store."""


def _examples(trajectories: Collection[int], settings: MetricSettings, votes: Votes) -> Iterator[AnswerGroup]:
    return groups_of(rows_of(trajectories), settings, votes)


def read_open_groups(
    benchmark: Benchmark, user: Any, keys: Collection[str], *, run: int | None = None
) -> list[AnswerGroup]:
    """Return the open groups of these names with all of their answers. Only these are read, unless scores were computed
    with other gold, settings or rules.
    """
    keys = {key for key in keys if GROUP.match(key)}
    runs = list(Run.objects.of(benchmark))
    undecided = UndecidedAnswers(benchmark, runs, withheld_samples(user, benchmark) if user is not None else None)
    fresh = StalenessChecker(benchmark, numbers={benchmark.pk: undecided.snapshot.number})
    named = len(keys) <= MOST_NAMED and not any(fresh.read_before(one.scoring) for one in _scored(runs))
    found = groups_of(open_rows(undecided.pks(keys if named else None, run)), fresh.settings[benchmark.pk])
    return [group for group in found if group.key in keys]
