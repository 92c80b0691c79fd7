"""Requests and responses of an attempt, as text."""

from __future__ import annotations

import json
from dataclasses import dataclass

from evaluation.endpoints.replies import ErrorInBody, Unreadable, read_answer
from evaluation.models import Attempt, Exchange

LONGEST = 200_000
"""Characters of a body that a page shows; the API has all of it."""


@dataclass(frozen=True)
class ShownExchange:
    """``request`` and ``response``: bodies, indented if they are JSON; ``cut``: whether one is longer than shown.
    ``said`` and ``calls``: what the response says, "" and none where it cannot be read."""

    exchange: Exchange
    said: str
    calls: tuple[str, ...]
    request: str
    response: str
    cut: bool


def exchanges_of(attempt: Attempt) -> list[ShownExchange]:
    """The exchanges of an attempt, or of the equal one that it is linked to. One query."""
    source = attempt.reused_from_id or attempt.pk
    return [_shown(exchange) for exchange in Exchange.objects.filter(attempt=source).order_by("n")]


def _shown(exchange: Exchange) -> ShownExchange:
    request, response = _text(exchange.request), _text(exchange.response)
    cut = len(request) > LONGEST or len(response) > LONGEST
    said, calls = _read(bytes(exchange.response or b""))
    return ShownExchange(exchange, said[:LONGEST], calls, request[:LONGEST], response[:LONGEST], cut)


def _read(body: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        answer = read_answer(body)
    except (Unreadable, ErrorInBody):
        return "", ()
    said = "\n\n".join(part for part in (answer.reasoning, answer.text) if part)
    return said, tuple(f"{name}({arguments})" for _, name, arguments in answer.calls)


def body_text(body: bytes | memoryview[int] | None) -> str:
    """The body as text; bytes that are no UTF-8 are replaced."""
    return bytes(body or b"").decode("utf-8", "replace")


def _text(body: bytes | memoryview[int] | None) -> str:
    text = body_text(body)
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
