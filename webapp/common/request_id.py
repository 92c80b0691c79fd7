"""The short reference and origin of the current request, for the logs and error pages.

A job keeps the reference of the request that started it.
"""

import logging
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

NONE = "-"
"""The id outside of requests."""
_current: ContextVar[str] = ContextVar("request_id", default=NONE)

begin = _current.set
end = _current.reset


_FROM_PROXY = re.compile(r"[A-Za-z0-9-]{8,64}")


def taken(given: str) -> str:
    """Return the reference given by a proxy; a new one if it is invalid or could forge a line of the log."""
    return given if _FROM_PROXY.fullmatch(given) else uuid.uuid4().hex[:12]


def current() -> str:
    """The reference; ``NONE`` outside of a request."""
    return _current.get()


_address: ContextVar[str] = ContextVar("address", default="")
_answering: ContextVar[bool] = ContextVar("answering", default=False)


@contextmanager
def answer(reference: str, address: str) -> Iterator[None]:
    """Answer a request that has this reference and came from this network address."""
    given: tuple[tuple[ContextVar[Any], object], ...] = ((_current, reference), (_address, address), (_answering, True))
    tokens = [(variable, variable.set(value)) for variable, value in given]
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)


def each_within(reference: str, address: str, parts: Iterator[bytes]) -> Iterator[bytes]:
    """The same parts, each made as part of answering the request."""
    while True:
        with answer(reference, address):
            try:
                part = next(parts)
            except StopIteration:
                return
        yield part


def answering() -> bool:
    """Whether this code answers a request: a person waits for it, so it does not wait long for anything else."""
    return _answering.get()


def address() -> str:
    """The network address that the request came from; "" outside of a request."""
    return _address.get()


class RequestIdFilter(logging.Filter):
    """Give each line of the log the reference of its request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _current.get()
        return True


class OneLine(logging.Filter):
    """Drop the traceback of errors that a visitor caused: the log line is enough."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True
