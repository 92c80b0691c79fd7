"""Rows that many tests of a module begin with, made once: each test finds them as they were made.

A fixture marked with ``made_once`` is made, with the fixtures it asks for, in a transaction around those of the tests.
Every test that asks for it gets copies of the same objects; what the test writes is taken back as always, and the rows
are gone after the last test that asks for them. A test that really commits gets rows of its own.
"""

from __future__ import annotations

import copy
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby
from typing import Any

import pytest
from django.db import transaction

from webapp.common.lru_cache import LRUCache

Fixtures = tuple[Any, ...]
"""Of pytest, in the order of their names."""
NEVER_COPIED = ("db", "django_db_setup")
PURE = (["metrics"], ["importers"], ["toolbox"], ["agents"], ["statistics"])
"""Rooms that know no rows: what they keep says the same in every test."""
SEEN: set[str] = set()
"""Modules that were looked at: reading all names of all modules takes 20 ms."""
KEPT: list[Callable[[], None]] = []
"""How they forget what they keep."""


def made_once(function: Callable[..., Any]) -> Any:
    """A fixture of rows, and of nothing but rows: it and the fixtures that it asks for return objects."""
    function.made_once = True  # type: ignore[attr-defined]
    return pytest.fixture(function)


class World:
    """The rows that are there around the tests, and the objects that stand for them."""

    def __init__(self) -> None:
        self.fixtures: Fixtures = ()
        self._made: dict[str, Any] = {}
        self._handed: dict[str, Any] = {}
        self._rows = ExitStack()

    def become(self, fixtures: Fixtures, request: Any) -> None:
        """Make the rows of these fixtures, unless they are there, and take those of others back."""
        if fixtures != self.fixtures:
            blocker = request.getfixturevalue("django_db_blocker")
            with blocker.unblock():
                self.end()
                if fixtures:
                    self._rows.enter_context(_taken_back(blocker))
                    for fixture in fixtures:
                        self._make(fixture, {one.argname: one for one in fixtures})
            self.fixtures = fixtures
            request.node.getparent(pytest.Module).addfinalizer(self.end)
        if fixtures:
            forget_rows()
        self._handed = copy.deepcopy(self._made)

    def has(self, fixture: Any) -> bool:
        return any(fixture is one for one in self.fixtures)

    def of_a_test(self, name: str) -> Any:
        """The copy of the test that runs."""
        return self._handed[name]

    def end(self) -> None:
        self._rows.close()
        self.fixtures, self._made, self._handed = (), {}, {}

    def _make(self, fixture: Any, fixtures: dict[str, Any]) -> Any:
        name = fixture.argname
        if name not in self._made:
            asked = {
                one: None if one in NEVER_COPIED else self._make(fixtures[one], fixtures) for one in fixture.argnames
            }
            self._made[name] = fixture.func(**asked)
            assert self._made[name] is not None, f"{name} is made once, so it must return something"
        return self._made[name]


@contextmanager
def _taken_back(blocker: Any) -> Iterator[None]:
    """Everything written in here, also by the tests, is gone afterwards."""
    outside = transaction.atomic()
    outside.__enter__()
    try:
        yield
    finally:
        with blocker.unblock():
            transaction.set_rollback(True)
            outside.__exit__(None, None, None)


WORLD = World()


def forget_rows() -> None:
    """What processes keep is found by numbers of rows and of changes, and those of two tests are the same here."""
    for name in sys.modules.keys() - SEEN:
        SEEN.add(name)
        KEPT.extend(_kept_by(name, sys.modules[name]))
    for forget in KEPT:
        forget()


def _kept_by(name: str, module: Any) -> Iterator[Callable[[], None]]:
    """How a module forgets what it keeps."""
    parts = name.split(".")
    if parts[0] in ("annotation", "evaluation") and parts[1:2] not in PURE:
        for value in vars(module).values():
            if isinstance(value, LRUCache | OrderedDict):
                yield value.clear
            elif hasattr(value, "cache_clear") and value.__module__ == name:
                yield value.cache_clear


def fixtures_of(item: pytest.Item) -> Fixtures:
    """What this test asks for that is made once, and what that stands on."""
    found = getattr(item, "_made_once", None)
    if found is None:
        named = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
        once = [name for name in named if getattr(named[name][-1].func, "made_once", False)]
        closure: dict[str, Any] = {}
        while once and not commits(item):
            name = once.pop()
            if name not in closure and name not in NEVER_COPIED:
                closure[name] = named[name][-1]
                once.extend(closure[name].argnames)
        found = tuple(closure[name] for name in sorted(closure))
        item._made_once = found  # type: ignore[attr-defined]
    return found


def commits(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    asks = {"transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
    return bool(asks or (marker and (marker.kwargs.get("transaction") or marker.args[:1] == (True,))))


def together(items: list[pytest.Item]) -> None:
    """In a module, tests that begin with the same rows follow each other."""
    modules = groupby(list(items), lambda item: item.getparent(pytest.Module))
    items[:] = [
        item
        for _, tests in modules
        for item in sorted(tests, key=lambda item: [fixture.argname for fixture in fixtures_of(item)])
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Any:
    """Before the transaction of a test begins, that of its world has to; what is made once is handed out."""
    if fixturedef.argname == "_django_db_helper":
        WORLD.become(fixtures_of(request.node), request)
        return None
    if not WORLD.has(fixturedef):
        return None
    value = WORLD.of_a_test(fixturedef.argname)
    fixturedef.cached_result = (value, fixturedef.cache_key(request), None)
    return value
