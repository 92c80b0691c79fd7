"""The rules for monitoring work: which samples are drawn, which checks are passed, and when people are paused. Pure.

Every draw is determined by a stored seed and a name. It can be repeated, and a person cannot influence it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from annotation.agreement import box_agreement, same_answer
from annotation.schema import SampleContent
from annotation.statistics import Interval, wilson


class BoxMeasure(StrEnum):
    """The measure that compares drawn boxes with gold boxes."""

    IOU = "iou"
    """|drawn ∩ known| / |drawn ∪ known|: a box that is too large lowers it."""
    IOA = "ioa"
    """|drawn ∩ known| / |known|: only missing evidence lowers it."""


class BlindRule(StrEnum):
    """The basis of a reviewer's blind answer before gold is shown; or no blind answer."""

    OFF = "off"
    PICTURE = "picture"
    CROP = "crop"
    ALTERNATING = "alternating"


class Condition(StrEnum):
    """The basis of a blind answer: the image, the gold crops alone, or the image after the crops."""

    PICTURE = "picture"
    CROP = "crop"
    AFTER_CROP = "after_crop"


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A check is passed with the same answer and boxes that measure at least ``least``, 0..1. ``any_question``: also if
    the question is worded differently from the gold; otherwise a person decides.
    """

    measure: BoxMeasure = BoxMeasure.IOU
    least: float = 0.5
    any_question: bool = False


@dataclass(frozen=True, slots=True)
class PauseRule:
    """A person with at least ``after`` decided checks is paused if the upper end of the 95% interval of their accuracy
    is below ``below``, so that chance is an unlikely cause. None: no pauses.
    """

    after: int
    below: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer to a gold check compared with the gold. ``passed`` None: undecided, because another question was
    answered, or because there is nothing to compare.
    """

    same_question: bool
    same_answer: bool | None
    iou: float | None
    covered: float | None
    passed: bool | None


@dataclass(frozen=True, slots=True)
class Standing:
    """The number of a person's decided checks, and of passed ones."""

    right: int
    n: int

    @property
    def accuracy(self) -> float | None:
        return self.right / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval, 95%."""
        return wilson(self.right, self.n)

    def falls_below(self, rule: PauseRule) -> bool:
        """Return whether the person is paused. Example: 2 of 10 has 0.510 as its upper end and falls below 0.6."""
        interval = self.interval
        return rule.below is not None and interval is not None and self.n >= rule.after and interval.high < rule.below


def compared(said: SampleContent, known: SampleContent, rule: CheckRule) -> Compared:
    """Compare ``said`` with ``known``. Answer and boxes are each compared only if they are known; without either, the
    check is undecided. Questions are equal apart from case and spaces.
    """
    boxes = box_agreement(said.gold_boxes, known.gold_boxes)
    same = same_answer(said, known)
    question = _plain(said.question) == _plain(known.question)
    drawn = (boxes.iou if rule.measure is BoxMeasure.IOU else boxes.ioa_second) if boxes else 0.0
    asked = [same is True] if known.answers else []
    asked += [drawn >= rule.least] if known.gold_boxes else []
    return Compared(
        same_question=question,
        same_answer=same,
        iou=boxes.iou if boxes else None,
        covered=boxes.ioa_second if boxes else None,
        passed=all(asked) if asked and (question or rule.any_question) else None,
    )


def disagreement(contents: Sequence[SampleContent]) -> float | None:
    """Return the disagreement of several people on one sample, from 0 (all agree) to 1: the mean over all pairs of 1 −
    agreement.

    The agreement of a pair is the mean of the comparable parts: the IoU of their boxes (0 if only one drew any) and
    whether their answers are equal (1 or 0). None if no pair can be compared. Example: the same answer on boxes with an
    IoU of 0.5 is 1 − (1 + 0.5) / 2 = 0.25.
    """
    apart = [value for one, other in combinations(contents, 2) if (value := _apart(one, other)) is not None]
    return sum(apart) / len(apart) if apart else None


def _apart(one: SampleContent, other: SampleContent) -> float | None:
    boxes, same = box_agreement(one.gold_boxes, other.gold_boxes), same_answer(one, other)
    parts = [boxes.iou if boxes else 0.0] if one.gold_boxes or other.gold_boxes else []
    parts += [float(same)] if same is not None else []
    return 1 - sum(parts) / len(parts) if parts else None


def blind_step(rule: BlindRule, answered: Collection[Condition], *, crops: bool, draw: str) -> Condition | None:
    """Return the basis of the reviewer's next answer; None after an answer from the image, or if no blind answer is
    asked. ``crops``: there are gold crops to show. ``draw`` names reviewer and sample: with alternating conditions it
    decides, half and half.
    """
    if rule is BlindRule.OFF or Condition.PICTURE in answered or Condition.AFTER_CROP in answered:
        return None
    if Condition.CROP in answered:
        return Condition.AFTER_CROP
    alone = rule is BlindRule.CROP or (rule is BlindRule.ALTERNATING and chance(f"blind {draw}") < 0.5)
    return Condition.CROP if crops and alone else Condition.PICTURE


def is_check_turn(seed: int, person: int, turn: int, *, first: int, share: float) -> bool:
    """Return whether the ``turn``-th sample of a person, from 0, is a gold check: the ``first`` ones are, then a
    ``share``.
    """
    return turn < first or chance(f"check {seed} {person} {turn}") < share


def chance(name: str) -> float:
    """Return a number from 0 to below 1 that depends only on the name, uniform over names."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) / 2**64


def new_seed() -> int:
    """Return a seed that cannot be guessed."""
    return secrets.randbelow(2**31)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
