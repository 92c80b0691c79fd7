"""From what is stated to one letter: several statements, corrections, refusals (docs/metrics.md#several-statements)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from evaluation.metrics.reading import languages
from evaluation.metrics.reading.passage import Passage
from evaluation.metrics.reading.rules import INFERRED, STATED, WEAKER, WHOLE, Outcome, candidates, contained_in
from evaluation.metrics.reading.statements import Candidate, weak

_CORRECTION = re.compile(languages.CORRECTIONS)
_WITHDRAWAL = re.compile(languages.WITHDRAWALS)
_REFUSAL = re.compile(rf"\b(?:{'|'.join(languages.REFUSALS)})\b")
_BARE = re.compile(r"[A-Z](?<![\w'’-].)(?:(?<!A)(?![\w'’-])|(?<=A)(?=[.,;!)]|\Z))")
_PAIR = re.compile(r"([A-Z])(?<![\w'’-].)[)\]]? ?(?:,|/|&|and|or|、|和|或) ?(?:and |or )?[(\[]?([A-Z])(?![\w'’-])")
_HEDGE = re.compile(languages.HEDGES)
SHORTEST_MARK = 2
"""Characters of the shortest word that takes something back."""
SHORT = 5
"""Words of a text behind a colon that is taken for an answer outside the options."""


class Read(NamedTuple):
    """The reading of one passage: a letter with its rule, or the reason why none is read."""

    letter: str = ""
    rule: str = ""
    strength: str = ""
    start: int = 0
    end: int = 0
    reason: str = ""
    flags: tuple[str, ...] = ()


def read_passage(passage: Passage) -> Read:
    """One letter, by the first rules that apply to all of the passage, else by what is stated, else by weaker rules."""
    for rule in WHOLE:
        if outcome := rule.read(passage):
            return _read(outcome, rule.name, rule.strength)
    found, reasons, loose = candidates(passage)
    return _stated(passage, found, loose) or _weaker(passage, reasons, loose)


def stated(passage: Passage) -> Read | None:
    """Return the statement of the candidates; None without any."""
    found, _, loose = candidates(passage)
    return _stated(passage, found, loose)


def _stated(passage: Passage, found: list[Candidate], loose: list[Candidate]) -> Read | None:
    found = _with_corrections(passage, found)
    if not found:
        return None
    last = found[-1]
    if loose and any(_outside(passage, one) for one in loose if one.start >= last.value.end):
        return Read(reason="outside")
    if withdrawn(passage, last.value.stop):
        return Read(reason="withdrawn")
    if not last.value.chosen:
        return Read(reason=last.value.kind)
    flags: tuple[str, ...] = ()
    if len(found) > 1 and any(one.value.letter != last.value.letter for one in found[:-1]):
        if not _marked(passage, found[-2], last):
            return Read(reason="contradiction")
        flags = ("corrected",)
    value = last.value
    strength = INFERRED if value.inferred or last.rule == "aside" else STATED
    return Read(value.letter, last.rule, strength, value.start, value.end, flags=flags)


def _with_corrections(passage: Passage, found: list[Candidate]) -> list[Candidate]:
    """Weak statements also count after a correction mark that follows a candidate."""
    if not found or len(passage.s) - found[0].value.stop < 4:
        return found
    if not _CORRECTION.search(passage.low, found[0].value.end):
        return found
    more = []
    for one in weak(passage):
        before = [other for other in found if other.value.end <= one.start]
        if (
            before
            and one.value.kind in ("letter", "text", "several", "contradiction")
            and not any(other.value.start == one.value.start for other in found)
            and _CORRECTION.search(passage.low, before[-1].value.stop, one.value.start)
            and not passage.doubt(one.start, one.value.start, one.value.stop)
        ):
            more.append(one)
    return sorted([*found, *more], key=lambda one: one.value.start)


def _marked(passage: Passage, before: Candidate, last: Candidate) -> bool:
    """Whether the last of differing candidates is marked as final."""
    if _CORRECTION.search(passage.low, before.value.stop, last.value.start):
        return True
    if passage.concludes(last.start, last.value.start, before.value.stop):
        return True
    return passage.on_last_line(last.start) and not passage.on_last_line(before.start)


def withdrawn(passage: Passage, end: int) -> bool:
    """Whether the passage is in doubt again behind its last statement."""
    if len(passage.low) - end < SHORTEST_MARK:
        return False
    if _WITHDRAWAL.search(passage.low, end):
        return True
    # "A... no, C": taken back for something that is no statement.
    correction = _CORRECTION.search(passage.low, end)
    return bool(
        correction and passage.options.known and _BARE.search(passage.s, correction.end(), correction.end() + 40)
    )


def _outside(passage: Passage, loose: Candidate) -> bool:
    """Return whether a text other than an option is stated as the answer."""
    words = passage.s[loose.value.start : loose.value.end].split()
    return loose.colon and 0 < len(words) <= SHORT


def _weaker(passage: Passage, reasons: Sequence[str], loose: Sequence[Candidate]) -> Read:
    found: Outcome | None = None
    why = list(reasons)
    if loose:
        # A text other than an option is stated as the answer: only its own sentence is read further.
        last = loose[-1]
        start = passage.sentence_start(last.start)
        sentence = contained_in(passage, start, max(last.value.end, start))
        if sentence and sentence.letter and not reasons:
            return _read(sentence, "contained", INFERRED)
        if any(_outside(passage, one) for one in loose):
            refused = refuses(passage.low[last.value.start : last.value.end])
            return Read(reason="refusal" if refused else (sentence.reason if sentence else "") or "outside")
    for rule in WEAKER:
        if found := rule.read(passage):
            if found.letter and not (reasons and rule.name == "contained"):
                return _read(found, rule.name, rule.strength)
            why.append(found.reason or "none")
            break
    if refuses(passage.low) and not any(reason in ("several", "contradiction") for reason in why):
        return Read(reason="refusal")
    return Read(reason=next((one for one in why if one != "none"), "outside" if loose else _named_in_vain(passage)))


def _named_in_vain(passage: Passage) -> str:
    """Return why a passage without a statement is unread: "several" if it names two adjacent options, "hedged" if it
    names one in doubt, else "none".
    """
    named = {one for pair in _PAIR.findall(passage.s) for one in pair} & passage.options.letters
    if len(named) > 1:
        return "several"
    lone = _BARE.search(passage.s)
    if lone and lone[0] in passage.options.letters and _HEDGE.search(passage.low):
        return "hedged"
    return "none"


def refuses(low: str) -> bool:
    """Whether a text without an answer says that none can be given."""
    # The pattern alone would be tried at every place, though most texts hold none of the words.
    if any(map(low.__contains__, languages.REFUSALS)) and _REFUSAL.search(low):
        return True
    return not low.isascii() and any(map(low.__contains__, languages.UNSPACED_REFUSALS))


def _read(found: Outcome, rule: str, strength: str) -> Read:
    if not found.letter:
        return Read(reason=found.reason)
    return Read(found.letter, rule, strength, found.start, found.end)
