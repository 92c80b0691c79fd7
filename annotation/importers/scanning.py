"""Finds the beginning and end of the rows of one large JSON document in constant memory, without parsing them.

The rows are the elements of the top-level arrays (``{"samples": [row, row], ...}`` or ``[row, row]``) and the objects
that are top-level values (``{"settings": {...}}``); with ``enter``, they can be nested deeper. With ``scalars``, texts
and numbers are also rows. Each is then parsed separately, so a malformed row affects no other row. A JSON string cannot
contain a raw line break, so an unclosed string ends at its line: the damage stays local.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*["\n]'
_TOKEN = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*([\[\]{}"]|\Z)', re.DOTALL)
"""Up to the next bracket outside strings, or to a string that is still open at the end (then the quote), or the end."""

_STRING_END = re.compile(rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*["\n]', re.DOTALL)
_LAST_STRING = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*$', re.DOTALL)
_SCALAR = re.compile(
    rb"[\s,]*+(?:(" + _STRING + rb")\s*+:)?\s*+((?:" + _STRING + rb')|[^\s,:"\[\]{}]++)\s*+(?:(?=,)|(\Z))', re.DOTALL
)
"""A value other than a list or an object, with its key if it has one. The last group matches if nothing follows."""
_ANYTHING = re.compile(rb"[\s,]*+((?:" + _STRING + rb'|[^",]++)+)(?=,)', re.DOTALL)
"""Matches text that is not a value, up to the next comma."""
_CLOSES = {b"]": b"[", b"}": b"{"}
_GAP = 4096
"""The number of bytes kept between rows: enough for a key and for a message about unexpected content."""


Enter = Callable[[tuple[str, ...], bytes], bool]
"""Receives the keys that lead to a value of an object and its opening bracket; returns whether its members are rows.
The document itself has no keys and is always entered; items of lists are never.
"""


def lists_at_the_top(path: tuple[str, ...], bracket: bytes) -> bool:
    """Enter the lists that are top-level values, but not objects."""
    return len(path) == 1 and bracket == b"["


@dataclass(frozen=True, slots=True)
class Element:
    """One row: the ``key`` of its array, its bytes (None if longer than the limit), and whether its brackets don't
    match (``broken``).

    ``listed``: it is an item of a list; a single value has its own key. ``path``: the keys that lead to the list or
    object that contains it. ``start_offset``: its first byte; 0 if it is neither a list nor an object.
    """

    key: str
    text: bytes | None
    line: int
    end_offset: int
    broken: bool = False
    listed: bool = True
    path: tuple[str, ...] = ()
    start_offset: int = 0


class ArrayScanner:
    """Receives a document in pieces and yields its rows. ``limit`` is the maximum number of bytes kept of one row."""

    def __init__(self, limit: int, *, enter: Enter = lists_at_the_top, scalars: bool = False) -> None:
        self._limit = limit
        self._enter, self._scalars = enter, scalars
        self._path: tuple[str, ...] = ()
        self._stack: list[bytes] = []
        self._key = ""
        self._row_depth: int | None = None
        self._broken = False
        self._listed = True
        self._pieces: list[bytes] = []
        self._size = 0
        self._gap = b""
        self._in_string = False
        self._held = b""
        self._offset = 0
        self._line = 1
        self._row_line = 1
        self._row_start = 0
        self.seen = False
        """Whether a bracket was found: without one, this is not a JSON document of rows."""

    @property
    def open(self) -> bool:
        """Whether the document so far is incomplete. If nothing follows, it was cut off."""
        return bool(self._stack) or self._in_string

    @property
    def line(self) -> int:
        """The current line."""
        return self._line

    def feed(self, chunk: bytes) -> Iterator[Element]:
        """Yield the rows that end within ``chunk``, the next bytes of the document."""
        chunk = self._held + chunk
        self._held = b""
        if (len(chunk) - len(chunk.rstrip(b"\\"))) % 2:
            chunk, self._held = chunk[:-1], b"\\"
        done = counted = 0
        for match in _TOKEN.finditer(chunk, self._past_string(chunk)):
            token, end = match[1], match.end()
            if not token:
                break
            if token == b'"':
                self._in_string = True
                break
            if token in _CLOSES:
                if self._row_depth is None:
                    if self._scalars:
                        self._line += chunk.count(b"\n", counted, end - 1)
                        counted = end - 1
                    yield from self._between(chunk[done : end - 1], end - 1)
                    done = end
                self._pop(_CLOSES[token])
                if self._row_depth is None:
                    self._path = self._path[: max(0, len(self._stack) - 1)]
                if self._row_depth is not None and len(self._stack) <= self._row_depth:
                    cut = end if len(self._stack) == self._row_depth else end - 1
                    yield self._finished(chunk[done:cut], cut)
                    done = cut
                continue
            if self._row_depth is None:
                start = end - 1
                self._line += chunk.count(b"\n", counted, start)
                counted = start
                yield from self._opened(chunk[done:start], token, start)
                done = start if self._row_depth is not None else end
            self._stack.append(token)
            self.seen = True
        self._line += chunk.count(b"\n", counted)
        self._keep(chunk[done:])
        self._offset += len(chunk)
        if self._scalars and self._row_depth is None:
            yield from self._told(self._offset, last=False)

    def _past_string(self, chunk: bytes) -> int:
        """Return where a string that was open at the end of the last chunk ends in this one."""
        if not self._in_string:
            return 0
        match = _STRING_END.match(chunk)
        self._in_string = match is None
        return match.end() if match else len(chunk)

    def _pop(self, opener: bytes) -> None:
        """Process a closing bracket. If it does not match the innermost one, it closes everything up to its partner;
        without a partner, it closes the innermost.
        """
        if self._stack and self._stack[-1] == opener:
            self._stack.pop()
            return
        self._broken = True
        if opener in self._stack:
            while self._stack.pop() != opener:
                pass
        elif self._row_depth is not None:
            self._stack.pop()  # no bracket of its kind is open: it was meant for the innermost

    def _opened(self, before: bytes, token: bytes, start: int) -> Iterator[Element]:
        """Process a bracket outside a row: it opens the document, one of its lists, or a row."""
        if not self._stack:
            self._path, self._gap = (), b""
            return
        if self._stack[-1] == b"[":
            yield from self._between(before, start)
            self._start_row("", start)
            return
        if self._scalars:
            self._gap += before
            yield from self._told(self._offset + start, last=True)
        else:
            self._gap = (self._gap + before)[-_GAP:]
        found = _LAST_STRING.search(self._gap[-_GAP:])
        key = _unescaped(found[1]) if found else ""
        self._gap = b""
        if self._enter((*self._path, key), token):
            self._path = (*self._path, key)
        else:
            self._start_row(key, start)

    def _start_row(self, key: str, start: int) -> None:
        self._row_start = self._offset + start
        self._row_depth, self._row_line, self._broken = len(self._stack), self._line, False
        self._listed = self._stack[-1:] == [b"["]
        self._key = self._of_list if self._listed else key

    @property
    def _of_list(self) -> str:
        return self._path[-1] if self._path else ""

    def _between(self, before: bytes, end: int) -> Iterator[Element]:
        """Process the text between rows other than commas and space: scalars, or one row that is not an object."""
        if self._scalars:
            self._gap += before
            yield from self._told(self._offset + end, last=True)
            self._gap = b""
            return
        text = (self._gap + before).strip(b", \t\r\n")
        self._gap = b""
        if text and self._stack[-1:] == [b"["]:
            yield Element(self._of_list, text[:_GAP], self._line, self._offset + end, path=self._path)

    def _told(self, end: int, *, last: bool) -> Iterator[Element]:
        """Yield the scalars in the kept text, which ends at the offset ``end``; ``last``: a bracket follows."""
        gap, at = self._gap, 0
        start, listed = end - len(gap), self._stack[-1:] == [b"["]
        line, counted = self._line - gap.count(b"\n"), 0
        while at < len(gap) and self._stack:
            match = _SCALAR.match(gap, at)
            if match and (last or match[3] is None):
                text, key, broken = match[2], match[1], (match[1] is None) != listed
            elif found := _ANYTHING.match(gap, at):
                match, text, key, broken = found, found[1].strip()[:_GAP], None, True
            else:
                break
            at = match.end()
            line, counted = line + gap.count(b"\n", counted, at), at
            name = self._of_list if listed else _unescaped(key[1:-1]) if key else ""
            kept = text if len(text) <= self._limit else None
            yield Element(name, kept, line, start + at, broken, listed, self._path)
        self._gap = gap[at:] if len(gap) - at <= max(self._limit, _GAP) else b""

    def _finished(self, piece: bytes, end: int) -> Element:
        fits = self._size + len(piece) <= self._limit
        text = b"".join((*self._pieces, piece)) if fits else None
        self._pieces, self._size, self._row_depth = [], 0, None
        at = self._offset + end, self._broken, self._listed, self._path, self._row_start
        return Element(self._key, text, self._row_line, *at)

    def _keep(self, rest: bytes) -> None:
        if self._row_depth is None:
            self._gap = self._gap + rest if self._scalars else (self._gap + rest)[-_GAP:]
            return
        self._size += len(rest)
        if self._size <= self._limit:
            self._pieces.append(rest)
        else:
            self._pieces = []


def _unescaped(key: bytes) -> str:
    """Return a key as JSON reads it; unchanged if it is damaged."""
    if b"\\" in key:
        try:
            return str(json.loads(b'"' + key + b'"'))
        except ValueError:
            pass
    return key.decode("utf-8", "replace")
