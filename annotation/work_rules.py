"""The rules by which the work of people is watched over: which samples are drawn, what passes, who is paused. Pure.

Every draw is decided by a stored seed and a name, so that it can be made again and nobody who is drawn can choose it.
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
    """How boxes drawn are held against known ones."""

    IOU = "iou"
    """|drawn ∩ known| / |drawn ∪ known|: too large a box costs."""
    IOA = "ioa"
    """|drawn ∩ known| / |known|: only what is missing of the evidence costs."""


class BlindRule(StrEnum):
    """What a reviewer answers from first, before gold is shown; or that they do not."""

    OFF = "off"
    PICTURE = "picture"
    CROP = "crop"
    ALTERNATING = "alternating"


class Condition(StrEnum):
    """What was seen when a blind answer was given: the image, the gold crops alone, or the image after them."""

    PICTURE = "picture"
    CROP = "crop"
    AFTER_CROP = "after_crop"


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A check is passed with the same answer and boxes that measure at least ``least``, 0..1. ``any_question``: also
    where the question is worded otherwise than the known one, which else is left to a person."""

    measure: BoxMeasure = BoxMeasure.IOU
    least: float = 0.5
    any_question: bool = False


@dataclass(frozen=True, slots=True)
class PauseRule:
    """A person is paused after ``after`` decided checks or more, when the upper end of the 95% interval of their
    accuracy lies below ``below``: when it is unlikely to be chance. None: nobody is paused."""

    after: int
    below: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer to a gold check held against what is known. ``passed`` None: it does not decide itself, because another
    question was answered, or because nothing is known that could be compared."""

    same_question: bool
    same_answer: bool | None
    iou: float | None
    covered: float | None
    passed: bool | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How many of a person's decided checks were passed."""

    right: int
    n: int

    @property
    def accuracy(self) -> float | None:
        return self.right / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's, 95%."""
        return wilson(self.right, self.n)

    def falls_below(self, rule: PauseRule) -> bool:
        """Whether it comes to a pause. Example: 2 of 10 has 0.510 as its upper end and falls below 0.6."""
        interval = self.interval
        return rule.below is not None and interval is not None and self.n >= rule.after and interval.high < rule.below


def compared(said: SampleContent, known: SampleContent, rule: CheckRule) -> Compared:
    """``said`` against ``known``. Answer and boxes are each asked for only where they are known; without either the
    check decides nothing. Questions are the same apart from case and spaces."""
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
    """How far several people are apart on one sample, 0 (all say the same) to 1: the mean over all pairs of them of
    1 − agreement. The agreement of a pair is the mean of what both can be compared in: the IoU of their boxes (0 where
    only one drew any) and whether their answers are the same (1 or 0). None where no pair can be compared.

    Example: the same answer on boxes with an IoU of 0.5 is 1 − (1 + 0.5) / 2 = 0.25.
    """
    apart = [value for one, other in combinations(contents, 2) if (value := _apart(one, other)) is not None]
    return sum(apart) / len(apart) if apart else None


def _apart(one: SampleContent, other: SampleContent) -> float | None:
    boxes, same = box_agreement(one.gold_boxes, other.gold_boxes), same_answer(one, other)
    parts = [boxes.iou if boxes else 0.0] if one.gold_boxes or other.gold_boxes else []
    parts += [float(same)] if same is not None else []
    return 1 - sum(parts) / len(parts) if parts else None


def blind_step(rule: BlindRule, answered: Collection[Condition], *, crops: bool, draw: str) -> Condition | None:
    """What a reviewer answers from next; None once they answered from the image, or
    where nothing is asked. ``crops``: there are gold crops to
    show. ``draw`` names reviewer and sample: where conditions alternate it decides, half and half."""
    if rule is BlindRule.OFF or Condition.PICTURE in answered or Condition.AFTER_CROP in answered:
        return None
    if Condition.CROP in answered:
        return Condition.AFTER_CROP
    alone = rule is BlindRule.CROP or (rule is BlindRule.ALTERNATING and chance(f"blind {draw}") < 0.5)
    return Condition.CROP if crops and alone else Condition.PICTURE


def is_check_turn(seed: int, person: int, turn: int, *, first: int, share: float) -> bool:
    """Whether the ``turn``-th sample of a person, from 0, is a gold check: the ``first`` ones are, then a ``share``."""
    return turn < first or chance(f"check {seed} {person} {turn}") < share


def chance(name: str) -> float:
    """A number from 0 to below 1 that depends on the name alone, evenly spread over names."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) / 2**64


def new_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbelow(2**31)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
