"""Bringing the database up to date, one process at a time, and what is said when it is not, or not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files import locks
from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import ngettext

from webapp.env import PROGRAM

MIGRATION_LOCK = 7_141_966
"""Any number that nothing else in the database uses as an advisory lock."""


@contextmanager
def migration_lock(database: Any) -> Iterator[None]:
    """Wait for others that migrate this database, and have those wait who come later. The lock is gone when this
    process ends, however it ends."""
    if database.vendor == "postgresql":
        with _advisory_lock(database):
            yield
    elif database.is_in_memory_db():
        yield
    else:
        name = Path(database.settings_dict["NAME"])
        with name.with_name(f"{name.name}.migrate").open("w") as file:
            locks.lock(file, locks.LOCK_EX)
            yield


@contextmanager
def _advisory_lock(database: Any) -> Iterator[None]:
    """Held by a transaction on a connection of its own, which a pooler keeps together too."""
    other = database.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
        yield
    finally:
        other.close()


def refuse_no_database() -> None:
    """Raises ``CommandError`` where the database cannot be asked."""
    try:
        MigrationRecorder(connection).has_table()
    except DatabaseError as error:
        said = str(error).strip().splitlines()[0]
        raise CommandError(f"The database cannot be used: {said}. Check DATABASE_URL and SIGHTLINE_HOME.") from error


def refuse_old_tables() -> None:
    """Raises ``CommandError`` where migrations wait, or where the database cannot be asked."""
    refuse_no_database()
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        said = ngettext("%(count)s migration is missing.", "%(count)s migrations are missing.", len(waiting))
        raise CommandError(f"{said % {'count': len(waiting)}} Run {PROGRAM} migrate and repeat the command.")
