"""People of imported files who have no access, and who leads the benchmarks that have their work."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, QuerySet

from annotation.content.people import PLACEHOLDERS
from annotation.models import Benchmark, Membership, PersonUid
from annotation.workflow import Role
from webapp.accounts.models import Invitation, User


def is_placeholder(user: User) -> bool:
    """Whether this is a person of an imported file whom no account has taken over."""
    return not user.is_active and user.email.endswith(PLACEHOLDERS)


def placeholders_of(benchmark: Benchmark) -> QuerySet[User]:
    """The people of files in this benchmark, by name: those with a role, and those who only have work here."""
    members = Membership.objects.filter(benchmark=benchmark).values("user")
    named = PersonUid.objects.filter(benchmark=benchmark).values("user")
    people = User.objects.filter(is_active=False, email__endswith=PLACEHOLDERS)
    return people.filter(Q(pk__in=members) | Q(pk__in=named)).order_by("name", "pk")


def invitations_to_take_over(benchmark: Benchmark) -> dict[int, Invitation]:
    """The open invitation of each placeholder who is invited to this benchmark."""
    found = Invitation.objects.open().filter(takes_over__isnull=False, roles__benchmark=benchmark).distinct()
    return {one.takes_over_id: one for one in found if one.takes_over_id is not None}


def leads_all(person: User, benchmarks: Collection[int]) -> bool:
    """Whether this person leads each of these benchmarks. A site admin leads all."""
    if not person.is_active:
        return False
    led = Membership.objects.filter(user=person, role=Role.LEAD, benchmark__in=benchmarks)
    return person.is_staff or set(benchmarks) <= set(led.values_list("benchmark", flat=True))
