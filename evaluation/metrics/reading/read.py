"""From the text of a model to a letter or a value, never guessing."""

from __future__ import annotations

import re
from dataclasses import replace

from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.reading.normalize import normalize
from evaluation.metrics.reading.open_answers import read_open
from evaluation.metrics.reading.options import Options, prepared
from evaluation.metrics.reading.passage import Passage
from evaluation.metrics.reading.presentation import plain
from evaluation.metrics.reading.record import CLASSES, NORMALIZED_LENGTH, Reading
from evaluation.metrics.reading.region import Tagged, boxed, structured, tagged, without_calls
from evaluation.metrics.reading.released import RELEASED
from evaluation.metrics.reading.resolve import Read, read_passage, stated
from evaluation.metrics.reading.spans import Text
from evaluation.metrics.settings import MetricSettings

_ALONE = re.compile(r"[ \n]?[(\[]?([A-Za-z])[)\].:]{0,2}[ \n]?\Z")


def read_answer(text: str | None, key: AnswerKey, settings: MetricSettings) -> Reading:
    """Read ``text`` under ``key``: an option's letter, or the value of an open answer.

    Only the options and the kind of answer are used, never the gold, except by the rules of released scorers, which
    compare an answer with the gold letter.
    """
    if not text or not text.strip():
        return Reading("blank")
    if settings.answer_reading != "standard":
        return RELEASED[settings.answer_reading].read(text, key)
    if not key.multiple_choice:
        return read_open(text, settings)
    options = prepared(tuple(key.options.items()))
    if len(text) < 8 and (alone := _ALONE.match(text)) and (letter := alone[1].upper()) in options.letters:
        # Most answers are this short: what the rule "letter" would read.
        return _floored(
            Reading("read", letter, "", "text", "letter", "exact", alone.start(1), alone.end(1), text.strip()), settings
        )
    return _floored(_read_choice(text, options), settings)


def _floored(reading: Reading, settings: MetricSettings) -> Reading:
    """Return the reading, or unread if its class is weaker than ``reading_floor``."""
    if reading.letter and CLASSES.index(reading.strength) > CLASSES.index(settings.reading_floor):
        return Reading("unread", normalized=reading.normalized, reason="weak", flags=reading.flags)
    return reading


def _read_choice(raw: str, options: Options) -> Reading:
    normal = normalize(raw)
    if normal.thinking:
        return Reading("unread", reason="thinking_only")
    text = without_calls(normal.text)
    if not text.s.strip():
        return Reading("blank") if not normal.text.s.strip() else Reading("unread", reason="none")
    found = tagged(text)
    if not found:
        return _read_region(text, options, "")
    reading = _read_region(found.text, options, "tag")
    return _with_earlier(reading, found, options)


def _with_earlier(reading: Reading, found: Tagged, options: Options) -> Reading:
    """Return the reading, flagged if the previous tag reads differently."""
    if not reading.letter or not found.earlier:
        return reading
    before = _read_region(found.earlier[-1], options, "tag")
    if before.letter and before.letter != reading.letter:
        return replace(reading, flags=(*reading.flags, "earlier_tag_differs"))
    return reading


def _read_region(text: Text, options: Options, where: str) -> Reading:
    """Read a region: its literal, its box, or its text."""
    said, differ = structured(text)
    if differ:
        return Reading("unread", normalized=_shown(plain(text)), reason="contradiction")
    if said is not None:
        text, where = said, where or "structured"
    if not (box := boxed(text)):
        return _reading(_passage(text, options), where or "text")
    behind = _passage(box.behind, options)
    if any(map(str.isalnum, behind.s)) and (overruled := stated(behind)) and (overruled.letter or overruled.reason):
        inside = read_passage(_passage(box.inside, options))
        if not (overruled.letter and overruled.letter == inside.letter):
            flags = (*overruled.flags, "box_overruled")
            return _made(overruled._replace(flags=flags), behind, where or "text")
    passage = _passage(box.inside, options)
    found = read_passage(passage)
    if not found.letter and found.reason in ("none", "outside"):
        before = _passage(box.before, options)
        if (earlier := stated(before)) and earlier.letter:
            return _made(earlier, before, where or "text")
        found = found._replace(reason="outside")
    return _made(found, passage, where or "box")


def _passage(text: Text, options: Options) -> Passage:
    return Passage(plain(text).strip(), options)


def _shown(text: Text) -> str:
    return text.s.strip()[:NORMALIZED_LENGTH]


def _reading(passage: Passage, where: str) -> Reading:
    if not passage.s:
        return Reading("unread", reason="none")
    return _made(read_passage(passage), passage, where)


def _made(found: Read, passage: Passage, where: str) -> Reading:
    shown = passage.s[:NORMALIZED_LENGTH]
    if not found.letter:
        return Reading("unread", normalized=shown, reason=found.reason or "none", flags=found.flags)
    start, end = passage.text.span(found.start, found.end)
    return Reading("read", found.letter, "", where, found.rule, found.strength, start, end, shown, flags=found.flags)
