"""Decodes the bytes of a row to a checked JSON object. Harmless defects are repaired and reported; other rows are
rejected.

After this, texts contain neither NUL nor lone surrogates (PostgreSQL stores neither), numbers are finite, and nothing
is nested deeper than ``MAX_DEPTH``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from annotation.importers.reading import RawRow
from annotation.importers.storable import LONE, clean
from annotation.schema import Issue, Severity, shortened

MAX_DEPTH = 64
MAX_REPORTED = 10
"""The maximum number of repairs of one kind that are reported for one row. All are made."""
_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[\[\]{}]', re.DOTALL)
_UNSTORABLE = re.compile(rb"\\u(?:[dD]|0000)")
"""The notations of NUL and lone surrogates. One scan of the bytes is faster than a search for each."""


class RowDecoder:
    """Decodes one row after another; one instance per import. Not thread-safe."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str]] = []
        hooks: dict[str, Any] = {
            "object_pairs_hook": self._object,
            "parse_constant": self._not_finite,
            "parse_float": self._float,
        }
        self._strict = json.JSONDecoder(**hooks)
        self._lenient = json.JSONDecoder(**hooks, strict=False)

    def decode(self, row: RawRow) -> tuple[dict[str, Any] | None, list[Issue]]:
        """Return the row as an object (None if rejected), and the issues with what was rejected or repaired."""
        value, issues = self.decode_any(row)
        if not isinstance(value, dict) and not any(issue.severity == Severity.REFUSED for issue in issues):
            done = 'The row was rejected because it is not a JSON object. Write it as {"name": value, ...}.'
            found = shortened(row.text[:400].replace(b"\x00", b"").decode("utf-8", "replace"))
            return None, [*issues, _refused(row, "not-an-object", found, done)]
        return (value if isinstance(value, dict) else None), issues

    def decode_any(self, row: RawRow) -> tuple[Any, list[Issue]]:
        """Decode a row that may be any JSON value, otherwise like ``decode`` (None also if it is ``null``)."""
        issues: list[Issue] = []
        raw = row.text
        if 0 in raw:
            raw = raw.replace(b"\x00", b"")
            issues.append(_repaired(row, "nul-bytes", "", "NUL bytes were removed."))
            if not raw.strip():
                return None, [_refused(row, "nul-bytes", "", "The row is nothing but NUL bytes; the file is damaged.")]
        if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
            done = f"The row was rejected because it is nested deeper than {MAX_DEPTH} levels."
            found = shortened(raw[:60].decode("utf-8", "replace"))
            return None, [*issues, _refused(row, "nested-too-deep", found, done)]
        value, parsing = self._parse(row, _text_of(row, raw, issues))
        issues += parsing
        if value is None:
            return None, issues
        if _UNSTORABLE.search(raw):
            value = _cleaned(value, row, issues)
        return value, issues

    def _parse(self, row: RawRow, text: str) -> tuple[Any, list[Issue]]:
        issues: list[Issue] = []
        self._found.clear()
        try:
            value = self._whole(text)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Invalid control character"):
                return None, [_unreadable(row, text, error)]
            self._found.clear()
            try:
                value = self._lenient.decode(text)
            except ValueError as second:
                return None, [_unreadable(row, text, second)]
            issues.append(_repaired(row, "control-characters", "", "Unescaped line breaks in texts were kept as such."))
        except (ValueError, RecursionError) as error:
            return None, [_unreadable(row, text, error)]
        if self._found:
            issues += [_repaired(row, rule, found, _DONE[rule]) for rule, found in dict.fromkeys(self._found)]
        return value, issues

    def _whole(self, text: str) -> Any:
        """Decode a text that contains only a value. Like ``decode``, without its search for surrounding space."""
        if text[:1] == "{":
            value, end = self._strict.raw_decode(text)
            if end == len(text):
                return value
        self._found.clear()
        return self._strict.decode(text)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen and len(self._found) < MAX_REPORTED:
                    self._found.append(("duplicate-key", shortened(key, 80)))
                seen.add(key)
        return value

    def _not_finite(self, token: str) -> str:
        if len(self._found) < MAX_REPORTED:
            self._found.append(("not-finite", token))
        return token

    def _float(self, token: str) -> float | str:
        value = float(token)
        return value if math.isfinite(value) else self._not_finite(shortened(token, 40))


_DONE: Mapping[str, str] = {
    "duplicate-key": "The key occurs twice in one object; the last value counts.",
    "not-finite": "This is not a finite number; it is kept as text and counts as no number.",
}


def _text_of(row: RawRow, raw: bytes, issues: list[Issue]) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = raw[error.start : error.start + 8].hex(" ")
        issues.append(_repaired(row, "not-utf-8", found, "Bytes that are not UTF-8 became the replacement character."))
        return raw.decode("utf-8", "replace")


def _depth(raw: bytes) -> int:
    depth = deepest = 0
    for match in _BRACKET.finditer(raw):
        first = match[0][:1]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in b"]}":
            depth -= 1
    return deepest


def _cleaned(value: Any, row: RawRow, issues: list[Issue]) -> Any:
    """Return ``value`` without NUL characters and lone surrogates in keys and texts. Each kind is reported once, with
    its path.
    """
    found: dict[str, str] = {}

    def text(original: str, path: str) -> str:
        if "\x00" in original:
            found.setdefault("nul-characters", path)
        if LONE.search(original):
            found.setdefault("lone-surrogates", path)
        return clean(original)

    def walk(item: Any, path: str) -> Any:
        if isinstance(item, str):
            return text(item, path)
        if isinstance(item, list):
            return [walk(part, f"{path}[{i}]") for i, part in enumerate(item)]
        if isinstance(item, dict):
            return {text(key, path): walk(part, f"{path}.{key}" if path else key) for key, part in item.items()}
        return item

    result = walk(value, "")
    done = {"nul-characters": "NUL characters were removed.", "lone-surrogates": "Half characters were replaced."}
    for rule, path in found.items():
        field = clean(path)
        issues.append(Issue(Severity.REPAIRED, rule, row.file, row.line, field, "", done[rule], row.row))
    return result


def _unreadable(row: RawRow, text: str, error: Exception) -> Issue:
    if not row.closed:
        done = "The file ends in the middle of this row: it was cut off. Send the whole file again."
        return _refused(row, "cut-off", shortened(text[-80:]), done)
    at = error.pos if isinstance(error, json.JSONDecodeError) else 0
    why = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deep or has too long a number"
    done = f"The row was rejected because it is not JSON ({why}, at character {at + 1}). Fix it and import again."
    return _refused(row, "not-json", shortened(text[max(0, at - 30) : at + 30]), done)


def _repaired(row: RawRow, rule: str, found: str, done: str) -> Issue:
    return Issue(Severity.REPAIRED, rule, row.file, row.line, "", found, done, row.row)


def _refused(row: RawRow, rule: str, found: str, done: str) -> Issue:
    return Issue(Severity.REFUSED, rule, row.file, row.line, "", found, done, row.row)
