"""The client against a server on this machine: what a usable response gives, and what each fault becomes."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread, get_ident

import httpx
import pytest

from annotation.outgoing.addresses import LOOPBACK
from annotation.outgoing.sealing import KeyRejected
from evaluation.endpoints.client import Client, Settings
from evaluation.endpoints.errors import CallCancelled, ErrorKind
from evaluation.endpoints.exchange import Timeouts
from evaluation.endpoints.limiter import Limiter, Limits
from evaluation.endpoints.replies import Usage
from tests.evaluation.endpoints.server import (
    BODY,
    USAGE,
    Answer,
    Time,
    client,
    failure,
    no_images,
    serving,
    spoken,
    streamed,
    whole,
)

DRAWN = 0.5
"""What the clients of these tests draw."""
CALL = {"id": "c1", "type": "function", "function": {"name": "zoom_in", "arguments": '{"x": 1}'}}


def test_one_json_object_becomes_a_reply() -> None:
    answer = spoken("two", calls=[CALL], reasoning_content="I count")
    with serving(answer) as running, client(running.url, model="m", key="sk-secret-1234") as endpoint:
        reply = endpoint.complete(BODY, no_images)
    assert (reply.status, reply.text, reply.reasoning, reply.finish_reason) == (200, "two", "I count", "tool_calls")
    assert reply.calls == (("c1", "zoom_in", '{"x": 1}'),)
    assert reply.usage == Usage(100, 7, cached=40)
    assert (reply.served_model, reply.fingerprint, reply.retries, reply.repairs) == ("m-1", "fp", 0, ())
    assert reply.body == answer.body
    [(path, headers, body)] = running.seen.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer sk-secret-1234"
    assert "Transfer-Encoding" not in headers
    sent = {**BODY, "model": "m", "stream": True, "stream_options": {"include_usage": True}}
    assert json.loads(body) == sent == endpoint.outgoing(BODY)


def test_a_stream_becomes_the_same_reply() -> None:
    parts = [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "I "},
        {"reasoning_content": "count"},
        {"content": "t"},
        {"content": "wo"},
        {
            "tool_calls": [
                {"index": 0, "id": "c1", "type": "function", "function": {"name": "zoom_in", "arguments": ""}}
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"x"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]},
    ]
    answer = streamed(*parts, finish="tool_calls")
    with serving(answer) as running, client(running.url) as endpoint:
        reply = endpoint.complete(BODY, no_images)
        again = endpoint.complete(BODY, no_images)
    assert reply.calls == (("c1", "zoom_in", '{"x": 1}'),)
    assert (reply.text, reply.reasoning, reply.usage) == ("two", "I count", Usage(100, 7, cached=40))
    assert reply.message == {
        "role": "assistant", "content": "two", "reasoning_content": "I count", "tool_calls": [CALL]
    }  # fmt: skip
    assert reply.body == answer.body
    assert again.message == reply.message
    assert len(running.seen.connections) == 1, "the connection was not kept"


FAULTS: list[tuple[str, Answer, ErrorKind, int, str]] = [
    # (what, answer, kind, requests, words)
    ("web page", Answer(body=b"<!doctype html><h1>Hi", kind="text/html"), ErrorKind.SERVER, 1, "web page"),
    ("truncated JSON", Answer(body=spoken().body[:-9]), ErrorKind.CUT_STREAM, 7, "incomplete"),
    ("text", Answer(body=b"hello"), ErrorKind.SERVER, 1, "not JSON"),
    ("list", Answer(body=b"[]"), ErrorKind.SERVER, 1, "no object"),
    ("empty body", Answer(), ErrorKind.EMPTY, 7, "empty response"),
    ("no choices", Answer(body=b'{"id": 1}'), ErrorKind.SERVER, 1, "no choices"),
    ("empty choices", Answer(body=b'{"choices": []}'), ErrorKind.EMPTY, 7, "empty list"),
    ("no message", Answer(body=b'{"choices": [{}]}'), ErrorKind.EMPTY, 7, "without a message"),
    ("nothing said", spoken(""), ErrorKind.EMPTY, 1, "no text"),
    ("refusal", spoken(None, refusal="I can't"), ErrorKind.REFUSAL, 1, "I can't"),
    ("cut body", Answer(body=spoken().body, declared=9999, reset=True), ErrorKind.CUT_STREAM, 7, "connection ended"),
    ("cut stream", streamed({"content": "t"}, finish=None, done=False), ErrorKind.CUT_STREAM, 7, "stream ended"),
    ("no answer", Answer(status=0, reset=True), ErrorKind.SERVER, 7, "closed the connection"),
    ("compressed", Answer(body=b"x", headers={"Content-Encoding": "gzip"}), ErrorKind.SERVER, 1, "compressed"),
    ("too long", Answer(body=b" " * 20_000_001), ErrorKind.SERVER, 1, "longer than 20 MB"),
    ("401", Answer(401, b'{"error": {"message": "bad key"}}'), ErrorKind.AUTH, 1, "401: bad key"),
    ("404", Answer(404, b'{"detail": "no model m"}'), ErrorKind.INPUT_REJECTED, 1, "404: no model m"),
    ("408", Answer(408), ErrorKind.TIMEOUT, 7, "answered 408"),
    ("413", Answer(413, b"<html>too large</html>", "text/html"), ErrorKind.INPUT_REJECTED, 1, "answered 413"),
    ("429", Answer(429), ErrorKind.RATE, 7, "answered 429"),
    ("500", Answer(500, b"boom", "text/plain"), ErrorKind.SERVER, 7, "answered 500: boom"),
    ("529", Answer(529), ErrorKind.SERVER, 7, "answered 529"),
    ("error in a success", Answer(body=b'{"error": {"message": "no", "code": 429}}'), ErrorKind.RATE, 7, "no"),
]


@pytest.mark.parametrize(
    ("answer", "kind", "requests", "words"), [row[1:] for row in FAULTS], ids=[r[0] for r in FAULTS]
)
def test_a_fault_becomes_a_failure_with_its_kind(answer: Answer, kind: ErrorKind, requests: int, words: str) -> None:
    sent: list[int] = []
    with serving(answer) as running, client(running.url) as endpoint:
        failed = failure(endpoint, words, on_sent=lambda: sent.append(1))
    assert (failed.kind, failed.retries) == (kind, requests - 1)
    assert failed.kind.advice.endswith(".")
    assert len(running.seen.requests) == len(sent) == requests
    if not answer.reset and "Content-Encoding" not in answer.headers:
        assert failed.body == answer.body[:20_000_000]


@pytest.mark.parametrize("fault", [row[1] for row in FAULTS if row[3] == 7], ids=[r[0] for r in FAULTS if r[3] == 7])
def test_a_passing_fault_is_tried_again(fault: Answer) -> None:
    with serving(fault, fault, spoken("two")) as running, client(running.url) as endpoint:
        reply = endpoint.complete(BODY, no_images)
    assert (reply.text, reply.retries) == ("two", 2)
    assert len({body for _, _, body in running.seen.requests}) == 1, "a retry sent something else"


def test_a_long_response_is_read_whole() -> None:
    text = "a" * 5_000_000
    with serving(spoken(text)) as running, client(running.url) as endpoint:
        assert endpoint.complete(BODY, no_images).text == text


def test_a_filtered_response_keeps_the_tokens_that_it_cost() -> None:
    answer = streamed({"content": ""}, finish="content_filter")
    with serving(answer) as running, client(running.url) as endpoint:
        failed = failure(endpoint)
    assert (failed.kind, failed.usage) == (ErrorKind.CONTENT_FILTER, Usage(100, 7, cached=40))


def test_a_response_that_used_up_its_tokens_is_a_reply() -> None:
    with serving(streamed({"reasoning": "I"}, finish="length")) as running, client(running.url) as endpoint:
        reply = endpoint.complete(BODY, no_images)
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("", "I", "length")


def test_waits_grow_and_are_drawn() -> None:
    time = Time()
    with serving(Answer(500)) as running, client(running.url, time, lambda: DRAWN) as endpoint:
        failure(endpoint)
    assert time.now - 1000 == pytest.approx(DRAWN * sum(0.5 * 2**k for k in range(6)))


def test_no_wait_is_longer_than_a_minute_and_none_is_negative() -> None:
    for drawn, most in ((0.0, 0.0), (1.0, 31.5)):
        time = Time()
        with serving(Answer(503)) as running, client(running.url, time, lambda drawn=drawn: drawn) as endpoint:
            failure(endpoint)
        assert time.now - 1000 == pytest.approx(most)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "1500"}, 1.5), ({"Retry-After": "soon"}, 0.25)],
)
def test_the_wait_that_an_endpoint_asks_for_is_kept(header: dict[str, str], seconds: float) -> None:
    time = Time()
    with serving(Answer(429, headers=header), spoken()) as running, client(running.url, time) as endpoint:
        endpoint.complete(BODY, no_images)
    assert time.now - 1000 == pytest.approx(seconds)


def test_a_wait_of_hours_is_a_failure_that_says_so() -> None:
    with serving(Answer(429, headers={"Retry-After": "7200"})) as running, client(running.url) as endpoint:
        failed = failure(endpoint)
    assert (failed.kind, failed.retry_after, failed.retries) == (ErrorKind.RATE, 7200, 0)


def test_a_server_that_does_not_run_is_a_failed_connection() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    time = Time()
    limiter = Limiter(Limits(), clock=time.clock, sleep=time.sleep)
    settings = Settings(f"http://127.0.0.1:{port}/v1", allowed_hosts=("127.0.0.0/8",))
    with Client(settings, limiter, clock=time.clock, sleep=time.sleep, draw=lambda: 1) as endpoint:
        failed = failure(endpoint, r"No connection to 127\.0\.0\.1.*refused")
    assert (failed.kind, failed.status, failed.retries) == (ErrorKind.SERVER, 0, 6)
    assert limiter.window == 1, "a server that does not connect is overloaded"


def test_silence_ends_a_request_and_is_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=16) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with client(url, timeouts=Timeouts(connect=2, silence=0.02)) as endpoint:
            failed = failure(endpoint, r"sent nothing for 0\.02 s")
    assert (failed.kind, failed.retries) == (ErrorKind.TIMEOUT, 6)


def timed(answer: Answer, seconds: float, time: Time) -> httpx.MockTransport:
    """An endpoint whose chunks arrive this many seconds apart, by the clock of the test."""

    class Slow(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for start in range(0, len(answer.body), 100):
                time.now += seconds
                yield answer.body[start : start + 100]

    return httpx.MockTransport(lambda request: httpx.Response(answer.status, stream=Slow()))


def slow_client(answer: Answer, seconds: float, time: Time) -> Client:
    settings = Settings("http://127.0.0.1:1/v1", allowed_hosts=("127.0.0.0/8",))
    transport = timed(answer, seconds, time)
    return Client(settings, clock=time.clock, sleep=time.sleep, draw=lambda: 0, transport=transport)


def test_a_response_that_trickles_for_too_long_is_a_timeout_and_not_tried_again() -> None:
    time = Time()
    with slow_client(spoken("a" * 5000), 100, time) as endpoint:
        failed = failure(endpoint, "900 s")
    assert (failed.kind, failed.retries) == (ErrorKind.TIMEOUT, 0)
    assert failed.body.startswith(b'{"id"')


def test_the_time_of_a_reply_is_that_of_its_request() -> None:
    time = Time()
    answer = spoken("a" * 200)
    with slow_client(answer, 0.25, time) as endpoint:
        assert endpoint.complete(BODY, no_images).ms == 250 * -(-len(answer.body) // 100)


def test_a_call_can_be_cancelled_before_its_request() -> None:
    with serving(spoken()) as running, client(running.url) as endpoint, pytest.raises(CallCancelled, match="limits"):
        endpoint.complete(BODY, no_images, cancelled=lambda: True)
    assert running.seen.requests == []


def test_a_call_can_be_cancelled_between_requests() -> None:
    with serving(Answer(500)) as running, client(running.url) as endpoint, pytest.raises(CallCancelled, match="retry"):
        endpoint.complete(BODY, no_images, cancelled=lambda: bool(running.seen.requests))
    assert len(running.seen.requests) == 1
    assert endpoint.limiter.try_enter(0)[0]


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"])
def test_a_call_can_be_cancelled_while_the_endpoint_is_silent(beginning: bytes) -> None:
    """Before the first byte of a response, and within it."""
    arrived, over = Event(), Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            connection, _ = server.accept()
            connection.recv(65536)
            connection.sendall(beginning)
            arrived.set()
            over.wait(30)
            connection.close()

        thread = Thread(target=accept, daemon=True)
        thread.start()
        with client(f"http://127.0.0.1:{server.getsockname()[1]}/v1", timeouts=Timeouts(silence=30)) as endpoint:
            with pytest.raises(CallCancelled, match="response"):
                endpoint.complete(BODY, no_images, cancelled=arrived.is_set)
            slots = [endpoint.limiter.try_enter(0)[0] for _ in range(4)]
            assert all(slots), "the slot of the cancelled request was not given back"
        over.set()
        thread.join()


def test_a_silent_endpoint_is_left_when_the_time_of_the_request_is_over() -> None:
    time = Time()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"

        def later() -> bool:
            time.now += 500
            return False

        with client(url, time, timeouts=Timeouts(silence=30)) as endpoint:
            failed = failure(endpoint, "not complete after 900 s", cancelled=later)
    assert (failed.kind, failed.retries) == (ErrorKind.TIMEOUT, 0)


def test_cancelled_is_asked_in_the_thread_of_the_caller() -> None:
    asked: set[int] = set()

    def cancelled() -> bool:
        asked.add(get_ident())
        return False

    with serving(Answer(500), spoken()) as running, client(running.url) as endpoint:
        endpoint.complete(BODY, no_images, cancelled=cancelled, on_sent=lambda: asked.add(get_ident()))
    assert asked == {get_ident()}


def test_an_error_in_the_thread_of_a_request_reaches_the_caller() -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        raise MemoryError("none left")

    settings = Settings("http://127.0.0.1:1/v1", allowed_hosts=("127.0.0.0/8",))
    with Client(settings, transport=httpx.MockTransport(broken)) as endpoint:
        with pytest.raises(MemoryError, match="none left"):
            endpoint.complete(BODY, no_images)
        assert endpoint.limiter.try_enter(0)[0]


def test_a_long_wait_can_be_cancelled() -> None:
    time = Time()
    answer = Answer(429, headers={"Retry-After": "600"})
    with serving(answer) as running, client(running.url, time) as endpoint, pytest.raises(CallCancelled):
        endpoint.complete(BODY, no_images, cancelled=lambda: time.now > 1010)
    assert time.now - 1000 == pytest.approx(10.5)


def test_an_error_of_the_caller_gives_the_slot_back() -> None:
    def broken() -> None:
        raise OSError("disk full")

    limiter = Limiter(Limits(in_flight=1))
    settings = Settings("http://127.0.0.1:1/v1", allowed_hosts=("127.0.0.0/8",))
    with Client(settings, limiter, transport=httpx.MockTransport(lambda _: whole(spoken()))) as endpoint:
        with pytest.raises(OSError, match="disk full"):
            endpoint.complete(BODY, no_images, on_sent=broken)
        assert endpoint.complete(BODY, no_images).text == "two"


def test_an_image_that_is_not_stored_is_an_internal_error() -> None:
    image = {"type": "image_url", "image_url": {"url": "sha256:" + "a" * 64}}
    body = {"messages": [{"role": "user", "content": [image]}]}
    with serving(spoken()) as running, client(running.url) as endpoint:
        failed = failure(endpoint, "aaa of the request is not stored", body=body)
    assert failed.kind is ErrorKind.INTERNAL
    assert running.seen.requests == []


def test_a_request_that_is_no_json_is_an_internal_error() -> None:
    with serving(spoken()) as running, client(running.url) as endpoint:
        failed = failure(endpoint, "can't be written", body={**BODY, "temperature": float("nan")})
    assert failed.kind is ErrorKind.INTERNAL


@pytest.mark.parametrize("key", ["short", "with space inside", "line\r\nbreak-inside", "nön-ascii-key"])
def test_a_key_that_no_header_can_hold_is_rejected(key: str) -> None:
    with pytest.raises(KeyRejected) as caught:
        Settings("https://models.example.com/v1", key=key)
    assert key not in str(caught.value)


def test_without_usage_there_is_none() -> None:
    answers = (spoken(usage=None), spoken(usage={**USAGE, "prompt_tokens": "many"}))
    with serving(*answers) as running, client(running.url) as endpoint:
        assert [endpoint.complete(BODY, no_images).usage for _ in answers] == [None, None]


def test_no_minute_has_more_requests_than_the_limit() -> None:
    """Retries count too: every third request fails."""
    time = Time()
    sent: list[float] = []

    def arrived(request: httpx.Request) -> httpx.Response:
        sent.append(time.now)
        time.now += 0.3
        return whole(Answer(500) if len(sent) % 3 == 0 else spoken())

    limiter = Limiter(Limits(requests_per_minute=60), clock=time.clock, sleep=time.sleep)
    settings = Settings("http://127.0.0.1:1/v1", allowed_hosts=("127.0.0.0/8",))
    transport = httpx.MockTransport(arrived)
    with Client(settings, limiter, clock=time.clock, sleep=time.sleep, transport=transport) as endpoint:
        for _ in range(200):
            endpoint.complete(BODY, no_images)
    assert len(sent) > 250
    assert max(sum(start <= at < start + 60 for at in sent) for start in sent) == 60
    assert sent[-1] - sent[0] < len(sent) / 60 * 61 + 61


def test_tokens_of_answers_count_for_the_limit() -> None:
    time = Time()
    limiter = Limiter(Limits(tokens_per_minute=250), clock=time.clock, sleep=time.sleep)
    settings = Settings("http://127.0.0.1:1/v1", allowed_hosts=("127.0.0.0/8",))
    transport = httpx.MockTransport(lambda _: whole(spoken()))
    with Client(settings, limiter, clock=time.clock, sleep=time.sleep, transport=transport) as endpoint:
        waits = []
        for _ in range(4):
            endpoint.complete(BODY, no_images, tokens=1)
            waits.append(time.now - 1000)
    assert waits == pytest.approx([0, 0, 0, 61]), "each answer used 107 tokens"


def test_one_client_serves_many_threads() -> None:
    with serving(spoken()) as running:
        settings = Settings(running.url, allowed_hosts=LOOPBACK)
        with Client(settings, Limiter(Limits(in_flight=64))) as endpoint, ThreadPoolExecutor(16) as pool:
            replies = list(pool.map(lambda _: endpoint.complete(BODY, no_images), range(100)))
    assert [reply.text for reply in replies] == ["two"] * 100
    assert len(running.seen.requests) == 100
    assert len(running.seen.connections) <= 16
