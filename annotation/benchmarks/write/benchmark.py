"""Making a benchmark and saying who works on it."""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_role
from annotation.common.rules import refuse_open_blind_work
from annotation.models import Benchmark, BenchmarkQueue, Membership
from annotation.workflow import Right, Role
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput
from webapp.common.models import AuditEntry

TAKEN = frozenset({"new"})
"""Addresses below /benchmarks/ that are other pages."""


def may_create(user: User) -> bool:
    """Site admins, and as SIGHTLINE_WHO_CREATES says: leads of a benchmark, or everyone with an account."""
    if not user.is_active:
        return False
    if user.is_staff or settings.WHO_CREATES == "MEMBERS":
        return True
    leads = Membership.objects.filter(user=user, role=Role.LEAD, benchmark__deleted_at=None)
    return settings.WHO_CREATES == "LEADS" and leads.exists()


def create_benchmark(
    *, actor: User | None, slug: str, title: str = "", description: str = "", licence: str = "", public: bool = False,
    remove_metadata: bool = True, take_back_minutes: int = 0,
) -> Benchmark:  # fmt: skip
    """A new, empty benchmark; its maker becomes its lead. Images are stored without metadata unless said otherwise.
    ``take_back_minutes``: see ``BenchmarkQueue``.
    Raises ``Conflict`` when the address is taken."""
    if slug in TAKEN:
        raise InvalidInput(gettext("The address %(slug)s is reserved. Choose another.") % {"slug": slug}, field="slug")
    if was_purged(slug):
        raise Conflict(
            gettext("The address %(slug)s belonged to a benchmark that was deleted. Choose another.") % {"slug": slug},
            field="slug",
        )
    benchmark = Benchmark(
        slug=slug, title=title or slug, description=description, licence=licence, public=public,
        remove_metadata=remove_metadata, created_by=actor,
    )  # fmt: skip
    benchmark.full_clean(exclude=["created_by"], validate_unique=False, validate_constraints=False)
    try:
        with transaction.atomic():
            benchmark.save()
            if actor is not None:
                Membership.objects.create(benchmark=benchmark, user=actor, role=Role.LEAD)
            if take_back_minutes:
                BenchmarkQueue.objects.create(benchmark=benchmark, take_back_minutes=take_back_minutes)
            audit.record(actor=actor, action="benchmark.create", subject=benchmark, benchmark=slug)
    except IntegrityError as error:
        message = gettext("The address %(slug)s is already in use. Choose another.")
        if actor is not None and Benchmark.everything.in_trash_of(actor).filter(slug=slug).exists():
            message = gettext(
                "The address %(slug)s belongs to a benchmark in the trash. Restore it, or choose another."
            )
        raise Conflict(message % {"slug": slug}, field="slug") from error
    return benchmark


def was_purged(slug: str) -> bool:
    """Whether a benchmark at this address was deleted permanently. Log, links and tokens still name it."""
    return AuditEntry.objects.filter(benchmark=slug, action="benchmark.purged").exists()


def add_member(*, actor: User | None, benchmark: Benchmark, user: User, role: Role) -> Membership:
    """Give a person a role; giving it twice changes nothing."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        membership, added = Membership.objects.get_or_create(benchmark=benchmark, user=user, role=role)
        if added:
            audit.record(
                actor, "member.add", membership, benchmark.slug, after=role.value, personal={"person": user.email}
            )
            notify_role(actor, membership)
    benchmark.known_people = {}
    return membership


def set_public(*, actor: User | None, benchmark: Benchmark, public: bool) -> None:
    """Open the leaderboard and the pages behind it to everyone, or close them. Raises ``Conflict`` while gold checks
    run, or a judging queue is open: see ``refuse_open_blind_work``.
    """
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        refuse_open_blind_work(benchmark, public=public)
        Benchmark.objects.filter(pk=benchmark.pk).update(public=public)
        benchmark.public = public
        audit.record(actor, "benchmark.public", benchmark, benchmark.slug, after=str(public))
