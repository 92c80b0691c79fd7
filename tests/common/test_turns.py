"""Writers of one process wait in line: nobody is overtaken, and whatever ends a write passes the turn on."""

from __future__ import annotations

import sqlite3
from threading import Thread

import pytest

from webapp.common.sqlite.base import Connection, Cursor, turns_of
from webapp.common.turns import Turns

PATIENT, IMPATIENT = 60, 0.01


@pytest.fixture
def file(tmp_path):
    path = str(tmp_path / "turns.sqlite3")
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE line (name TEXT UNIQUE)")
    connection.close()
    return path


def connect(file, patience=IMPATIENT):
    connection = Connection(file, timeout=patience, isolation_level=None, check_same_thread=False)
    return connection, connection.cursor(factory=Cursor)


def in_line(turns, n, work):
    """A thread that does the work once it is the n-th in line."""
    thread = Thread(target=work)
    thread.start()
    while turns.waiting < n:
        pass
    return thread


def test_whoever_waits_longest_goes_first():
    turns, went = Turns(), []

    def go(name):
        assert turns.take(PATIENT)
        went.append(name)
        turns.pass_on()

    assert turns.take(IMPATIENT)
    threads = [in_line(turns, n + 1, lambda name=name: go(name)) for n, name in enumerate("abcde")]
    turns.pass_on()
    for thread in threads:
        thread.join()
    assert went == list("abcde")
    assert turns.take(IMPATIENT)


def test_who_gives_up_is_no_longer_waited_for():
    turns = Turns()
    assert turns.take(IMPATIENT)
    assert not turns.take(IMPATIENT)
    turns.pass_on()
    assert turns.take(IMPATIENT)


def test_writers_follow_each_other_and_readers_wait_for_nobody(file):
    writer, writing = connect(file)
    _, reading = connect(file)
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("INSERT INTO line VALUES ('first')")

    def write(name):
        other, cursor = connect(file, PATIENT)
        cursor.execute("INSERT INTO line VALUES (%s)", (name,))
        other.close()

    threads = [in_line(turns_of(file), n + 1, lambda name=name: write(name)) for n, name in enumerate("abc")]
    assert reading.execute("SELECT count(*) FROM line").fetchone() == (0,)
    writer.commit()
    for thread in threads:
        thread.join()
    assert [name for (name,) in reading.execute("SELECT name FROM line ORDER BY rowid")] == ["first", *"abc"]


def test_a_writer_that_waited_too_long_is_told_as_sqlite_tells_it(file):
    _, writing = connect(file)
    _, late = connect(file)
    writing.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="database is locked"):
        late.execute("INSERT INTO line VALUES ('late')")


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_however_a_transaction_ends_the_next_one_begins(file, end):
    connection, cursor = connect(file)
    cursor.execute("BEGIN IMMEDIATE")
    cursor.execute("INSERT INTO line VALUES ('a')")
    with pytest.raises(sqlite3.IntegrityError):
        cursor.executemany("INSERT INTO line VALUES (%s)", [("b",), ("b",)])
    getattr(connection, end)()
    other, after = connect(file)
    after.executemany("INSERT INTO line VALUES (%s)", [("c",), ("d",)])
    with pytest.raises(sqlite3.IntegrityError):
        after.execute("INSERT INTO line VALUES ('c')")
    other.rollback()
    after.execute("BEGIN IMMEDIATE")
    assert other.in_transaction
