"""The table of job kinds: which function does the work of a job. And what is swept each hour or
minute."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from webapp.common.errors import ApplicationError


@dataclass(frozen=True)
class Part:
    """One part of a job: what its body is given, and what the log calls it."""

    title: str
    payload: dict[str, Any]


@dataclass(frozen=True)
class Parts:
    """Returned by a body so that workers run these parts as jobs of this kind. ``unit``: the name of the parts.

    When the last has ended, the body is called again, with the ended ones in ``context.parts``. A failed part stops no
    other. When the body returns a result, the job fails with the names and reasons of the failed parts.
    """

    kind: str
    unit: str
    parts: tuple[Part, ...]


Body = Callable[..., dict[str, Any] | Parts | None]
"""Does the work, given the JobContext and the payload by name. Its return value is saved as the result of the job.

It may run again after its worker disappeared: it continues from context.state and repeats nothing.
"""

Stopped = Callable[..., None]
"""Called with the reason why a job stopped before its end and with the payload by name; "" once the job is tried again.
It is called in the same transaction."""


@dataclass(frozen=True)
class Kind:
    """``title``: a template that is marked for translation. The values of a job fill its named placeholders."""

    name: str
    title: str
    body: Body
    stopped: Stopped | None = None


Sweep = Callable[[datetime], int]
"""Deals with what is due or too old at that moment; how many rows that were. Two workers may run it at once."""

B = TypeVar("B", bound=Body)
S = TypeVar("S", bound=Sweep)
G = TypeVar("G", bound=Callable[[str], bool])

KINDS: dict[str, Kind] = {}
GONE: list[Callable[[str], bool]] = []
SWEEPS: list[Sweep] = []
MINUTE_SWEEPS: list[Sweep] = []


def job(name: str, *, title: str, stopped: Stopped | None = None) -> Callable[[B], B]:
    """Register the decorated function as the body of jobs of this kind. ``title``: see ``Kind``."""

    def register(body: B) -> B:
        if name in KINDS:
            raise ValueError(f"Two bodies claim the job kind {name!r}.")
        KINDS[name] = Kind(name, title, body, stopped)
        return body

    return register


def each_hour(sweep: S) -> S:
    """Register the decorated function as one that is run each hour."""
    SWEEPS.append(sweep)
    return sweep


def each_minute(sweep: S) -> S:
    """Register the decorated function as one that is run each minute."""
    MINUTE_SWEEPS.append(sweep)
    return sweep


def benchmark_gone(gone: G) -> G:
    """Register the decorated function, which returns whether the benchmark at an address was deleted: its jobs end."""
    GONE.append(gone)
    return gone


def is_gone(benchmark: str) -> bool:
    return bool(benchmark) and any(gone(benchmark) for gone in GONE)


def tell_stopped(kind: str, payload: dict[str, Any], sentence: str) -> None:
    """Pass on why a job stopped to what follows jobs of this kind."""
    known = KINDS.get(kind)
    if known is not None and known.stopped is not None:
        known.stopped(sentence, **payload)


def kind_named(name: str) -> Kind:
    try:
        return KINDS[name]
    except KeyError:
        raise ApplicationError(
            f"This worker doesn't know jobs of the kind {name!r}. It may be older than the web server. Restart it.",
            status=500,
        ) from None
