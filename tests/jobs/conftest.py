from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.db import connection

import tests.jobs.bodies  # noqa: F401 - registers the kinds
from tests import processes
from tests.processes import Process
from tests.settings import shared_store
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.models import Job

Enqueue = Callable[..., Job]
Start = Callable[[], Process]
REDIS = "redis://127.0.0.1:6379/0"


@pytest.fixture
def enqueue(ana: User) -> Enqueue:
    """Put a job of Ana's in the queue."""

    def put(kind: str = "tests.once", *, actor: User | None = ana, key: str | None = None, **payload: Any) -> Job:
        return enqueue_on_commit(kind, payload=payload, actor=actor, key=key, benchmark="street")

    return put


@pytest.fixture
def database_address(transactional_db: None) -> Iterator[str]:
    """The address of the test database, for processes that the test starts."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        yield f"sqlite:///{values['NAME']}"
        return
    host, port = values["HOST"] or "", values["PORT"] or ""
    query = f"?host={host}" if host.startswith("/") else ""
    place = "" if query else f"{host}:{port}".rstrip(":")
    place = f":{port}" if query and port else place
    yield f"postgres://{values['USER']}:{values['PASSWORD']}@{place}/{values['NAME']}{query}"


def redis_or_skip() -> redis.Redis:
    client = redis.Redis.from_url(REDIS)
    try:
        client.ping()
    except redis.ConnectionError:
        pytest.skip("no Redis answers at 127.0.0.1:6379")
    return client


@pytest.fixture(scope="module")
def worker_home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("home"))


@pytest.fixture
def store_of_workers(worker_home: str, settings: Any) -> None:
    """This process sees the files that workers store."""
    settings.STORAGES = {**settings.STORAGES, "default": shared_store(f"{worker_home}/media")}


@pytest.fixture
def lease_seconds() -> int:
    """A worker that is killed is missed after so long; one that waits for others on the machine is not."""
    return 1


@pytest.fixture
def start_worker(database_address: str, worker_home: str, lease_seconds: int) -> Iterator[Start]:
    """Start a worker process on the test database, as the two are run together: on SQLite with the broker in memory,
    on PostgreSQL with Redis. What is left of it is ended with the test."""
    queue = f"tests-{uuid.uuid4().hex}"
    client = redis_or_skip() if connection.vendor == "postgresql" else None
    environment = {
        "DATABASE_URL": database_address,
        "CELERY_BROKER_URL": REDIS if client else "memory://",
        "SIGHTLINE_JOB_LEASE_SECONDS": str(lease_seconds),
        "SIGHTLINE_HOME": worker_home,
        "SIGHTLINE_TEST_STORE": f"{worker_home}/media",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    started: list[Process] = []

    def start() -> Process:
        started.append(processes.parent(environment).start("-m", "tests.jobs.worker_process", queue))
        return started[-1]

    yield start
    for process in started:
        process.kill()
    if client:
        client.delete(queue)
        client.delete(f"_kombu.binding.{queue}")


def wait_until(true: Callable[[], bool], *, seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "the worker did not come so far in time"
        time.sleep(0.02)
