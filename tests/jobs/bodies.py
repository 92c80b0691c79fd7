"""Job kinds for the tests; imported by the tests and by the worker processes that they start."""

import logging
import time
from typing import Any

from django.db import connection, transaction

from webapp.common.errors import InvalidInput
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Part, Parts, job


@job("tests.count", title="Count")
def count(context: JobContext, *, to: int, pause: float = 0.0) -> dict[str, Any]:
    """Write the numbers below `to`, one line each, every line in a transaction with its checkpoint."""
    for number in range(context.state.get("next", 0), to):
        with transaction.atomic():
            context.log(str(number))
            context.save({"next": number + 1}, done=number + 1)
        time.sleep(pause)
    return {"counted": to}


@job("tests.parts", title="Parts")
def parts(context: JobContext, *, of: int, pause: float = 0.0, failing: tuple[int, ...] = ()) -> dict[str, Any] | Parts:
    """Hand out parts, then say which of them have ended well."""
    if not context.parts:
        fails = [number in failing for number in range(of)]
        given = (Part(f"part {n}", {"number": n, "pause": pause, "fail": fail}) for n, fail in enumerate(fails))
        return Parts("tests.part", "parts", tuple(given))
    context.log("all parts have ended")
    return {"numbers": sorted(part.payload["number"] for part in context.parts if part.state == "done")}


@job("tests.part", title="Part")
def part(context: JobContext, *, number: int, pause: float, fail: bool) -> dict[str, Any]:
    """One line for each part, in a transaction with its checkpoint."""
    if fail:
        raise InvalidInput(f"Number {number} is odd.")
    time.sleep(pause)
    if not context.state:
        with transaction.atomic():
            context.log("ran")
            context.save({"ran": True})
    time.sleep(pause)
    return {}


@job("tests.once", title="Once")
def once(context: JobContext) -> None:
    context.log("ran")


@job("tests.steps", title="Steps")
def steps(context: JobContext, *, of: int) -> None:
    for number in range(of):
        context.progress(number + 1, of, unit="steps")


@job("tests.meets_an_outage", title="Meet an outage")
def meets_an_outage(context: JobContext, *, times: int) -> dict[str, Any]:
    """The database connection breaks in the first attempts, in the middle of a transaction."""
    with transaction.atomic():
        context.log(f"attempt {context.job.attempts}")
        if context.job.attempts <= times:
            lose_the_database()
    return {"attempts": context.job.attempts}


def lose_the_database() -> None:
    """As after a restart of the server; on SQLite, as when its disk is gone."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        else:
            cursor.execute("ATTACH DATABASE '/no/such/folder/file' AS gone")


@job("tests.writes_logs", title="Write a log")
def writes_logs(context: JobContext) -> None:
    logging.getLogger("tests.jobs").warning("from the body")


@job("tests.refuses", title="Refuse")
def refuses(context: JobContext) -> None:
    raise InvalidInput("sh-0207.jpg is cut off after 3.1 MB. Replace it or leave it out.")


@job("tests.breaks", title="Break")
def breaks(context: JobContext) -> None:
    raise KeyError("secret detail")
