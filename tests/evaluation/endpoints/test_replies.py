"""Bytes of an endpoint read as an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.replies import ErrorInBody, Unreadable, Usage, read_answer, read_calls, read_usage
from tests.evaluation.endpoints.server import spoken, streamed


def call(identity: Any = "c1", name: str = "f", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


CALLS: list[tuple[str, Any, list[tuple[str, str, str]], int]] = [
    # (what, calls as received, calls read, repairs)
    ("none", None, [], 0),
    ("not a list", {"id": "c1"}, [], 0),
    ("two", [call("a"), call("b")], [("a", "f", "{}"), ("b", "f", "{}")], 0),
    ("no id", [call(None), call("")], [("call_0", "f", "{}"), ("call_1", "f", "{}")], 2),
    ("the same id", [call("a"), call("a")], [("a", "f", "{}"), ("call_1", "f", "{}")], 1),
    (
        "an id that a repair would give",
        [call("call_1"), call(None)],
        [("call_1", "f", "{}"), ("call_1_", "f", "{}")],
        1,
    ),
    ("arguments as an object", [call(arguments={"x": 1})], [("c1", "f", '{"x": 1}')], 1),
    ("no arguments", [call(arguments=None)], [("c1", "f", "")], 1),
    ("arguments that are no JSON", [call(arguments='{"x"')], [("c1", "f", '{"x"')], 0),
    ("no function", [{"id": "c1"}, "text", call("b")], [("b", "f", "{}")], 2),
    ("ten", [call(str(n)) for n in range(10)], [(str(n), "f", "{}") for n in range(10)], 0),
]


@pytest.mark.parametrize(("given_calls", "read", "repairs"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_calls_get_ids_of_their_own(given_calls: Any, read: list[tuple[str, str, str]], repairs: int) -> None:
    calls, repaired = read_calls(given_calls)
    found = [(one["id"], one["function"]["name"], one["function"]["arguments"]) for one in calls]
    assert (found, len(repaired)) == (read, repairs)


def test_the_message_has_the_repaired_ids() -> None:
    answer = read_answer(spoken(calls=[call("a"), call("a")]).body)
    assert [one["id"] for one in answer.message["tool_calls"]] == ["a", "call_1"] == [one[0] for one in answer.calls]


def piece(
    index: int | None, identity: str | None = None, name: str | None = None, arguments: str = ""
) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    part: dict[str, Any] = {"function": function}
    if index is not None:
        part["index"] = index
    if identity:
        part["id"] = identity
    return {"tool_calls": [part]}


PIECES: list[tuple[str, list[dict[str, Any]], list[tuple[str, str, str]]]] = [
    ("one after another", [piece(0, "a", "f", "{"), piece(0, arguments="}"), piece(1, "b", "g", "[]")],
     [("a", "f", "{}"), ("b", "g", "[]")]),
    ("in turn", [piece(0, "a", "f"), piece(1, "b", "g"), piece(0, arguments="1"), piece(1, arguments="2")],
     [("a", "f", "1"), ("b", "g", "2")]),
    ("all with the index 0", [piece(0, "a", "f", "1"), piece(0, "b", "g", "2")], [("a", "f", "1"), ("b", "g", "2")]),
    ("all with the index 0, in pieces",
     [piece(0, "a", "f", "1"), piece(0, arguments="2"), piece(0, "b", "g", "3"), piece(0, arguments="4")],
     [("a", "f", "12"), ("b", "g", "34")]),
    ("a list as index", [{"tool_calls": [{"index": [0], "id": "a", "function": {"name": "f"}}]}], [("a", "f", "")]),
    ("without index", [piece(None, "a", "f", "1"), piece(None, arguments="2"), piece(None, "b", "g", "3")],
     [("a", "f", "12"), ("b", "g", "3")]),
    ("the id in every piece", [piece(0, "a", "f", "1"), piece(0, "a", arguments="2")], [("a", "f", "12")]),
    ("the name in every piece", [piece(0, "a", "f", "1"), piece(0, "a", "f", "2")], [("a", "f", "12")]),
    ("the name in two pieces", [piece(0, "a", "zoom"), piece(0, name="_in", arguments="1")], [("a", "zoom_in", "1")]),
    ("several in one chunk", [{"tool_calls": piece(0, "a", "f", "1")["tool_calls"] + piece(1, "b", "g")["tool_calls"]}],
     [("a", "f", "1"), ("b", "g", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("deltas", "read"), [row[1:] for row in PIECES], ids=[row[0] for row in PIECES])
def test_calls_in_pieces_are_joined(deltas: list[dict[str, Any]], read: list[tuple[str, str, str]]) -> None:
    assert list(read_answer(streamed(*deltas).body).calls) == read


def chunk(content: Any, index: int = 0) -> bytes:
    return json.dumps({"choices": [{"index": index, "delta": {"content": content}}]}).encode()


def test_what_a_provider_wants_back_stays_in_the_message() -> None:
    """Gemini rejects the next turn without the signature of a call."""
    signed = {**call(), "extra_content": {"google": {"thought_signature": "AbC="}}}
    details = [{"type": "reasoning.text", "text": "so"}]
    whole = read_answer(spoken(calls=[signed], reasoning_details=details).body).message
    first, second = {**signed, "index": 0}, {"index": 0, "function": {"arguments": ""}}
    parts = [{"tool_calls": [first], "reasoning_details": details}, {"tool_calls": [second], "content": "two"}]
    for message in (whole, read_answer(streamed(*parts).body).message):
        assert message["tool_calls"] == [signed]
        assert message["reasoning_details"] == details


STREAMS = [
    b"data: " + chunk("t") + b"\r\n\r\ndata: " + chunk("wo") + b"\r\n\r\ndata: [DONE]",
    b': ping\n\ndata:{"choices":[{"delta":{"content":"two"},"finish_reason":"stop"}]}\n\n',
    b'event: message\ndata: {"choices":\ndata: [{"delta":{"content":"two"}}]}\n\ndata: [DONE]\n\n',
    b"data: " + chunk("other", 1) + b"\n\ndata: " + chunk("two") + b"\n\ndata: [DONE]\n\n",
    b"data: null\n\ndata: " + chunk([{"type": "text", "text": "two"}]) + b"\n\ndata: [DONE]\n\n",
]


@pytest.mark.parametrize("body", STREAMS)
def test_streams_in_any_layout_are_read(body: bytes) -> None:
    assert read_answer(body).text == "two"


@pytest.mark.parametrize(
    ("body", "kind", "again"),
    [
        (b'data: {"choices":[{"delta":{"content":"t"}}]}\n\n', ErrorKind.CUT_STREAM, True),
        (b'data: {"choices":[{"delta"', ErrorKind.CUT_STREAM, True),
        (b"data: [DONE]\n\n", ErrorKind.EMPTY, True),
        (b": ping\n\n", ErrorKind.CUT_STREAM, True),
        (b"  \n", ErrorKind.EMPTY, True),
        (b"[" * 100_000, ErrorKind.SERVER, False),
        (b"{" * 100_000, ErrorKind.CUT_STREAM, True),
        (b"\xff\xfe", ErrorKind.SERVER, False),
    ],
)
def test_a_body_that_is_no_response_says_why(body: bytes, kind: ErrorKind, again: bool) -> None:
    with pytest.raises(Unreadable) as caught:
        read_answer(body)
    assert (caught.value.kind, caught.value.again) == (kind, again)


def test_an_error_inside_a_stream_is_found() -> None:
    body = b'data: {"choices":[{"delta":{"content":"t"}}]}\n\ndata: {"error": {"message": "overloaded"}}\n\n'
    with pytest.raises(ErrorInBody) as caught:
        read_answer(body)
    assert caught.value.error == {"message": "overloaded"}


USAGES: list[tuple[Any, Usage | None]] = [
    ({"prompt_tokens": 5, "completion_tokens": 2}, Usage(5, 2)),
    ({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": None}, Usage(5, 2)),
    ({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}, Usage(5, 2, 4)),
    ({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(5, 2, 5)),
    (
        {"prompt_tokens": 5, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1}},
        Usage(5, 2, 0, 1),
    ),
    ({"prompt_tokens": -5, "completion_tokens": 2}, None),
    ({"prompt_tokens": True, "completion_tokens": 2}, None),
    ({"prompt_tokens": "5", "completion_tokens": 2}, None),
    ({"prompt_tokens": 10**15, "completion_tokens": 2}, None),
    ({"completion_tokens": 2}, None),
    ([], None),
    (None, None),
]


@pytest.mark.parametrize(("given_usage", "read"), USAGES)
def test_usage_is_read_only_if_it_can_be_true(given_usage: Any, read: Usage | None) -> None:
    assert read_usage(given_usage) == read


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["choices", "message", "delta", "content", "tool_calls", "function", "id", "index", "name",
                         "arguments", "usage", "error", "finish_reason", "refusal", "model", "prompt_tokens",
                         "prompt_tokens_details", "reasoning", "role"]),
        inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(JSON, st.booleans())
def test_any_json_is_read_or_refused(value: Any, stream: bool) -> None:
    """Whatever a server sends: an answer of texts, or one of two errors."""
    whole = {"choices": [{"message": value, "delta": value, "finish_reason": value}], "usage": value}
    calls = {"tool_calls": [value, {"index": value, "id": value, "function": value}]}
    chunks = [whole, {"choices": [{"delta": calls, "message": calls}]}, {"choices": value}]
    body = json.dumps(whole).encode()
    if stream:
        body = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks) + b"data: [DONE]\n\n"
    try:
        answer = read_answer(body)
    except (Unreadable, ErrorInBody):
        return
    assert isinstance(answer.text + answer.reasoning + answer.finish_reason + answer.model, str)
    assert all(isinstance(part, str) for one in answer.calls for part in one)
    assert len({one[0] for one in answer.calls}) == len(answer.calls)


@given(st.text(max_size=30), st.text(max_size=30), st.integers(1, 5))
def test_a_stream_says_the_same_as_one_object(text: str, thought: str, size: int) -> None:
    pieces = [{"reasoning": thought[n : n + size]} for n in range(0, len(thought), size)]
    pieces += [{"content": text[n : n + size]} for n in range(0, len(text), size)]
    from_stream = read_answer(streamed(*pieces).body)
    from_object = read_answer(spoken(text, reasoning=thought).body)
    fields = ("text", "reasoning", "calls", "usage", "finish_reason", "model")
    assert [getattr(from_stream, name) for name in fields] == [getattr(from_object, name) for name in fields]
