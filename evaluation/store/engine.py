"""DuckDB on the files of the store: one database in memory per process, and one connection for each reader."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
from numpy.typing import NDArray

from webapp.common.errors import Unavailable

ARGUMENT = re.compile(r"\$(\w+)")
"""A value in a statement, by its name."""
SECONDS = 5.0
"""A question that takes longer is given up."""
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


def parquet(*paths: Path) -> str:
    """The rows of some files, as a statement names them."""
    return "read_parquet([{}])".format(", ".join("'{}'".format(str(path).replace("'", "''")) for path in paths))


def connect(folder: Path) -> duckdb.DuckDBPyConnection:
    """A connection that reads files of this folder, and nothing else of the machine."""
    key = os.getpid(), folder
    with _lock:
        if key not in _instances:
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


class Reader:
    """Asks files and tables of columns, over a connection of its own."""

    def __init__(self, folder: Path) -> None:
        self._connection = connect(folder)

    def register(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Make a table of columns, so that statements can name it."""
        self._connection.register(name, dict(columns))

    def view(self, name: str, query: str) -> None:
        self._connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}")

    def rows(self, statement: str, args: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self._ask(statement, args).fetchall()

    def stream(self, statement: str, size: int) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement without arguments, so many at a time. Nothing else can be asked meanwhile."""
        found = self._ask(statement, {})
        while rows := found.fetchmany(size):
            yield from rows

    def columns(self, statement: str, args: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """(n,) values by name; null is masked."""
        found: dict[str, NDArray[Any]] = self._ask(statement, args).fetchnumpy()
        return found

    def _ask(self, statement: str, args: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
        # DuckDB refuses an argument that the statement does not name.
        used = {name: args[name] for name in ARGUMENT.findall(statement)}
        timer = threading.Timer(SECONDS, self._connection.interrupt)
        timer.start()
        try:
            return self._connection.execute(statement, used or None)
        except duckdb.InterruptException:
            raise Unavailable(
                f"The list took longer than {SECONDS:.0f} seconds. Narrow it, for example to one run.", code="slow_list"
            ) from None
        finally:
            timer.cancel()
