"""The people of a benchmark and its open invitations, for the settings page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from annotation.benchmarks.forms import TakeOverForm
from annotation.benchmarks.read.placeholders import placeholders_of
from annotation.content.people import address_of
from annotation.models import Benchmark, PersonUid
from webapp.accounts.models import Invitation, User


@dataclass(frozen=True)
class OfFile:
    """What the page says of a person of an imported file. ``address``: as the file has it, "" if it has none.
    ``invited``: the address of the open invitation to take over the work."""

    address: str
    form: TakeOverForm
    invited: str = ""


@dataclass
class Person:
    """A person and the roles held here, in the order of their names. ``of_file``: None for an account."""

    user: User
    roles: list[str] = field(default_factory=list)
    of_file: OfFile | None = None


@dataclass(frozen=True)
class Open:
    """An invitation that is not accepted yet."""

    invitation: Invitation
    roles: list[str]


def people_of(
    benchmark: Benchmark, invitations: Iterable[Open] = (), refused: Mapping[int, TakeOverForm] | None = None
) -> list[Person]:
    """Return all people with a role, by name, then people of files without one. ``refused``: forms with errors, by
    person. Three queries."""
    people: dict[int, Person] = {}
    for membership in benchmark.memberships.select_related("user").order_by("user__name", "user", "role"):
        people.setdefault(membership.user_id, Person(membership.user)).roles.append(membership.role)
    identities = {one.user_id: one for one in PersonUid.objects.filter(benchmark=benchmark, user__is_active=False)}
    invited = {one.invitation.takes_over_id: one.invitation.email for one in invitations}
    for user in placeholders_of(benchmark):
        person = people.setdefault(user.pk, Person(user))
        address = address_of(user.email, identities.get(user.pk))
        form = (refused or {}).get(user.pk) or TakeOverForm(
            initial={"email": address, "roles": person.roles}, auto_id=f"id_{user.pk}_%s"
        )
        person.of_file = OfFile(address, form, invited.get(user.pk, ""))
    return list(people.values())


def invitations_of(benchmark: Benchmark) -> list[Open]:
    """Return open invitations that include a role here, the newest first. Two queries."""
    found = Invitation.objects.open().filter(roles__benchmark=benchmark).distinct()
    return [
        Open(invitation, sorted(one.role for one in invitation.roles.all() if one.benchmark_id == benchmark.pk))
        for invitation in found.select_related("invited_by", "takes_over").prefetch_related("roles")
    ]
