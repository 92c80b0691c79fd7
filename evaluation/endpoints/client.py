"""The client of one endpoint: chat completions over HTTPS, with limits, retries and the bytes as received."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from annotation.outgoing.addresses import Address, Resolve, resolve
from annotation.outgoing.connection import open_client
from annotation.outgoing.sealing import checked_key
from evaluation.endpoints import detectors, renderers
from evaluation.endpoints.errors import CallCancelled, CallFailed, ErrorKind
from evaluation.endpoints.exchange import CHAT, Exchange, Outcome, Timeouts
from evaluation.endpoints.limiter import Limiter, Limits
from evaluation.endpoints.ml_backend import HEALTH, PREDICT, SETUP, read_predictions, read_state, setup_body
from evaluation.endpoints.outgoing import Link, Lookup, Payload, dropped, linked, outgoing
from evaluation.endpoints.redact import Redactor
from evaluation.endpoints.rejections import Rejection
from evaluation.endpoints.replies import Answer, Call, Usage, read_answer

MOST_RETRIES = 6
_CHECK_EVERY = 0.5
"""Seconds of a wait between two looks at whether the caller cancelled."""


@dataclass(frozen=True)
class Settings:
    """An endpoint as the client needs it. Raises ``AddressRejected`` or ``KeyRejected``.

    ``key``: empty for none. ``allowed_hosts``: entries of SIGHTLINE_ENDPOINT_HOSTS. ``drop``: parameters, and keywords
    of tool schemas, that are not sent. ``rename``: parameters with their names at this endpoint. ``stream``: whether to
    ask for a stream, in which silence is noticed early. ``retries``: requests after the first one, at most.
    ``detector``: whether it detects objects instead of chatting (``evaluation.endpoints.detectors``). ``renderer``:
    whether it generates images (``evaluation.endpoints.renderers``). ``backend``: whether it is an ML backend of Label
    Studio (``evaluation.endpoints.ml_backend``).
    """

    base_url: str
    model: str = ""
    preset: str = "generic"
    key: str = field(default="", repr=False)
    allowed_hosts: tuple[str, ...] = ()
    timeouts: Timeouts = field(default_factory=Timeouts)
    drop: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    stream: bool = True
    retries: int = MOST_RETRIES
    detector: bool = False
    renderer: bool = False
    backend: bool = False

    @property
    def chats(self) -> bool:
        """Whether a model chats here. Others have no tokens."""
        return not (self.detector or self.renderer or self.backend)

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


class Client:
    """Sends requests to one endpoint. It can be used by many threads; ``close`` ends its connections.

    ``limiter``: without one, hosted limits apply to this client alone. ``clock``, ``sleep`` (seconds) and ``draw`` (0
    to 1) replace time and chance; ``resolve`` and ``transport`` replace the network. ``link`` gives the address of an
    image, for a backend, which fetches images.
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
        link: Link | None = None,
    ) -> None:
        self.settings = settings
        self.address = Address(settings.base_url, settings.allowed_hosts)
        self.limiter = limiter or Limiter(Limits(), clock=clock, sleep=sleep)
        self._clock = clock
        self._sleep = sleep
        self._draw = draw
        self._redact = Redactor(settings.key)
        self._http = open_client(self.address, resolve=resolve, transport=transport)
        self._link = link
        path, self.read = _way(settings)
        self._exchange = self._exchange_of(path, self.read)

    def __repr__(self) -> str:
        return f"Client({self.address.origin}, {self.settings.model!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _exchange_of(self, path: str, read: Callable[[bytes], Answer], method: str = "POST") -> Exchange:
        settings = self.settings
        timeouts = settings.timeouts
        return Exchange(
            self._http, self.address, settings.key, timeouts, self._clock, path, read, method, basic=settings.backend
        )

    def set_up(self, project: str, label_config: str, cancelled: Callable[[], bool] = lambda: False) -> str:
        """Ask a backend whether it is up, and give it the labels; return the version of its model, "" if it names none.
        Nothing is asked again. Raises ``CallFailed`` or ``CallCancelled``."""
        health = self._exchange_of(HEALTH, read_state, "GET").send(Payload({}, _no_image), cancelled)
        if health.answer is None:
            raise self._failure(health, 0)
        payload = Payload(setup_body(project, label_config), _no_image)
        found = self._exchange_of(SETUP, read_state).send(payload, cancelled)
        if found.answer is None:
            raise self._failure(found, 0)
        return found.answer.model

    def outgoing(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body in the form that is sent, images by name. Preparing it twice changes nothing."""
        settings = self.settings
        if settings.detector:
            return {**body, "model": settings.model or body.get("model", "")}
        if settings.renderer:
            kept = {name: value for name, value in body.items() if name not in settings.drop}
            return {**kept, "model": settings.model or body.get("model", "")}
        if settings.backend:
            return dict(body)
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

        ``on_sent`` is called before each request is sent. ``tokens``: estimated tokens of the request, for the limit
        per minute. Raises ``CallFailed`` with the kind, ``CallCancelled``, and the exceptions of ``on_sent``.
        """
        sent = self.outgoing(body)
        payload = self._payload(sent, images)
        for retries in range(self.settings.retries + 1):
            slot = self.limiter.enter(tokens, cancelled)
            try:
                if on_sent:
                    on_sent()
                if self._link and retries:
                    # An address is valid for a short time.
                    payload = self._payload(sent, images)
                begun = self._clock()
                outcome = self._exchange.send(payload, cancelled)
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
            return Payload(linked(sent, images, self._link) if self._link else sent, images)
        except KeyError as error:
            message = f"The image {error.args[0] if error.args else ''} of the request is not stored."
        except (TypeError, ValueError):
            message = "The request can't be written as JSON."
        raise CallFailed(ErrorKind.INTERNAL, message)

    def _wait(self, outcome: Outcome, retries: int) -> float | None:
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

    def _reply(self, outcome: Outcome, answer: Answer, seconds: float, retries: int, lost: tuple[str, ...]) -> Reply:
        return Reply(
            status=outcome.status,
            body=outcome.body,
            message=answer.message,
            text=answer.text,
            reasoning=answer.reasoning,
            calls=answer.calls,
            finish_reason=answer.finish_reason,
            usage=answer.usage,
            served_model=answer.model,
            fingerprint=answer.fingerprint,
            ms=round(seconds * 1000),
            retries=retries,
            dropped=lost,
            repairs=answer.repairs,
        )

    def _failure(self, outcome: Outcome, retries: int) -> CallFailed:
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


def _way(settings: Settings) -> tuple[str, Callable[[bytes], Answer]]:
    """The path behind the address, and the reader of responses."""
    if settings.detector:
        return detectors.PATH, detectors.read_detections
    if settings.renderer:
        return renderers.PATH, renderers.read_image
    return (PREDICT, read_predictions) if settings.backend else (CHAT, read_answer)


def _no_image(sha256: str) -> tuple[bytes, str]:
    raise KeyError(sha256)


def _stop_if(cancelled: Callable[[], bool], when: str) -> None:
    if cancelled():
        raise CallCancelled(f"Cancelled {when}.")
