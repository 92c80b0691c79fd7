"""Services on a network of their own, and the image whose containers run on it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import postgres
from tests.deploy import clean, compose, containers, machine
from tests.deploy.containers import Host
from tests.deploy.machine import CannotRun, Process
from tests.deploy.person import EMAIL, PASSWORD

LOCK = "requirements-server.txt"
FIRST = {
    "DJANGO_SUPERUSER_EMAIL": EMAIL,
    "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
    "DJANGO_SUPERUSER_NAME": "Ada Kern",
}


@dataclass(frozen=True)
class Site:
    """What all deployments of these tests share."""

    services: dict[str, dict[str, Any]]
    image: compose.Image
    venv: Path


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The image; Redis and PostgreSQL as compose names them, with its database and its first person, and another
    database like it."""
    try:
        machine.check()
    except CannotRun as reason:
        pytest.skip(str(reason))
    folder = tmp_path_factory.mktemp("deploy")
    (folder / "app").mkdir()
    venv = clean.environment(LOCK)
    image = compose.image(folder / "app")
    containers.build(image, venv, folder / "build")
    with ExitStack() as stack:
        stack.enter_context(machine.own_network())
        programs = postgres.find_programs()
        assert programs is not None
        address = stack.enter_context(postgres.private_server(programs, port=5432))
        password = address.partition("@")[0].rpartition(":")[2]
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE DATABASE sightline")
        given = {"SECRET_KEY": secrets.token_hex(32), "POSTGRES_PASSWORD": password, "REDIS_PASSWORD": "of-tests"}
        services = compose.services(given)
        redis = services["redis"]["command"]
        log = folder / "redis.log"
        server = machine.program(redis[0])
        process = stack.enter_context(Process([server, *redis[1:], "--dir", str(folder)], {}, log))
        process.listens(6379)
        first = Host(folder / "first", image, venv)
        first.once(services["web"], "migrate", command=["python", "docker/prepare.py", "--migrate"])
        administrator = ["python", "manage.py", "createsuperuser", "--no-input"]
        first.once(services["web"], "admin", command=administrator, environ=FIRST)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE DATABASE elsewhere TEMPLATE sightline")
        yield Site(services, image, venv)
