"""A query cut into words, each with the column it begins at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.marking import Sentence, gettext_noop
from evaluation.query.syntax import QueryError

LONGEST = 2000
"""Characters of a query; an address holds no more."""
WORDS = frozenset({"and", "or", "not"})

_SPACE = re.compile(r"\s+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_COMPARISON = re.compile(r'([^\W\d]\w*(?:\.(?:"[^"]*"|[\w-]+))?)(?::|\s*(!=|>=|<=|=|<|>)\s*)')
_PLAIN = re.compile(r'[^\s()"]+')
_PERCENT = re.compile(r"\s*%")


@dataclass(frozen=True, slots=True)
class Token:
    """``kind``: "(" ")" "and" "or" "not" "text" "word" "term". Of a term ``name``, ``sign`` and where its value is."""

    kind: str
    text: str
    column: int
    name: str = ""
    sign: str = ""
    at: int = 0


def tokens(text: str) -> Iterator[Token]:
    """The words of a query in order. Raises ``QueryError`` for a quote that is not closed and a missing value."""
    if len(text) > LONGEST:
        raise QueryError(
            Sentence(
                gettext_noop("The query is longer than %(limit)s characters. Save a part of it as a slice."),
                limit=LONGEST,
            ),
            LONGEST,
            text,
        )
    if "\0" in text:
        raise QueryError(
            Sentence(gettext_noop("The query contains a null character. Remove it.")), text.index("\0"), text
        )
    place = 0
    while place < len(text):
        if space := _SPACE.match(text, place):
            place = space.end()
            continue
        token, place = _next(text, place)
        yield token


def _next(text: str, place: int) -> tuple[Token, int]:
    if text[place] in "()":
        return Token(text[place], text[place], place), place + 1
    if text[place] == '"':
        value, end = _quoted(text, place)
        return Token("text", value, place), end
    if named := _COMPARISON.match(text, place):
        value, end = _value(text, named.end(), named)
        name, sign = named[1].replace('"', ""), named[2] or ":"
        return Token("term", value, place, name.casefold() if "." not in name else name, sign, named.end()), end
    plain = _PLAIN.match(text, place)
    word = plain[0] if plain else text[place]
    kind = word.casefold() if word.casefold() in WORDS else "word"
    return Token(kind, word, place), place + len(word)


def _value(text: str, place: int, named: re.Match[str]) -> tuple[str, int]:
    if place < len(text) and text[place] == '"':
        return _quoted(text, place)
    plain = _PLAIN.match(text, place)
    if plain is None:
        raise QueryError(Sentence(gettext_noop("%(field)s needs a value."), field=named[0].strip()), place, text)
    percent = _PERCENT.match(text, plain.end())
    return (f"{plain[0]}%", percent.end()) if percent else (plain[0], plain.end())


def _quoted(text: str, place: int) -> tuple[str, int]:
    found = _QUOTED.match(text, place)
    if found is None:
        raise QueryError(Sentence(gettext_noop('The quote is not closed. Add a " after the text.')), place, text)
    return re.sub(r"\\(.)", r"\1", found[1]), found.end()


def quoted(value: str) -> str:
    """A value as written in a query: in quotes if necessary."""
    if _PLAIN.fullmatch(value) and "\\" not in value:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
