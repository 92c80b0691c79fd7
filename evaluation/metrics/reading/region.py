"""The region of the answer in a text: a tag, a literal, a box, or the whole text
(docs/metrics.md#regions-of-the-answer)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.metrics.reading.literals import Literal, parse, text_of
from evaluation.metrics.reading.marks import ANSWER_TAG
from evaluation.metrics.reading.normalize import is_closing
from evaluation.metrics.reading.spans import Text

ANSWER_KEYS = frozenset(
    [
        "answer",
        "finalanswer",
        "choice",
        "option",
        "selectedoption",
        "prediction",
        "predictedanswer",
        "response",
        "result",
        "letter",
        "label",
        "答案",
    ]
)
"""Names, in lower case without spaces and dashes, under which an object holds the answer."""
TOOL_KEYS = frozenset(
    [
        "bbox",
        "bbox2d",
        "box",
        "arguments",
        "tool",
        "toolname",
        "function",
        "functioncall",
        "action",
        "parameters",
        "apiname",
    ]
)
"""Names by which an object is a call of a tool or what a tool found, and no answer."""
LONGEST_LITERAL = 20_000

_FENCE = re.compile(r"\A\s*```[\w+-]*\n?(.*?)\n?```\s*\Z", re.DOTALL)
_BOX = re.compile(r"\\*(?<![a-zA-Z])(?:boxed|(?<=\\)fbox|(?<=\\)framebox)\s?([{(])")
_BRACES, _ROUND = re.compile(r"\\[{}\\]|[{}]"), re.compile(r"[()]")
_CALL = re.compile(r"<(tool_call|function_call|tool)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tagged:
    """The last answer in a tag, and those before it."""

    text: Text
    earlier: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """The last box: its content, and the text before and after it."""

    inside: Text
    before: Text
    behind: Text


def tagged(text: Text) -> Tagged | None:
    """The inside of the last answer tag that holds something."""
    if "<" not in text.s:
        return None
    found: list[tuple[int, int]] = []
    last, opened = 0, -1
    for tag in ANSWER_TAG.finditer(text.s):
        if is_closing(tag, opened >= 0):
            found.append((opened if opened >= 0 else last, tag.start()))
            opened = -1
        else:
            if opened >= 0:
                found.append((opened, opened))
            opened = tag.end()
        last = tag.end()
    if opened >= 0:
        found.append((opened, len(text.s)))
    insides = [text.cut(start, end) for start, end in found if text.s[start:end].strip()]
    return Tagged(insides[-1], tuple(insides[:-1])) if insides else None


def structured(text: Text) -> tuple[Text | None, bool]:
    """Return the answer in an object or a list of one item, None if there is none; and whether several keys of an
    object have different answers.
    """
    for start, end in _literals(text.s):
        literal = parse(text.s[start:end])
        if literal is None:
            continue
        part = text.cut(start, end)
        if literal.kind == "list":
            return (text_of(literal, part), False) if len(literal.items) == 1 else (None, False)
        if literal.kind != "object":
            return None, False
        return _answer_of(literal, part)
    return None, False


def _answer_of(literal: Literal, part: Text) -> tuple[Text | None, bool]:
    names = [re.sub(r"[\s_-]", "", key.casefold()) for key in literal.keys]
    if TOOL_KEYS & set(names) or {"name", "args"} <= set(names):
        return None, False
    values = [value for name, value in zip(names, literal.items, strict=True) if name in ANSWER_KEYS]
    if len(values) != 1:
        said = {found.s.strip().casefold() for value in values if (found := text_of(value, part))}
        return None, len(said) > 1
    return text_of(values[0], part), False


def _literals(s: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of possible literals: the entire text, its last fenced block, or an object at its end."""
    bare = s.strip()
    if not bare or bare[-1] not in "}])`" or ("{" not in bare and "[" not in bare):
        return
    start = s.index(bare[0])
    if fence := _FENCE.match(s) if bare.startswith("```") else None:
        if fence.end(1) - fence.start(1) <= LONGEST_LITERAL:
            yield fence.span(1)
    elif bare[0] in "{[" and len(bare) <= LONGEST_LITERAL:
        yield start, start + len(bare)
    if bare.endswith("```"):
        close = s.rindex("```")
        opened = s.rfind("```", 0, close)
        if opened >= 0 and close - opened <= LONGEST_LITERAL:
            line = s.find("\n", opened)
            yield (line + 1 if 0 <= line < close else opened + 3), close
    if bare.endswith("}") and (opened := _opening(s, start + len(bare) - 1)) > start:
        yield opened, start + len(bare)


def _opening(s: str, close: int) -> int:
    """Return the position of the brace that the last one closes, -1 if there is none."""
    depth = 0
    for place in range(close, max(-1, close - LONGEST_LITERAL), -1):
        if s[place] == "}":
            depth += 1
        elif s[place] == "{":
            depth -= 1
            if not depth:
                return place
    return -1


def boxed(text: Text) -> Box | None:
    """The last box that holds something; one that is never closed reaches to the end."""
    if "box" not in text.s:
        return None
    closings: dict[int, int] | None = None
    for found in reversed(list(_BOX.finditer(text.s))):
        if closings is None:
            closings = _closings(_BRACES, text.s) | _closings(_ROUND, text.s)
        end = closings.get(found.start(1), -1)
        inside = text.cut(found.end(), end if end >= 0 else len(text.s))
        if inside.s.strip(" \n{}"):
            behind = text.cut(end + 1, len(text.s)) if end >= 0 else text.cut(len(text.s), len(text.s))
            return Box(inside, text.cut(0, found.start()), behind)
    return None


def _closings(brackets: re.Pattern[str], s: str) -> dict[int, int]:
    """Return the closing position of each bracket of one kind; brackets that are never closed are omitted."""
    closings: dict[int, int] = {}
    waiting: list[int] = []
    for bracket in brackets.finditer(s):
        if bracket[0] in "({":
            waiting.append(bracket.start())
        elif bracket[0] in ")}" and waiting:
            closings[waiting.pop()] = bracket.start()
    return closings


def without_calls(text: Text) -> Text:
    """Remove tool calls, which are not answers."""
    return text.replace(_CALL, "\n") if "<tool" in text.s or "<function_call" in text.s else text
