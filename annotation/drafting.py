"""Drafts of models for a sample: their fields, the people who see them, and the similarity of a submission.

A share of the pairs of a person and a sample is the control arm, in which the drafts are withheld. Submissions there
show the work of people without drafts, so the difference to the other arm is the effect of the drafts. An arm is drawn
from a secret seed, so it never changes, and cannot be computed without it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence, Set
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from annotation.agreement import answer_texts, box_agreement
from annotation.schema import Box, SampleContent, ToolCall
from annotation.tool_bank import key_of
from annotation.toolbox.steps import canonical_steps

CONTROL_SHARE = 0.2
_PARTS = 2**64
_SEED_BYTES = 16


class Field(StrEnum):
    """A part of an annotation that a model can draft."""

    QUESTION = "question"
    OPTIONS = "options"
    ANSWER = "answer"
    BOXES = "boxes"
    TOOLCHAIN = "toolchain"
    TARGETS = "targets"
    DISTRACTORS = "distractors"


USUAL_FIELDS = (Field.QUESTION, Field.OPTIONS, Field.ANSWER, Field.BOXES)
"""The fields that a model drafts if a person chooses none."""
OF_QUESTION = (Field.TOOLCHAIN, Field.TARGETS, Field.DISTRACTORS)
"""Fields that are about the drafted question, and useless without it."""


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
    spaces. Options: texts of both over texts of either. Answer: 1 if the texts are equal, else 0. Toolchain: equal
    steps in the same order over the steps of the longer toolchain. Targets: pairs of tool and step of both over those
    of either. Distractors: the same for names. Source: docs/drafting.md#anchoring.
    """
    match field:
        case Field.BOXES:
            return _boxes(drafted, submitted.gold_boxes)
        case Field.QUESTION:
            mine, theirs = _plain(str(drafted)), _plain(submitted.question)
            return SequenceMatcher(None, mine, theirs, autojunk=False).ratio() if mine or theirs else None
        case Field.OPTIONS:
            texts = {_plain(str(text)) for text in drafted.values()}
            return _shared(texts, {_plain(text) for text in submitted.options.values()})
        case Field.TOOLCHAIN:
            return _equal_steps(drafted, submitted)
        case Field.TARGETS:
            pairs = {(key_of(one["tool"]), one["step"]) for one in drafted}
            return _shared(pairs, {(key_of(one.tool), one.step) for one in submitted.plan.targets})
        case Field.DISTRACTORS:
            names = {key_of(name) for name in drafted}
            return _shared(names, {key_of(name) for name in submitted.plan.distractors})
    return float(_plain(str(drafted)) in answer_texts(submitted))


def _shared(first: Set[Any], second: Set[Any]) -> float | None:
    return len(first & second) / len(first | second) if first or second else None


def _equal_steps(drafted: Sequence[Mapping[str, Any]], submitted: SampleContent) -> float | None:
    """The longest common subsequence of both toolchains over the longer one."""
    first = canonical_steps(ToolCall(one["tool"], one.get("arguments") or {}) for one in drafted)
    second = canonical_steps(submitted.reference_toolchain)
    if not first and not second:
        return None
    above = [0] * (len(second) + 1)
    for step in first:
        row = [0]
        for at, other in enumerate(second):
            row.append(above[at] + 1 if step == other else max(row[at], above[at + 1]))
        above = row
    return above[-1] / max(len(first), len(second))


def _boxes(drafted: Sequence[Mapping[str, Any]], boxes: Sequence[Box]) -> float:
    both = box_agreement([Box(*one["box"]) for one in drafted], boxes) if boxes else None
    return both.iou if both else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
