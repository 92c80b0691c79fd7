"""Statuses and bodies of real servers, and the kind of failure that each of them is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.rejections import read_error, read_rejection, read_retry_after, words_of


def openai(message: str, kind: str = "invalid_request_error", code: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()


TABLE: list[tuple[str, int, bytes, ErrorKind, bool]] = [
    # (server, status, body, kind, again)
    ("openai", 401, openai("Incorrect API key provided"), ErrorKind.AUTH, False),
    ("openai, country", 403, openai("Country not supported"), ErrorKind.AUTH, False),
    ("openai, quota", 429, openai("You exceeded your current quota", "insufficient_quota"), ErrorKind.AUTH, False),
    ("openai, rate", 429, openai("Rate limit reached. Add a payment method at example.com/billing.", "requests"),
     ErrorKind.RATE, True),
    ("gemini, rate", 429, b'[{"error": {"message": "You exceeded your current quota, please check your plan and billing'
     b' details.", "status": "RESOURCE_EXHAUSTED"}}]', ErrorKind.RATE, True),
    ("openai, context", 400, openai("This model's maximum context length is 128000 tokens.",
     code="context_length_exceeded"), ErrorKind.CONTEXT_LENGTH, False),
    ("openai, schema", 400, openai("Invalid schema for function 'f'"), ErrorKind.INPUT_REJECTED, False),
    ("openai, parameter", 400, openai("Unsupported parameter: 'max_tokens'"), ErrorKind.INPUT_REJECTED, False),
    ("openai, moderation", 400, openai("Rejected by the safety system", code="moderation_blocked"),
     ErrorKind.CONTENT_FILTER, False),
    ("azure, filter", 400, openai("The response was filtered", code="content_filter"), ErrorKind.CONTENT_FILTER, False),
    ("anthropic, context", 400, openai("prompt is too long: 210000 tokens > 200000 maximum"), ErrorKind.CONTEXT_LENGTH,
     False),
    ("anthropic, overloaded", 529, openai("Overloaded", "overloaded_error"), ErrorKind.SERVER, True),
    ("anthropic, credit", 400, openai("Your credit balance is too low to access the API"), ErrorKind.AUTH, False),
    ("anthropic, too large", 413, openai("Request exceeds the maximum size", "request_too_large"),
     ErrorKind.INPUT_REJECTED, False),
    ("gemini, in a list", 400, b'[{"error": {"message": "The input token count (9) exceeds the maximum"}}]',
     ErrorKind.CONTEXT_LENGTH, False),
    ("vllm, context", 400, b'{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However,'
     b' you requested 5000 tokens","type":"BadRequestError","param":null,"code":400}', ErrorKind.CONTEXT_LENGTH, False),
    ("vllm, max_model_len", 400, b'{"message": "The decoder prompt is longer than the maximum model length of 4096"}',
     ErrorKind.CONTEXT_LENGTH, False),
    ("vllm, model", 404, b'{"message": "The model `x` does not exist."}', ErrorKind.INPUT_REJECTED, False),
    ("vllm, image in a tool message", 400, b'{"message": "Unknown part type"}', ErrorKind.INPUT_REJECTED, False),
    ("llama.cpp, context", 400, b'{"error":{"code":400,"message":"request (4390 tokens) exceeds the available context'
     b' size (4096 tokens)","type":"exceed_context_size_error"}}', ErrorKind.CONTEXT_LENGTH, False),
    ("llama.cpp, context as 500", 500, b'{"error":{"code":500,"message":"Context size has been exceeded."}}',
     ErrorKind.CONTEXT_LENGTH, False),
    ("llama.cpp, loading", 503, b'{"error":{"code":503,"message":"Loading model"}}', ErrorKind.SERVER, True),
    ("fastapi, list of details", 422, b'{"detail":[{"loc":["body"],"msg":"field required"}]}', ErrorKind.INPUT_REJECTED,
     False),
    ("openrouter, moderation", 403, openai("Your chosen model requires moderation and your input was flagged"),
     ErrorKind.CONTENT_FILTER, False),
    ("openrouter, credit", 402, openai("Insufficient credits"), ErrorKind.AUTH, False),
    ("proxy", 502, b"<html><body>Bad gateway</body></html>", ErrorKind.SERVER, True),
    ("proxy, timeout", 504, b"", ErrorKind.SERVER, True),
    ("request timeout", 408, b"", ErrorKind.TIMEOUT, True),
    ("conflict", 409, b"", ErrorKind.SERVER, True),
    ("too early", 425, b"", ErrorKind.SERVER, True),
    ("redirect", 302, b"", ErrorKind.SERVER, False),
    ("method", 405, b'{"detail":"Method Not Allowed"}', ErrorKind.INPUT_REJECTED, False),
    ("teapot", 418, b"\xff\xfe", ErrorKind.INPUT_REJECTED, False),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind", "again"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_a_status_with_its_body_has_a_kind(status: int, body: bytes, kind: ErrorKind, again: bool) -> None:
    found = read_rejection(status, body)
    assert (found.kind, found.again) == (kind, again)
    assert str(status) in found.message
    assert len(found.message) < 600


@pytest.mark.parametrize(("status", "overloaded"), [(429, True), (503, True), (529, True), (500, False), (400, False)])
def test_three_statuses_make_the_window_smaller(status: int, overloaded: bool) -> None:
    assert read_rejection(status, b"").overloaded is overloaded


ERRORS: list[tuple[Any, ErrorKind, bool]] = [
    ({"message": "x", "code": 429}, ErrorKind.RATE, True),
    ({"message": "x", "code": "503"}, ErrorKind.SERVER, True),
    ({"message": "Overloaded", "type": "overloaded_error"}, ErrorKind.SERVER, True),
    ({"message": "bad key", "type": "authentication_error"}, ErrorKind.AUTH, False),
    ({"message": "maximum context length", "code": "context_length_exceeded"}, ErrorKind.CONTEXT_LENGTH, False),
    ({"message": "bad", "type": "BadRequestError", "code": 400}, ErrorKind.INPUT_REJECTED, False),
    ("crashed", ErrorKind.SERVER, True),
    ({"message": "x", "code": 9}, ErrorKind.SERVER, True),
    ({"code": {"deep": 1}}, ErrorKind.SERVER, True),
    ([1], ErrorKind.SERVER, True),
]


@pytest.mark.parametrize(("error", "kind", "again"), ERRORS)
def test_an_error_in_a_successful_response_has_a_kind(error: Any, kind: ErrorKind, again: bool) -> None:
    found = read_error(error)
    assert (found.kind, found.again) == (kind, again)


def test_words_of_a_body_are_one_short_line() -> None:
    assert words_of(openai("a\n\tb\x00" + "c" * 900))[:4] == "a b "
    assert len(words_of(openai("c" * 900))) == 500
    assert words_of(b"<html>") == ""
    assert words_of(b'"text"') == "text"


NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-7"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e99"}, None),
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00 GMT"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00 -0000"}, 60.0),
        ({"retry-after": "Wed, 31 Dec 2025 00:00:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 99 Jan 2026 00:01:00 GMT"}, None),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
    ],
)
def test_the_wait_an_endpoint_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, NOW) == seconds


def test_every_kind_says_what_to_do() -> None:
    advice = [kind.advice for kind in ErrorKind]
    assert len(set(advice)) == len(ErrorKind)
    assert all(sentence.endswith(".") and "\n" not in sentence and len(sentence) < 120 for sentence in advice)
