"""Open-ended answers: the value, and whether it equals an accepted text (docs/metrics.md#open-ended-answers)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evaluation.metrics.reading import languages
from evaluation.metrics.reading.comparing import exact_form, folded
from evaluation.metrics.reading.normalize import normalize
from evaluation.metrics.reading.numbers import Number, number_of
from evaluation.metrics.reading.options import prepared
from evaluation.metrics.reading.passage import Passage
from evaluation.metrics.reading.presentation import plain, plain_words
from evaluation.metrics.reading.record import NORMALIZED_LENGTH, Reading
from evaluation.metrics.reading.region import boxed, structured, tagged
from evaluation.metrics.reading.resolve import withdrawn
from evaluation.metrics.reading.spans import Text
from evaluation.metrics.reading.statements import spoken_values
from evaluation.metrics.settings import MetricSettings

CONTAINED_WORDS = 5
"""Under ``open_match = contains`` an accepted string of fewer words than this may occur anywhere in the answer."""
LONGEST = 2000
"""Longer texts are compared with nothing."""

_EXPLAINED = re.compile(languages.EXPLANATIONS)
_CORRECTION = re.compile(languages.CORRECTIONS)
_REASON = re.compile(r"\s?,?\s(?:because|since|which|as (?:shown|seen|can|it|the|indicated)|so)\b")
_LIST = re.compile(r"\s*[,;、|，；]\s*")
_YES_NO = re.compile(r"[\"'“]?([^\W\d_]+)[\"'”]?\s?(?:[,.!。,;\n]|\Z)")
_PAIRS = tuple(zip(languages.YES, languages.NOES, strict=True))
_NO_OPTIONS = prepared(())


@dataclass(frozen=True, slots=True)
class Said:
    """The value of an open answer and how it was found."""

    value: str
    rule: str
    strength: str
    start: int
    end: int
    reason: str = ""
    flags: tuple[str, ...] = ()


def read_open(raw: str, settings: MetricSettings) -> Reading:
    """The value that ``raw`` says, to be compared with what is accepted."""
    normal = normalize(raw)
    if normal.thinking:
        return Reading("unread", reason="thinking_only")
    text, where = normal.text, "text"
    if not text.s.strip():
        return Reading("blank")
    if found := tagged(text):
        text, where = found.text, "tag"
    literal, differ = structured(text)
    if differ:
        return Reading("unread", normalized=_shown(plain(text)), reason="contradiction")
    if literal is not None:
        text, where = literal, where if where == "tag" else "structured"
    flags: tuple[str, ...] = ()
    if box := boxed(text):
        behind = Passage(plain(box.behind).strip(), _NO_OPTIONS)
        if spoken_values(behind, certain=True):
            text, flags = box.behind, ("box_overruled",)
        else:
            text, where = box.inside, where if where == "tag" else "box"
    passage = Passage(plain(text).strip(), _NO_OPTIONS)
    if not passage.s:
        return Reading("blank") if where == "text" else Reading("unread", reason="none")
    said = _said(passage) if settings.open_match == "value" else _whole(passage)
    shown = _shown(passage.text)
    if said.reason:
        return Reading("unread", normalized=shown, reason=said.reason, flags=flags)
    start, end = passage.text.span(said.start, said.end)
    return Reading(
        "read", "", said.value, where, said.rule, said.strength, start, end, shown, flags=(*flags, *said.flags)
    )


def _shown(text: Text) -> str:
    return text.s.strip()[:NORMALIZED_LENGTH]


def _whole(passage: Passage) -> Said:
    return Said(passage.s, "text", "exact", 0, len(passage.s))


def _said(passage: Passage) -> Said:
    """The value of the last statement, the first line before an explanation, all of the passage, or its last line."""
    if len(passage.lines) == 1 and len(passage.s) < 60 and not _maybe_stated(passage.low):
        return _whole(passage)
    found = spoken_values(passage)
    if found:
        phrase, start, end = found[-1]
        value = passage.s[start:end]
        if withdrawn(passage, end):
            return Said("", "", "", 0, 0, "withdrawn")
        before = [passage.s[begin:stop] for _, begin, stop in found[:-1]]
        flags: tuple[str, ...] = ()
        if any(not equal(value, other) for other in before):
            last = found[-2][2]
            if not (
                _CORRECTION.search(passage.low, last, start)
                or passage.concludes(phrase, start, last)
                or (passage.on_last_line(phrase) and not passage.on_last_line(found[-2][0]))
            ):
                return Said("", "", "", 0, 0, "contradiction")
            flags = ("corrected",)
        return Said(value, "statement", "stated", start, end, flags=flags)
    if len(passage.lines) > 1:
        start, end = passage.lines[0]
        if _EXPLAINED.match(passage.low, passage.lines[1][0]):
            return Said(passage.s[start:end], "first_line", "stated", start, end)
        start, end = passage.lines[-1]
        return Said(passage.s[start:end], "last_line", "inferred", start, end)
    return _whole(passage)


def _maybe_stated(low: str) -> bool:
    return not low.isascii() or ":" in low or "=" in low or low.count(" ") > 1


def accepts(reading: Reading, accepted: Sequence[str], settings: MetricSettings) -> tuple[bool | None, str]:
    """Whether an open answer equals an accepted text: True, False (another whole number, or no for yes), or None with
    the reason: "unit" or "unmatched"."""
    said = list(dict.fromkeys((reading.value, reading.normalized)))
    if settings.open_match != "value" or settings.answer_reading != "standard":
        # Released scorers compare whole texts; only one of them looks inside.
        contains = settings.answer_reading == "vtc" or settings.open_match == "contains"
        return (True, "") if any(_contains(one, accepted, contains) for one in said[:1]) else (None, "unmatched")
    ignored = settings.open_units == "ignore"
    shown = [plain_words(words) for words in accepted if words.strip()]
    if any(equal(value, words, ignored) for value in said for words in shown):
        return True, ""
    first = reading.value
    if shown and all(_refutes(first, words) for words in shown):
        return False, ""
    return None, "unit" if any(_unit_apart(first, words) for words in shown) else "unmatched"


def _contains(answer: str, accepted: Sequence[str], contains: bool) -> bool:
    said = exact_form(answer)
    for words in map(_known_form, accepted):
        if words and (said == words or (contains and len(words.split()) < CONTAINED_WORDS and words in said)):
            return True
    return False


_known_form = lru_cache(maxsize=65_536)(exact_form)


def equal(said: str, accepted: str, ignore_units: bool = False) -> bool:
    """Whether two texts are the same text, number with unit, list, or yes or no."""
    if len(said) > LONGEST or (said.rstrip().endswith(("?", "？")) and not accepted.rstrip().endswith(("?", "？"))):
        return False
    if (fold := folded(said)) and fold == folded(accepted):
        return True
    one, other = number_of(said), number_of(accepted)
    if one and other:
        same_unit = one.unit == other.unit or (ignore_units and not (one.unit and other.unit))
        return one.value == other.value and same_unit
    if one or other:
        return False
    if _yes_or_no(accepted) and (word := _yes_or_no(said, first=True)):
        return word == _yes_or_no(accepted)
    first, second = items(said), items(accepted)
    return (
        len(first) == len(second) > 1
        and all(equal(a, b, ignore_units) for a, b in zip(first, second, strict=True))
    )  # fmt: skip


def items(words: str) -> list[str]:
    """Return the items of a list of two or more; empty if it is not a list."""
    bare = words.strip().rstrip(".。")
    if len(bare) > 1 and (bare[0], bare[-1]) in (("[", "]"), ("(", ")"), ("{", "}")):
        bare = bare[1:-1]
    if not _LIST.search(bare):
        return []
    found = _LIST.split(bare.strip())
    return found if len(found) > 1 and all(one.strip(" \"'") for one in found) else []


def _yes_or_no(words: str, first: bool = False) -> tuple[str, bool] | None:
    """Return the language's yes or no in all of ``words`` or in their ``first`` word, and whether it is yes."""
    if first:
        found = _YES_NO.match(words.strip().casefold())
        word, rest = (found[1], words.strip().casefold()[found.end() :]) if found else ("", "")
    else:
        word, rest = folded(words), ""
    for yes, no in _PAIRS:
        if word in (yes, no):
            other = no if word == yes else yes
            if re.search(rf"(?<!\w){other}(?!\w)", rest) or _CORRECTION.search(rest):
                return None
            return yes, word == yes
    return None


def _refutes(said: str, accepted: str) -> bool:
    """Whether both are whole numbers without a unit, or yes and no, and differ."""
    one, other = number_of(said), number_of(accepted)
    if one and other:
        return one.whole and other.whole and one.value != other.value
    word = _yes_or_no(accepted)
    heard = _yes_or_no(said, first=True) if word else None
    return bool(word and heard) and word != heard and word is not None and heard is not None and word[0] == heard[0]


def _unit_apart(said: str, accepted: str) -> bool:
    """Whether the numbers are equal and only one side has a unit."""
    one, other = number_of(said), number_of(accepted)
    return bool(_numbers(one, other)) and one is not None and other is not None and one.value == other.value


def _numbers(one: Number | None, other: Number | None) -> bool:
    return one is not None and other is not None and bool(one.unit) != bool(other.unit)
