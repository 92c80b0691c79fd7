"""Two acts that meet at each row lock of the first one, over two real connections of PostgreSQL.

PostgreSQL refuses one of two transactions that each hold what the other waits for. That is a defect of their order:
see docs/architecture.md#locks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from threading import Event, Thread
from typing import Any

from django.db import connection, transaction

from webapp.common.errors import ApplicationError

LOCKS = re.compile(r"\s*(UPDATE|DELETE|INSERT)\b|.* FOR (NO KEY )?UPDATE\b", re.DOTALL)
LOOK_EVERY = 0.005
"""Seconds between two looks at whether the second transaction waits."""

Act = Callable[[], Any]


def crossed(first: Act, second: Act, place: int) -> list[Exception] | None:
    """Begin ``second`` when ``first`` has its lock number ``place``, and go on with ``first`` when the second one waits
    for it or has ended. Return what they raised; None if the first one takes fewer locks."""
    raised: list[Exception] = []
    taken, ended, others = count(1), Event(), []
    process: list[int] = []

    def attempt(act: Act) -> None:
        try:
            act()
        except Exception as problem:  # noqa: BLE001 - told by the test's thread
            raised.append(problem)

    def work() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                process.append(cursor.fetchone()[0])
            attempt(second)
        finally:
            connection.close()
            ended.set()

    def waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT cardinality(pg_blocking_pids(%s))", process)
            return bool(cursor.fetchone()[0])

    def meet(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        found = execute(sql, params, many, context)
        if LOCKS.match(str(sql)) and context["cursor"].rowcount and next(taken) == place:
            others.append(Thread(target=work))
            others[0].start()
            while not ended.wait(LOOK_EVERY) and not (process and waits()):
                pass
        return found

    with connection.execute_wrapper(meet):
        attempt(first)
    for other in others:
        other.join()
    return raised if others else None


def problems_of(make: Callable[[], Any], first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Iterator[str]:
    """Do two acts on what ``make`` gives anew for each lock of the first one. Return what failed other than by an error
    for people."""
    for place in count(1):
        made = make()
        raised = crossed(lambda made=made: first(made), lambda made=made: second(made), place)
        if raised is None:
            return
        for problem in raised:
            if not isinstance(problem, ApplicationError):
                yield f"at lock {place}: {type(problem).__name__}: {problem}"


def undone(act: Act) -> Act:
    """The act, whose transaction is checked as at its commit and then undone, so that it can meet others again."""

    def do() -> None:
        with transaction.atomic():
            act()
            connection.check_constraints()
            transaction.set_rollback(True)

    return do
