"""The people of a benchmark and its open invitations, for the settings page."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.models import Benchmark
from webapp.accounts.models import Invitation, User


@dataclass
class Person:
    """A person and the roles held here, in the order of their names."""

    user: User
    roles: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Open:
    """An invitation that is not accepted yet."""

    invitation: Invitation
    roles: list[str]


def people_of(benchmark: Benchmark) -> list[Person]:
    """Return all people with a role, by name. One query."""
    people: dict[int, Person] = {}
    for membership in benchmark.memberships.select_related("user").order_by("user__name", "user", "role"):
        people.setdefault(membership.user_id, Person(membership.user)).roles.append(membership.role)
    return list(people.values())


def invitations_of(benchmark: Benchmark) -> list[Open]:
    """Return open invitations that include a role here, the newest first. Two queries."""
    found = Invitation.objects.open().filter(roles__benchmark=benchmark).distinct()
    return [
        Open(invitation, sorted(one.role for one in invitation.roles.all() if one.benchmark_id == benchmark.pk))
        for invitation in found.select_related("invited_by").prefetch_related("roles")
    ]
