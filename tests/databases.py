"""The database of the tests: migrated once, then copied for each process that tests in it.

The migrated one stays, on SQLite as a file in the folder of the tests, on PostgreSQL on the server; its name says what
was migrated. A test that really commits is cleared up by deleting rows, because truncating every table and announcing
a migration, as Django does, takes longer than most such tests.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.db import connection, transaction
from django.test import TransactionTestCase

from tests.settings import HOME_OF_TESTS

KEPT = frozenset({"django_content_type", "auth_permission"})
"""The tables in which migrating leaves rows; they stay when the others are emptied."""
PREFIX = "sightline_migrated_"
WEEK = 7 * 24 * 3600


@contextmanager
def own_copy() -> Iterator[None]:
    """Everything in here, in whichever thread, works on a copy of the migrated database that is then gone."""
    before, suffix = connection.settings_dict["NAME"], str(os.getpid())
    with _one_process_at_a_time():
        _connect_to(name := migrated())
        if not _is_there(name):
            _make(name)
        # Another process may have had this number before, and been killed: SQLite would take its log for ours.
        _remove(copy := connection.creation.get_test_db_clone_settings(suffix)["NAME"])
        connection.creation.clone_test_db(suffix=suffix, verbosity=0)
    _connect_to(copy)
    try:
        yield
    finally:
        _connect_to(before)
        _remove(copy)


def empty_tables() -> None:
    """Delete every row that a test may have written. Foreign keys are looked at when all is deleted."""
    with transaction.atomic(), connection.cursor() as cursor, audit_triggers_off(cursor):
        for table in connection.introspection.django_table_names():
            if table not in KEPT:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608 - names of our models


def forget_audit_entries() -> None:
    """Delete the entries so far, so that a test sees only its own."""
    with transaction.atomic(), connection.cursor() as cursor, audit_triggers_off(cursor):
        cursor.execute("DELETE FROM common_auditentry")


@contextmanager
def audit_triggers_off(cursor: Any) -> Iterator[None]:
    """The database refuses to change or delete audit entries; in here it does not."""
    if connection.vendor == "postgresql":
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield
        cursor.execute("SET LOCAL session_replication_role = origin")
        return
    cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audit_%'")
    triggers = cursor.fetchall()
    for name, _ in triggers:
        cursor.execute(f"DROP TRIGGER {name}")
    yield
    for _, text in triggers:
        cursor.execute(text)


def clear_up_by_deleting() -> None:
    """From now on, tests with ``transaction=True`` end with ``empty_tables``."""

    def after_a_test(_: TransactionTestCase) -> None:
        empty_tables()

    TransactionTestCase._fixture_teardown = after_a_test


def migrated() -> str:
    """Where the migrated database is: a file, or a name on the server; another one after any change of a migration."""
    digest = sha256(django.__version__.encode())
    for app in apps.get_app_configs():
        for file in sorted(Path(app.path, "migrations").glob("*.py")):
            digest.update(file.name.encode() + file.read_bytes())
    name = PREFIX + digest.hexdigest()[:16]
    return str(HOME_OF_TESTS / f"{name}.sqlite3") if connection.vendor == "sqlite" else name


def _make(name: str) -> None:
    """Migrate under another name first: what is cut off halfway is not taken for the whole."""
    unfinished = name.replace(PREFIX, "sightline_unfinished_")
    connection.settings_dict["TEST"]["NAME"] = unfinished
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    _connect_to(name)
    _rename(unfinished, name)


def _rename(unfinished: str, name: str) -> None:
    """Give it its name, and remove the files that nobody used for a week."""
    if connection.vendor == "sqlite":
        Path(unfinished).rename(name)
        for other in HOME_OF_TESTS.glob(f"{PREFIX}*"):
            if other.stat().st_mtime < time.time() - WEEK:
                other.unlink(missing_ok=True)
    else:
        quoted = connection.ops.quote_name
        with connection.creation._nodb_cursor() as cursor:
            cursor.execute(f"ALTER DATABASE {quoted(unfinished)} RENAME TO {quoted(name)}")


def _remove(name: str) -> None:
    if connection.vendor == "sqlite":
        for part in (name, f"{name}-wal", f"{name}-shm"):
            Path(part).unlink(missing_ok=True)
    else:
        with connection.creation._nodb_cursor() as cursor:
            # A process that a test killed may still hold its connection.
            cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)} WITH (FORCE)")


def _is_there(name: str) -> bool:
    if connection.vendor == "sqlite":
        return Path(name).exists()
    with connection.creation._nodb_cursor() as cursor:
        return bool(connection.creation._database_exists(cursor, name))


def _connect_to(name: str) -> None:
    """From the next query on; the settings are those of every thread."""
    connection.close()
    connection.settings_dict["NAME"] = name


@contextmanager
def _one_process_at_a_time() -> Iterator[None]:
    with (HOME_OF_TESTS / "migrated.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
