"""The cast, and what all tests share: no network beyond this machine."""

from __future__ import annotations

import functools
import gc
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.core.cache import cache
from django.core.signals import setting_changed
from django.test import Client
from django.test.client import ClientHandler

from tests import databases
from tests import properties as properties
from tests.factories import make_user
from tests.lanes import NAMES_POSTGRES
from tests.worlds import pytest_fixture_setup as pytest_fixture_setup
from tests.worlds import together
from webapp.accounts.models import User
from webapp.common.limits import Rate
from webapp.jobs.runner import run_waiting

_COMMITS = {"transactional_db", "live_server"}
_DATABASE = {"django_db_setup", "db", *_COMMITS}
MIDDLEWARE: dict[str, Any] = {}
"""Of the first browser of a test."""
OF_MIDDLEWARE = ("_view_middleware", "_template_response_middleware", "_exception_middleware", "_middleware_chain")
_LOCAL = ("127.0.0.1", "::1", "localhost")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that asks for no database says nothing more on another one. One that really commits says most there."""
    for item in items:
        fixtures, marked = set(getattr(item, "fixturenames", ())), item.get_closest_marker("django_db")
        if not (_DATABASE & fixtures or marked):
            item.add_marker(pytest.mark.one_database)
        if _COMMITS & fixtures or (marked and marked.kwargs.get("transaction")):
            item.add_marker(pytest.mark.commits)
        if item.get_closest_marker("commits") and not _names_postgres(item.path):
            said = f"{item.nodeid} commits: {item.path.name} must name why (tests/lanes.py, NAMES_POSTGRES)."
            raise pytest.UsageError(said)
    together(items)
    # At the end no process should wait for another one that has just begun something long.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@functools.cache
def _names_postgres(path: Path) -> bool:
    return bool(NAMES_POSTGRES.search(path.read_text()))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays until the end; the garbage collector need not look at it again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        # Looking at what is made as often as in other programs takes a twenty-fifth of the time of the tests.
        gc.set_threshold(5_000, 10, 10)
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def network_is_closed() -> Iterator[None]:
    """Refuse connections to other machines: a test that needs one tests somebody else's server."""
    open_connect = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _LOCAL:
            raise OSError(f"Tests reach no other machine, and {address[0]} is one.")
        open_connect(self, address)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", connect)
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def scratch_folder_goes_with_the_run() -> Iterator[None]:
    yield
    shutil.rmtree(project.SCRATCH, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def tokens_hold_no_words() -> Iterator[None]:
    """Every page carries a random token, which now and then held the name or number that a test must not find there."""
    patch = pytest.MonkeyPatch()
    patch.setattr("django.middleware.csrf.get_random_string", lambda length, **_: "q" * length)
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def browsers_share_the_middleware() -> Iterator[None]:
    """Loading it takes as long as a short answer, and some tests ask each question with a browser of its own."""
    load = ClientHandler.load_middleware

    def load_once(self: ClientHandler) -> None:
        if not MIDDLEWARE:
            load(self)
            MIDDLEWARE.update((name, vars(self)[name]) for name in OF_MIDDLEWARE)
        vars(self).update(MIDDLEWARE)

    patch = pytest.MonkeyPatch()
    patch.setattr(ClientHandler, "load_middleware", load_once)
    setting_changed.connect(_forget_middleware)
    yield
    setting_changed.disconnect(_forget_middleware)
    patch.undo()


def _forget_middleware(**_: Any) -> None:
    """It reads settings as it is loaded."""
    MIDDLEWARE.clear()


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """Takes the place of what pytest-django brings, which migrates anew for every process."""
    databases.clear_up_by_deleting()
    with django_db_blocker.unblock(), databases.own_copy():
        yield


@pytest.fixture(autouse=True)
def limits_start_afresh() -> None:
    """Counted requests and what is cached outlast a test."""
    MIDDLEWARE.clear()
    cache.clear()
    for rate in Rate.known:
        rate.forget()


@pytest.fixture
def ana(db: None) -> User:
    """Annotates."""
    return make_user("Ana Lind")


@pytest.fixture
def bo(db: None) -> User:
    """Annotates too, where a sample has two annotators."""
    return make_user("Bo Ek")


@pytest.fixture
def rui(db: None) -> User:
    """Reviews."""
    return make_user("Rui Costa")


@pytest.fixture
def lea(db: None) -> User:
    """Leads."""
    return make_user("Lea Moreau")


@pytest.fixture
def sam(db: None) -> User:
    """Is a stranger: may sign in, belongs to nothing."""
    return make_user("Sam Ode")


@pytest.fixture
def admin(db: None) -> User:
    """Runs the site."""
    return make_user("Ada Kern", is_staff=True, is_superuser=True)


@pytest.fixture
def run_jobs(db: None) -> Callable[[], int]:
    """Run the jobs that wait, here and now, as a worker would; returns how many there were."""
    return run_waiting


def signed_in(user: User) -> Client:
    """A browser in which this person is signed in."""
    client = Client()
    client.force_login(user)
    return client
