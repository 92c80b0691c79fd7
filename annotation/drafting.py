"""Drafts of models for a sample: their fields, the people who see them, and the similarity of a submission.

A share of the pairs of a person and a sample is the control arm, in which the drafts are withheld. Submissions there
show the work of people without drafts, so the difference to the other arm is the effect of the drafts. An arm is drawn
from a secret seed, so it never changes, and cannot be computed without it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from annotation.agreement import answer_texts, box_agreement
from annotation.schema import Box, SampleContent

CONTROL_SHARE = 0.2
_PARTS = 2**64
_SEED_BYTES = 16


class Field(StrEnum):
    """A part of an annotation that a model can draft."""

    QUESTION = "question"
    OPTIONS = "options"
    ANSWER = "answer"
    BOXES = "boxes"


class Arm(StrEnum):
    """Whether a person was shown the drafts of a sample."""

    SHOWN = "shown"
    WITHHELD = "withheld"


class Decision(StrEnum):
    """A person's decision on a draft that they saw."""

    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    LEFT = "left"


def new_seed() -> str:
    """A seed that cannot be guessed, as 32 hexadecimal digits."""
    return secrets.token_hex(_SEED_BYTES)


def arm_of(seed: str, person: int, sample: int, share: float) -> Arm:
    """The arm of a pair: withheld for a share of them. HMAC-SHA256 of both numbers with the seed as the key.

    >>> arm_of("00", 1, 1, 0.0), arm_of("00", 1, 1, 1.0)
    (<Arm.SHOWN: 'shown'>, <Arm.WITHHELD: 'withheld'>)
    """
    drawn = hmac.new(seed.encode(), f"{person} {sample}".encode(), hashlib.sha256).digest()
    return Arm.WITHHELD if int.from_bytes(drawn[:8], "big") < share * _PARTS else Arm.SHOWN


def likeness(field: Field, drafted: Any, submitted: SampleContent) -> float | None:
    """Return the similarity of a submission to a draft, from 0 to 1; None if neither has anything to compare.

    Boxes: IoU of the whole regions. Question: the share of equal characters (Ratcliff and Obershelp), ignoring case and
    spaces. Options: texts of both over texts of either. Answer: 1 if the texts are equal, else 0.
    """
    match field:
        case Field.BOXES:
            return _boxes(drafted, submitted.gold_boxes)
        case Field.QUESTION:
            mine, theirs = _plain(str(drafted)), _plain(submitted.question)
            return SequenceMatcher(None, mine, theirs, autojunk=False).ratio() if mine or theirs else None
        case Field.OPTIONS:
            first = {_plain(str(text)) for text in drafted.values()}
            second = {_plain(text) for text in submitted.options.values()}
            return len(first & second) / len(first | second) if first | second else None
    return float(_plain(str(drafted)) in answer_texts(submitted))


def _boxes(drafted: Sequence[Mapping[str, Any]], boxes: Sequence[Box]) -> float:
    both = box_agreement([Box(*one["box"]) for one in drafted], boxes) if boxes else None
    return both.iou if both else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
