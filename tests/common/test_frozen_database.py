"""A PostgreSQL that hangs: it is there for the network, and answers nothing (D3.8: no service that hangs holds a
request)."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import Error
from django.db.utils import load_backend

from tests.postgres import NoServer, find_programs, private_server
from webapp import env
from webapp.common import request_id
from webapp.common.outages import outage_of

LONGEST_SECONDS = 5.0


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    programs = find_programs()
    if programs is None:
        pytest.skip("no initdb and pg_ctl, no package pgserver")
    try:
        with private_server(programs) as found:
            yield found
    except NoServer as problem:
        pytest.skip(str(problem))


@pytest.fixture
def opened(address: str, monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[Any]:
    """A connection as a process of the site has it."""
    monkeypatch.setenv("DATABASE_URL", address)
    given = env.database("DATABASE_URL", home=Path())
    rest = {"ATOMIC_REQUESTS": False, "AUTOCOMMIT": True, "TIME_ZONE": None}
    made = load_backend(given["ENGINE"]).DatabaseWrapper({**given, **rest}, "frozen")
    with django_db_blocker.unblock():
        asked(made, "SELECT 1")
        yield made
        made.close()


def asked(opened: Any, statement: str) -> Any:
    with opened.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


@contextmanager
def frozen(opened: Any) -> Iterator[None]:
    """The process that serves this connection and the one that lets new ones in stand still."""
    backend = asked(opened, "SELECT pg_backend_pid()")
    stat = Path(f"/proc/{backend}/stat").read_text(encoding="ascii")
    stopped = (backend, int(stat.rpartition(")")[2].split()[1]))
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def test_a_request_on_an_open_connection_ends_within_five_seconds_as_an_outage(opened: Any) -> None:
    """It was held for as long as the server hung; the second statement, on a new connection, fails at once."""
    with request_id.answer("r", ""), frozen(opened):
        begun = time.monotonic()
        for _ in range(2):
            with pytest.raises(Error) as failure:
                asked(opened, "SELECT 1")
            outage = outage_of(failure.value)
            assert outage is not None
            assert outage.service == "database"
            opened.close_if_unusable_or_obsolete()
        assert time.monotonic() - begun < LONGEST_SECONDS
    assert asked(opened, "SELECT 1") == 1, "once it goes on, so does the next request"


def test_a_request_that_makes_its_connection_ends_within_five_seconds_as_an_outage(opened: Any) -> None:
    """The driver says it by an error of its own, which read as a fault of the program."""
    with request_id.answer("r", ""), frozen(opened):
        opened.close()
        begun = time.monotonic()
        with pytest.raises(Error) as failure:
            asked(opened, "SELECT 1")
        assert outage_of(failure.value) is not None
        assert time.monotonic() - begun < LONGEST_SECONDS


def test_a_statement_that_takes_long_is_waited_for(opened: Any) -> None:
    with request_id.answer("r", ""):
        assert asked(opened, "SELECT pg_sleep(2.6)") == ""


def test_a_job_waits_until_the_server_goes_on(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.common.postgresql.patience.SILENCE_SECONDS", 0.1)
    opened.inc_thread_sharing()
    with ThreadPoolExecutor(1) as jobs:
        with frozen(opened):
            waits = jobs.submit(asked, opened, "SELECT 7")
            time.sleep(0.5)
            assert not waits.done()
        assert waits.result(timeout=10) == 7
