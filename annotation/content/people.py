"""The identity of people in the portable files of a benchmark, and whether their addresses are verified."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Benchmark, PersonUid
from webapp.accounts.models import User

PLACEHOLDERS = "@placeholder.invalid"
"""The suffix of the addresses of people imported with a file."""


def uids_of(benchmark: Benchmark, people: Collection[int]) -> dict[int, PersonUid]:
    """The identity of each person. A person without one gets a random one, which stays."""
    known = {one.user_id: one for one in PersonUid.objects.filter(benchmark=benchmark, user__in=people)}
    new = [PersonUid(benchmark=benchmark, user_id=person) for person in people if person not in known]
    if new:
        # Another export may give one at the same time.
        PersonUid.objects.bulk_create(new, ignore_conflicts=True)
        known = {one.user_id: one for one in PersonUid.objects.filter(benchmark=benchmark, user__in=people)}
    return known


def address_of(email: str, identity: PersonUid | None = None) -> str:
    """Return the address for a file. For a placeholder it is the address that a file gave, "" if there is none."""
    if not email.endswith(PLACEHOLDERS):
        return email
    if identity is not None and identity.address:
        return identity.address
    local = email.removesuffix(PLACEHOLDERS).rpartition(".")[0]
    name, sign, host = local.rpartition("=")
    return f"{name}@{host}" if sign else ""


def verified_addresses(benchmark: Benchmark, people: Collection[int]) -> dict[int, bool]:
    """Whether the address of each person is verified. Accounts without a verified address are not known to belong to
    different people.

    Of a placeholder, this is what its file says about the server it comes from; a file that says nothing counts as not
    verified. One query.
    """
    said = PersonUid.objects.filter(benchmark=benchmark, user=OuterRef("pk")).values("verified")
    found = User.objects.filter(pk__in=people).order_by()
    return dict(found.values_list("pk", Coalesce(Subquery(said), "email_verified")))
