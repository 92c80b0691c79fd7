"""The permissions of a token, a subset of those of its person. Each address of the API needs one scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from enum import StrEnum
from typing import Any, TypeVar

from django.utils.translation import gettext_noop

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
V = TypeVar("V", bound=Callable[..., Any])


class Scope(StrEnum):
    """A token holds one or more. None includes another."""

    READ = "read"
    ANNOTATE = "annotate"
    IMPORT = "import"
    MANAGE = "manage"
    REWARDS = "rewards"


WORDS = {
    Scope.READ: gettext_noop("Read everything that you can see, gold included"),
    Scope.ANNOTATE: gettext_noop("Run tools of the toolbox; annotate, review and judge"),
    Scope.IMPORT: gettext_noop("Import and score runs, follow their jobs, record sessions of agents"),
    Scope.MANAGE: gettext_noop("Change settings of a benchmark"),
    Scope.REWARDS: gettext_noop("Ask for rewards of rollouts, as a trainer does"),
}
"""Descriptions of the scopes, for the form of a token, which translates them, and the documentation."""


def needs(scope: Scope) -> Callable[[V], V]:
    """Declare the scope of a view of the API; a decorator above ``api_view``."""

    def declare(view: V) -> V:
        view.cls.scope = scope  # type: ignore[attr-defined]
        return view

    return declare


def scopes_for(view: Any, method: str) -> tuple[Scope, ...]:
    """Any one of these lets a token make a request. What only reads needs READ or what the view declares; what writes
    needs what the view declares, and MANAGE if it declares nothing."""
    declared = getattr(view, "scope", None)
    if method in SAFE:
        return (Scope.READ,) if declared in (None, Scope.READ) else (Scope.READ, declared)
    return (declared or Scope.MANAGE,)


def in_effect(held: Collection[str], method: str) -> frozenset[Scope]:
    """Return the scopes that count in a request. Reading changes nothing, so READ suffices for all reading requests."""
    if method in SAFE and Scope.READ in held:
        return frozenset(Scope)
    return frozenset(Scope(name) for name in held)


BenchmarksOf = Callable[[Any], Iterable[tuple[str, str]]]
_benchmarks_of: list[BenchmarksOf] = []


def benchmarks_listed_by(callback: BenchmarksOf) -> BenchmarksOf:
    """Register what lists the benchmarks of a person, as (slug, title), to limit a token to one; a decorator."""
    _benchmarks_of.append(callback)
    return callback


def benchmarks_of(user: Any) -> list[tuple[str, str]]:
    """The benchmarks that a token of this person can be limited to."""
    return [found for callback in _benchmarks_of for found in callback(user)]
