"""Building samples that ask for a tool plan: the stages of an item, and the rules of each stage. Pure.

An item passes the stages of ``Stage`` in their order. Its tools are named by words, as in a plan; the tool bank says
what they mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.schema import Likeness, Target, ToolPlan
from annotation.tool_bank import Bank


class Stage(StrEnum):
    """The stage of an item. ``TEXT_CHECK``, ``MENTION_CHECK`` and ``IMAGE_CHECK`` are QC-I, QC-II and QC-III of
    [P 3.2]."""

    TARGETS = "targets"
    STEPS = "steps"
    INSTRUCTION = "instruction"
    DISTRACTORS = "distractors"
    DESCRIPTION = "description"
    TEXT_CHECK = "text_check"
    MENTION_CHECK = "mention_check"
    IMAGE = "image"
    IMAGE_CHECK = "image_check"
    ACCEPTED = "accepted"
    DISCARDED = "discarded"


OPEN = tuple(stage for stage in Stage if stage not in (Stage.ACCEPTED, Stage.DISCARDED))
"""Stages of items that are in work, in their order."""


class Verdict(StrEnum):
    """What became of an item at a stage."""

    PASSED = "passed"
    STOPPED = "stopped"
    """A check found a fault, and the item stays."""
    MOVED = "moved"
    """A tool became a target or a distractor."""
    RETURNED = "returned"
    """To an earlier stage."""
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Distractor:
    """A tool that the task does not need, and how it resembles one that it needs."""

    tool: str
    likeness: Likeness


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken rule: the field of the form it concerns, and a sentence (``annotation.marking.Sentence``)."""

    field: str
    text: str


def plan_of(
    targets: Sequence[str], steps: Sequence[int], distractors: Iterable[Distractor], either: Sequence[str] = ()
) -> ToolPlan:
    """The plan that a sample made of these has as gold. ``either``: targets of which one is enough."""
    needed = tuple(Target(tool, step, 1 if tool in either else None) for tool, step in zip(targets, steps, strict=True))
    others = tuple(distractors)
    kinds = tuple(one.likeness.value for one in others)
    return ToolPlan(needed, tuple(one.tool for one in others), likeness=kinds)


def names_of(tool: str, bank: Bank) -> tuple[str, ...]:
    """Every name of a tool: the one given, and those that the bank knows."""
    known = bank.find(tool)
    return (tool, known.name, *known.aliases) if known else (tool,)
