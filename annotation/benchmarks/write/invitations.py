"""Inviting people to a benchmark: roles that wait in an invitation until it is accepted."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from annotation.common.access import require
from annotation.common.notices import notify_joined
from annotation.common.words import ROLE_WORDS
from annotation.models import Benchmark, InvitedRole, Membership
from annotation.workflow import Right, Role
from webapp.accounts.actions import Offer, email_invitation, invite, offered_by, when_accepted, withdraw_invitation
from webapp.accounts.models import Invitation, User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotFound
from webapp.common.translation import all_of

WORK = {
    Role.ANNOTATOR: gettext_lazy("annotate its samples"),
    Role.REVIEWER: gettext_lazy("review what others annotated"),
    Role.RESEARCHER: gettext_lazy("import runs and compare models"),
    Role.LEAD: gettext_lazy("lead it"),
}
"""The permissions of a role, as the end of a sentence that ends with "to"."""


def invite_person(
    *, actor: User, benchmark: Benchmark, email: str, roles: Collection[Role], mailed: bool = False
) -> tuple[Invitation, str]:
    """An invitation that brings these roles; the second is the secret of its link, kept nowhere. ``mailed``: the link
    goes to the address by email instead of through the hands of the actor."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        held = Membership.objects.filter(benchmark=benchmark, user__email=email.strip().lower())
        if roles and set(roles) <= {Role(role) for role in held.values_list("role", flat=True)}:
            raise Conflict(gettext("%(email)s already has these roles.") % {"email": email}, field="email")
        invitation, secret = add_invitation(actor, benchmark, email, roles, mailed=mailed)
    if mailed:
        mail_invitation(invitation, secret, benchmark, roles)
    return invitation, secret


def add_invitation(
    actor: User, benchmark: Benchmark, email: str, roles: Collection[Role], *, mailed: bool,
    takes_over: User | None = None,
) -> tuple[Invitation, str]:  # fmt: skip
    """Store an invitation with its roles. Call inside a transaction."""
    if not roles:
        raise InvalidInput(gettext("An invitation needs at least one role. Choose a role."), field="roles")
    given = sorted(set(roles))
    invitation, secret = invite(email=email, actor=actor, mailed=mailed, takes_over=takes_over)
    InvitedRole.objects.bulk_create(
        [InvitedRole(invitation=invitation, benchmark=benchmark, role=role) for role in given]
    )
    data = {"roles": given} | ({"takes_over": takes_over.pk} if takes_over is not None else {})
    audit.record(actor, "member.invite", invitation, benchmark.slug, data=data, personal={"email": invitation.email})
    return invitation, secret


def mail_invitation(invitation: Invitation, secret: str, benchmark: Benchmark, roles: Collection[Role]) -> None:
    """Send the link to the address. Call after the transaction."""
    email_invitation(invitation, secret, benchmark=benchmark.title, roles=", ".join(sorted(set(roles))))


def withdraw(*, actor: User, benchmark: Benchmark, invitation: Invitation) -> None:
    """Take this benchmark out of an open invitation; one that brings nothing else is closed."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        invited = InvitedRole.objects.filter(invitation=invitation)
        if not invited.filter(benchmark=benchmark).exists():
            raise NotFound(gettext("No such invitation to %(title)s.") % {"title": benchmark.title})
        if invited.exclude(benchmark=benchmark).exists():
            invited.filter(benchmark=benchmark).delete()
        else:
            withdraw_invitation(invitation, actor=actor)
        audit.record(actor, "member.withdraw", invitation, benchmark.slug, personal={"email": invitation.email})


@when_accepted
def join(invitation: Invitation, user: User) -> None:
    """The roles of an accepted invitation become memberships."""
    joined: dict[int, Benchmark] = {}
    for invited in InvitedRole.objects.filter(invitation=invitation).select_related("benchmark"):
        membership, added = Membership.objects.get_or_create(benchmark=invited.benchmark, user=user, role=invited.role)
        if added:
            joined[invited.benchmark_id] = invited.benchmark
            audit.record(
                user, "member.add", membership, invited.benchmark.slug, after=invited.role,
                data={"invitation": invitation.pk},
            )  # fmt: skip
    for benchmark in joined.values():
        notify_joined(user, benchmark, invitation.invited_by_id)


@offered_by
def benchmarks_offered(invitation: Invitation) -> Iterator[Offer]:
    """The benchmarks of an invitation with the roles it brings on each."""
    invited = InvitedRole.objects.filter(invitation=invitation).select_related("benchmark")
    roles: dict[Benchmark, list[Role]] = {}
    for one in invited.order_by("benchmark__title", "role"):
        roles.setdefault(one.benchmark, []).append(Role(one.role))
    for benchmark, held in roles.items():
        work = gettext("to %(work)s") % {"work": _listed([str(WORK[role]) for role in held])}
        yield Offer(benchmark.title, work, tuple(str(ROLE_WORDS[role]) for role in held))


def _listed(words: list[str]) -> str:
    return all_of([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
