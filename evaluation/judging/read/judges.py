"""Agreement of judge models with people, and with each other: verdicts on the same answer, crop or trajectory.

A verdict refers to one trajectory. A judge is a person if its name is that of a member of the benchmark, or their
sign-in address; any other name is a judge model. Pages that combine people show no names. For sufficiency, a judge may
answer the question instead: the answer is compared with the gold like any answer. "Cannot tell" is not a verdict and is
counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement import (
    Agreement,
    Coefficient,
    JudgeQuality,
    agree,
    corrected_rate,
    judge_quality,
    one_against_rest,
)
from annotation.content.people import verified_addresses
from annotation.models import Benchmark
from annotation.models.querysets.samples import cluster_image
from annotation.prediction_powered import PoweredRate, powered_rate
from annotation.quality.read.agreement import Audience, facet_values
from annotation.schema import AnswerType
from annotation.statistics import Floats, Interval, Ints, wilson
from evaluation.common.judging.known import judgements_known_to
from evaluation.common.judging.words import SOMEBODY, UNDECIDED, UNNAMED, YES, word_of
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Judgement, JudgingItem, JudgingQueue
from evaluation.scoring.settings import settings_of
from webapp.accounts.anonymize import anonymized
from webapp.accounts.models import User


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verdict as a word: its subject (run, sample and, if recorded, trajectory), its judge, and the cluster it was
    drawn with.
    """

    run: int
    key: str
    trajectory: int | None
    cluster: str
    judge: str
    word: str
    values: tuple[str, ...] = ()

    @property
    def yes(self) -> bool:
        return self.word in YES

    @property
    def place(self) -> tuple[str, int, int]:
        """The subject, on which each judge gives one verdict; sorted by sample."""
        return self.key, self.run, self.trajectory or 0


@dataclass(frozen=True)
class Pair:
    """Two judges and the subjects with verdicts of both, in order of sample. ``people``: those judges that
    are people.
    """

    first: str
    second: str
    verdicts: Sequence[tuple[Verdict, Verdict]]
    people: frozenset[str]

    @property
    def same(self) -> list[str]:
        """The ids of samples with the same verdict, once for each trajectory."""
        return [one.key for one, other in self.verdicts if one.word == other.word]

    @property
    def keys(self) -> list[str]:
        return [one.key for one, _ in self.verdicts]

    @property
    def raw(self) -> float | None:
        return len(self.same) / len(self.verdicts) if self.verdicts else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval of raw agreement."""
        return wilson(len(self.same), len(self.verdicts))

    @property
    def words(self) -> list[str]:
        """The verdicts in use."""
        return sorted({verdict.word for both in self.verdicts for verdict in both})

    @property
    def of_person(self) -> list[Verdict]:
        """The verdicts of the one of the two that is a person; of the first one where both or none are."""
        at = int(self.first not in self.people and self.second in self.people)
        return [both[at] for both in self.verdicts]

    def table(self) -> list[tuple[str, list[list[Verdict]]]]:
        """For each verdict of the first judge, its verdicts by those of the second."""
        found: dict[tuple[str, str], list[Verdict]] = {}
        for one, other in self.verdicts:
            found.setdefault((one.word, other.word), []).append(one)
        return [(row, [found.get((row, column), []) for column in self.words]) for row in self.words]

    def agreement(self) -> Agreement | None:
        """Coefficients with cluster bootstrap intervals over images; None with fewer than two verdicts in use."""
        if len(self.words) < 2:
            return None
        first, second = self._codes()
        book: dict[str, int] = {}
        cluster = np.array([book.setdefault(one.cluster, len(book)) for one, _ in self.verdicts], dtype=np.int64)
        return agree(first, second, len(self.words), cluster)

    def quality(self) -> JudgeQuality | None:
        """The judge as a test against the person; None unless one of the two is a person and the verdicts are yes and
        no. Sensitivity: the share of the person's yes verdicts to which the judge also says yes.
        """
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
    """All judgments of one kind: the judges, people first; which of them are people; and the verdicts.

    ``unsure``: undecided verdicts. ``unequal``: trajectories that were drawn with unequal probabilities for labels.
    """

    judges: Sequence[str]
    people: frozenset[str]
    verdicts: Sequence[Verdict]
    unsure: Sequence[Verdict] = ()
    unequal: frozenset[int] = frozenset()

    @property
    def undecided(self) -> Mapping[str, int]:
        """The number of undecided verdicts of each judge."""
        return Counter(one.judge for one in self.unsure)

    def by(self, judge: str) -> list[Verdict]:
        return [one for one in self.verdicts if one.judge == judge]

    def rate(self, judge: str) -> tuple[int, int]:
        """Return the number of yes verdicts of a judge, and its number of verdicts."""
        verdicts = self.by(judge)
        return sum(one.yes for one in verdicts), len(verdicts)

    def corrected(self, pair: Pair) -> Coefficient | None:
        """Return the rate that people would find on everything judged by the judge of a pair; None unless it is a test
        of yes and no.
        """
        quality = pair.quality()
        if quality is None:
            return None
        judge = next(iter({pair.first, pair.second} - pair.people))
        return corrected_rate(*self.rate(judge), quality)

    def drawn(self, pair: Pair) -> bool:
        """Return whether some of the shared verdicts are on items drawn with unequal probabilities, so that both
        corrections are biased (docs/metrics.md#drawn-labels).
        """
        shared = {one.trajectory for one, _ in pair.verdicts}
        return pair.quality() is not None and bool(shared & self.unequal)

    def powered(self, pair: Pair) -> PoweredRate | None:
        """Return the same rate by PPI++, from the verdicts of the person and those of the judge on all items."""
        if pair.quality() is None:
            return None
        judge = next(iter({pair.first, pair.second} - pair.people))
        mine = pair.first == judge
        labeled = [(one, other) if mine else (other, one) for one, other in pair.verdicts]
        shared = {one.place for one, _ in labeled}
        others = [one for one in self.verdicts if one.judge == judge and one.place not in shared]
        book: dict[str, int] = {}
        drawn = [one.cluster for one, _ in labeled] + [one.cluster for one in others]
        return powered_rate(
            _yes(person for _, person in labeled), _yes(one for one, _ in labeled), _yes(others),
            np.array([book.setdefault(name, len(book)) for name in drawn], dtype=np.int64),
        )  # fmt: skip

    def pair(self, first: str, second: str) -> Pair:
        mine, theirs = ({one.place: one for one in self.verdicts if one.judge == judge} for judge in (first, second))
        shared = sorted(mine.keys() & theirs.keys())
        return Pair(first, second, [(mine[place], theirs[place]) for place in shared], self.people)

    def pairs(self) -> list[Pair]:
        return [self.pair(first, second) for first, second in combinations(self.judges, 2)]

    def chosen(self, a: str, b: str) -> Pair | None:
        """Return these two; else a person and a judge with the most verdicts in common, else any two with the most."""
        if a in self.judges and b in self.judges and a != b:
            return self.pair(a, b)

        def worth(pair: Pair) -> tuple[bool, int]:
            return bool(pair.verdicts) and len({pair.first, pair.second} & self.people) == 1, len(pair.verdicts)

        return max(self.pairs(), key=worth, default=None)


Row = tuple[Verdict, Verdict | None]
"""A verdict, and that of the second of two judges on the same."""


def chosen_verdicts(judged: Judged, terms: Mapping[str, str]) -> list[Row]:
    """The verdicts behind a number. Terms: ``a`` and ``b``, two judges, with ``same`` yes or no, ``first`` and
    ``second``, what each said, and ``value`` of the facet; or ``judge``, with ``said`` yes or undecided. None for
    judges that there are none of."""
    if judge := terms.get("judge", ""):
        if terms.get("said") == UNDECIDED:
            return [(one, None) for one in judged.unsure if one.judge == judge]
        return [(one, None) for one in judged.by(judge) if terms.get("said") != "yes" or one.yes]
    both = judged.pair(terms.get("a", ""), terms.get("b", "")).verdicts
    return [(one, other) for one, other in both if _meets(one, other, terms)]


def _meets(one: Verdict, other: Verdict, terms: Mapping[str, str]) -> bool:
    same = terms.get("same", "")
    return (
        (not same or (one.word == other.word) is (same == "yes"))
        and ("first" not in terms or one.word == terms["first"])
        and ("second" not in terms or other.word == terms["second"])
        and ("value" not in terms or terms["value"] in (one.values or ("none",)))
    )


def _yes(verdicts: Iterable[Verdict]) -> Floats:
    return np.array([one.yes for one in verdicts], dtype=np.float64)


def kinds_of(benchmark: Benchmark, user: Any) -> list[str]:
    """Return the kinds of judgments that this person may read, in order. One query."""
    found = judgements_known_to(user, benchmark).given().order_by("kind")
    return list(found.values_list("kind", flat=True).distinct())


def load_judged(
    benchmark: Benchmark, kind: str, audience: Audience, user: Any, by: str = "", queue: JudgingQueue | None = None
) -> Judged:
    """Return all verdicts of a kind that ``user`` may read: see ``judgements_known_to``; with a ``queue``, those on its
    questions. For ``Audience.OWN``, of people only their own; for ``Audience.TOGETHER``, people without names. Five
    queries, and one for the values of the facet ``by``.
    """
    members, address = _by_name(_accounts(benchmark)), getattr(user, "email", "")
    settings = settings_of(benchmark)
    values = facet_values(benchmark, by) if by else {}
    rows = judgements_known_to(user, benchmark).given().filter(kind=kind).with_subject().order_by("pk")
    if queue is not None:
        asked = queue.items.filter(kind=kind).order_by()
        rows = rows.filter(sample__in=asked.values("trajectory__sample"), subject__in=asked.values("trajectory"))
    verdicts: list[Verdict] = []
    judges: dict[str, bool] = {}
    unsure: list[Verdict] = []
    for row in rows.values(*_GIVEN, *_SAMPLE, *_GOLD, cluster_image=cluster_image("sample__")):
        person = members.get(row["judge"].strip().casefold())
        if person and audience is Audience.OWN and person[1] != address:
            continue
        name, word = _name(row["judge"], person, audience), _word(row, kind, settings)
        if word is None:
            continue
        judges[name] = person is not None
        (unsure if word == UNDECIDED else verdicts).append(_verdict(row, name, word, values))
    people = frozenset(name for name, is_person in judges.items() if is_person)
    items = JudgingItem.objects.of(benchmark).filter(kind=kind, probability__lt=1).order_by()
    unequal = frozenset(items.values_list("trajectory", flat=True))
    return Judged(sorted(judges, key=lambda name: (name not in people, name)), people, verdicts, unsure, unequal)


_GIVEN = ("run", "subject", "judge", "verdict", "answer")
_SAMPLE = ("sample", "sample__key", "sample__image_group")
_GOLD = tuple(f"sample__gold__revision__{name}" for name in ("answer_type", "options", "answers"))


def _word(row: Mapping[str, Any], kind: str, settings: MetricSettings) -> str | None:
    answer_type, options, answers = (row[name] for name in _GOLD)
    key = AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
    return word_of(row["verdict"], row["answer"], kind, key, settings)


def _accounts(benchmark: Benchmark) -> list[tuple[str, str, int]]:
    """Return name, address and number of each member and of each person who judged here."""
    judged = Judgement.objects.filter(run__in=benchmark.runs.all(), person__isnull=False).order_by()
    # Former members have no role any more, but their verdicts in files remain those of a person.
    members = anonymized() | User.objects.filter(memberships__benchmark=benchmark)
    return [
        *judged.values_list("person__name", "person__email", "person").distinct(),
        *members.values_list("name", "email", "pk").distinct(),
    ]


def _by_name(accounts: Iterable[tuple[str, str, int]]) -> dict[str, tuple[str, str]]:
    """Return the name that is shown and the address of each person, by name and by address in lower case."""
    found: dict[str, tuple[str, str]] = {}
    for name, email, _ in accounts:
        found[email.casefold()] = found[name.strip().casefold() or email.casefold()] = (name or email, email)
    return found


def verified_judges(benchmark: Benchmark, judged: Judged) -> dict[str, bool]:
    """Return, by name, whether the addresses of all judges with this name are verified: of people who are shown by
    name. Three queries.
    """
    people: dict[str, set[int]] = {}
    for name, email, pk in _accounts(benchmark):
        if (name or email) in judged.people - {SOMEBODY}:
            people.setdefault(name or email, set()).add(pk)
    verified = verified_addresses(benchmark, {pk for some in people.values() for pk in some})
    return {name: all(verified[pk] for pk in some) for name, some in people.items()}


def _name(judge: str, person: tuple[str, str] | None, audience: Audience) -> str:
    if person is None:
        return judge.strip() or UNNAMED
    return SOMEBODY if audience is Audience.TOGETHER else person[0]


def _verdict(row: Mapping[str, Any], judge: str, word: str, values: Mapping[int, Sequence[str]]) -> Verdict:
    sample, image = int(row["sample"]), row["cluster_image"]
    cluster = str(row["sample__image_group"] or (f"image {image}" if image else f"sample {sample}"))
    about = int(row["run"]), str(row["sample__key"]), row["subject"]
    return Verdict(*about, cluster, judge, word, tuple(values.get(sample, ())))


def by_value(pair: Pair) -> list[tuple[str, Pair]]:
    """Return the same two judges by value of the facet that the verdicts were loaded with; samples without one are
    under "none".
    """
    groups: dict[str, list[tuple[Verdict, Verdict]]] = {}
    for both in pair.verdicts:
        for value in both[0].values or ("none",):
            groups.setdefault(value, []).append(both)
    return [(value, Pair(pair.first, pair.second, found, pair.people)) for value, found in sorted(groups.items())]
