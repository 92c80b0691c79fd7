"""DuckDB on the files of the store: one in-memory database per process, and one connection per reader."""

from __future__ import annotations

import atexit
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import duckdb
from django.utils.translation import gettext
from numpy.typing import NDArray

from webapp.common.errors import Unavailable

ARGUMENT = re.compile(r"\$(\w+)")
"""A named argument in a statement."""
SECONDS = 5.0
"""A statement that takes longer is interrupted."""
CHECK_SECONDS = 0.2
"""The interval in which running statements are compared with their deadlines."""
_CONFIG: dict[str, Any] = {
    "threads": 1,
    "memory_limit": "512MB",
    "preserve_insertion_order": False,
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_lock = threading.Lock()
_instances: dict[tuple[int, Path], duckdb.DuckDBPyConnection] = {}
"""By process and folder: a process that was forked opens its own."""
MOST_ATTACHED = 16
"""DuckDB files that a process attaches; beyond that, the oldest ones are detached."""
_MOST_INSTANCES = 4
"""A process has one, unless its folder changes while it runs. Readers keep what they use."""


@atexit.register
def _close() -> None:
    """DuckDB prints what is still open when the interpreter ends."""
    _instances.clear()


def parquet(*paths: Path) -> str:
    """The rows of some files, as a statement names them."""
    return "read_parquet([{}])".format(", ".join("'{}'".format(str(path).replace("'", "''")) for path in paths))


def _quotable(path: Path) -> Path:
    if "'" in str(path):
        raise ValueError(f"A path with a quotation mark cannot be named in a statement: {path}")
    return path


def connect(folder: Path) -> duckdb.DuckDBPyConnection:
    """A connection that reads and writes files of this folder, and nothing else of the machine."""
    key = os.getpid(), folder
    with _lock:
        if key not in _instances:
            if len(_instances) == _MOST_INSTANCES:
                _instances.clear()
            _instances[key] = _open(folder)
        return _instances[key].cursor()


def _open(folder: Path) -> duckdb.DuckDBPyConnection:
    instance = duckdb.connect(":memory:", config=_CONFIG)
    instance.execute("SET parquet_metadata_cache = true")
    instance.execute("SET temp_directory = $folder", {"folder": str(folder / "spilled")})
    instance.execute("SET allowed_directories = [$folder]", {"folder": str(folder)})
    instance.execute("SET enable_external_access = false")
    instance.execute("SET lock_configuration = true")
    return instance


class Watchdog:
    """Interrupts statements that take too long.

    One thread watches all of them, because starting one for each statement takes longer than most statements.
    """

    def __init__(self) -> None:
        self.start_again()

    def start_again(self) -> None:
        """Clear the running statements. A forked process has no thread, and possibly a lock that no thread releases."""
        self._changed = threading.Condition()
        self._deadlines: dict[int, tuple[float, duckdb.DuckDBPyConnection]] = {}
        self._running = False

    @contextmanager
    def limit(self, connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
        """Interrupt the connection if the body takes longer."""
        with self._changed:
            if not self._running:
                self._running = True
                threading.Thread(target=self._watch, name="duckdb-watchdog", daemon=True).start()
            if not self._deadlines:
                self._changed.notify()
            self._deadlines[id(connection)] = time.monotonic() + seconds, connection
        try:
            yield
        finally:
            with self._changed:
                self._deadlines.pop(id(connection), None)

    def _watch(self) -> None:
        while True:
            with self._changed:
                if not self._deadlines:
                    self._changed.wait()
                self._interrupt_late()
            time.sleep(CHECK_SECONDS)

    def _interrupt_late(self) -> None:
        # A separate method, so that the thread holds no connection while it sleeps.
        now = time.monotonic()
        for key, (deadline, connection) in list(self._deadlines.items()):
            if deadline <= now:
                del self._deadlines[key]
                connection.interrupt()


_watchdog = Watchdog()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watchdog.start_again)


class Reader:
    """Reads columns of files and tables over its own connection."""

    def __init__(self, folder: Path) -> None:
        self._connection = connect(folder)

    def register(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Make a table of columns, so that statements can name it."""
        self._connection.register(name, dict(columns))

    def view(self, name: str, query: str) -> None:
        self._connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}")

    def attach(self, path: Path, name: str) -> str:
        """Make a DuckDB file readable under a name, for all readers of the process."""
        with _lock:
            self._connection.execute(f"ATTACH IF NOT EXISTS '{_quotable(path)}' AS {name} (READ_ONLY)")
            attached = "SELECT database_name FROM duckdb_databases() WHERE readonly AND path IS NOT NULL"
            names = [other for [other] in self._connection.execute(f"{attached} ORDER BY database_oid").fetchall()]
            for other in names[:-MOST_ATTACHED]:
                self._connection.execute(f"DETACH {other}")
        return name

    def write_database(self, path: Path, query: str) -> None:
        """Write the rows of a query, in its order, as the table ``rows`` of a new DuckDB file."""
        name = f"written_{token_hex(8)}"
        self._connection.execute(f"ATTACH '{_quotable(path)}' AS {name}")
        try:
            self._connection.execute(f"CREATE TABLE {name}.rows AS {query}")
        finally:
            self._connection.execute(f"DETACH {name}")

    def hold(self, name: str) -> None:
        """Read a view into memory under the same name, until this reader is closed."""
        self._ask(f"CREATE TEMP TABLE {name}_held AS SELECT * FROM {name}", {})
        self._connection.execute(f"DROP VIEW {name}; ALTER TABLE {name}_held RENAME TO {name}")

    def write(self, statement: str) -> int:
        """Run a statement that writes a file of the folder, however long it takes, and return the number of rows."""
        [(rows,)] = self._connection.execute(statement).fetchall()
        return int(rows)

    def rows(self, statement: str, args: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self._ask(statement, args).fetchall()

    def stream(self, statement: str, size: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a statement without arguments in batches of ``size``. Read all rows before the next
        statement."""
        found = self._ask(statement, {})
        while rows := found.fetchmany(size):
            yield from rows

    def columns(self, statement: str, args: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """(n,) values by name; null is masked."""
        found: dict[str, NDArray[Any]] = self._ask(statement, args).fetchnumpy()
        return found

    def _ask(self, statement: str, args: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
        # DuckDB rejects arguments that the statement does not use.
        used = {name: args[name] for name in ARGUMENT.findall(statement)}
        try:
            with _watchdog.limit(self._connection, SECONDS):
                return self._connection.execute(statement, used or None)
        except duckdb.InterruptException:
            raise Unavailable(
                gettext("The list took longer than %(seconds)s seconds. Narrow it, for example to one run.")
                % {"seconds": f"{SECONDS:.0f}"},
                code="slow_list",
            ) from None
