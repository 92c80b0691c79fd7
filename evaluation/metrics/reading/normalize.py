"""One form of a text for reading, with the way back to the raw one (docs/metrics.md#normalization)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from evaluation.metrics.reading.marks import ANSWER_TAG, PROMPT_THEN_ROLE, ROLE, THINK_TAG, TOKEN, TURN_END
from evaluation.metrics.reading.spans import Edit, Text

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f"
    "\ufeff\u20e3\U000e0000-\U000e01ef"
)
"""Zero-width characters, soft hyphens, bidirectional controls, variation selectors."""
_SPACING = re.compile(
    rf"\r\n?|[\u0085\u2028\u2029]|[\t\v\f\x1c-\x1f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|[{_INVISIBLE}]"
)
_LINE_ENDS = frozenset("\r\u0085\u2028\u2029")
_KEPT_FORMS = ("<super>", "<sub>", "<fraction>")
_COMBINED = re.compile(r"[^\x00-\u02ff][\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670"
                       r"\u093c\u0e31-\u0eb9\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a]+"
                       r"|[\x20-\u02ff][\u0300-\u036f]+|[\u1100-\u115e][\u1161-\u11a7][\u11a8-\u11ff]?"
                       r"|[\uac00-\ud7a3][\u11a8-\u11ff]")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Normalized:
    """``text``: what is read. ``thinking``: there was text, and all of it was thinking."""

    text: Text
    thinking: bool = False


def normalize(raw: str) -> Normalized:
    """``raw`` with plain spaces and letters, without special tokens, invented turns and thinking.

    Normalizing twice changes nothing more.
    """
    text = Text(raw)
    if not raw.isascii() or not raw.replace("\n", "").isprintable():
        text = _plain_characters(text)
    low = text.s.lower()
    if "<" in low or "[" in low or "◁" in low or "user" in low or "human" in low:
        text = _first_turn(text)
    before = text
    if "<" in text.s or "◁" in text.s:
        text = _without_thinking(text)
    thinking = text is not before
    while (found := ROLE.match(text.s)) and (":" in found["role"] or text.s[found.end() :].strip()):
        text = text.edit([(max(0, found.end("marks")), found.end(), "")])
    return Normalized(text, thinking and bool(before.s.strip()) and not text.s.strip())


def _plain_characters(text: Text) -> Text:
    if _SPACING.search(text.s):
        text = text.replace(_SPACING, _spacing)
    if text.s.isascii():
        return text
    if not unicodedata.is_normalized("NFKC", text.s) or "−" in text.s:
        plain = text.s.translate(_FORMS)
        text = Text(plain, text) if _same_length(text.s) else text.edit(_forms(text.s))
    if not unicodedata.is_normalized("NFC", text.s):
        text = text.replace(_COMBINED, lambda found: unicodedata.normalize("NFC", found[0]))
    # Compatibility forms can hold spaces and removed characters themselves.
    return text.replace(_SPACING, _spacing) if _SPACING.search(text.s) else text


def _spacing(found: re.Match[str]) -> str:
    first = found[0][0]
    if first in _LINE_ENDS:
        return "\n"
    return " " if first.isspace() else ""


class _Forms(dict[int, str]):
    """The compatibility form of each character, found when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = unicodedata.decomposition(character).startswith(_KEPT_FORMS)
        form = "-" if character == "−" else character if kept else unicodedata.normalize("NFKC", character)
        if len(self) < 20_000:
            self[code] = form
        return form


_FORMS = _Forms()


def _same_length(s: str) -> bool:
    return all(len(_FORMS[ord(character)]) == 1 for character in set(s))


def _forms(s: str) -> list[Edit]:
    found = ((place, character, _FORMS[ord(character)]) for place, character in enumerate(s) if character > "\x7f")
    return [(place, place + 1, form) for place, character, form in found if form != character]


def _first_turn(text: Text) -> Text:
    """Cut the text at the end of the first turn and remove special tokens."""
    s = text.s
    closed = _thoughts(s).closed if "<" in s or "◁" in s else []
    starts = [start for start, _ in closed]
    begin, end, said_from, searched = 0, len(s), 0, False
    for mark in TURN_END.finditer(s):
        asked = mark[0].endswith(":")
        thought = bisect_right(starts, mark.start()) - 1
        if mark.start() < begin or (thought >= 0 and mark.start() < closed[thought][1]):
            continue
        if _says_something(_without(closed, s, said_from, mark.start())):
            end = mark.start()
            break
        # There is no text before it: a token is removed, and so is a repeated prompt, up to the answer's heading.
        said_from = mark.end()
        if asked and not searched:
            searched = True
            if answer := PROMPT_THEN_ROLE.search(s, mark.end()):
                begin = said_from = answer.end()
    text = text.cut(begin, max(begin, end))
    return text.replace(TOKEN, " ") if "<" in text.s or "[" in text.s else text


def _without(parts: list[tuple[int, int]], s: str, start: int, end: int) -> str:
    """``s[start:end]`` without the ``parts`` of ``s`` inside it."""
    kept: list[str] = []
    for begin, stop in parts:
        if start <= begin and stop <= end:
            kept.append(s[start:begin])
            start = stop
    return "\n".join([*kept, s[start:end]])


def _says_something(s: str) -> bool:
    return bool(ROLE.sub("", TOKEN.sub(" ", s) + "\n").strip())


@dataclass(slots=True)
class _Thoughts:
    """The positions of thinking.

    Closed parts after ``begin``; everything before ``begin`` is thinking without a start tag. The part without an end
    tag starts at ``opened`` (-1: none)."""

    begin: int
    closed: list[tuple[int, int]]
    opened: int


def _thoughts(s: str) -> _Thoughts:
    found = _Thoughts(0, [], -1)
    name, inner = "", set[str]()
    for tag in THINK_TAG.finditer(s):
        called = (tag[2] or tag[3]).lower()
        if not (tag[1] or tag[4]):
            if found.opened < 0:
                found.opened, name, inner = tag.start(), called, set()
            elif called != name:
                inner.add(called)
        elif called in inner:
            inner.discard(called)
        elif found.opened >= 0:
            found.closed.append((found.opened, tag.end()))
            found.opened = -1
        else:
            found = _Thoughts(tag.end(), [], -1)
    return found


def _without_thinking(text: Text) -> Text:
    s = text.s
    found = _thoughts(s)
    edits: list[Edit] = [(0, found.begin, "")] if found.begin else []
    edits += [(start, end, "\n") for start, end in found.closed]
    if found.opened < 0:
        return text.edit(edits) if edits else text
    # Never closed: all of the rest is thinking, but for answers that are closed in it.
    start = found.opened
    kept = _closed_answers(s, start)
    for begin, stop in kept:
        edits.append((start, begin, "\n"))
        edits += [(tag.start(), tag.end(), " ") for tag in THINK_TAG.finditer(s, begin, stop)]
        start = stop
    edits.append((start, len(s), "\n" if kept else ""))
    return text.edit(edits)


def _closed_answers(s: str, start: int) -> list[tuple[int, int]]:
    """The positions of closed answer tags after ``start``."""
    found: list[tuple[int, int]] = []
    opened = -1
    for tag in ANSWER_TAG.finditer(s, start):
        if is_closing(tag, opened >= 0):
            if opened >= 0:
                found.append((opened, tag.end()))
            opened = -1
        else:
            opened = tag.start()
    return found


def is_closing(tag: re.Match[str], opened: bool) -> bool:
    """Whether an answer tag closes; ``<|answer|>`` is written the same at both ends."""
    if tag["bar"] is not None:
        return tag["bar"] == "/" or opened
    return tag["close"] is not None or (tag["box"] or "").lower() == "end"
