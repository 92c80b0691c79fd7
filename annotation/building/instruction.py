"""Whether an instruction gives its tools away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotation.building import Problem, names_of
from annotation.building.words import LETTERS, mentions, singulars, stems, vocabulary, words_of
from annotation.marking import Sentence, gettext_noop
from annotation.tool_bank import Bank

LONGEST = 2000
SURE = 6
"""Letters from which a word inside a longer one is no chance: every word with "hammer" at an end names a hammer."""
WITHOUT_MEANING = vocabulary("without_meaning")
"""Words of names that say nothing about the tool."""
PARTS = vocabulary("parts")
"""Words that make compounds with short names of tools: handsaw, sawtooth, penknife. Other words merely contain them:
open, profile, pumpkin."""


@dataclass(frozen=True, slots=True)
class Leak:
    """``words``: as in the instruction. ``name``: the tool that they give away, as the bank names it."""

    words: str
    name: str


def leaks(instruction: str, targets: Iterable[str], bank: Bank) -> list[Leak]:
    """Return the words of an instruction that reveal tools: a name or alias of any tool of the bank that is not
    rejected, in singular or plural, in one word or several; and a content word of any name of a target, in any form or
    compound. Each word once.
    """
    words = words_of(instruction)
    found: dict[str, str] = {}
    for target in targets:
        for name in names_of(target, bank):
            for word in _content_words(name):
                for said in words:
                    if _gives_away(said, word):
                        found.setdefault(said, target)
    for tool in bank.kept:
        for name in (tool.name, *tool.aliases):
            for said in mentions(words, words_of(name)):
                found.setdefault(said, tool.name)
    return [Leak(said, name) for said, name in found.items()]


def instruction_problems(
    instruction: str, targets: Sequence[str], bank: Bank, overlap_with_other: float = 0.0
) -> list[Problem]:
    """Why an instruction cannot be used. ``overlap_with_other``: with the other scenario of the same targets, see
    ``annotation.validation.token_overlap``."""
    return list(_problems(instruction, targets, bank, overlap_with_other))


def _problems(instruction: str, targets: Sequence[str], bank: Bank, overlap: float) -> Iterator[Problem]:
    if not words_of(instruction):
        yield Problem("instruction", Sentence(gettext_noop("Enter the instruction.")))
    if len(instruction) > LONGEST:
        text = gettext_noop("The instruction has %(count)s characters (limit: %(limit)s).")
        yield Problem("instruction", Sentence(text, count=len(instruction), limit=LONGEST))
        return
    words = gettext_noop("“%(words)s” gives away %(name)s. Describe the task without it.")
    for leak in leaks(instruction, targets, bank):
        yield Problem("instruction", Sentence(words, words=leak.words, name=leak.name))
    if overlap >= 0.8:
        same = gettext_noop("The other scenario of these targets has nearly the same instruction. Write another one.")
        yield Problem("instruction", Sentence(same))


def _content_words(name: str) -> list[str]:
    return [word for word in words_of(name) if len(word) > 2 and LETTERS.search(word) and word not in WITHOUT_MEANING]


def _gives_away(said: str, word: str) -> bool:
    """Whether a word of the instruction is a form of a word of a name, or a compound with it."""
    if stems(said) & stems(word):
        return True
    return any(_is_compound(form, base) for form in stems(said) for base in singulars(word))


def _is_compound(said: str, base: str) -> bool:
    for rest in {said.removeprefix(base), said.removesuffix(base)} - {said}:
        if rest in PARTS or (len(base) >= SURE and len(rest) > 2):
            return True
    return False
