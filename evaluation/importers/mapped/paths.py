"""Paths of keys into JSON: ``log[*].actions[0].bbox``. A path names places; it computes nothing.

========== ================================================================
``a.b``    the value of key ``b`` in the object under key ``a``
``["a.b"]`` a key with a dot, a bracket or a quote in it, as a JSON string
``[0]``    the first item of a list, ``[-1]`` the last
``[*]``    every item of a list, or every value of an object
``key()``  the key of the value; only at the end of a path
``.``      the value itself
========== ================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from annotation.importers.interface import ImportProblem
from annotation.importers.storable import clean

MAX_LENGTH = 500
"""The longest path, in characters."""
MAX_STEPS = 30
MAX_INDEX = 10**9
_PLAIN = re.compile(r'[^.\[\]"()]+')
_BRACKET = re.compile(r'\[\s*(?:(?P<every>\*)|(?P<index>-?\d{1,10})|(?P<key>"(?:[^"\\]|\\.)*"))\s*\]', re.DOTALL)


class Mark(Enum):
    """Steps of a path that are neither a key nor a number."""

    EVERY = "[*]"
    KEY = "key()"


EVERY, KEY = Mark.EVERY, Mark.KEY
Step = str | int | Mark
"""One step of a path: a key, the number of an item, every item, or the key itself."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value at the end of a path, and its key ("" for an item of a list).

    ``beside``: for an item, the values at its index in parallel lists, by field."""

    value: Any
    key: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeyPath:
    """A path as steps; ``str`` writes it as ``parse`` reads it.

    >>> KeyPath.parse('log[*]["a.b"][-1]').steps[0]
    'log'
    """

    steps: tuple[Step, ...] = ()

    @classmethod
    def parse(cls, text: object) -> KeyPath:
        """Raises ``ImportProblem`` with the error and its position."""
        if not isinstance(text, str):
            raise ImportProblem("a path is a text such as log[*].actions")
        text = clean(text).strip()
        if len(text) > MAX_LENGTH:
            raise ImportProblem(f"a path has at most {MAX_LENGTH} characters")
        steps = tuple(_steps("" if text == "." else text))
        if len(steps) > MAX_STEPS:
            raise ImportProblem(f"a path has at most {MAX_STEPS} steps")
        if KEY in steps[:-1]:
            raise ImportProblem("key() can only end a path")
        return cls(steps)

    def __str__(self) -> str:
        if not self.steps:
            return "."
        return "".join(_written(step, first=place == 0) for place, step in enumerate(self.steps))

    def starts_with(self, other: KeyPath) -> bool:
        """Whether it leads into what ``other`` leads to."""
        return self.steps[: len(other.steps)] == other.steps

    def behind(self, other: KeyPath) -> KeyPath:
        """The rest of a path that ``starts_with(other)``."""
        return KeyPath(self.steps[len(other.steps) :])

    def shared(self, other: KeyPath) -> int:
        """Return the number of first steps that both have in common."""
        for place, (ours, theirs) in enumerate(zip(self.steps, other.steps, strict=False)):
            if ours != theirs:
                return place
        return min(len(self.steps), len(other.steps))

    def places(self, start: Place) -> Iterator[Place]:
        """All places the path leads to from ``start``, in the order of the file."""
        return (chain[-1] for chain in branches(start, self.steps))

    def first(self, start: Place) -> Any:
        """The first value that is there and not null; None without one."""
        return next((place.value for place in self.places(start) if place.value is not None), None)

    def last(self, start: Place) -> Any:
        """The last value that is there and neither null nor an empty text; None without one."""
        found = None
        for place in self.places(start):
            if place.value is not None and place.value != "":
                found = place.value
        return found


def branches(start: Place, steps: Sequence[Step]) -> Iterator[tuple[Place, ...]]:
    """For each value the steps lead to the places on the way, ``start`` first, the value last."""
    if not steps:
        yield (start,)
        return
    for after in _next(start, steps[0]):
        for rest in branches(after, steps[1:]):
            yield (start, *rest)


def _next(place: Place, step: Step) -> Iterator[Place]:
    value = place.value
    if step is KEY:
        if place.key:
            yield Place(place.key)
    elif step is EVERY:
        if isinstance(value, list):
            yield from map(Place, value)
        elif isinstance(value, dict):
            yield from (Place(item, key) for key, item in value.items())
    elif isinstance(step, int):
        if isinstance(value, list) and -len(value) <= step < len(value):
            yield Place(value[step])
    elif isinstance(value, dict) and step in value:
        yield Place(value[step], str(step))


def _steps(text: str) -> Iterator[Step]:
    at = 0
    while at < len(text):
        if text[at] == "[":
            match = _BRACKET.match(text, at)
            if match is None:
                raise ImportProblem(f'after {text[:at] or "the start"}: write [*], [0], [-1] or ["key"]')
            yield _in_brackets(match)
            at = match.end()
            continue
        if at and text[at] != ".":
            raise ImportProblem(f"after {text[:at]}: a point or a bracket is missing")
        at += bool(at)
        if text[at:] == KEY.value:
            yield KEY
            return
        match = _PLAIN.match(text, at)
        if match is None:
            raise ImportProblem(f'after {text[:at] or "the start"}: a key is missing; a strange key is written ["key"]')
        yield match[0]
        at = match.end()


def _in_brackets(match: re.Match[str]) -> Step:
    if match["every"]:
        return EVERY
    if match["index"]:
        number = int(match["index"])
        if abs(number) > MAX_INDEX:
            raise ImportProblem(f"[{number}] is not the number of an item")
        return number
    try:
        return clean(str(json.loads(match["key"], strict=False)))
    except ValueError as error:
        raise ImportProblem(f"{match['key']} is not a JSON string") from error


def _written(step: Step, *, first: bool) -> str:
    if step is EVERY:
        return "[*]"
    if isinstance(step, int):
        return f"[{step}]"
    if step is KEY:
        return "key()" if first else ".key()"
    name = str(step)
    if _PLAIN.fullmatch(name) and name == name.strip():
        return name if first else f".{name}"
    return f"[{json.dumps(name, ensure_ascii=False)}]"
