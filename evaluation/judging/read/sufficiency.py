"""Whether the crop alone is sufficient for people: their accuracy from the crop and from the image, and the difference
over pairs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy

from annotation.statistics import Interval
from annotation.work_rules import Condition
from evaluation.judging.read.accuracy import Accuracy, BlindJudged
from evaluation.metrics.intervals import newcombe
from evaluation.metrics.significance import mcnemar

Unit = Callable[[BlindJudged], Hashable]
"""Returns the common property of two answers that form a pair."""

NAMES = {
    Condition.PICTURE: gettext_lazy("Image first"),
    Condition.CROP: gettext_lazy("Crop alone"),
    Condition.AFTER_CROP: gettext_lazy("Image, after the crop"),
}


@dataclass(frozen=True)
class Difference:
    """Pairs of an answer from the crop alone and one with the image, as ids of samples by which of them was correct."""

    name: str
    both: list[str]
    only_crop: list[str]
    only_picture: list[str]
    neither: list[str]

    @property
    def n(self) -> int:
        return len(self.both) + len(self.only_crop) + len(self.only_picture) + len(self.neither)

    @property
    def delta(self) -> float | None:
        """Accuracy with the image − accuracy from the crop alone."""
        return (len(self.only_picture) - len(self.only_crop)) / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Newcombe's paired score interval."""
        return newcombe(len(self.both), len(self.only_crop), len(self.only_picture), len(self.neither))

    @property
    def p(self) -> float:
        """Exact two-sided McNemar."""
        return mcnemar(len(self.only_crop), len(self.only_picture))


def by_condition(answers: Sequence[BlindJudged]) -> dict[Condition, Accuracy]:
    """The answers under each condition there are any of, in the order of ``NAMES``."""
    groups = {one: [answer for answer in answers if answer.condition == one] for one in NAMES}
    return {one: Accuracy(str(NAMES[one]), group) for one, group in groups.items() if group}


def differences(answers: Sequence[BlindJudged]) -> list[Difference]:
    """Compare answers from the crop with answers from the image: by one person on one sample (crop first), and by two
    people on one sample who began with different ones. Each sample, or person and sample, counts once. Kinds without
    a pair are omitted."""
    same = _paired(
        gettext("The same person on the same sample"),
        answers,
        Condition.AFTER_CROP,
        lambda one: (one.reviewer, one.key),
    )
    other = _paired(gettext("Another person on the same sample"), answers, Condition.PICTURE, lambda one: one.key)
    return [one for one in (same, other) if one.n]


def _paired(name: str, answers: Sequence[BlindJudged], condition: Condition, unit: Unit) -> Difference:
    crop, picture = (_first(answers, one, unit) for one in (Condition.CROP, condition))
    found = Difference(name, [], [], [], [])
    cells = {
        (True, True): found.both, (True, False): found.only_crop, (False, True): found.only_picture,
        (False, False): found.neither,
    }  # fmt: skip
    for place in crop.keys() & picture.keys():
        cells[crop[place].right, picture[place].right].append(crop[place].key)
    return found


def _first(answers: Sequence[BlindJudged], condition: Condition, unit: Unit) -> dict[Hashable, BlindJudged]:
    found: dict[Hashable, BlindJudged] = {}
    for one in answers:
        if one.counted and one.condition == condition:
            found.setdefault(unit(one), one)
    return found
