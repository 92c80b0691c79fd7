"""Django's SQLite, whose writers of one process wait in line.

SQLite lets one write at a time and has the others ask again after a sleep: under load some sleep for seconds while
those who come later get ahead of them. Here the threads of a process wait for each other in the order in which they
came; only against other processes SQLite's own lock is still waited for.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.db.backends.sqlite3 import base

from webapp.common.request_id import answering
from webapp.common.turns import Turns

REQUEST_SECONDS = 4.5
"""A request waits this long for other writers, in this process and in others together; what a person waits for is then
refused, and may be sent again. A job waits as long as the settings say."""
READING = ("SELECT", "PRAGMA", "EXPLAIN")
"""How statements begin that need no turn. Whatever else stands outside of a transaction begins one, or writes."""


@cache
def turns_of(database: str) -> Turns:
    """The line of those in this process who write to this database."""
    return Turns()


class Connection(sqlite3.Connection):
    """Has the turn from the first statement that may write to the end of the transaction."""

    def __init__(self, database: Any, timeout: float = 5.0, **options: Any) -> None:
        super().__init__(database, timeout=timeout, **options)
        self._turns = turns_of(str(database))
        self._patience = timeout
        self._has_turn = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn, and keep it if this leaves a transaction open. Raises as SQLite does after a timeout."""
        patience = min(self._patience, REQUEST_SECONDS) if answering() else self._patience
        begun = time.monotonic()
        if not self._turns.take(patience):
            locked = sqlite3.OperationalError("database is locked")
            locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise locked
        self._has_turn = True
        left = max(0.0, patience - (time.monotonic() - begun))
        super().execute(f"PRAGMA busy_timeout = {round(left * 1000)}")
        try:
            yield
        finally:
            self._end()

    def commit(self) -> None:
        try:
            super().commit()
        finally:
            self._end()

    def rollback(self) -> None:
        try:
            super().rollback()
        finally:
            self._end()

    def close(self) -> None:
        # Closed while a statement is being read, SQLite would keep its lock as long as that is.
        if self._has_turn:
            self.rollback()
        super().close()

    def _end(self) -> None:
        if self._has_turn and not self.in_transaction:
            self._has_turn = False
            self._turns.pass_on()


class Cursor(base.SQLiteCursorWrapper):
    connection: Connection

    def execute(self, query: str, params: Any = None) -> Any:
        if self.connection.in_transaction or query.lstrip().startswith(READING):
            return super().execute(query, params)
        with self.connection.turn():
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        if self.connection.in_transaction:
            return super().executemany(query, param_list)
        with self.connection.turn():
            return super().executemany(query, param_list)


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "factory": Connection}

    def planned_cursor(self) -> Any:
        """A cursor: SQLite's connections keep the plans of all their statements."""
        return self.cursor()

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=Cursor)
