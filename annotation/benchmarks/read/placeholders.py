"""People of imported files who have no access, and the benchmarks that have their work."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, QuerySet

from annotation.content.people import PLACEHOLDERS
from annotation.models import Annotation, Benchmark, Comment, Membership, PersonUid, Review, Revision
from annotation.workflow import Role
from webapp.accounts.models import User


def is_placeholder(user: User) -> bool:
    """Whether this is a person of an imported file whom no account has taken over."""
    return not user.is_active and user.email.endswith(PLACEHOLDERS)


def placeholders_of(benchmark: Benchmark) -> QuerySet[User]:
    """The people of files in this benchmark, by name: those with a role, and those who only have work here."""
    members = Membership.objects.filter(benchmark=benchmark).values("user")
    named = PersonUid.objects.filter(benchmark=benchmark).values("user")
    people = User.objects.filter(is_active=False, email__endswith=PLACEHOLDERS)
    return people.filter(Q(pk__in=members) | Q(pk__in=named)).order_by("name", "pk")


def benchmarks_with(person: User) -> set[int]:
    """All benchmarks where this person has a role, a uid or work, also deleted ones."""
    found = set(Membership.objects.filter(user=person).values_list("benchmark", flat=True))
    found.update(PersonUid.objects.filter(user=person).values_list("benchmark", flat=True))
    for rows, path in (
        (Annotation.objects.filter(author=person), "sample__"),
        (Revision.objects.filter(author=person), "annotation__sample__"),
        (Review.objects.filter(reviewer=person), "revision__annotation__sample__"),
        (Comment.objects.filter(author=person), "annotation__sample__"),
    ):
        for pair in rows.order_by().values_list(f"{path}benchmark", f"{path}removed_from").distinct():
            found.update(one for one in pair if one is not None)
    return found


def leads_all(person: User, benchmarks: Collection[int]) -> bool:
    """Whether this person leads each of these benchmarks. A site admin leads all."""
    if not person.is_active:
        return False
    led = Membership.objects.filter(user=person, role=Role.LEAD, benchmark__in=benchmarks)
    return person.is_staff or set(benchmarks) <= set(led.values_list("benchmark", flat=True))
