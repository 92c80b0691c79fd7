"""Finds the rows of a JSON document at a path, at any depth, in constant memory.

Only values on the path are parsed. A row is returned as its bytes and parsed separately, so that one malformed row
affects only itself. Small values outside the rows are kept: for example, the model of all rows. JSON strings cannot
contain a raw line break, so a string without an end is closed at the end of its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from annotation.importers.storable import clean, storable
from evaluation.importers.mapped.paths import EVERY, KeyPath, Step

_TOKEN = re.compile(rb'[\s,:]*+("[^"\\\n]*+(?:\\.[^"\\\n]*+)*["\n]|[\[\]{}]|[^\s,:\[\]{}"]++)', re.DOTALL)
"""The next string, bracket or word; no match when it is not there yet."""
_INNER = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\\n]*+(?:\\.[^"\\\n]*+)*["\n][^"\[\]{}]*+)*([\[\]{}"]|\Z)', re.DOTALL)
"""Up to the next bracket outside strings, or to a string still open at the end, or the end."""
_STRING_END = re.compile(rb'[^"\\\n]*+(?:\\.[^"\\\n]*+)*["\n]', re.DOTALL)
_CLOSES = {b"]": b"[", b"}": b"{"}
BESIDE_BYTES = 64 << 10
"""A longer value outside the rows is not kept."""
BESIDE = 200
"""Number of values kept next to the rows."""


@dataclass(frozen=True, slots=True)
class Around:
    """The context of a row: the value so far on each step of the path, the document first, and the key of each step."""

    values: tuple[dict[str, Any], ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A row: its bytes (None = longer than the limit), the line it begins in, the offset behind it."""

    text: bytes | None
    line: int
    end_offset: int
    around: Around


@dataclass(slots=True)
class _Frame:
    """An object or list on the path: its key, and the key whose value is next."""

    opener: bytes
    key: str = ""
    pending: str | None = None
    count: int = 0
    values: dict[str, Any] = field(default_factory=dict)

    def passed(self) -> None:
        """A value was met."""
        self.count += 1
        self.pending = None


ROW, BESIDE_ROW, NOTHING = "row", "beside", ""


@dataclass(slots=True)
class _Open:
    """A value that is returned unparsed, as a row or outside the rows, or skipped."""

    what: str
    key: str
    line: int
    limit: int
    around: Around
    in_string: bool = False
    stack: list[bytes] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0

    def take(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size <= self.limit:
            self.pieces.append(piece)
        else:
            self.pieces.clear()

    @property
    def text(self) -> bytes | None:
        return b"".join(self.pieces) if self.size <= self.limit else None

    def end_in(self, data: bytes, at: int) -> int | None:
        """Return the position after the last byte of the value in ``data``; None if it is incomplete."""
        if self.in_string:
            match = _STRING_END.match(data, at)
            if match is None:
                return None
            self.in_string, at = False, match.end()
            if not self.stack:
                return at
        for match in _INNER.finditer(data, at):
            token = match[1]
            if not token:
                return None
            if token == b'"':
                self.in_string = True
                return None
            if token not in _CLOSES:
                self.stack.append(token)
            elif _close(self.stack, _CLOSES[token]) and not self.stack:
                return match.end()
        return None


def _close(stack: list[bytes], opener: bytes) -> bool:
    """A closing bracket; one that does not fit the innermost closes all up to its partner. Whether it had one."""
    if opener not in stack:
        return False
    while stack.pop() != opener:
        pass
    return True


class RowScanner:
    """Takes a document in pieces, gives the rows at ``rows``. ``limit``: the most bytes kept of one row.
    ``words``: numbers and texts in an object are rows too, not only objects and lists."""

    def __init__(self, rows: KeyPath, limit: int, *, words: bool = False) -> None:
        self._steps: tuple[Step, ...] = rows.steps
        self._limit, self._words = limit, words
        self._frames: list[_Frame] = []
        self._open: _Open | None = None
        self._rest = b""
        self._offset = 0
        self._line, self._counted = 1, 0
        self.seen = False
        """Whether there was any value."""
        self.root: dict[str, Any] = {}
        """The small values of the document itself that were read so far."""

    @property
    def open(self) -> bool:
        """Whether the document so far is unfinished."""
        return bool(self._frames) or self._open is not None

    @property
    def line(self) -> int:
        """The line of the scanner."""
        return self._line

    def feed(self, chunk: bytes) -> Iterator[Found]:
        """The rows that end within ``chunk``, the next bytes of the document."""
        data = self._rest + chunk
        at = self._counted = 0
        while at < len(data):
            if self._open is not None:
                end = self._open.end_in(data, at)
                stop = len(data) - _held(data, self._open) if end is None else end
                self._open.take(data[at:stop])
                at = stop
                if end is None:
                    break
                yield from self._finished(at)
                continue
            match = _TOKEN.match(data, at)
            if match is None or (match.end() == len(data) and match[1][:1] not in b'[]{}"'):
                at, taken = self._unfinished(data, at)
                if taken:
                    continue
                break
            at = yield from self._token(data, match)
        self._line_at(data, at)
        self._rest = data[at:]
        self._offset += at

    def _line_at(self, data: bytes, at: int) -> int:
        self._line += data.count(b"\n", self._counted, at)
        self._counted = max(self._counted, at)
        return self._line

    def _unfinished(self, data: bytes, at: int) -> tuple[int, bool]:
        """The value at the end of ``data`` is incomplete. A string that is too long to wait for is read in pieces."""
        quote = data.find(b'"', at)
        if quote >= 0 and len(data) - quote > BESIDE_BYTES:
            self._begin(data, quote, in_string=True)
            assert self._open is not None
            self._open.take(b'"')
            return quote + 1, True
        return at, False

    def _token(self, data: bytes, match: re.Match[bytes]) -> Generator[Found, None, int]:
        """Process a bracket, a text or a word on the path to the rows; return the position to continue from."""
        token, start, end = match[1], match.start(1), match.end()
        frame = self._frames[-1] if self._frames else None
        if token in _CLOSES:
            self._leave(_CLOSES[token])
        elif token in (b"{", b"["):
            if not self._begin(data, start):
                return end
            return start
        elif frame is not None and frame.opener == b"{" and frame.pending is None:
            frame.pending = _text(token) if token[:1] == b'"' else None
        elif frame is not None or not self._steps:
            self._begin(data, start, word=True)
            assert self._open is not None
            self._open.take(token)
            yield from self._finished(end)
        return end

    def _leave(self, opener: bytes) -> None:
        if any(frame.opener == opener for frame in self._frames):
            while self._frames.pop().opener != opener:
                pass

    def _begin(self, data: bytes, start: int, *, in_string: bool = False, word: bool = False) -> bool:
        """A value begins. Return whether it is returned unparsed; otherwise the path continues in it."""
        self.seen = True
        depth = len(self._frames)
        frame = self._frames[-1] if self._frames else None
        key = (frame.pending or "") if frame and frame.opener == b"{" else ""
        fits = frame is None or self._fits(frame, self._steps[depth - 1], key)
        simple = in_string or word
        if fits and depth < len(self._steps) and not simple:
            inner = _Frame(data[start : start + 1], key)
            if frame is None:
                self.root = inner.values
            else:
                frame.passed()
            self._frames.append(inner)
            return False
        what = BESIDE_ROW if frame and frame.opener == b"{" else NOTHING
        if fits and depth == len(self._steps) and (what == NOTHING or self._words or not simple):
            what = ROW
        limit = {ROW: self._limit, BESIDE_ROW: BESIDE_BYTES, NOTHING: 0}[what]
        self._open = _Open(what, key, self._line_at(data, start), limit, self._around(key), in_string)
        if frame:
            frame.passed()
        return True

    def _around(self, key: str) -> Around:
        keys = (*(frame.key for frame in self._frames[1:]), key) if self._frames else ()
        return Around(tuple(frame.values for frame in self._frames), keys)

    @staticmethod
    def _fits(frame: _Frame, step: Step, key: str) -> bool:
        if step is EVERY:
            return True
        if isinstance(step, int):
            return frame.opener == b"[" and frame.count == step
        return frame.opener == b"{" and key == step

    def _finished(self, end: int) -> Iterator[Found]:
        done = self._open
        self._open = None
        if done is None:
            return
        if done.what == ROW:
            yield Found(done.text, done.line, self._offset + end, done.around)
        elif done.what == BESIDE_ROW and (text := done.text) is not None:
            values = done.around.values[-1]
            if len(values) < BESIDE:
                with suppress(ValueError, RecursionError):
                    values[done.key] = storable(json.loads(text))


def _held(data: bytes, value: _Open) -> int:
    """1 where ``data`` ends in a string with a backslash whose character is still to come, else 0."""
    return (len(data) - len(data.rstrip(b"\\"))) % 2 if value.in_string else 0


def _text(token: bytes) -> str:
    """Return a key as text, also if it is damaged."""
    try:
        return clean(str(json.loads(token)))
    except ValueError:
        return clean(token.strip(b'"\n').decode("utf-8", "replace"))
