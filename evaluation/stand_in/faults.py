"""Faults of an endpoint on demand: each once, in one table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.runner.dialects.zoom import NativeCall, Response
from evaluation.stand_in.chat import Chat

Change = Callable[[Response, Chat], Response]
_IN_TEXT = re.compile(r'\{"(?:name|tool)": ')
"""Matches the beginning of a call in the text."""


@dataclass(frozen=True)
class Http:
    """An answer instead of a response: its status, its body, and how long to wait according to it."""

    status: int
    message: str
    code: str = ""
    retry_after: str = ""

    @property
    def body(self) -> bytes:
        return json.dumps({"error": {"message": self.message, "code": self.code or None, "type": "error"}}).encode()


@dataclass(frozen=True)
class Fault:
    """One fault: an error (``http``), something that happens to the bytes (``wire``), another response (``change``) or
    another reason of its end (``finish``). A change that changes nothing is not drawn.

    ``kind``: what an attempt ends with if the fault comes every time, "" if it can still succeed. ``retry``: whether
    the same request can succeed later, so that a client should send it again.
    """

    name: str
    does: str
    kind: str = ""
    http: Http | None = None
    wire: str = ""
    change: Change | None = None
    finish: str = ""

    @property
    def retry(self) -> bool:
        return self.kind in ("rate", "server", "timeout", "cut_stream", "empty") and self.wire != "html"


def _edited(response: Response, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Response:
    """Change each call as an object with a name and arguments, native or in the text; a response without one stays."""
    if response.calls:
        calls = []
        for call in response.calls:
            made = change({"name": call.name, "arguments": json.loads(call.arguments)})
            calls.append(NativeCall(str(made["name"]), json.dumps(made["arguments"])))
        return replace(response, calls=tuple(calls))
    found = _IN_TEXT.search(response.text)
    if found is None:
        return response
    call, end = json.JSONDecoder().raw_decode(response.text, found.start())
    changed = json.dumps(change(call), ensure_ascii=False)
    return replace(response, text=response.text[: found.start()] + changed + response.text[end:])


def _arguments(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Change:
    """Change the arguments of each call; those in ``param`` where a tool has them there."""

    def inside(given: dict[str, Any]) -> dict[str, Any]:
        nested = given.get("param")
        return {**given, "param": change(nested)} if isinstance(nested, dict) else change(given)

    return lambda response, _: _edited(response, lambda call: {**call, "arguments": inside(call["arguments"])})


def _malformed(response: Response, _: Chat) -> Response:
    calls = tuple(NativeCall(call.name, call.arguments[:-2]) for call in response.calls)
    found = None if calls else _IN_TEXT.search(response.text)
    text = response.text[: found.start()] + response.text[found.start() :].replace("}", "", 2) if found else None
    return Response(response.text if text is None else text, calls)


def _renamed(response: Response, _: Chat) -> Response:
    return _edited(response, lambda call: {**call, "tool" if "tool" in call else "name": "no_such_tool"})


def _other_image(response: Response, _: Chat) -> Response:
    def change(call: dict[str, Any]) -> dict[str, Any]:
        given = call["arguments"]
        name = next((name for name in ("img_idx", "target_image") if name in given), "image")
        return {**call, "arguments": {**given, name: "image_99" if name == "image" else 99}}

    return _edited(response, change)


def _boxes(change: Callable[[float, float, float, float], list[float]]) -> Change:
    """Change the two corners of each box."""

    def changed(given: dict[str, Any]) -> dict[str, Any]:
        if "bbox_2d" in given:
            return {**given, "bbox_2d": change(*given["bbox_2d"])}
        if "width" in given and "height" in given:
            x, y = given.get("x", 0), given.get("y", 0)
            x1, y1, x2, y2 = change(x, y, x + given["width"], y + given["height"])
            return {**given, "x": x1, "y": y1, "width": x2 - x1, "height": y2 - y1}
        return given

    return _arguments(changed)


def _ten(response: Response, _: Chat) -> Response:
    text = "\n".join([response.text] * 10) if not response.calls and _IN_TEXT.search(response.text) else response.text
    return Response(text, response.calls * 10)


def _both(response: Response, _: Chat) -> Response:
    """An answer, and the call in the same response: a call in the text comes before it."""
    called = bool(response.calls or _IN_TEXT.search(response.text))
    return replace(response, text=f"{response.text}\n<answer>A</answer>".strip()) if called else response


def _again(response: Response, chat: Chat) -> Response:
    """The last call of the conversation instead of an answer."""
    last = chat.turns[-1] if chat.turns else None
    called = response.calls or _IN_TEXT.search(response.text) or last is None
    return response if called or last is None else Response(last.text, last.calls)


def _after(response: Response, chat: Chat) -> Response:
    """An answer, and the last call once more behind it."""
    again = _again(response, chat)
    return response if again == response else Response(f"<answer>{response.text}</answer>\n{again.text}", again.calls)


_FAULTS = (
    Fault("rate", "429 with retry-after", "rate", Http(429, "Rate limit reached.", "rate_limit", "0")),
    Fault("rate-bare", "429 without retry-after", "rate", Http(429, "Too many requests.")),
    Fault("error-500", "500", "server", Http(500, "Internal server error.")),
    Fault("error-503", "503", "server", Http(503, "Overloaded.")),
    Fault("error-529", "529", "server", Http(529, "Overloaded.")),
    Fault("key", "401", "auth", Http(401, "Incorrect API key provided.", "invalid_api_key")),
    Fault("schema", "400 on the schema", "input_rejected", Http(400, "Invalid schema for function 'crop'.")),
    Fault("large", "413", "input_rejected", Http(413, "Request too large.")),
    Fault(
        "context", "400, context length", "context_length",
        Http(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    ),
    Fault("reset", "connection reset", "server", wire="reset"),
    Fault("cut", "stream cut in the middle", "cut_stream", wire="cut"),
    Fault("slow", "slow first byte", wire="slow"),
    Fault("trickle", "a few bytes at a time", wire="trickle"),
    Fault("html", "a web page", "server", wire="html"),
    Fault("truncated", "JSON without its end", "cut_stream", wire="truncated"),
    Fault("huge", "a response of 5 MB", wire="huge"),
    Fault("silence", "no byte until the client leaves", "timeout", wire="silence"),
    Fault("arguments", "malformed arguments", change=_malformed),
    Fault("tool", "unknown tool", change=_renamed),
    Fault("image", "unknown image id", change=_other_image),
    Fault("frame", "boxes in another frame", change=_boxes(lambda *box: [edge / 1000 for edge in box])),
    Fault("reversed", "reversed box", change=_boxes(lambda x1, y1, x2, y2: [x2, y2, x1, y1])),
    Fault("outside", "box outside", change=_boxes(lambda *box: [edge + 100_000 for edge in box])),
    Fault("ten", "ten calls in a turn", change=_ten),
    Fault("both", "a call and an answer in one response", change=_both),
    Fault("after", "a call behind the answer", change=_after),
    Fault("endless", "a call instead of the answer", change=_again),
    Fault("empty", "empty response", "empty", change=lambda *_: Response()),
    Fault("refusal", "refusal", "refusal", finish="refusal"),
    Fault("filter", "content filter", "content_filter", finish="content_filter"),
    Fault("length", "cut by length", finish="length"),
    Fault("usage", "incorrect usage", wire="usage"),
    Fault("ids", "missing call ids", wire="ids"),
    Fault(
        "same-ids", "the same id for two calls", wire="same-ids",
        change=lambda one, _: Response(one.text, one.calls * 2),
    ),
    Fault("no-body", "an empty body", "empty", wire="no-body"),
)  # fmt: skip
FAULTS: Mapping[str, Fault] = {fault.name: fault for fault in _FAULTS}
"""Faults by name."""


def faults_of(names: str) -> Sequence[Fault]:
    """The faults of a list such as ``rate,cut``, or ``all``. Raises ``ValueError`` for an unknown name."""
    if names == "all":
        return _FAULTS
    unknown = [name for name in names.split(",") if name and name not in FAULTS]
    if unknown:
        raise ValueError(f"There is no fault {unknown[0]!r}. Faults: all, {', '.join(FAULTS)}.")
    return [FAULTS[name] for name in names.split(",") if name]
