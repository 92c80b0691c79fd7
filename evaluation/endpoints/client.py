"""The client of one endpoint: chat completions over HTTPS, with limits, retries and the bytes as received."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from evaluation.endpoints.addresses import Address, AddressRejected, Resolve, resolve
from evaluation.endpoints.connection import open_client
from evaluation.endpoints.errors import CallCancelled, CallFailed, ErrorKind
from evaluation.endpoints.keys import checked_key
from evaluation.endpoints.limiter import Limiter, Limits
from evaluation.endpoints.outgoing import Lookup, Payload, dropped, outgoing
from evaluation.endpoints.redact import Redactor
from evaluation.endpoints.rejections import Rejection, read_error, read_rejection, read_retry_after
from evaluation.endpoints.replies import DONE, Answer, Call, ErrorInBody, Unreadable, Usage, is_stream, read_answer

PATH = "/chat/completions"
LONGEST = 20_000_000
"""Bytes of a response."""
MOST_RETRIES = 6
_TAIL = 40
"""Bytes at the end of a stream in which its end mark is."""
_CHECK_EVERY = 0.5
"""Seconds of a wait between two looks at whether the caller cancelled."""


@dataclass(frozen=True)
class Timeouts:
    """Seconds until a request fails: without a connection, without a byte, and in total."""

    connect: float = 10.0
    silence: float = 120.0
    total: float = 900.0


@dataclass(frozen=True)
class Settings:
    """An endpoint as the client needs it. Raises ``AddressRejected`` or ``KeyRejected``.

    ``key``: empty for none. ``allowed_hosts``: entries of SIGHTLINE_ENDPOINT_HOSTS. ``drop``: parameters, and keywords
    of tool schemas, that are not sent. ``rename``: parameters with their names at this endpoint. ``stream``: whether to
    ask for a stream, in which silence is noticed early. ``retries``: requests after the first one, at most.
    """

    base_url: str
    model: str = ""
    preset: str = "generic"
    key: str = field(default="", repr=False)
    allowed_hosts: tuple[str, ...] = ()
    timeouts: Timeouts = Timeouts()
    drop: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    stream: bool = True
    retries: int = MOST_RETRIES

    def __post_init__(self) -> None:
        Address(self.base_url, self.allowed_hosts)
        if self.key:
            checked_key(self.key)


@dataclass(frozen=True)
class Reply:
    """A usable response. ``body``: bytes as received, without the key. ``message``: that of the first choice.

    ``usage``: as reported, None if it was not. ``ms``: milliseconds of the request that was answered. ``retries``:
    requests before it. ``dropped``: what was not sent. ``repairs``: what was changed in ``message`` and ``calls``.
    """

    status: int
    body: bytes = field(repr=False)
    message: Mapping[str, Any]
    text: str
    reasoning: str
    calls: tuple[Call, ...]
    finish_reason: str
    usage: Usage | None
    served_model: str
    fingerprint: str
    ms: int
    retries: int
    dropped: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Outcome:
    """What one request led to: an answer, or a rejection. ``usage``: of a rejected response, if it reported tokens."""

    status: int = 0
    body: bytes = b""
    answer: Answer | None = None
    rejection: Rejection | None = None
    usage: Usage | None = None


class Client:
    """Sends requests to one endpoint. It can be used by many threads; ``close`` ends its connections.

    ``limiter``: without one, hosted limits apply to this client alone. ``clock``, ``sleep`` (seconds) and ``draw`` (0
    to 1) replace time and chance; ``resolve`` and ``transport`` replace the network.
    """

    def __init__(
        self,
        settings: Settings,
        limiter: Limiter | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
        resolve: Resolve = resolve,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.settings = settings
        self.address = Address(settings.base_url, settings.allowed_hosts)
        self.limiter = limiter or Limiter(Limits(), clock=clock, sleep=sleep)
        self._clock = clock
        self._sleep = sleep
        self._draw = draw
        self._redact = Redactor(settings.key)
        self._http = open_client(self.address, resolve=resolve, transport=transport)

    def __repr__(self) -> str:
        return f"Client({self.address.origin}, {self.settings.model!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def outgoing(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body as it is sent, images by name. Preparing it twice changes nothing."""
        settings = self.settings
        return outgoing(body, model=settings.model, drop=settings.drop, rename=settings.rename, stream=settings.stream)

    def complete(
        self,
        body: Mapping[str, Any],
        images: Lookup,
        *,
        on_sent: Callable[[], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        tokens: int = 0,
    ) -> Reply:
        """Return the response to a request, after retries where they can help.

        ``on_sent`` is called before each request leaves. ``tokens``: estimated tokens of the request, for the limit per
        minute. Raises ``CallFailed`` with the kind, ``CallCancelled``, and whatever ``on_sent`` raises.
        """
        sent = self.outgoing(body)
        payload = self._payload(sent, images)
        for retries in range(self.settings.retries + 1):
            slot = self.limiter.enter(tokens, cancelled)
            try:
                if on_sent:
                    on_sent()
                begun = self._clock()
                outcome = self._request(payload, cancelled)
                if outcome.answer:
                    usage = outcome.answer.usage
                    slot.succeeded(usage.input + usage.output if usage else tokens)
                elif outcome.rejection and outcome.rejection.overloaded:
                    slot.overloaded()
            finally:
                slot.failed()
            if outcome.answer:
                lost = dropped(body, sent, self.settings.drop)
                return self._reply(outcome, outcome.answer, self._clock() - begun, retries, lost)
            wait = self._wait(outcome, retries)
            if wait is None:
                break
            self._pause(wait, cancelled)
        raise self._failure(outcome, retries)

    def _payload(self, sent: Mapping[str, Any], images: Lookup) -> Payload:
        try:
            return Payload(sent, images)
        except KeyError as error:
            message = f"The image {error.args[0] if error.args else ''} of the request is not stored."
        except (TypeError, ValueError):
            message = "The request can't be written as JSON."
        raise CallFailed(ErrorKind.INTERNAL, message)

    def _request(self, payload: Payload, cancelled: Callable[[], bool]) -> _Outcome:
        """Send once. Errors become values here, so that no exception holds the request with its key."""
        received = bytearray()
        status = 0
        try:
            response = self._http.send(self._prepared(payload), stream=True, auth=_Bearer(self.settings.key))
            try:
                status = response.status_code
                failed = self._receive(response, received, cancelled)
                return failed or self._read(status, response.headers, bytes(received))
            finally:
                response.close()
        except AddressRejected as error:
            return self._rejected(0, b"", ErrorKind.SERVER, str(error))
        except httpx.HTTPError as error:
            if DONE in received[-_TAIL:] and is_stream(bytes(received)):
                return self._read(status, {}, bytes(received))
            return self._broken(status, received, error)

    def _prepared(self, payload: Payload) -> httpx.Request:
        timeouts = self.settings.timeouts
        return self._http.build_request(
            "POST",
            self.address.url(PATH),
            content=payload,
            headers={
                "Content-Type": "application/json",
                "Content-Length": str(payload.length),
                "Accept": "application/json, text/event-stream",
                "Accept-Encoding": "identity",
            },
            timeout=httpx.Timeout(timeouts.silence, connect=timeouts.connect),
        )

    def _receive(self, response: httpx.Response, received: bytearray, cancelled: Callable[[], bool]) -> _Outcome | None:
        """Add the bytes of a response to ``received``. Return an outcome if it is too long or too late."""
        now = self._clock()
        late, look = now + self.settings.timeouts.total, now + _CHECK_EVERY
        for chunk in response.iter_raw():
            received += chunk
            if len(received) > LONGEST:
                del received[LONGEST:]
                message = f"The response is longer than {LONGEST // 10**6} MB."
                return self._rejected(response.status_code, received, ErrorKind.SERVER, message)
            now = self._clock()
            if now > late:
                message = f"The response was not complete after {self.settings.timeouts.total:g} s."
                return self._rejected(response.status_code, received, ErrorKind.TIMEOUT, message)
            if now > look:
                look = now + _CHECK_EVERY
                _stop_if(cancelled, "while the response arrived")
        return None

    def _broken(self, status: int, body: bytes | bytearray, error: httpx.HTTPError) -> _Outcome:
        """The outcome of a connection that failed."""
        host, timeouts = self.address.host, self.settings.timeouts
        if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
            why = str(error)[:200] or f"no answer for {timeouts.connect:g} s"
            message = f"No connection to {host}: {why}."
            return self._rejected(status, body, ErrorKind.SERVER, message, again=True, overloaded=True)
        if isinstance(error, httpx.TimeoutException):
            message = f"{host} sent nothing for {timeouts.silence:g} s."
            return self._rejected(status, body, ErrorKind.TIMEOUT, message, again=True)
        if status and 200 <= status < 300:
            message = "The connection ended before the response was complete."
            return self._rejected(status, body, ErrorKind.CUT_STREAM, message, again=True)
        return self._rejected(status, body, ErrorKind.SERVER, f"{host} closed the connection.", again=True)

    def _rejected(
        self,
        status: int,
        body: bytes | bytearray,
        kind: ErrorKind,
        message: str,
        *,
        again: bool = False,
        overloaded: bool = False,
    ) -> _Outcome:
        rejection = Rejection(kind, message, again, overloaded)
        return _Outcome(status, self._redact.data(bytes(body)), rejection=rejection)

    def _read(self, status: int, headers: Mapping[str, str], received: bytes) -> _Outcome:
        """The outcome of a complete response."""
        body = self._redact.data(received)
        coding = headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            message = "The endpoint compressed the response although it was asked not to."
            return self._rejected(status, b"", ErrorKind.SERVER, message)
        if not 200 <= status < 300:
            after = read_retry_after(headers)
            return _Outcome(status, body, rejection=read_rejection(status, body, retry_after=after))
        try:
            answer = read_answer(body)
        except Unreadable as error:
            return _Outcome(status, body, rejection=Rejection(error.kind, str(error), error.again))
        except ErrorInBody as error:
            return _Outcome(status, body, rejection=read_error(error.error))
        blocked = _blocked(answer)
        if blocked:
            return _Outcome(status, body, rejection=blocked, usage=answer.usage)
        return _Outcome(status, body, answer=answer)

    def _wait(self, outcome: _Outcome, retries: int) -> float | None:
        """Seconds until the next request, None if there should be none."""
        rejection = outcome.rejection
        if not rejection or not rejection.again or retries == self.settings.retries:
            return None
        if rejection.retry_after is not None:
            return rejection.retry_after if rejection.retry_after <= self.settings.timeouts.total else None
        return self._draw() * min(60.0, math.ldexp(0.5, retries))

    def _pause(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        while seconds > 0:
            _stop_if(cancelled, "while waiting for a retry")
            self._sleep(min(seconds, _CHECK_EVERY))
            seconds -= _CHECK_EVERY

    def _reply(self, outcome: _Outcome, answer: Answer, seconds: float, retries: int, lost: tuple[str, ...]) -> Reply:
        message = self._redact.value(dict(answer.message))
        safe = message == answer.message
        text = self._redact.text
        return Reply(
            status=outcome.status,
            # A key that arrived in pieces is only seen once they are joined; then the pieces are not kept.
            body=outcome.body if safe else _rewritten(message),
            message=message,
            text=text(answer.text),
            reasoning=text(answer.reasoning),
            calls=tuple((text(one), text(name), text(arguments)) for one, name, arguments in answer.calls),
            finish_reason=answer.finish_reason,
            usage=answer.usage,
            served_model=text(answer.model),
            fingerprint=text(answer.fingerprint),
            ms=round(seconds * 1000),
            retries=retries,
            dropped=lost,
            repairs=answer.repairs,
        )

    def _failure(self, outcome: _Outcome, retries: int) -> CallFailed:
        rejection = outcome.rejection or Rejection(ErrorKind.INTERNAL, "The request has no outcome.", False)
        return CallFailed(
            rejection.kind,
            self._redact.text(rejection.message),
            status=outcome.status,
            body=outcome.body,
            retries=retries,
            retry_after=rejection.retry_after,
            usage=outcome.usage,
        )


class _Bearer(httpx.Auth):
    """Adds the key as the request leaves, so that no other object holds it in a header."""

    def __init__(self, key: str) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        yield request


def _stop_if(cancelled: Callable[[], bool], when: str) -> None:
    if cancelled():
        raise CallCancelled(f"Cancelled {when}.")


def _blocked(answer: Answer) -> Rejection | None:
    """Why a complete response has no content to work with, None if it has some.

    A response that was cut by length is content: the model used up its tokens.
    """
    refusal = answer.message.get("refusal")
    if answer.text.strip() or answer.calls:
        return None
    if answer.finish_reason == "content_filter":
        return Rejection(ErrorKind.CONTENT_FILTER, "The provider's content filter removed the response.", False)
    if isinstance(refusal, str) and refusal.strip():
        return Rejection(ErrorKind.REFUSAL, f"The model refused: {refusal[:500]}", False)
    if answer.is_empty and answer.finish_reason != "length":
        return Rejection(ErrorKind.EMPTY, "The response has no text and no tool call.", False)
    return None


def _rewritten(message: Mapping[str, Any]) -> bytes:
    return json.dumps({"choices": [{"index": 0, "message": message}]}, ensure_ascii=False).encode()
