"""How far judges of models agree with people, and with each other: verdicts on the same answer, crop or trajectory.

A verdict is of one run on one sample. A judge is a person where its name is that of a member of the benchmark, or the
address they sign in with; whatever else is named is a judge model. Who sees people together sees them without names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotation.actions.read_agreement import Audience, facet_values
from annotation.agreement import Agreement, JudgeQuality, agree, judge_quality, one_against_rest
from annotation.models import Benchmark, Membership
from annotation.statistics import Interval, Ints, wilson
from evaluation.models import Judgement

UNNAMED = "a judge"
SOMEBODY = "a person"
YES = frozenset({"yes", "right", "correct", "true"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verdict in one word: what of (run and sample), by whom, and what is drawn together with it."""

    run: int
    key: str
    cluster: str
    judge: str
    word: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    """Two judges on what both gave a verdict on, in order of sample. ``people``: those judges that are people."""

    first: str
    second: str
    verdicts: Sequence[tuple[Verdict, Verdict]]
    people: frozenset[str]

    @property
    def same(self) -> list[str]:
        """Ids of samples with the same verdict, once for each run."""
        return [one.key for one, other in self.verdicts if one.word == other.word]

    @property
    def keys(self) -> list[str]:
        return [one.key for one, _ in self.verdicts]

    @property
    def raw(self) -> float | None:
        return len(self.same) / len(self.verdicts) if self.verdicts else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's, of raw agreement."""
        return wilson(len(self.same), len(self.verdicts))

    @property
    def words(self) -> list[str]:
        """The verdicts in use."""
        return sorted({verdict.word for both in self.verdicts for verdict in both})

    def table(self) -> list[tuple[str, list[list[str]]]]:
        """For each verdict of the first the ids of the samples by the verdict of the second."""
        found: dict[tuple[str, str], list[str]] = {}
        for one, other in self.verdicts:
            found.setdefault((one.word, other.word), []).append(one.key)
        return [(row, [found.get((row, column), []) for column in self.words]) for row in self.words]

    def agreement(self) -> Agreement | None:
        """Coefficients with cluster bootstrap intervals over pictures; None with fewer than two verdicts in use."""
        if len(self.words) < 2:
            return None
        first, second = self._codes()
        book: dict[str, int] = {}
        cluster = np.array([book.setdefault(one.cluster, len(book)) for one, _ in self.verdicts], dtype=np.int64)
        return agree(first, second, len(self.words), cluster)

    def quality(self) -> JudgeQuality | None:
        """The judge as a test against the person; None unless one of the two is a person and the verdicts are yes and
        no. Sensitivity: of what the person says yes to, the share the judge does."""
        judged = {self.first, self.second} - self.people
        yes = [word for word in self.words if word in YES]
        if len(judged) != 1 or len(yes) != 1 or len(self.words) > 2:
            return None
        first, second = (1 - one_against_rest(codes, self.words.index(yes[0])) for codes in self._codes())
        return judge_quality(first, second) if self.first in judged else judge_quality(second, first)

    def _codes(self) -> tuple[Ints, Ints]:
        place = {word: code for code, word in enumerate(self.words)}
        codes = np.array([[place[one.word], place[other.word]] for one, other in self.verdicts], dtype=np.int64)
        return codes[:, 0], codes[:, 1]


@dataclass(frozen=True)
class Judged:
    """Everything said of one kind: the judges, people first, which are people, and the verdicts."""

    judges: Sequence[str]
    people: frozenset[str]
    verdicts: Sequence[Verdict]

    def pair(self, first: str, second: str) -> Pair:
        mine, theirs = (
            {(one.run, one.key): one for one in self.verdicts if one.judge == judge} for judge in (first, second)
        )
        shared = sorted(mine.keys() & theirs.keys(), key=lambda place: (place[1], place[0]))
        return Pair(first, second, [(mine[place], theirs[place]) for place in shared], self.people)

    def pairs(self) -> list[Pair]:
        return [self.pair(first, second) for first, second in combinations(self.judges, 2)]


def kinds_of(benchmark: Benchmark) -> list[str]:
    """The kinds of judgements there are, in order. One query."""
    found = Judgement.objects.filter(run__benchmark=benchmark).order_by("kind")
    return list(found.values_list("kind", flat=True).distinct())


def load_judged(benchmark: Benchmark, kind: str, audience: Audience, user: str = "", by: str = "") -> Judged:
    """All verdicts of a kind. For ``Audience.OWN`` of people only ``user`` (an address), for ``Audience.TOGETHER``
    people without names. Two queries, and one for the values of the facet ``by``."""
    members = _people(benchmark)
    values = facet_values(benchmark, by) if by else {}
    rows = Judgement.objects.filter(run__benchmark=benchmark, kind=kind, verdict__isnull=False).order_by("pk")
    verdicts = []
    people: dict[str, None] = {}
    for row in rows.values("run", "judge", "verdict", *_SAMPLE):
        person = members.get(row["judge"].strip().casefold())
        if person and audience is Audience.OWN and person[1] != user:
            continue
        name = _name(row["judge"], person, audience)
        if person:
            people[name] = None
        verdicts.append(_verdict(row, name, values))
    names = {one.judge for one in verdicts}
    return Judged(sorted(names, key=lambda name: (name not in people, name)), frozenset(people), verdicts)


_SAMPLE = ("sample", "sample__key", "sample__image", "sample__image_group")


def _people(benchmark: Benchmark) -> dict[str, tuple[str, str]]:
    """Name and address of each member, by either of them in small letters."""
    found: dict[str, tuple[str, str]] = {}
    rows = Membership.objects.filter(benchmark=benchmark).values_list("user__name", "user__email").distinct()
    for name, email in rows:
        found[email.casefold()] = found[name.strip().casefold() or email.casefold()] = (name or email, email)
    return found


def _name(judge: str, person: tuple[str, str] | None, audience: Audience) -> str:
    if person is None:
        return judge.strip() or UNNAMED
    return SOMEBODY if audience is Audience.TOGETHER else person[0]


def _verdict(row: Mapping[str, object], judge: str, values: Mapping[int, Sequence[str]]) -> Verdict:
    sample, image = int(str(row["sample"])), row["sample__image"]
    cluster = str(row["sample__image_group"] or (f"image {image}" if image else f"sample {sample}"))
    word = next(iter(str(row["verdict"]).split()), "").strip(".,;:!").casefold()
    return Verdict(int(str(row["run"])), str(row["sample__key"]), cluster, judge, word, tuple(values.get(sample, ())))


def by_value(pair: Pair) -> list[tuple[str, Pair]]:
    """The same two by each value of the facet the verdicts were loaded by; samples without one are under "none"."""
    groups: dict[str, list[tuple[Verdict, Verdict]]] = {}
    for both in pair.verdicts:
        for value in both[0].values or ("none",):
            groups.setdefault(value, []).append(both)
    return [(value, Pair(pair.first, pair.second, found, pair.people)) for value, found in sorted(groups.items())]
