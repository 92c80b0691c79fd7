"""The description of a benchmark, and the roles of the people who work on it."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_role
from annotation.common.rules import refuse_open_blind_work
from annotation.models import Benchmark, Membership
from annotation.workflow import Right, Role
from webapp.accounts.closing import led_alone_by
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput
from webapp.notifications.write import forget

DETAILS = ("title", "description", "licence", "public", "marks_open", "remove_metadata", "remote_allowed")


def change_details(
    *, actor: User | None, benchmark: Benchmark, title: str, description: str, licence: str, public: bool,
    marks_open: bool, remove_metadata: bool, remote_allowed: bool,
) -> list[str]:  # fmt: skip
    """Change title, description, license, visibility and options of a benchmark. Return the names of the changed
    fields.

    Raises ``Conflict`` if it would be public while people work blind: see ``refuse_open_blind_work``.
    """
    require(actor, benchmark, Right.MANAGE)
    if not title.strip():
        raise InvalidInput(gettext("Enter a title."), field="title")
    wanted = {
        "title": title.strip(), "description": description, "licence": licence, "public": public,
        "marks_open": marks_open, "remove_metadata": remove_metadata,
        "remote_allowed": remote_allowed,
    }  # fmt: skip
    with transaction.atomic():
        refuse_open_blind_work(benchmark, public=public)
        stored = Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        before = {name: getattr(stored, name) for name in DETAILS if getattr(stored, name) != wanted[name]}
        if not before:
            return []
        Benchmark.objects.filter(pk=benchmark.pk).update(**{name: wanted[name] for name in before})
        after = {name: wanted[name] for name in before}
        audit.record(actor, "benchmark.change", benchmark, benchmark.slug, data={"before": before, "after": after})
    for name, value in after.items():
        setattr(benchmark, name, value)
    return list(before)


def set_roles(*, actor: User | None, benchmark: Benchmark, user: User, roles: Collection[Role]) -> frozenset[Role]:
    """Give a person exactly these roles; without any, the person is removed. Raises ``Conflict`` for the last lead."""
    require(actor, benchmark, Right.MANAGE)
    wanted = frozenset(roles)
    with transaction.atomic():
        # Serialize changes of people: if two leads step down at the same time, one is rejected.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        memberships = {Role(held.role): held for held in Membership.objects.filter(benchmark=benchmark, user=user)}
        _keep_a_lead(benchmark, user, taken=memberships.keys() - wanted)
        for role in sorted(wanted - memberships.keys()):
            given = Membership.objects.create(benchmark=benchmark, user=user, role=role)
            _note(actor, benchmark, given, "member.add", after=role)
            notify_role(actor, given)
        for role in sorted(memberships.keys() - wanted):
            _note(actor, benchmark, memberships[role], "member.remove", before=role)
            memberships[role].delete()
        if not wanted and not benchmark.public:
            forget(user, benchmark.slug)
    benchmark.known_people = {}
    return wanted


def _keep_a_lead(benchmark: Benchmark, user: User, *, taken: Collection[Role]) -> None:
    if Role.LEAD in taken and not _leads(benchmark).exclude(user=user).exists():
        raise Conflict(
            gettext("%(user)s is the only lead of %(title)s. Make another member a lead first.")
            % {"user": user, "title": benchmark.title},
            field="roles",
        )


def _leads(benchmark: Benchmark | OuterRef) -> QuerySet[Membership]:
    """The leads who can sign in."""
    return Membership.objects.filter(benchmark=benchmark, role=Role.LEAD, user__is_active=True)


@led_alone_by
@transaction.atomic
def led_alone(user: User, beside: Collection[User] = ()) -> list[str]:
    """Return the titles of the benchmarks of this lead that have no other one who can sign in, not counting those
    ``beside``. A lead who cannot sign in leads none.
    """
    if not user.is_active:
        return []
    led = Benchmark.objects.filter(memberships__user=user, memberships__role=Role.LEAD)
    locked = Benchmark.objects.select_for_update(no_key=True).filter(pk__in=led.values("pk")).order_by("pk")
    numbers = [benchmark.pk for benchmark in locked]
    others = _leads(OuterRef("pk")).exclude(user__in=[user, *beside])
    alone = Benchmark.objects.filter(~Exists(others), pk__in=numbers)
    return list(alone.order_by("title").values_list("title", flat=True))


def _note(
    actor: User | None, benchmark: Benchmark, membership: Membership, action: str, *, before: str = "", after: str = ""
) -> None:
    audit.record(
        actor, action, membership, benchmark.slug, before=before, after=after,
        personal={"person": membership.user.email},
    )  # fmt: skip
