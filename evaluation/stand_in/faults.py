"""What can go wrong with an endpoint, to order: each fault once, in one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.runner.dialects.zoom import NativeCall, Response


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
    another reason of its end (``finish``). ``kind``: what an attempt ends with if the fault comes every time, "" if it
    can still succeed."""

    name: str
    does: str
    kind: str = ""
    http: Http | None = None
    wire: str = ""
    change: Callable[[Response], Response] | None = None
    finish: str = ""


def _arguments(change: Callable[[dict[str, Any]], Any]) -> Callable[[Response], Response]:
    """Change the arguments of each native call; responses without one stay."""

    def changed(response: Response) -> Response:
        calls = []
        for call in response.calls:
            given = change(json.loads(call.arguments))
            calls.append(NativeCall(call.name, given if isinstance(given, str) else json.dumps(given)))
        return replace(response, calls=tuple(calls))

    return changed


def _renamed(response: Response) -> Response:
    return replace(response, calls=tuple(NativeCall("no_such_tool", call.arguments) for call in response.calls))


def _moved(given: dict[str, Any], by: float) -> dict[str, Any]:
    edges = ("x", "y", "width", "height")
    return {
        name: value * by if name in edges and isinstance(value, int | float) else value for name, value in given.items()
    }


def _reversed(given: dict[str, Any]) -> dict[str, Any]:
    return {name: -value if name in ("width", "height") else value for name, value in given.items()}


def _ten(response: Response) -> Response:
    return replace(response, calls=response.calls * 10 if response.calls else ())


def _both(response: Response) -> Response:
    return replace(response, text=f"{response.text}\n<answer>A</answer>".strip()) if response.calls else response


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
    Fault("arguments", "malformed arguments", change=_arguments(lambda given: json.dumps(given)[:-2])),
    Fault("tool", "unknown tool", change=_renamed),
    Fault("image", "unknown image id", change=_arguments(lambda given: {**given, "image": "image_99"})),
    Fault("frame", "boxes in another frame", change=_arguments(lambda given: _moved(given, 0.001))),
    Fault("reversed", "reversed box", change=_arguments(_reversed)),
    Fault("outside", "box outside", change=_arguments(lambda given: _moved(given, 100.0))),
    Fault("ten", "ten calls in a turn", change=_ten),
    Fault("both", "a call and an answer in one response", change=_both),
    Fault("empty", "empty response", "empty", change=lambda _: Response()),
    Fault("refusal", "refusal", "refusal", finish="refusal"),
    Fault("filter", "content filter", "content_filter", finish="content_filter"),
    Fault("length", "cut by length", finish="length"),
    Fault("usage", "incorrect usage", wire="usage"),
    Fault("ids", "missing call ids", wire="ids"),
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
