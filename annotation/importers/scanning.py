"""Finds where the rows of one big JSON document begin and end, in constant memory, without parsing them.

The rows are the elements of the top-level arrays (``{"samples": [row, row], ...}`` or ``[row, row]``) and the objects
that are top-level values (``{"settings": {...}}``). Each is then parsed on its own, so one malformed row is one row.
A string cannot hold a raw line break in JSON, so a string left open ends at its line: the damage stays local.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+["\n]'
_TOKEN = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+([\[\]{}"]|\Z)', re.DOTALL)
"""Up to the next bracket outside strings, or to a string that is still open at the end (then the quote), or the end."""

_STRING_END = re.compile(rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+["\n]', re.DOTALL)
_LAST_STRING = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*$', re.DOTALL)
_CLOSES = {b"]": b"[", b"}": b"{"}
_GAP = 4096
"""Bytes kept of what stands between rows; enough for a key and for a message about what does not belong there."""


@dataclass(frozen=True, slots=True)
class Element:
    """One row: the ``key`` of its array, its bytes (None = longer than the limit), and whether its brackets match.
    ``listed``: it is an item of a list, not a value alone."""

    key: str
    text: bytes | None
    line: int
    end_offset: int
    broken: bool = False
    listed: bool = True


class ArrayScanner:
    """Takes a document in pieces, gives its rows. ``limit`` is the most bytes kept of one row."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
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
        self.seen = False
        """Whether there was any bracket: without one, this is not a JSON document of rows."""

    @property
    def open(self) -> bool:
        """Whether the document so far is unfinished: it was cut off, if nothing follows."""
        return bool(self._stack) or self._in_string

    @property
    def line(self) -> int:
        """The line the scanner stands in."""
        return self._line

    def feed(self, chunk: bytes) -> Iterator[Element]:
        """The rows that end within ``chunk``, the next bytes of the document."""
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
                    yield from self._stray(chunk[done : end - 1], end)
                    done = end
                self._pop(_CLOSES[token])
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

    def _past_string(self, chunk: bytes) -> int:
        """Where the string that was open at the end of the last chunk ends in this one."""
        if not self._in_string:
            return 0
        match = _STRING_END.match(chunk)
        self._in_string = match is None
        return match.end() if match else len(chunk)

    def _pop(self, opener: bytes) -> None:
        """A closing bracket. One that does not fit the innermost closes all that was left open up to its partner."""
        if self._stack and self._stack[-1] == opener:
            self._stack.pop()
            return
        self._broken = True
        if opener in self._stack:
            while self._stack.pop() != opener:
                pass

    def _opened(self, before: bytes, token: bytes, start: int) -> Iterator[Element]:
        """A bracket outside a row: it opens the document, one of its arrays, or a row."""
        gap = self._gap + before
        if not self._stack and token == b"{":
            self._gap = b""
        elif self._stack == [b"{"]:
            key = _LAST_STRING.search(gap[-_GAP:])
            self._key = key[1].decode("utf-8", "replace") if key else ""
            self._gap = b""
            if token == b"{":
                self._start_row()
        elif not self._stack:
            self._key, self._gap = "", b""
        else:
            yield from self._stray(before, start)
            self._start_row()

    def _start_row(self) -> None:
        self._row_depth, self._row_line, self._broken = len(self._stack), self._line, False
        self._listed = self._stack[-1:] == [b"["]

    def _stray(self, before: bytes, offset: int) -> Iterator[Element]:
        """What stands between the rows of an array and is neither comma nor space: a row that is no object."""
        text = (self._gap + before).strip(b", \t\r\n")
        self._gap = b""
        if text and (self._stack == [b"["] or self._stack[1:] == [b"["]):
            yield Element(self._key, text[:_GAP], self._line, self._offset + offset)

    def _finished(self, piece: bytes, end: int) -> Element:
        fits = self._size + len(piece) <= self._limit
        text = b"".join((*self._pieces, piece)) if fits else None
        self._pieces, self._size, self._row_depth = [], 0, None
        return Element(self._key, text, self._row_line, self._offset + end, self._broken, self._listed)

    def _keep(self, rest: bytes) -> None:
        if self._row_depth is None:
            self._gap = (self._gap + rest)[-_GAP:]
            return
        self._size += len(rest)
        if self._size <= self._limit:
            self._pieces.append(rest)
        else:
            self._pieces = []
