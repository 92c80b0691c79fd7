"""A service that is gone or hangs holds no request for more than 5 seconds: 503, and when to come back."""

from __future__ import annotations

import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.annotation.pages_data import make_benchmark
from tests.annotation.samples.test_images import bring
from tests.conftest import signed_in
from webapp import env
from webapp.accounts.models import User
from webapp.common.sqlite import base as on_sqlite

LONGEST = 5.0


@pytest.fixture
def no_database(ana: User) -> Iterator[Client]:
    """Ana's browser; from now on the database cannot be reached, as when its server is stopped or its disk is gone."""
    client = signed_in(ana)
    client.raise_request_exception = False
    kept = {name: connection.settings_dict[name] for name in ("NAME", "HOST", "PORT")}
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        gone = {"HOST": "127.0.0.1", "PORT": str(closed.getsockname()[1])}
    connection.close()
    connection.settings_dict.update({"NAME": "/no/such/folder/file"} if connection.vendor == "sqlite" else gone)
    yield client
    connection.close()
    connection.settings_dict.update(kept)


def assert_sent_away(answer: Any, said: str) -> None:
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert said in answer.text


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
@pytest.mark.parametrize("address", ["/", "/jobs/", "/no/such/page", "/api/v1/jobs/"])
def test_without_a_database_every_page_says_when_to_come_back(address: str, no_database: Client) -> None:
    """D3.10: a stopped database is no fault of the program."""
    assert_sent_away(no_database.get(address), "No response from the database")


@pytest.fixture
def locked(transactional_db: None, ana: User) -> Iterator[Client]:
    """Ana's browser, while another process writes to the database for long."""
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite has one lock for all that write")
    client = signed_in(ana)
    client.raise_request_exception = False
    other = sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield client
    other.rollback()
    other.close()


def test_a_locked_sqlite_refuses_what_is_sent_and_pages_go_on(locked: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """D3.10: a request waits 4.5 s for other writers, whether they are of this process or of another."""
    assert on_sqlite.REQUEST_SECONDS < LONGEST
    monkeypatch.setattr(on_sqlite, "REQUEST_SECONDS", 0.2)
    assert locked.get("/jobs/").status_code == 200
    assert_sent_away(locked.post(reverse("accounts:rename"), {"name": "Ana"}), "busy")
    with on_sqlite.lock_of(str(connection.settings_dict["NAME"])):
        begun = time.monotonic()
        assert_sent_away(locked.post(reverse("accounts:rename"), {"name": "Ana"}), "busy")
        assert time.monotonic() - begun < 2


@pytest.fixture
def silent_store(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An object store that takes connections and answers nothing, as when its process is stopped."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        for name, value in {
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests",
            "AWS_DEFAULT_REGION": "us-east-1",
            "SIGHTLINE_S3_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "SIGHTLINE_STORAGE": "s3://pictures",
        }.items():
            monkeypatch.setenv(name, value)
        settings.STORAGES = {**settings.STORAGES, "default": env.storage("SIGHTLINE_STORAGE", home=Path("/none"))}
        yield


@pytest.mark.endurance
@pytest.mark.django_db
def test_a_store_that_hangs_holds_one_request_for_seconds_and_those_after_it_not_at_all(
    lea: User, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """D3.8: two attempts within 5 s; then requests leave the store alone for a moment."""
    image = bring(make_benchmark(lea), lea, tmp_path)
    request.getfixturevalue("silent_store")
    client, address = signed_in(lea), f"/benchmarks/kitchen/images/{image.sha256}/thumbnail.jpg"
    begun = time.monotonic()
    assert_sent_away(client.get(address), "No response from the file store")
    first = time.monotonic()
    for _ in range(8):
        assert_sent_away(client.get(address), "No response from the file store")
    assert first - begun < LONGEST
    assert time.monotonic() - first < 1
