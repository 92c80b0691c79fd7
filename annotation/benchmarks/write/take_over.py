"""Taking over a person of an imported file: the person behind it is invited, and its row becomes their account."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from annotation.benchmarks.read.naming import benchmarks_naming
from annotation.benchmarks.read.placeholders import is_placeholder, leads_all
from annotation.benchmarks.write.invitations import add_invitation, mail_invitation
from annotation.common.access import require
from annotation.models import Benchmark, Membership, PersonUid
from annotation.workflow import Right, Role
from webapp.accounts.actions import Offer, offered_by, refuse_known_address, when_taken_over
from webapp.accounts.models import Invitation, User
from webapp.common import audit
from webapp.common.errors import Conflict, NotFound


def invite_in_place(
    *, actor: User, benchmark: Benchmark, person: User, email: str, roles: Collection[Role]
) -> Invitation:
    """Invite the person behind a placeholder by email. The person who accepts gets a new account, which is the
    placeholder's row with all its work, and exactly these roles.

    Raises ``Conflict`` if the address has an account, if the person is invited already, or if another benchmark that
    the actor does not lead has work of the person.
    """
    require(actor, benchmark, Right.MANAGE)
    if not settings.SENDS_EMAIL:
        raise Conflict(gettext("This site sends no email, which proves who takes over the work. Ask a site admin."))
    with transaction.atomic():
        person = User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if benchmark.pk not in benchmarks_naming(person):
            raise NotFound(gettext("No such person in %(title)s.") % {"title": benchmark.title})
        _require_free(actor, person)
        refuse_known_address(email)
        if Invitation.objects.open().filter(takes_over=person).exists():
            raise Conflict(
                gettext("%(person)s is already invited. Withdraw that invitation first.") % {"person": person}
            )
        invitation, secret = add_invitation(actor, benchmark, email, roles, mailed=True, takes_over=person)
    mail_invitation(invitation, secret, benchmark, roles)
    return invitation


@when_taken_over
def replace_roles(invitation: Invitation, person: User) -> None:
    """The roles of the file end: the invitation brings those that count. What a file said about the address is
    deleted."""
    if invitation.invited_by is None:
        raise Conflict(gettext("The sender of this invitation has left. Ask a lead for another one."))
    _require_free(invitation.invited_by, person)
    for held in Membership.objects.filter(user=person).select_related("benchmark"):
        audit.record(
            person, "member.remove", held, held.benchmark.slug, before=held.role, data={"invitation": invitation.pk}
        )
        held.delete()
    PersonUid.objects.filter(user=person).update(address="", verified=None)


@offered_by
def work_offered(invitation: Invitation) -> Iterator[Offer]:
    """Whose work the account takes over."""
    if invitation.takes_over is not None:
        yield Offer(str(invitation.takes_over), gettext("Your account takes over the work of this person."))


def _require_free(actor: User, person: User) -> None:
    """Raises ``Conflict`` unless this person has no account, and only benchmarks of the actor have their work."""
    if not is_placeholder(person):
        raise Conflict(gettext("%(person)s is not a person of an imported file.") % {"person": person})
    if not leads_all(actor, benchmarks_naming(person)):
        raise Conflict(
            gettext("Another benchmark, with another lead, has work of %(person)s. Ask a site admin to invite them.")
            % {"person": person}
        )
