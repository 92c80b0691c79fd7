"""The worker beside the web threads, and the command that starts both."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from uuid import uuid4

import pytest
from celery import Celery
from django.db import connection

from tests.jobs.conftest import Enqueue
from webapp import celery
from webapp.jobs import registry
from webapp.jobs.context import JobContext
from webapp.jobs.embedded import EmbeddedWorker
from webapp.jobs.models import Job

ROOT = Path(__file__).resolve().parents[2]


def state_of(job: Job) -> str:
    return Job.objects.values_list("state", flat=True).get(pk=job.pk)


@pytest.mark.django_db(transaction=True)
def test_the_worker_hears_of_a_job_at_once(enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = Event()
    monkeypatch.setitem(registry.KINDS, "tests.once", registry.Kind("tests.once", "Once", lambda context: ran.set()))
    monkeypatch.setattr(EmbeddedWorker, "idle_seconds", 30.0)
    worker = EmbeddedWorker(2)
    worker.start()
    enqueue()
    assert ran.wait(5)
    worker.stop()


@pytest.mark.django_db(transaction=True)
def test_a_body_that_does_not_stop_loses_its_job_to_the_queue(
    enqueue: Enqueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, end, ended = Event(), Event(), Event()

    def deaf(context: JobContext) -> None:
        begun.set()
        end.wait(10)
        connection.close()
        ended.set()

    monkeypatch.setitem(registry.KINDS, "tests.once", registry.Kind("tests.once", "Once", deaf))
    job = enqueue()
    worker = EmbeddedWorker(1)
    worker.start()
    assert begun.wait(5)
    worker.stop(seconds=0.1)
    assert state_of(job) == "queued"
    end.set()
    assert ended.wait(5)
    for thread in worker._threads:
        thread.join(5)
    assert state_of(job) == "queued"


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Celery]:
    """Have messages sent to the broker at this address."""

    def use(address: str) -> Celery:
        # Celery reads this variable itself, before what its configuration says.
        monkeypatch.setenv("CELERY_BROKER_URL", address)
        app = Celery(set_as_current=False)
        app.config_from_object("django.conf:settings", namespace="CELERY")
        monkeypatch.setattr(celery, "_publisher", celery.Publisher(app))
        return app

    return use


@pytest.mark.parametrize("hangs", [True, False], ids=["hangs", "is gone"])
def test_a_broker_that_does_not_answer_holds_nobody_up(hangs: bool, broker: Callable[[str], Celery]) -> None:
    """D3.7: the row is there, so a sweeper sends what was not sent."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if hangs:
            silent.listen()
        broker(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        begun = time.monotonic()
        for _ in range(2000):
            celery.send(uuid4())
        assert time.monotonic() - begun < 1


def test_messages_are_sent_in_order_and_those_of_a_command_before_it_ends(broker: Callable[[str], Celery]) -> None:
    app, jobs = broker("memory://"), [uuid4() for _ in range(3)]
    app.conf.task_default_queue = f"tests-{uuid4().hex}"
    for job in jobs:
        celery.send(job)
    assert celery._publisher.flush(10)
    with app.connection() as connected:
        got = [connected.default_channel.basic_get(app.conf.task_default_queue, no_ack=True) for _ in jobs]
    assert [json.loads(one.body)[0] for one in got] == [[str(job)] for job in jobs]


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """manage.py serve as a person starts it: the first time on an empty home folder, then on what it left."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    environment = {**kept, "SIGHTLINE_HOME": str(folder / "home"), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    log = (folder / "log").open("wb")
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        yield process, port
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def answer_of(port: int, address: str) -> http.client.HTTPResponse:
    """Ask until the server answers; the connection stays open, as a browser's does."""
    end = time.monotonic() + 120
    while True:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            client.request("GET", address)
            return client.getresponse()
        except ConnectionRefusedError:
            assert time.monotonic() < end, "the server did not answer in time"
            time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.endurance
def test_one_command_serves_a_fresh_folder_runs_its_jobs_and_ends_soon_and_so_it_does_again(tmp_path: Path) -> None:
    # Ctrl-C reaches the whole group of processes; a service manager ends the first one.
    for number, send in ((signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)):
        with served(tmp_path) as (process, port):
            answer = answer_of(port, "/live")
            assert answer.status == 200
            assert f"http://localhost:{port}/" in (tmp_path / "log").read_text()
            assert job_was_run(tmp_path / "home" / "sightline.sqlite3")
            begun = time.monotonic()
            send(process.pid, number)
            process.wait(timeout=10)
            assert time.monotonic() - begun < 3, number
        assert "Traceback" not in (tmp_path / "log").read_text()


def job_was_run(file: Path) -> bool:
    """Put a job of an unknown kind straight into the table; the worker fails it with a sentence."""
    identity = uuid4().hex
    values = {
        "id": identity, "kind": "tests.unknown", "title": "Unknown", "payload": "{}", "key": "", "benchmark": "",
        "created": "2026-01-01 00:00:00", "state": "queued", "cancel_requested": 0, "attempts": 0, "vanished": 0,
        "worker": "", "done": 0, "done_at_start": 0, "unit": "", "checkpoint": "{}", "error": "", "result": "{}",
        "result_url": "",
    }  # fmt: skip
    with sqlite3.connect(file, timeout=20) as rows:
        places = ", ".join("?" for _ in values)
        rows.execute(f"INSERT INTO jobs_job ({', '.join(values)}) VALUES ({places})", list(values.values()))  # noqa: S608
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with sqlite3.connect(file, timeout=20) as rows:
            state, error = rows.execute("SELECT state, error FROM jobs_job WHERE id = ?", [identity]).fetchone()
        if state == "failed":
            return "know jobs of the kind" in error
        time.sleep(0.05)
    return False


@pytest.mark.endurance
def test_a_port_that_is_taken_is_said_at_once(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "SIGHTLINE_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert f"Port {port} of 127.0.0.1 cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
