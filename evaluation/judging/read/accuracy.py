"""Accuracy of people before they see the gold: blind answers of reviewers, judged like answers of models.

Only a reviewer's first blind answer to a sample counts, under each condition: afterwards they know the gold. Gold that
the reviewer wrote does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from django.utils.translation import gettext

from annotation.models import Annotation, Benchmark, BlindAnswer
from annotation.quality.read.agreement import Audience, facet_values, short_names
from annotation.schema import AnswerType
from annotation.statistics import Interval, wilson
from annotation.work_rules import Condition
from evaluation.metrics.answers import AnswerResult, judge_answer
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.undecided import Range, share_range
from evaluation.scoring.settings import settings_of


@dataclass(frozen=True)
class BlindJudged:
    """One blind answer that was judged. ``counted``: it is in the accuracy; an undecided one may be omitted of it."""

    key: str
    reviewer: int
    name: str
    answer: str
    seconds: float
    unsure: bool
    right: bool
    undecided: bool
    counted: bool
    condition: str = Condition.PICTURE.value
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class BlindAnswers:
    """All judged answers, and the ids of samples with answers that cannot be judged: without gold, or own gold."""

    judged: Sequence[BlindJudged]
    without_gold: Sequence[str]
    own_gold: Sequence[str]


@dataclass(frozen=True)
class Accuracy:
    """The answers of one group: ``name`` is a reviewer, a value of a facet, or everyone."""

    name: str
    answers: Sequence[BlindJudged]

    @property
    def counted(self) -> list[BlindJudged]:
        return [one for one in self.answers if one.counted]

    @property
    def right(self) -> list[BlindJudged]:
        return [one for one in self.counted if one.right]

    @property
    def value(self) -> float | None:
        return len(self.right) / len(self.counted) if self.counted else None

    @property
    def range(self) -> Range:
        """Return the range of the accuracy: undecided answers incorrect, and correct."""
        right, undecided = (
            np.array([getattr(one, name) for one in self.answers], float) for name in ("right", "undecided")
        )
        return share_range(right, right + undecided, np.ones(len(right)))

    @property
    def interval(self) -> Interval | None:
        """Wilson's; answers of several people to one sample count as independent."""
        return wilson(len(self.right), len(self.counted))

    @property
    def seconds(self) -> float | None:
        """The median time of an answer."""
        return median(one.seconds for one in self.answers) if self.answers else None


def blind_answers(benchmark: Benchmark, user: Any, audience: Audience, by: str = "") -> BlindAnswers:
    """Every first blind answer this audience sees, judged against the gold of its sample.

    Two queries, and one for the values of the facet ``by``."""
    answers = BlindAnswer.objects.filter(revision__annotation__sample__benchmark=benchmark)
    if audience is Audience.OWN:
        answers = answers.filter(reviewer=user)
    first: dict[tuple[int, int, str], Mapping[str, Any]] = {}
    for row in answers.order_by("created_at", "pk").values(*_FIELDS):
        first.setdefault((row["reviewer"], row[_SAMPLE], row["condition"]), row)
    rows = list(first.values())
    names = short_names({row["reviewer"]: row["reviewer__name"] or row["reviewer__email"] for row in rows})
    if audience is Audience.TOGETHER:
        names = dict.fromkeys(names, gettext("a reviewer"))
    settings, values = settings_of(benchmark), facet_values(benchmark, by) if by else {}
    settled = [row for row in rows if row[f"{_GOLD}answers"]]
    imported = Annotation.Kind.IMPORTED
    independent = [row for row in settled if row[f"{_GOLD}author"] != row["reviewer"] or row[_KIND] == imported]
    return BlindAnswers(
        judged=[_judged(row, names[row["reviewer"]], values.get(row[_SAMPLE], ()), settings) for row in independent],
        without_gold=[row[_KEY] for row in rows if not row[f"{_GOLD}answers"]],
        own_gold=[row[_KEY] for row in settled if row not in independent],
    )


def grouped(answers: Iterable[BlindJudged], names: Callable[[BlindJudged], Sequence[str]]) -> list[Accuracy]:
    """One accuracy for each name, in order; an answer with several names is in each."""
    groups: dict[str, list[BlindJudged]] = {}
    for one in answers:
        for name in names(one):
            groups.setdefault(name, []).append(one)
    return [Accuracy(name, group) for name, group in sorted(groups.items())]


_SAMPLE = "revision__annotation__sample"
_KEY = f"{_SAMPLE}__key"
_GOLD = f"{_SAMPLE}__gold__revision__"
_KIND = f"{_GOLD}annotation__kind"
_FIELDS = (
    "reviewer",
    "reviewer__name",
    "reviewer__email",
    "condition",
    "answer",
    "unsure",
    "seconds",
    "revision__options",
    _SAMPLE,
    _KEY,
    f"{_GOLD}pk",
    f"{_GOLD}author",
    f"{_GOLD}answer_type",
    f"{_GOLD}options",
    f"{_GOLD}answers",
    _KIND,
)


def _judged(row: Mapping[str, Any], name: str, values: Sequence[str], settings: MetricSettings) -> BlindJudged:
    result = _judge(row, settings)
    undecided = result.correct == UNKNOWN
    return BlindJudged(
        key=row[_KEY],
        reviewer=row["reviewer"],
        name=name,
        answer=row["answer"],
        seconds=row["seconds"],
        unsure=row["unsure"],
        right=result.correct == TRUE,
        undecided=undecided,
        counted=not (undecided and settings.undecided_answer == "exclude"),
        condition=row["condition"],
        values=tuple(values),
    )


def _judge(row: Mapping[str, Any], settings: MetricSettings) -> AnswerResult:
    """ "I cannot tell" is incorrect. A letter means the option that the reviewer saw, which may have another letter in
    gold."""
    if row["unsure"]:
        return AnswerResult(FALSE, "", missing=True)
    seen, options = row["revision__options"], row[f"{_GOLD}options"]
    key = AnswerKey(
        multiple_choice=row[f"{_GOLD}answer_type"] == AnswerType.MULTIPLE_CHOICE.value,
        options=options,
        accepted=tuple(row[f"{_GOLD}answers"]),
    )
    answer = row["answer"] if seen == options else seen.get(row["answer"], row["answer"])
    return judge_answer(answer, key, UNKNOWN, settings)
