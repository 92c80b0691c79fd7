"""Transactions of one process on SQLite follow each other, and whatever ends one lets the next begin."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError

from webapp.common import request_id
from webapp.common.outages import outage_of
from webapp.common.sqlite import base

PATIENT, IMPATIENT = 60.0, 0.05
Connect = Callable[..., base.DatabaseWrapper]


@pytest.fixture
def connect(tmp_path: Path, django_db_blocker: Any) -> Iterator[Connect]:
    """Makes connections to one file, each as a thread of the site has it."""
    file, made = tmp_path / "line.sqlite3", []
    with sqlite3.connect(file) as first:
        first.executescript("PRAGMA journal_mode=WAL; CREATE TABLE line (name TEXT UNIQUE)")
    first.close()

    def connection(patience: float = IMPATIENT) -> base.DatabaseWrapper:
        options = {"timeout": patience, "transaction_mode": "IMMEDIATE"}
        given = {"NAME": file, "OPTIONS": options, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False}
        made.append(base.DatabaseWrapper({**given, "ATOMIC_REQUESTS": False, "AUTOCOMMIT": True, "TIME_ZONE": None}))
        made[-1].inc_thread_sharing()
        return made[-1]

    with django_db_blocker.unblock():
        yield connection
        for one in made:
            one.close()


def begin(connection: base.DatabaseWrapper) -> None:
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(connection: base.DatabaseWrapper, how: str) -> None:
    getattr(connection, how)()
    connection.set_autocommit(True)


def write(connection: base.DatabaseWrapper, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO line VALUES (%s)", [name])


def names(connection: base.DatabaseWrapper) -> list[str]:
    with connection.cursor() as cursor:
        return [name for (name,) in cursor.execute("SELECT name FROM line ORDER BY rowid")]


def test_transactions_follow_each_other_and_readers_wait_for_nobody(connect: Connect) -> None:
    writer, reader, asked = connect(), connect(), Event()
    begin(writer)
    write(writer, "first")

    def after() -> None:
        other = connect(PATIENT)
        asked.set()
        begin(other)
        write(other, "second")
        end(other, "commit")

    with ThreadPoolExecutor(1) as threads:
        second = threads.submit(after)
        assert asked.wait(PATIENT)
        assert names(reader) == []
        end(writer, "commit")
        second.result(PATIENT)
    assert names(reader) == ["first", "second"]


def test_of_many_who_write_at_once_nobody_is_refused(connect: Connect) -> None:
    """Half of them in transactions, half by single statements."""

    def work(part: int) -> None:
        mine = connect(PATIENT)
        for number in range(20):
            if part % 2:
                begin(mine)
            write(mine, f"{part} {number}")
            if part % 2:
                end(mine, "commit")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert len(names(connect())) == 160


def test_many_rows_of_one_statement_wait_too(connect: Connect) -> None:
    writer, other = connect(), connect()
    begin(writer)
    rows = [("a",), ("b",)]
    with other.cursor() as cursor:
        with pytest.raises(OperationalError, match="database is locked"):
            cursor.executemany("INSERT INTO line VALUES (%s)", rows)
        end(writer, "commit")
        cursor.executemany("INSERT INTO line VALUES (%s)", rows)
    assert names(writer) == ["a", "b"]


def test_whoever_waited_too_long_is_told_as_sqlite_tells_it(connect: Connect) -> None:
    writer, late = connect(), connect()
    begin(writer)
    with pytest.raises(OperationalError, match="database is locked") as refused:
        begin(late)
    outage = outage_of(refused.value)
    assert outage is not None
    assert "busy" in outage.reason


def test_a_request_waits_less_than_a_job(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "REQUEST_SECONDS", IMPATIENT)
    writer, late = connect(), connect(PATIENT)
    begin(writer)
    with request_id.answer("r", ""), pytest.raises(OperationalError, match="database is locked"):
        begin(late)
    with request_id.answer("r", ""), pytest.raises(OperationalError, match="database is locked"):
        write(connect(PATIENT), "outside of a transaction")


@pytest.mark.parametrize("how", ["commit", "rollback", "close"])
def test_however_a_transaction_ends_the_next_one_begins(connect: Connect, how: str) -> None:
    first, other = connect(), connect()
    begin(first)
    write(first, "a")
    with pytest.raises(IntegrityError):
        write(first, "a")
    end(first, how)
    begin(other)
    write(other, "b")
    end(other, "commit")
    assert names(other) == (["a", "b"] if how == "commit" else ["b"])


def test_a_transaction_that_another_process_refuses_lets_others_begin(connect: Connect) -> None:
    refused, after = connect(), connect()
    other = sqlite3.connect(str(refused.settings_dict["NAME"]), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="database is locked"):
        begin(refused)
    other.rollback()
    other.close()
    begin(after)
    write(after, "a")
    end(after, "commit")
    assert names(refused) == ["a"]
