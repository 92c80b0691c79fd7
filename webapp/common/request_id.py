"""The short reference of the request being answered, for the log and for the page of a fault. A job keeps that of the
request which started it."""

import logging
import re
import uuid
from contextvars import ContextVar

NONE = "-"
"""What stands where no request began it."""
_current: ContextVar[str] = ContextVar("request_id", default=NONE)

begin = _current.set
end = _current.reset
_FROM_PROXY = re.compile(r"[A-Za-z0-9-]{8,64}")


def taken(given: str) -> str:
    """The reference that a proxy has given; a new one where that could forge a line of the log, or is none."""
    return given if _FROM_PROXY.fullmatch(given) else uuid.uuid4().hex[:12]


def current() -> str:
    """The reference; ``NONE`` outside of a request."""
    return _current.get()


class RequestIdFilter(logging.Filter):
    """Give each line of the log the reference of its request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _current.get()
        return True
