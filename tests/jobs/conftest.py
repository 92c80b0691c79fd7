from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

import tests.jobs.bodies  # noqa: F401 - registers the kinds
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.models import Job

Enqueue = Callable[..., Job]


@pytest.fixture
def enqueue(ana: User) -> Enqueue:
    """Put a job of Ana's in the queue."""

    def put(kind: str = "tests.once", *, actor: User | None = ana, key: str | None = None, **payload: Any) -> Job:
        return enqueue_on_commit(kind, payload=payload, actor=actor, title=kind, key=key, benchmark="street")

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
