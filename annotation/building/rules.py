"""What the other stages of an item ask for: steps, distractors, the description of the scene, and the checks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotation.building import Distractor, Problem, names_of
from annotation.building.words import mentions, vocabulary, words_of
from annotation.marking import Sentence, gettext_noop
from annotation.task_schema import Range
from annotation.tool_bank import Bank, ToolState, key_of

DISTRACTORS = Range(3, 10)
LONGEST_DESCRIPTION = 5000
SENTENCE = re.compile(r"[.!?;\n]+")
SINGLED_OUT = vocabulary("singled_out")
"""Words that single out a tool of the sentence."""
IN_FRONT = vocabulary("in_front")
"""Words that single out the tools of a sentence that names targets only."""


def step_problems(targets: Sequence[str], steps: Sequence[int], either: Sequence[str]) -> list[Problem]:
    """The faults of the steps of the targets. ``either``: targets of which one is enough."""
    return list(_step_problems(targets, steps, either))


def _step_problems(targets: Sequence[str], steps: Sequence[int], either: Sequence[str]) -> Iterator[Problem]:
    if len(steps) != len(targets) or min(steps, default=0) < 1:
        yield Problem("steps", Sentence(gettext_noop("Give each target a step from 1.")))
        return
    missing = next((step for step in range(1, max(steps)) if step not in steps), None)
    if missing is not None:
        text = gettext_noop("Step %(step)s has no tool. Number the steps from 1 without gaps.")
        yield Problem("steps", Sentence(text, step=missing))
    if len(either) == 1 or not set(either) <= set(targets):
        yield Problem(
            "either", Sentence(gettext_noop("Select at least two targets that are interchangeable, or none."))
        )
    elif len({step for tool, step in zip(targets, steps, strict=True) if tool in either}) > 1:
        yield Problem("either", Sentence(gettext_noop("Interchangeable tools share a step. Give them the same one.")))


def distractor_problems(
    targets: Sequence[str],
    distractors: Sequence[Distractor],
    bank: Bank,
    *,
    allowed: Range = DISTRACTORS,
    interchangeable: Iterable[Collection[str]] = (),
) -> list[Problem]:
    """The faults of the distractors. ``interchangeable``: groups of tools of which one is enough, as items of the
    benchmark record them: of such a group, a target can be replaced by all others."""
    return list(_distractor_problems(targets, distractors, bank, allowed, interchangeable))


def _distractor_problems(
    targets: Sequence[str],
    distractors: Sequence[Distractor],
    bank: Bank,
    allowed: Range,
    interchangeable: Iterable[Collection[str]],
) -> Iterator[Problem]:
    least, most = max(DISTRACTORS.least, allowed.least), min(DISTRACTORS.most, allowed.most)
    if not least <= len(distractors) <= most:
        text = gettext_noop("There are %(count)s distractors; an item takes %(least)s to %(most)s.")
        yield Problem("distractors", Sentence(text, count=len(distractors), least=least, most=most))
    needed = {_meaning(tool, bank): tool for tool in targets}
    groups = [{_meaning(tool, bank) for tool in group} for group in interchangeable]
    seen: dict[str, str] = {}
    for one in distractors:
        key = _meaning(one.tool, bank)
        known = bank.find(one.tool)
        replaced = next((needed[other] for group in groups if key in group for other in group if other in needed), None)
        if key in needed:
            text = gettext_noop("%(tool)s is the target %(target)s. Choose another tool.")
            yield Problem("distractors", Sentence(text, tool=one.tool, target=needed[key]))
        elif replaced is not None:
            text = gettext_noop("%(tool)s can replace the target %(target)s, says another item. Choose another tool.")
            yield Problem("distractors", Sentence(text, tool=one.tool, target=replaced))
        if key in seen:
            text = gettext_noop("%(tool)s and %(other)s are the same tool. Remove one.")
            yield Problem("distractors", Sentence(text, tool=one.tool, other=seen[key]))
        if known is not None and known.state is ToolState.REFUSED:
            text = gettext_noop("%(tool)s was rejected from the tool bank: %(reason)s Choose another tool.")
            yield Problem("distractors", Sentence(text, tool=one.tool, reason=known.reason))
        seen.setdefault(key, one.tool)


def _meaning(name: str, bank: Bank) -> str:
    known = bank.find(name)
    return key_of(known.name if known else name)


def unmentioned(description: str, names: Iterable[str]) -> list[str]:
    """The names that are no literal mention in the description: their words in a row, whatever their case and signs."""
    text = f" {' '.join(words_of(description))} "
    return [name for name in names if f" {' '.join(words_of(name))} " not in text]


def description_problems(
    description: str, targets: Sequence[str], distractors: Sequence[str], bank: Bank
) -> list[Problem]:
    """The faults of the description of the scene: it names every candidate by one of its names, in singular or
    plural, and singles out no target."""
    return list(_description_problems(description, targets, distractors, bank))


def _description_problems(
    description: str, targets: Sequence[str], distractors: Sequence[str], bank: Bank
) -> Iterator[Problem]:
    if len(description) > LONGEST_DESCRIPTION:
        text = gettext_noop("The description has %(count)s characters (limit: %(limit)s).")
        yield Problem("description", Sentence(text, count=len(description), limit=LONGEST_DESCRIPTION))
        return
    names = {tool: [words_of(name) for name in names_of(tool, bank)] for tool in (*targets, *distractors)}
    for tool in names:
        if not _named(words_of(description), names[tool]):
            text = gettext_noop("The description does not mention %(name)s. Add it to the scene.")
            yield Problem("description", Sentence(text, name=tool))
    parts = {word for written in names.values() for name in written for word in name}
    for sentence in SENTENCE.split(description):
        words = words_of(sentence)
        named = [tool for tool in targets if _named(words, names[tool])]
        others = any(_named(words, names[tool]) for tool in distractors)
        cues = SINGLED_OUT if others else SINGLED_OUT | IN_FRONT
        for word in dict.fromkeys(words if named else ()):
            if word in cues - parts:
                text = gettext_noop("“%(word)s” singles out %(name)s. Describe all tools alike.")
                yield Problem("description", Sentence(text, word=word, name=named[0]))


def _named(words: Sequence[str], names: Iterable[Sequence[str]]) -> bool:
    return any(True for name in names for _ in mentions(words, name))


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of the text says of one candidate: the task needs it, and it fits into the scene."""

    tool: str
    essential: bool
    consistent: bool


def shuffled(names: Iterable[str], seed: str) -> list[str]:
    """The candidates in an order that says nothing about them, the same for the same seed."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed}/{name}".encode()).digest())


def finding_problems(
    targets: Collection[str], distractors: Collection[str], findings: Sequence[Finding], valid_sequence: bool
) -> list[Problem]:
    """Where a check contradicts the item; empty if it passes. The findings are of every candidate."""
    return list(_finding_problems(targets, distractors, findings, valid_sequence))


def _finding_problems(
    targets: Collection[str], distractors: Collection[str], findings: Sequence[Finding], valid_sequence: bool
) -> Iterator[Problem]:
    found = {one.tool: one for one in findings}
    if set(found) != {*targets, *distractors}:
        yield Problem("findings", Sentence(gettext_noop("Decide about every tool.")))
        return
    for tool, one in found.items():
        if one.essential and tool not in targets:
            text = gettext_noop("The task needs %(tool)s, which is a distractor.")
            yield Problem("findings", Sentence(text, tool=tool))
        if not one.essential and tool in targets:
            text = gettext_noop("The task does not need %(tool)s, which is a target.")
            yield Problem("findings", Sentence(text, tool=tool))
        if not one.consistent:
            text = gettext_noop("%(tool)s does not fit into the scene.")
            yield Problem("findings", Sentence(text, tool=tool))
    if not valid_sequence:
        yield Problem("findings", Sentence(gettext_noop("The order of the steps is not valid.")))
