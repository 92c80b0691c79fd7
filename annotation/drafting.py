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
from random import Random
from typing import Any

from annotation.agreement import answer_texts, box_agreement
from annotation.schema import Box, Outline, OutlineKind, SampleContent, ToolCall
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
PLAN_FIELDS = (Field.TARGETS, Field.DISTRACTORS)
"""Fields that name tools of the tool bank."""


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
            return text_likeness(str(drafted), submitted.question) if _plain(f"{drafted}{submitted.question}") else None
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


def text_likeness(first: str, second: str) -> float:
    """The share of equal characters (Ratcliff and Obershelp), ignoring case and spaces; of two empty texts 1."""
    return SequenceMatcher(None, _plain(first), _plain(second), autojunk=False).ratio()


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
    both = box_agreement([drafted_shape(one) for one in drafted], boxes) if boxes else None
    return both.iou if both else 0.0


def drafted_shape(one: Mapping[str, Any]) -> Box:
    """The shape of a drafted box: a polygon or a point if it has ``points``."""
    if "points" in one:
        kind = OutlineKind.POLYGON if len(one["points"]) > 1 else OutlineKind.POINT
        return Outline.of(kind, [(x, y) for x, y in one["points"]])
    return Box(*one["box"])


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


PLANTABLE = (Field.ANSWER, Field.BOXES)
"""The fields whose drafts can carry a planted error."""
MOST_PLANTED = 0.2
"""The maximum share of drafts of such a field that carry one."""
_PLACES = 200
_ADOPTED = 0.5
"""IoU with a planted region from which a submission has adopted it, if it is nearer to it than to the draft."""


def planted_error(
    field: Field, drafts: Mapping[str, Any], *, seed: str, sample: int, share: float, size: tuple[int, int] | None
) -> Any:
    """The planted content of a drafted field, None if it carries no error. ``drafts``: of the sample, by field.

    A share of the drafts is drawn by HMAC-SHA256 of the seed. An answer becomes another option; without options, a
    whole number changes by 1, and yes and no are exchanged. Boxes move together, to a place that none of them covered.
    Where the rule makes no error, such as boxes that fill the image, there is none.
    """
    key = hmac.new(seed.encode(), f"plant {sample} {field.value}".encode(), hashlib.sha256).digest()
    if field not in PLANTABLE or field.value not in drafts or int.from_bytes(key[:8], "big") >= share * _PARTS:
        return None
    rng = Random(key[8:])
    if field is Field.BOXES:
        return _moved_off(drafts[field.value], size, rng) if size else None
    return _other_answer(str(drafts[field.value]), drafts.get(Field.OPTIONS.value) or {}, rng)


def adopts(field: Field, planted: Any, drafted: Any, submitted: SampleContent) -> bool:
    """Whether a submission has the planted content: the same answer, or boxes with an IoU of at least 0.5 with the
    planted ones, which are nearer to them than to the draft."""
    near = likeness(field, planted, submitted) or 0.0
    if field is Field.BOXES:
        return near >= _ADOPTED and near > (likeness(field, drafted, submitted) or 0.0)
    return near == 1.0


def _other_answer(answer: str, options: Mapping[str, Any], rng: Random) -> str | None:
    texts = [str(text) for text in options.values()]
    if texts:
        others = [text for text in texts if _plain(text) != _plain(answer)]
        return rng.choice(others) if others and len(others) < len(texts) else None
    plain = _plain(answer)
    if plain in ("yes", "no"):
        return "no" if plain == "yes" else "yes"
    if plain.isascii() and plain.isdigit() and len(plain) < 10:
        number = int(plain)
        return str(number + rng.choice((-1, 1)) if number else 1)
    return None


def _moved_off(boxes: Sequence[Mapping[str, Any]], size: tuple[int, int], rng: Random) -> list[dict[str, Any]] | None:
    old = [tuple(float(edge) for edge in one["box"]) for one in boxes]
    left, top = min(box[0] for box in old), min(box[1] for box in old)
    right, bottom = max(box[2] for box in old), max(box[3] for box in old)
    for _ in range(_PLACES):
        x, y = rng.uniform(-left, size[0] - right), rng.uniform(-top, size[1] - bottom)
        new = [(round(box[0] + x), round(box[1] + y), round(box[2] + x), round(box[3] + y)) for box in old]
        inside = all(0 <= box[0] < box[2] <= size[0] and 0 <= box[1] < box[3] <= size[1] for box in new)
        if inside and not any(_touch(one, other) for one in new for other in old):
            return [_moved_to(one, box) for one, box in zip(boxes, new, strict=True)]
    return None


def _moved_to(one: Mapping[str, Any], box: Sequence[int]) -> dict[str, Any]:
    """The shape in another box of its size; whole pixels can stretch a polygon by one."""
    if "points" not in one:
        return {**one, "box": list(box)}
    x1, y1, x2, y2 = one["box"]
    across, down = (box[2] - box[0]) / (x2 - x1), (box[3] - box[1]) / (y2 - y1)
    points = [[round(box[0] + (x - x1) * across, 2), round(box[1] + (y - y1) * down, 2)] for x, y in one["points"]]
    return {**one, "box": list(box), "points": points}


def _touch(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
