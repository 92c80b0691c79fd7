"""Answers to a question under different views of its image, and whether the question needs its evidence.

Source: docs/evidence.md. ViEBench asks with the evidence masked, from a reduced image, from the crop alone and without
an image ([B] App. A); VTC-Bench has a model check the answers of annotators ([V] 3.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

FACET = "needs_evidence"
YES, NO = "yes", "no"
SMALL_SIDE = 1024
"""The longer side of the reduced image, in pixels."""
LEAST_ANSWERS, MOST_LEAST = 2, 50
"""The default for the number of decided answers that a condition needs, and its maximum."""


class Condition(StrEnum):
    """The part of the image that is shown with a question: all of it, reduced to ``SMALL_SIDE``, with the gold boxes
    filled, the gold crop alone, or none."""

    IMAGE = "image"
    SMALL = "small"
    MASKED = "masked"
    CROP = "crop"
    QUESTION = "question"


class Purpose(StrEnum):
    """Why a question was asked: to check its annotator before the review, or to test whether it needs its evidence."""

    CHECK = "check"
    EVIDENCE = "evidence"


CHECKED = (Condition.IMAGE, Condition.CROP)
"""The conditions under which a model checks an annotator."""
WITH_GOLD = frozenset({Condition.MASKED, Condition.CROP})
"""The conditions that depend on the gold boxes."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The answers under one condition. Unread answers of models are separate from undecided ones."""

    right: int = 0
    wrong: int = 0
    undecided: int = 0
    unread: int = 0

    @property
    def decided(self) -> int:
        return self.right + self.wrong

    def answerable(self, least: int) -> bool | None:
        """Whether more than half of the decided answers are correct; None with fewer than ``least`` of them."""
        return None if self.decided < least else 2 * self.right > self.decided


NOTHING = Tally()


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer. ``right`` is None for an undecided one, and for an unread one, whose ``text`` is empty."""

    condition: Condition
    text: str
    right: bool | None


def tallied(answers: Iterable[Answered]) -> dict[Condition, Tally]:
    """The answers by condition."""
    counts: dict[Condition, list[int]] = {}
    for one in answers:
        place = 2 + (not one.text) if one.right is None else 0 if one.right else 1
        counts.setdefault(one.condition, [0, 0, 0, 0])[place] += 1
    return {condition: Tally(*found) for condition, found in counts.items()}


def needs_evidence(tallies: Mapping[Condition, Tally], least: int = LEAST_ANSWERS) -> bool | None:
    """Whether a question needs its evidence; None: undefined.

    No, if it is answerable with the gold masked, or from the question alone. Yes, if it is answerable under neither,
    and from the crop or the full image. Undefined if a condition that decides has fewer than ``least`` decided answers,
    and if the evidence does not make it answerable.
    """
    masked, alone, crop, image = (
        tallies.get(one, NOTHING).answerable(least)
        for one in (Condition.MASKED, Condition.QUESTION, Condition.CROP, Condition.IMAGE)
    )
    if masked or alone:
        return False
    return True if masked is False and alone is False and (crop or image) else None


def unreadable_when_small(tallies: Mapping[Condition, Tally], least: int = LEAST_ANSWERS) -> bool | None:
    """Whether the evidence cannot be read in the global view: the question is answerable from the crop or the full
    image, but not from the image at ``SMALL_SIDE``. None: undefined."""
    small, crop, image = (
        tallies.get(one, NOTHING).answerable(least) for one in (Condition.SMALL, Condition.CROP, Condition.IMAGE)
    )
    if small is None:
        return None
    return False if small else True if crop or image else None
