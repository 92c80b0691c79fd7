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
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import Error
from django.db.utils import load_backend
from django.http import StreamingHttpResponse
from django.test import RequestFactory

from tests.pooler import SERVER_CONNECTIONS, NoPooler, transaction_pooler
from tests.postgres import NoServer, find_programs, private_server
from webapp import env
from webapp.common import request_id
from webapp.common.middleware import RequestIdMiddleware
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
def by_pooler(address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The same behind a pooler: it is there, and takes every connection."""
    monkeypatch.setenv("DATABASE_URL", address)
    try:
        with transaction_pooler(tmp_path, env.database("DATABASE_URL", home=tmp_path)) as port:
            parts = urlsplit(address)
            yield f"postgres://{parts.username}@127.0.0.1:{port}{parts.path}?prepare_threshold=none"
    except NoPooler as reason:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(reason))


@pytest.fixture(params=["address", "by_pooler"])
def opened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[Any]:
    """A connection as a process of the site has it, to the server and through a pooler."""
    monkeypatch.setenv("DATABASE_URL", request.getfixturevalue(request.param))
    given = env.database("DATABASE_URL", home=Path())
    rest = {"ATOMIC_REQUESTS": False, "AUTOCOMMIT": True, "TIME_ZONE": None}
    made = load_backend(given["ENGINE"]).DatabaseWrapper({**given, **rest}, request.param)
    with django_db_blocker.unblock():
        asked(made, "SELECT 1")
        yield made
        made.close()


def asked(opened: Any, statement: str) -> Any:
    with opened.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def _parent(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])


@contextmanager
def frozen(opened: Any) -> Iterator[None]:
    """The process that lets new connections in and those that serve the open ones stand still."""
    postmaster = _parent(asked(opened, "SELECT pg_backend_pid()"))
    running = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    stopped = (postmaster, *(pid for pid in running if _parent(pid) == postmaster))
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.endurance
def test_a_request_on_an_open_connection_ends_within_five_seconds_as_an_outage(opened: Any) -> None:
    """It was held for as long as the server hung; the second statement, on a new connection, fails at once."""
    with request_id.answer("r", ""), frozen(opened):
        begun = time.monotonic()
        for _ in range(2):
            with pytest.raises(Error) as failure:
                asked(opened, "SELECT 1")
            outage = outage_of(failure.value)
            assert outage is not None
            # A pooler is there and takes connections: what its server does, it does not tell.
            assert outage.service == ("database connections" if opened.alias == "by_pooler" else "database")
            opened.close_if_unusable_or_obsolete()
        assert time.monotonic() - begun < LONGEST_SECONDS
    assert asked(opened, "SELECT 1") == 1, "once it goes on, so does the next request"


@pytest.mark.endurance
def test_a_request_that_makes_its_connection_ends_within_five_seconds_as_an_outage(opened: Any) -> None:
    """The driver says it by an error of its own, which read as a fault of the program."""
    with request_id.answer("r", ""), frozen(opened):
        opened.close()
        begun = time.monotonic()
        with pytest.raises(Error) as failure:
            asked(opened, "SELECT 1")
        assert outage_of(failure.value) is not None
        assert time.monotonic() - begun < LONGEST_SECONDS


@pytest.mark.endurance
def test_an_answer_that_is_being_sent_breaks_off_within_five_seconds(opened: Any) -> None:
    """What an export asks for while its client takes it was waited for without end."""

    def parts() -> Iterator[bytes]:
        yield b"a part"
        asked(opened, "SELECT 1")
        yield b"another"

    answer = RequestIdMiddleware(lambda request: StreamingHttpResponse(parts()))(RequestFactory().get("/"))
    sent = iter(answer)
    assert next(sent) == b"a part"
    assert not request_id.answering(), "what the thread does next is none of this request's"
    with frozen(opened):
        begun = time.monotonic()
        with pytest.raises(Error) as failure:
            next(sent)
        assert outage_of(failure.value) is not None
        assert time.monotonic() - begun < LONGEST_SECONDS
    answer.close()


@pytest.mark.endurance
def test_a_statement_that_takes_long_is_waited_for(opened: Any) -> None:
    with request_id.answer("r", ""):
        assert asked(opened, "SELECT pg_sleep(2.6)") == ""


@pytest.mark.endurance
@pytest.mark.parametrize("opened", ["by_pooler"], indirect=True)
def test_a_pool_that_is_busy_is_no_outage(opened: Any, by_pooler: str) -> None:
    """It read as a database that is down, and turned away every request of the next second."""
    others = [psycopg.connect(by_pooler.partition("?")[0]) for _ in range(SERVER_CONNECTIONS)]
    for other in others:
        other.execute("SELECT 1")
    with request_id.answer("first", ""):
        begun = time.monotonic()
        for _ in range(2):
            with pytest.raises(Error) as failure:
                asked(opened, "SELECT 1")
            outage = outage_of(failure.value)
            assert outage is not None
            assert (outage.service, outage.status) == ("database connections", 503)
            assert "busy" in outage.message
            assert int(outage.headers["Retry-After"]) > 0
            opened.close_if_unusable_or_obsolete()
        assert time.monotonic() - begun < LONGEST_SECONDS
    for other in others:
        other.close()
    with request_id.answer("second", ""):
        assert asked(opened, "SELECT 1") == 1, "another request is not turned away for what the first one met"


def test_a_job_waits_until_the_server_goes_on(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.common.postgresql.patience.SILENCE_SECONDS", 0.1)
    opened.inc_thread_sharing()
    with ThreadPoolExecutor(1) as jobs:
        with frozen(opened):
            waits = jobs.submit(asked, opened, "SELECT 7")
            time.sleep(0.5)
            assert not waits.done()
        assert waits.result(timeout=10) == 7
