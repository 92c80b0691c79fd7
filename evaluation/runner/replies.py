"""A response of a model as the runner reads it: text, reasoning, and calls with ids that are safe to answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.importers.storable import clean, storable
from evaluation.importers.dialogue import text_of
from evaluation.runner.dialects.zoom import NativeCall, Response

_MOST_CALLS = 200
"""Calls of a response that are looked at; more is a degenerate response."""


@dataclass(frozen=True, slots=True)
class Reply:
    """``ids`` are those of the calls, each one once: missing and repeated ones are replaced."""

    text: str
    reasoning: str
    refusal: str
    calls: tuple[NativeCall, ...]
    ids: tuple[str, ...]

    @property
    def response(self) -> Response:
        return Response(self.text, self.calls)

    @property
    def said(self) -> str:
        """Reasoning and text."""
        return "\n\n".join(part for part in (self.reasoning.strip(), self.text.strip()) if part)

    def message(self) -> dict[str, Any]:
        """Return the message as later requests repeat it: without reasoning, which endpoints reject or drop."""
        if not self.calls:
            return {"role": "assistant", "content": self.text}
        calls = [
            {"id": name, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for name, call in zip(self.ids, self.calls, strict=True)
        ]
        return {"role": "assistant", "content": self.text or None, "tool_calls": calls}


def reply_of(message: Mapping[str, Any], number: int) -> Reply:
    """Return the message of a choice as a reply, response ``number`` of the attempt. Parts of an unknown form count as
    absent."""
    listed = message.get("tool_calls")
    calls: list[NativeCall] = []
    ids: list[str] = []
    for call in (listed if isinstance(listed, list) else [])[:_MOST_CALLS]:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            continue
        given = call.get("id")
        known = isinstance(given, str) and given and given not in ids
        ids.append(clean(given) if known and isinstance(given, str) else f"call_{number}_{len(calls) + 1}")
        calls.append(NativeCall(_text(function.get("name")), _arguments(function.get("arguments"))))
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    text = clean(text_of(message.get("content")))
    return Reply(text, _text(reasoning), _text(message.get("refusal")), tuple(calls), tuple(ids))


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    """Arguments as the text that they should be; some servers give the object itself."""
    if isinstance(value, Mapping):
        return json.dumps(storable(dict(value)), ensure_ascii=False)
    return _text(value)
