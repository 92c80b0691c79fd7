"""The short reference of the request being answered, for the log and for the page of a fault. A job keeps that of the
request which started it."""

import logging
from contextvars import ContextVar

NONE = "-"
"""What stands where no request began it."""
_current: ContextVar[str] = ContextVar("request_id", default=NONE)

begin = _current.set
end = _current.reset


def current() -> str:
    """The reference; ``NONE`` outside of a request."""
    return _current.get()


class RequestIdFilter(logging.Filter):
    """Give each line of the log the reference of its request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _current.get()
        return True
