"""Parses responses of endpoints: one JSON object, or a stream of server-sent events.

The bytes are kept, so a later version can read them again. Servers differ in details; repairs are listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.endpoints.errors import ErrorKind

DONE = b"data: [DONE]"
Call = tuple[str, str, str]
"""Id, name and arguments of a tool call, as written."""


class Unreadable(Exception):
    """The body is no response. ``again``: whether another request may help."""

    def __init__(self, kind: ErrorKind, message: str, *, again: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.again = again


class ErrorInBody(Exception):
    """The body of a successful status reports an error. ``error`` is its JSON object or text."""

    def __init__(self, error: Any) -> None:
        super().__init__("The response reports an error.")
        self.error = error


@dataclass(frozen=True)
class Usage:
    """Tokens of a request. ``cached`` is part of ``input``, ``reasoning`` of ``output``.

    ``estimated``: whether Sightline estimated them because the endpoint reported none.
    """

    input: int
    output: int
    cached: int = 0
    reasoning: int = 0
    estimated: bool = False


@dataclass(frozen=True)
class Answer:
    """The first choice of a response. ``message``: as received, with repaired calls; ``repairs``: what changed."""

    message: Mapping[str, Any]
    text: str
    reasoning: str
    calls: tuple[Call, ...]
    finish_reason: str
    usage: Usage | None
    model: str
    fingerprint: str
    repairs: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is neither text, reasoning nor a call."""
        return not (self.text.strip() or self.reasoning.strip() or self.calls)


def read_answer(body: bytes) -> Answer:
    """Return the answer in a body, JSON or stream. Raises ``Unreadable`` or ``ErrorInBody``."""
    if not body.strip():
        raise Unreadable(ErrorKind.EMPTY, "The endpoint sent an empty response.", again=True)
    return _from_whole(read_stream(body) if is_stream(body) else _read_json(body))


def is_stream(body: bytes) -> bool:
    """Whether a body is a stream of events and not one JSON object."""
    return body.lstrip()[:6].startswith((b"data:", b"event:", b":", b"id:", b"retry:"))


def _read_json(body: bytes) -> Mapping[str, Any]:
    start = body.lstrip()[:1]
    try:
        whole = json.loads(body)
    except (ValueError, RecursionError):
        if start == b"<":
            message = "The endpoint sent a web page instead of JSON. Check the address, which often ends with /v1."
            raise Unreadable(ErrorKind.SERVER, message) from None
        if start == b"{":
            raise Unreadable(ErrorKind.CUT_STREAM, "The JSON of the response is incomplete.", again=True) from None
        raise Unreadable(ErrorKind.SERVER, "The endpoint sent a text that is not JSON. Check the address.") from None
    if not isinstance(whole, Mapping):
        raise Unreadable(ErrorKind.SERVER, "The response is JSON, but no object. Check the address.")
    return whole


def events(body: bytes) -> Iterator[str]:
    """Yield the data of each event of a stream, without the mark at its end."""
    data: list[str] = []
    for line in [*body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


def read_stream(body: bytes) -> Mapping[str, Any]:
    """Return a stream of chunks as one response. Raises ``Unreadable`` if it ends early, and ``ErrorInBody``."""
    whole = _Assembled()
    ended = False
    for data in events(body):
        if data.strip() == "[DONE]":
            ended = True
            break
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise Unreadable(ErrorKind.CUT_STREAM, "A chunk of the stream is not JSON.", again=True) from None
        if isinstance(chunk, Mapping):
            whole.add(chunk)
    if not ended and not whole.finish_reason:
        raise Unreadable(ErrorKind.CUT_STREAM, "The stream ended before the response was complete.", again=True)
    return whole.response()


@dataclass
class _Part:
    """A call whose arguments arrive in pieces. ``more``: fields of one provider, which it wants back."""

    more: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def whole(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {**self.more, "id": self.id, "type": "function", "function": function}


@dataclass
class _Assembled:
    """A response whose parts arrive in chunks. Pieces are joined at the end, once."""

    top: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)
    calls: list[_Part] = field(default_factory=list)
    by_index: dict[int, _Part] = field(default_factory=dict)
    finish_reason: Any = ""
    has_choice: bool = False

    def add(self, chunk: Mapping[str, Any]) -> None:
        if chunk.get("error"):
            raise ErrorInBody(chunk["error"])
        for name in ("id", "model", "system_fingerprint", "usage"):
            if chunk.get(name):
                self.top[name] = chunk[name]
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, Mapping) and choice.get("index", 0) in (0, None):
                self.has_choice = True
                self._delta(choice.get("delta") or choice.get("message"))
                self.finish_reason = choice.get("finish_reason") or self.finish_reason

    def _delta(self, delta: Any) -> None:
        for name, value in delta.items() if isinstance(delta, Mapping) else ():
            if name == "tool_calls":
                for part in value if isinstance(value, list) else []:
                    if isinstance(part, Mapping):
                        self._call(part)
            elif name == "role":
                continue
            elif isinstance(value, str):
                self.texts.setdefault(name, []).append(value)
            elif isinstance(value, list) and isinstance(self.others.get(name), list):
                self.others[name].extend(value)
            elif value is not None:
                self.others[name] = value

    def _call(self, given: Mapping[str, Any]) -> None:
        """Join a part of a call with its earlier parts: those of its index, else those of the latest call.

        Some servers give all calls the index 0 or none; then another id begins another call.
        """
        index, identity = given.get("index"), _text(given.get("id"))
        index = index if isinstance(index, int) else None
        latest = self.calls[-1] if self.calls else None
        part = latest if index is None else self.by_index.get(index)
        if part is None or (identity and part.id and identity != part.id):
            part = _Part()
            self.calls.append(part)
        if index is not None:
            self.by_index[index] = part
        part.id = identity or part.id
        part.more |= {name: value for name, value in given.items() if name not in ("index", "function")}
        function = given.get("function")
        if isinstance(function, Mapping):
            name, arguments = _text(function.get("name")), function.get("arguments")
            part.name += name if name != part.name else ""
            part.arguments.append(arguments if isinstance(arguments, str) else _written(arguments))

    def response(self) -> dict[str, Any]:
        texts = {name: "".join(pieces) for name, pieces in self.texts.items()}
        message: dict[str, Any] = {"role": "assistant", "content": None, **self.others, **texts}
        if self.calls:
            message["tool_calls"] = [part.whole() for part in self.calls]
        choices = [{"index": 0, "message": message, "finish_reason": self.finish_reason}] if self.has_choice else []
        return {**self.top, "choices": choices}


def _from_whole(whole: Mapping[str, Any]) -> Answer:
    """Read the first choice of a response."""
    choices = whole.get("choices")
    if whole.get("error") and not choices:
        raise ErrorInBody(whole["error"])
    if not isinstance(choices, list):
        raise Unreadable(ErrorKind.SERVER, "The response has no choices, so this is no chat-completions address.")
    if not choices:
        raise Unreadable(ErrorKind.EMPTY, "The response has an empty list of choices.", again=True)
    choice = choices[0] if isinstance(choices[0], Mapping) else {}
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise Unreadable(ErrorKind.EMPTY, "The response has a choice without a message.", again=True)
    calls, repairs = read_calls(message.get("tool_calls"))
    message = {"role": "assistant", **message}
    if calls:
        message["tool_calls"] = calls
    return Answer(
        message=message,
        text=_content(message.get("content")),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        calls=tuple((one["id"], one["function"]["name"], one["function"]["arguments"]) for one in calls),
        finish_reason=_text(choice.get("finish_reason")),
        usage=read_usage(whole.get("usage")),
        model=_text(whole.get("model")),
        fingerprint=_text(whole.get("system_fingerprint")),
        repairs=repairs,
    )


def read_calls(given: Any) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return the calls, each with its own id, and the repairs. Arguments stay as written.

    Other fields of a call are also kept, because some providers require them in later requests.
    """
    calls: list[dict[str, Any]] = []
    repairs: list[str] = []
    used: set[str] = set()
    for number, call in enumerate(given if isinstance(given, list) else []):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(call, Mapping) or not isinstance(function, Mapping):
            repairs.append(f"Call {number + 1} has no function and was left out.")
            continue
        identity = _text(call.get("id"))
        if not identity or identity in used:
            repairs.append(
                f"Call {number + 1} has {'the id of another call' if identity else 'no id'}; it got a new one."
            )
            identity = _unused(number, used)
        used.add(identity)
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            repairs.append(f"The arguments of call {number + 1} are not a text; they were written as JSON.")
            arguments = _written(arguments)
        repaired = {**function, "name": _text(function.get("name")), "arguments": arguments}
        calls.append({**call, "id": identity, "type": "function", "function": repaired})
    return calls, tuple(repairs)


def _unused(number: int, used: set[str]) -> str:
    identity = f"call_{number}"
    while identity in used:
        identity += "_"
    return identity


def read_usage(given: Any) -> Usage | None:
    """Return the tokens an endpoint reported, or None if it reported no input or no output."""
    if not isinstance(given, Mapping):
        return None
    read, written = _count(given.get("prompt_tokens")), _count(given.get("completion_tokens"))
    if read is None or written is None:
        return None
    details = {name: given.get(f"{name}_tokens_details") or {} for name in ("prompt", "completion")}
    cached = _count(details["prompt"].get("cached_tokens")) if isinstance(details["prompt"], Mapping) else 0
    thought = _count(details["completion"].get("reasoning_tokens")) if isinstance(details["completion"], Mapping) else 0
    return Usage(read, written, min(cached or 0, read), min(thought or 0, written))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _written(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _content(value: Any) -> str:
    """The text of a message: a string, or a list of parts of which some are text."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, Mapping))
    return _text(value)
