"""Distinguishes outages of services from errors of the program, by the exception.

A request during an outage is answered with 503 and a time to retry; a job is retried automatically. Drivers are
identified by name, so that unused ones are not imported.
"""

from __future__ import annotations

import errno
import sqlite3
from datetime import timedelta
from typing import Any

from django.db import Error as DatabaseLayerError
from django.db import InterfaceError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_noop

from webapp.common.errors import Unavailable, bare_page, with_headers

RETRY_AFTER_SECONDS = 5
DATABASE, BUSY, STORE, BROKER, DISK = "database", "database lock", "file store", "message broker", "disk"
CONNECTIONS = "database connections"
MET = "changes at once"
_LOST = frozenset({"08", "53", "57P01", "57P02", "57P03", "57P05", "55P03", "25006", "25P03"})
"""SQLSTATEs, or their classes: connection, resources, shutdown, lock timeout, read-only standby."""
_MET = frozenset({"40001", "40P01"})
"""SQLSTATEs of a serialization failure and a deadlock: of two changes the database undid this one, as a whole."""
_FULL_UP = ("too many clients", "connection slots", "no more connections allowed", "query_wait_timeout")
"""Messages of PostgreSQL and PgBouncer if no connection is free. The driver provides no SQLSTATE for a rejected one."""
_SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_IOERR: DATABASE,
    sqlite3.SQLITE_CANTOPEN: DATABASE,
    sqlite3.SQLITE_FULL: DISK,
}
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SENTENCES = {
    DATABASE: gettext_noop("No response from the database."),
    BUSY: gettext_noop("The database is busy with another change."),
    CONNECTIONS: gettext_noop("The database is busy: none of its connections is free."),
    STORE: gettext_noop("No response from the file store."),
    BROKER: gettext_noop("No response from the message broker."),
    DISK: gettext_noop("The disk of the server is full."),
    MET: gettext_noop("Two people changed the same thing at once, and your change was not saved."),
}


class Outage(Unavailable):
    """A service does not answer now, and may soon: the answer says when to try again."""

    title = gettext_noop("A service is unavailable")
    give_up_after = timedelta(hours=24)
    """After so long without a checkpoint, a job that meets it needs a person."""

    def __init__(self, service: str) -> None:
        self.service = service
        if service == MET:
            self.title = gettext_noop("This was not saved")
        message = gettext("%(problem)s Try again in %(time)s.")
        super().__init__(message % {"problem": self.reason, "time": f"{RETRY_AFTER_SECONDS} s"})

    @property
    def reason(self) -> str:
        """Return what happened, without what to do."""
        return gettext(_SENTENCES[self.service])

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(RETRY_AFTER_SECONDS)}


def outage_of(error: BaseException) -> Outage | None:
    """The outage that caused an exception; None if it has another cause."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, Outage):
            return seen
        if service := _service(seen):
            return Outage(service)
        seen = seen.__cause__
    return None


def outage_page(request: HttpRequest, outage: Outage) -> HttpResponse:
    """503, and when to come back; the same below /api/ as JSON."""
    words = {"code": outage.code, "title": gettext(outage.title), "message": outage.message}
    return with_headers(bare_page(request, outage.status, **words), outage.headers)


def _service(error: BaseException) -> str:
    if isinstance(error, DatabaseLayerError):
        return _database(error)
    if isinstance(error, OSError) and error.errno in _FULL:
        return DISK
    names = {f"{kind.__module__}.{kind.__name__}" for kind in type(error).__mro__}
    if names & {"botocore.exceptions.HTTPClientError", "boto3.exceptions.RetriesExceededError"}:
        return STORE
    if "botocore.exceptions.ClientError" in names:
        return STORE if _answered(error) >= 500 else ""
    if "boto3.exceptions.S3UploadFailedError" in names and error.__context__ is not None:
        return _service(error.__context__)
    if names & {
        "kombu.exceptions.OperationalError",
        "redis.exceptions.ConnectionError",
        "redis.exceptions.TimeoutError",
    }:
        return BROKER
    return ""


def _database(error: BaseException) -> str:
    """Return the reason of a database error of Django, whose cause is the error of the driver."""
    cause: Any = error.__cause__
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return _SQLITE.get(code, "")
    if isinstance(error, InterfaceError):
        return DATABASE if "connection" in str(error) else ""
    state = getattr(cause, "sqlstate", "")
    if state == "53300" or any(words in str(cause) for words in _FULL_UP if state in (None, "08P01")):
        return CONNECTIONS
    if state is None:
        # The server said nothing: the connection could not be made, or broke.
        return DATABASE if any(kind.__name__ == "OperationalError" for kind in type(cause).__mro__) else ""
    if state in _MET:
        return MET
    return DATABASE if state in _LOST or state[:2] in _LOST else ""


def _answered(error: Any) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") or 0)
