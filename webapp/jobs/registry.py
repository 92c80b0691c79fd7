"""The table of job kinds: which function does the work of a job."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from webapp.common.errors import ApplicationError

Body = Callable[..., dict[str, Any] | None]
"""Does the work, given the JobContext and the payload by name. What it returns is kept as the result of the job.

It may be run again after a worker vanished: it goes on from context.state and repeats nothing.
"""


@dataclass(frozen=True)
class Kind:
    name: str
    title: str
    body: Body


B = TypeVar("B", bound=Body)

KINDS: dict[str, Kind] = {}


def job(name: str, *, title: str) -> Callable[[B], B]:
    """Register the decorated function as the body of jobs of this kind; `title` is the verb people read."""

    def register(body: B) -> B:
        if name in KINDS:
            raise ValueError(f"Two bodies claim the job kind {name!r}.")
        KINDS[name] = Kind(name, title, body)
        return body

    return register


def kind_named(name: str) -> Kind:
    try:
        return KINDS[name]
    except KeyError:
        raise ApplicationError(
            f"This program does not know jobs of the kind {name!r}. The worker may be older than the pages: restart it."
        ) from None
