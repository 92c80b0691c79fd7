"""Parser of JSON and Python literals in answers: read, never evaluated. One pass over any text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from evaluation.metrics.reading.spans import Text

DEPTH = 20
"""Literals nested deeper are no answers."""
_SPACE = re.compile(r"[ \n]*")
_WORD = re.compile(r"-?[\w.+-]+")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|“([^”\n]*)”', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": " ", "r": "\n", "b": "\\b", "f": "\\f"}
"""The meaning of escapes; ``\\b`` and ``\\f`` begin a LaTeX command whose backslash was not doubled."""
_WORDS = {"true": "yes", "false": "no", "null": "", "none": ""}
_NUMBER = re.compile(r"-?\.?\d[\d.eE+-]*\Z")


@dataclass(slots=True)
class Literal:
    """One value. ``kind``: "text", "word", "list" or "object"; ``start``, ``end``: its place, quotes omitted."""

    kind: str
    start: int
    end: int
    items: list[Literal] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


class _Broken(Exception):
    pass


def parse(s: str) -> Literal | None:
    """Return the literal in ``s``, None if it is not one."""
    try:
        found, end = _value(s, _skip(s, 0), 0)
    except _Broken:
        return None
    return found if _skip(s, end) == len(s) else None


def text_of(literal: Literal, text: Text) -> Text | None:
    """Return the text of a value without escapes, yes and no for true and false, the single item of a list."""
    if literal.kind == "list" and len(literal.items) == 1:
        return text_of(literal.items[0], text)
    if literal.kind == "object":
        return None
    part = text.cut(literal.start, literal.end)
    if literal.kind == "word" and part.s.lower() in _WORDS:
        return part.edit([(0, len(part.s), _WORDS[part.s.lower()])])
    if literal.kind == "text" and "\\" in part.s:
        return part.replace(_ESCAPE, _unescaped)
    return part


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        code = int(found[1], 16)
        return "" if not code or 0xD800 <= code < 0xE000 else chr(code)
    return _ESCAPED.get(found[2], found[2] if found[2] in "\"'\\/" else found[0])


def _skip(s: str, place: int) -> int:
    found = _SPACE.match(s, place)
    return found.end() if found else place


def _value(s: str, place: int, depth: int) -> tuple[Literal, int]:
    if place >= len(s) or depth > DEPTH:
        raise _Broken
    opening = s[place]
    if opening in "{[(":
        return _collection(s, place, depth)
    if found := _STRING.match(s, place):
        group = found.lastindex or 1
        return Literal("text", found.start(group), found.end(group)), found.end()
    if (found := _WORD.match(s, place)) and (found[0].lower() in _WORDS or _NUMBER.match(found[0])):
        return Literal("word", place, found.end()), found.end()
    raise _Broken


def _collection(s: str, place: int, depth: int) -> tuple[Literal, int]:
    named = s[place] == "{"
    closing = {"{": "}", "[": "]", "(": ")"}[s[place]]
    found = Literal("object" if named else "list", place, place)
    at = _skip(s, place + 1)
    while at < len(s) and s[at] != closing:
        if named:
            key = _STRING.match(s, at)
            if not key:
                raise _Broken
            found.keys.append(key[key.lastindex or 1])
            at = _skip(s, key.end())
            if at >= len(s) or s[at] != ":":
                raise _Broken
            at = _skip(s, at + 1)
        item, at = _value(s, at, depth + 1)
        found.items.append(item)
        at = _skip(s, at)
        if at < len(s) and s[at] == ",":
            at = _skip(s, at + 1)
        elif at >= len(s) or s[at] != closing:
            raise _Broken
    if at >= len(s):
        raise _Broken
    found.end = at + 1
    return found, at + 1
