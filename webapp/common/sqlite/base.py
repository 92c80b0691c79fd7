"""Django's SQLite, whose writers of one process wait for each other.

SQLite lets one write at a time and has the others ask again after a sleep: under load some sleep for seconds while
those who come later get ahead of them. So a thread holds a lock from BEGIN IMMEDIATE to the end of its transaction,
and a single statement that finds the database locked waits for the same lock.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

from django.db.backends.sqlite3 import base

from webapp.common.request_id import answering

REQUEST_SECONDS = 4.5
"""The maximum time that a request waits for other writers, in this and other processes together. It is then rejected,
and may be sent again. A job waits as long as configured in the settings.
"""


@cache
def lock_of(database: str) -> Lock:
    """Held by the thread of this process that writes to this database."""
    return Lock()


class Cursor(base.SQLiteCursorWrapper):
    database: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:
        try:
            return super().execute(query, params)
        except sqlite3.OperationalError as error:
            if self.database.writes or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        with self.database.turn():
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        with nullcontext() if self.database.writes else self.database.turn():
            return super().executemany(query, param_list)


_Django: Any = base.DatabaseWrapper  # The stubs do not know the steps of a transaction.


class DatabaseWrapper(_Django):
    writes = False
    """Whether this thread holds the lock."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        made = super().get_new_connection(conn_params)
        made.execute("PRAGMA busy_timeout = 0")
        return made

    def create_cursor(self, name: str | None = None) -> Any:
        made = self.connection.cursor(factory=Cursor)
        made.database = self
        return made

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the lock, and keep it if this leaves a transaction open. Raises as SQLite does after a timeout."""
        patience: float = self.settings_dict["OPTIONS"].get("timeout", 5.0)
        end = time.monotonic() + (min(patience, REQUEST_SECONDS) if answering() else patience)
        if not lock_of(str(self.settings_dict["NAME"])).acquire(timeout=end - time.monotonic()):
            locked = sqlite3.OperationalError("database is locked")
            locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise locked
        self.writes = True
        try:
            self.connection.execute(f"PRAGMA busy_timeout = {max(0, round((end - time.monotonic()) * 1000))}")
            yield
        finally:
            self.connection.execute("PRAGMA busy_timeout = 0")
            if not self.connection.in_transaction:
                self._let_others_write()

    def _start_transaction_under_autocommit(self) -> None:
        with self.wrap_database_errors, self.turn():
            super()._start_transaction_under_autocommit()

    def _commit(self) -> None:
        super()._commit()
        self._let_others_write()

    def _rollback(self) -> None:
        try:
            super()._rollback()
        finally:
            self._let_others_write()

    def _close(self) -> None:
        try:
            # Closed while a statement is being read, SQLite would keep its lock as long as that is.
            if self.writes:
                super()._rollback()
            super()._close()
        finally:
            self._let_others_write()

    def _let_others_write(self) -> None:
        if self.writes:
            self.writes = False
            lock_of(str(self.settings_dict["NAME"])).release()
