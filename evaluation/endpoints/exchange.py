"""One HTTP request with its response, in a separate thread, so that a silent endpoint can be abandoned at any time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from threading import Event, Thread

import httpx

from annotation.outgoing.addresses import Address, AddressRejected
from evaluation.endpoints.errors import CallCancelled, ErrorKind
from evaluation.endpoints.outgoing import Payload
from evaluation.endpoints.redact import Redactor
from evaluation.endpoints.rejections import Rejection, read_error, read_rejection, read_retry_after
from evaluation.endpoints.replies import DONE, Answer, ErrorInBody, Unreadable, Usage, is_stream, read_answer

CHAT = "/chat/completions"
LONGEST = 20_000_000
"""Bytes of a response."""
_TAIL = 40
"""Bytes at the end of a stream in which its end mark is."""
_LOOK = 0.1
"""Seconds between two looks at whether the caller cancelled or the time is over."""


@dataclass(frozen=True)
class Timeouts:
    """Seconds until a request fails: without a connection, without a byte, and in total."""

    connect: float = 10.0
    silence: float = 120.0
    total: float = 900.0


@dataclass(frozen=True)
class Outcome:
    """The result of one request: an answer, or a rejection. ``body``: bytes as received, without the key. ``usage``: of
    a rejected response, if it reported tokens.
    """

    status: int = 0
    body: bytes = b""
    answer: Answer | None = None
    rejection: Rejection | None = None
    usage: Usage | None = None


@dataclass
class _UnderWay:
    """A request in its thread. ``late``: when its time is over. ``stop`` asks it to end after its next byte; ``done``
    says that it has ended."""

    late: float
    status: int = 0
    received: bytearray = field(default_factory=bytearray)
    outcome: Outcome | None = None
    error: BaseException | None = None
    stop: Event = field(default_factory=Event)
    done: Event = field(default_factory=Event)


class Exchange:
    """Sends requests to one address, each once, and reads what comes back."""

    def __init__(
        self,
        http: httpx.Client,
        address: Address,
        key: str,
        timeouts: Timeouts,
        clock: Callable[[], float],
        path: str = CHAT,
        read: Callable[[bytes], Answer] = read_answer,
        method: str = "POST",
        *,
        basic: bool = False,
    ) -> None:
        """``path``: behind the address. ``read``: of the bytes of a response. ``basic``: a key with a colon is a name
        with its password."""
        self._http, self._method = http, method
        self._address = address
        self._auth = httpx.BasicAuth(*key.split(":", 1)) if basic and ":" in key else _Bearer(key)
        self._redact = Redactor(key)
        self._timeouts = timeouts
        self._clock = clock
        self._path, self._read_answer = path, read

    def send(self, payload: Payload, cancelled: Callable[[], bool]) -> Outcome:
        """Return the outcome of a request. ``cancelled`` is called in this thread. Raises ``CallCancelled``.

        An abandoned request continues until its next byte or its timeout, and its response is dropped.
        """
        call = _UnderWay(self._clock() + self._timeouts.total)
        Thread(target=self._run, args=(call, payload), name="endpoint-request", daemon=True).start()
        while not call.done.wait(_LOOK):
            if cancelled():
                call.stop.set()
                raise CallCancelled("Cancelled while waiting for the response.")
            if self._clock() > call.late:
                call.stop.set()
                return self._late(call)
        if call.outcome is None:
            raise call.error or RuntimeError("The request has no outcome.")
        return call.outcome

    def _run(self, call: _UnderWay, payload: Payload) -> None:
        try:
            call.outcome = self._send(call, payload)
        except BaseException as error:  # noqa: BLE001 - raised in the thread of the caller
            call.error = error
        finally:
            call.done.set()

    def _send(self, call: _UnderWay, payload: Payload) -> Outcome:
        """Errors become values here, so that no exception holds the request with its key."""
        try:
            response = self._http.send(self._prepared(payload), stream=True, auth=self._auth)
            try:
                call.status = response.status_code
                for chunk in response.iter_raw():
                    call.received += chunk
                    if len(call.received) > LONGEST:
                        del call.received[LONGEST:]
                        message = f"The response is longer than {LONGEST // 10**6} MB."
                        return self._rejected(call, ErrorKind.SERVER, message)
                    if call.stop.is_set() or self._clock() > call.late:
                        return self._late(call)
                return self._read(call, response.headers)
            finally:
                response.close()
        except AddressRejected as error:
            return self._rejected(call, ErrorKind.SERVER, str(error))
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            return self._broken(call, error)

    def _prepared(self, payload: Payload) -> httpx.Request:
        timeouts = self._timeouts
        accepted = {"Accept": "application/json, text/event-stream", "Accept-Encoding": "identity"}
        sent = {"Content-Type": "application/json", "Content-Length": str(payload.length)}
        asks = self._method == "GET"
        return self._http.build_request(
            self._method,
            self._address.url(self._path),
            content=None if asks else payload,
            headers=accepted if asks else sent | accepted,
            timeout=httpx.Timeout(timeouts.silence, connect=timeouts.connect),
        )

    def _broken(self, call: _UnderWay, error: Exception) -> Outcome:
        """Return the outcome of a failed connection. If the received part is sufficient, it decides."""
        host, timeouts = self._address.host, self._timeouts
        if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
            why = str(error)[:200] or f"no answer for {timeouts.connect:g} s"
            message = f"No connection to {host}: {why}."
            return self._rejected(call, ErrorKind.SERVER, message, again=True, overloaded=True)
        ended = DONE in call.received[-_TAIL:] and is_stream(bytes(call.received))
        if ended or (call.status and not 200 <= call.status < 300):
            return self._read(call, {})
        if isinstance(error, httpx.TimeoutException):
            message = f"{host} sent nothing for {timeouts.silence:g} s."
            return self._rejected(call, ErrorKind.TIMEOUT, message, again=True)
        if call.status:
            message = "The connection ended before the response was complete."
            return self._rejected(call, ErrorKind.CUT_STREAM, message, again=True)
        return self._rejected(call, ErrorKind.SERVER, f"{host} closed the connection.", again=True)

    def _late(self, call: _UnderWay) -> Outcome:
        message = f"The response was not complete after {self._timeouts.total:g} s."
        return self._rejected(call, ErrorKind.TIMEOUT, message)

    def _rejected(
        self, call: _UnderWay, kind: ErrorKind, message: str, *, again: bool = False, overloaded: bool = False
    ) -> Outcome:
        body = self._redact.data(bytes(call.received))
        return Outcome(call.status, body, rejection=Rejection(kind, message, again, overloaded))

    def _read(self, call: _UnderWay, headers: Mapping[str, str]) -> Outcome:
        """The outcome of a response that arrived."""
        status, body = call.status, self._redact.data(bytes(call.received))
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            call.received.clear()
            message = "The endpoint compressed the response although it was asked not to."
            return self._rejected(call, ErrorKind.SERVER, message)
        if not 200 <= status < 300:
            after = read_retry_after(headers)
            return Outcome(status, body, rejection=read_rejection(status, body, retry_after=after))
        try:
            answer = self._read_answer(body)
        except Unreadable as error:
            return Outcome(status, body, rejection=Rejection(error.kind, str(error), error.again))
        except ErrorInBody as error:
            return Outcome(status, body, rejection=read_error(error.error))
        clean = self._clean(answer)
        if clean.message != answer.message:
            # A key that arrived in pieces is only seen once they are joined; then the pieces are not kept.
            whole = {"choices": [{"message": clean.message}]}
            body = json.dumps(whole, ensure_ascii=False).encode() if self._path == CHAT else clean.text.encode()
            answer = clean
        blocked = _blocked(answer)
        if blocked:
            return Outcome(status, body, rejection=blocked, usage=answer.usage)
        return Outcome(status, body, answer=answer)

    def _clean(self, answer: Answer) -> Answer:
        text = self._redact.text
        return replace(
            answer,
            message=self._redact.value(dict(answer.message)),
            text=text(answer.text),
            reasoning=text(answer.reasoning),
            calls=tuple((text(one), text(name), text(arguments)) for one, name, arguments in answer.calls),
            model=text(answer.model),
            fingerprint=text(answer.fingerprint),
        )


class _Bearer(httpx.Auth):
    """Adds the key as the request leaves, so that no other object holds it in a header."""

    def __init__(self, key: str) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        yield request


def _blocked(answer: Answer) -> Rejection | None:
    """Return why a complete response has no usable content, None if it has some.

    A response cut by length counts as content: the model used up its tokens.
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
