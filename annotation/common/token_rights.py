"""The rights that a token passes on, of those that its person has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from annotation.models import Benchmark
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope, benchmarks_listed_by

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person

RIGHTS: dict[Scope, frozenset[Right]] = {
    Scope.READ: frozenset({Right.VIEW, Right.SEE_GOLD, Right.EXPORT, Right.COMPARE_WORK}),
    Scope.ANNOTATE: frozenset({Right.VIEW, Right.ANNOTATE, Right.REVIEW, Right.AUDIT, Right.JUDGE, Right.TAKE_STUDY}),
    Scope.IMPORT: frozenset({Right.VIEW, Right.IMPORT_RUNS, Right.IMPORT_SAMPLES, Right.SCORE}),
    Scope.MANAGE: frozenset({Right.VIEW, Right.MANAGE}),
    Scope.REWARDS: frozenset({Right.VIEW, Right.IMPORT_RUNS}),
}
"""Every permission belongs to a scope. A permission without a scope would not be available to any token."""


def passed_on(user: Person, benchmark: Benchmark) -> frozenset[Right]:
    """All rights, unless the request came with a token: then those of its scopes, on its benchmark."""
    token = user.token if isinstance(user, User) else None
    if token is None:
        return frozenset(Right)
    if token.benchmark not in ("", benchmark.slug):
        return frozenset()
    return frozenset().union(*(RIGHTS[scope] for scope in token.in_effect))


@benchmarks_listed_by
def benchmarks_seen(user: User) -> Iterator[tuple[str, str]]:
    """The benchmarks this person can see, by title."""
    yield from Benchmark.objects.visible_to(user).order_by("title", "pk").values_list("slug", "title")
