"""Migrates the database, one process at a time, and reports a missing or outdated database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files import locks
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction
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
    """Hold a lock in a transaction on a separate connection, which also works with a pooler."""
    other = database.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
        yield
    finally:
        other.close()


@contextmanager
def snapshot() -> Iterator[None]:
    """Read one state of the database for as long as it takes, while others write. Nothing is written inside. A
    transaction of Django would keep others of SQLite from writing. Inside of one, this is part of it."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
        try:
            yield
        finally:
            connection.connection.rollback()


def refuse_no_database() -> None:
    """Raises ``CommandError`` if the database cannot be reached."""
    try:
        MigrationRecorder(connection).has_table()
    except DatabaseError as error:
        said = str(error).strip().splitlines()[0]
        raise CommandError(f"The database cannot be used: {said}. Check DATABASE_URL and SIGHTLINE_HOME.") from error


def refuse_old_tables() -> None:
    """Raises ``CommandError`` if migrations are pending, or if the database cannot be reached."""
    refuse_no_database()
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        said = ngettext("%(count)s migration is missing.", "%(count)s migrations are missing.", len(waiting))
        raise CommandError(f"{said % {'count': len(waiting)}} Run {PROGRAM} migrate and repeat the command.")
