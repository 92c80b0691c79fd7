"""Actions on accounts: invitations, passwords, tokens. Each writes its audit entry."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from webapp.accounts import letters
from webapp.accounts.links import on_site, opens_reset, opens_set_up, reset_path, verified_by, verify_path
from webapp.accounts.models import ApiToken, Invitation, Session, SignInAttempt, User
from webapp.accounts.scopes import Scope, benchmarks_of
from webapp.accounts.sessions import kept_as
from webapp.accounts.tokens import hashed, new_secret
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotFound

INVITATION_LASTS = timedelta(days=7)
TOKEN_LASTS = timedelta(days=90)
TOKEN_LASTS_AT_MOST = timedelta(days=365)

DEAD_LINK = gettext_noop("This link was used, has expired or is incomplete. Request a new one.")

KNOWN_ADDRESS = gettext_noop(
    "%(email)s already has an account, so it can't take over this work. The sender must invite another address."
)

NO_SET_UP = gettext_noop("This link has expired, or the site has accounts already. Restart the server for a new link.")

WhenAccepted = Callable[[Invitation, User], None]
_when_accepted: list[WhenAccepted] = []


def when_accepted(callback: WhenAccepted) -> WhenAccepted:
    """Decorator: register a function to run in the same transaction when an invitation is accepted."""
    _when_accepted.append(callback)
    return callback


WhenTakenOver = Callable[[Invitation, User], None]
_when_taken_over: list[WhenTakenOver] = []


def when_taken_over(callback: WhenTakenOver) -> WhenTakenOver:
    """Decorator: register a function to run in the same transaction before the row of a person without access becomes
    an account. It raises ``Conflict`` if that is not possible any more."""
    _when_taken_over.append(callback)
    return callback


@dataclass(frozen=True, slots=True)
class Offer:
    """The content of an invitation, for the page that asks whether to accept it."""

    title: str
    text: str
    roles: tuple[str, ...] = ()


Offered = Callable[[Invitation], Iterable[Offer]]
_offered: list[Offered] = []


def offered_by(callback: Offered) -> Offered:
    """Decorator: register a function that returns the content of an invitation."""
    _offered.append(callback)
    return callback


def offers_of(invitation: Invitation) -> list[Offer]:
    """Return all content of the invitation."""
    return [offer for callback in _offered for offer in callback(invitation)]


@transaction.atomic
def invite(
    *, email: str, actor: User, lasts: timedelta = INVITATION_LASTS, mailed: bool = False,
    takes_over: User | None = None,
) -> tuple[Invitation, str]:  # fmt: skip
    """Create an invitation. The second value is the secret for its link, which is not stored. ``mailed``: the link is
    only sent to the address by email and never shown, so that opening it proves access to the address. ``takes_over``:
    a person without access whose row becomes the account; needs ``mailed``.
    """
    if takes_over is not None and not mailed:
        raise ValueError("An invitation to take over a person is mailed.")
    secret = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        email=email.strip().lower(), token_hash=hashed(secret), invited_by=actor, mailed=mailed,
        takes_over=takes_over, expires=timezone.now() + lasts,
    )  # fmt: skip
    audit.record(actor, "invitation.create", invitation, data={"mailed": mailed}, personal={"email": invitation.email})
    return invitation, secret


def email_invitation(invitation: Invitation, secret: str, *, benchmark: str, roles: str) -> None:
    """Send the link of an invitation to its address."""
    letters.send(
        "invitation", invitation.email, inviter=str(invitation.invited_by), benchmark=benchmark, roles=roles,
        person=str(invitation.takes_over or ""), link=on_site(reverse("accounts:accept-invitation", args=[secret])),
    )  # fmt: skip


def invitation_of(secret: str) -> Invitation:
    """Return the open invitation of a link."""
    invitation = (
        Invitation.objects.open().select_related("invited_by", "takes_over").filter(token_hash=hashed(secret)).first()
    )
    if invitation is None:
        raise NotFound(gettext("This invitation was already used or has expired. Ask the sender for a new one."))
    return invitation


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, actor: User) -> None:
    """Close an open invitation: its link stops working. Raises ``Conflict`` if it was accepted."""
    closed = Invitation.objects.open().filter(pk=invitation.pk).update(expires=timezone.now())
    if not closed:
        raise Conflict(
            gettext("The invitation of %(email)s is already closed. Reload the page.") % {"email": invitation.email}
        )
    audit.record(actor=actor, action="invitation.withdraw", subject=invitation, personal={"email": invitation.email})


@transaction.atomic
def accept_invitation(secret: str, *, name: str = "", password: str = "", actor: User | None = None) -> User:
    """Create the account of the invitation and grant its roles.

    ``actor`` is the person who is signed in. A person with an account gives neither name nor password, but must be
    signed in. Other people can't create the account, including the person who sent the invitation.
    """
    invitation = Invitation.objects.select_for_update(no_key=True).get(pk=invitation_of(secret).pk)
    if not invitation.is_open:
        raise Conflict(gettext("This invitation was just accepted. Sign in with the password you chose."))
    if actor is not None and actor.email != invitation.email:
        raise Conflict(for_another(invitation, actor))
    if invitation.takes_over_id is not None:
        user = _take_over(invitation, name=name, password=password)
    else:
        user = actor or _new_user(invitation, name=name, password=password)
    invitation.accepted_at, invitation.accepted_by = timezone.now(), user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    for callback in _when_accepted:
        callback(invitation, user)
    audit.record(actor=user, action="invitation.accept", subject=invitation, data={"mailed": invitation.mailed})
    return user


@transaction.atomic
def set_up(signed: str, *, email: str, name: str, password: str) -> User:
    """Create the first account, a site admin, by the link that the server printed. It works once."""
    if not opens_set_up(signed):
        raise NotFound(gettext(NO_SET_UP))
    # The person who can read the server's output owns the site; the address itself is not verified.
    user = User(email=email.strip().lower(), name=name.strip(), is_staff=True, is_superuser=True)
    _set_password(user, password)
    user.save()
    audit.record(actor=user, action="site.set_up", subject=user)
    return user


def for_another(invitation: Invitation, actor: User) -> str:
    """Return why this person cannot accept an invitation for another address."""
    if invitation.invited_by_id == actor.pk:
        message = gettext("You created this invitation for %(email)s. Send that person the link; you can't accept it.")
        return message % {"email": invitation.email}
    message = gettext("This invitation is for %(email)s, but you are signed in as %(own)s. Sign out to accept it.")
    return message % {"email": invitation.email, "own": actor.email}


def _new_user(invitation: Invitation, *, name: str, password: str) -> User:
    if User.objects.filter(email=invitation.email).exists():
        raise Conflict(
            gettext("%(email)s already has an account. Sign in, then open the invitation link again.")
            % {"email": invitation.email}
        )
    user = User(email=invitation.email, name=name.strip(), email_verified=invitation.mailed)
    _set_password(user, password)
    user.save()
    return user


def refuse_known_address(email: str) -> None:
    """Raises ``Conflict`` if the address has an account, which can't become the account of another person."""
    if User.objects.filter(email=email.strip().lower()).exists():
        raise Conflict(
            gettext(KNOWN_ADDRESS) % {"email": email},
            field="email",
        )


def _take_over(invitation: Invitation, *, name: str, password: str) -> User:
    """Make the row of a person without access the account of the invitation, with all work of that person."""
    refuse_known_address(invitation.email)
    assert invitation.takes_over is not None
    user = User.objects.select_for_update(no_key=True).get(pk=invitation.takes_over.pk)
    if user.is_active or user.has_usable_password():
        raise Conflict(gettext("This work was already taken over. Ask the sender for another invitation."))
    for callback in _when_taken_over:
        callback(invitation, user)
    user.email, user.name, user.email_verified = invitation.email, name.strip(), invitation.mailed
    user.is_active, user.is_staff, user.is_superuser = True, False, False
    _set_password(user, password)
    user.date_joined = timezone.now()
    user.save()
    audit.record(
        actor=user, action="person.take_over", subject=user, data={"invitation": invitation.pk},
        personal={"email": user.email},
    )  # fmt: skip
    return user


def _set_password(user: User, password: str) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), field="password") from error
    user.set_password(password)


def request_reset(*, email: str) -> None:
    """Send a link to set a new password to the person of this address, if there is one. It takes equally long if there
    is none.
    """
    with transaction.atomic():
        user = User.objects.filter(email=email, is_active=True).first()
        audit.record(actor=None, action="password.reset_request", subject=user, personal={"email": email})
    if user is not None:
        _email_reset(user)


@transaction.atomic
def create_reset_link(*, user: User, actor: User | None) -> str:
    """Return the path of a link to set a new password, to be passed to the person; no actor: a command on
    the server.
    """
    _note_link(user, actor, by="hand")
    return reset_path(user, by_email=False)


@transaction.atomic
def email_reset_link(*, user: User, actor: User) -> None:
    """Send the person a link to a new password, for an admin."""
    _note_link(user, actor, by="email")
    _email_reset(user)


def _note_link(user: User, actor: User | None, *, by: str) -> None:
    if not user.is_active:
        raise Conflict(gettext("%(email)s can't sign in. Turn “can sign in” on first.") % {"email": user.email})
    audit.record(actor=actor, action="password.reset_link", subject=user, data={"by": by})


def _email_reset(user: User) -> None:
    letters.send("reset", user.email, link=on_site(reset_path(user, by_email=True)))


@transaction.atomic
def reset_password(*, user_id: int, token: str, password: str) -> User:
    """Set the password by a link, which is then used up. All sessions and tokens end, and failed attempts are deleted.
    A link sent by email proves that the address belongs to this person.
    """
    user = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    way = opens_reset(user, token) if user else ""
    if user is None or not way:
        raise NotFound(gettext(DEAD_LINK))
    _set_password(user, password)
    user.email_verified = user.email_verified or way == "email"
    user.save(update_fields=["password", "email_verified"])
    SignInAttempt.objects.filter(email=user.email).delete()
    audit.record(actor=user, action="password.reset", subject=user, data={"link": way})
    return user


@transaction.atomic
def send_verification(*, actor: User) -> None:
    """Send this person a link that confirms their address."""
    audit.record(actor=actor, action="address.verify_request", subject=actor)
    letters.send("verify", actor.email, link=on_site(verify_path(actor)))


@transaction.atomic
def verify_address(signed: str) -> User:
    """Mark the address of a link as verified."""
    user = to_verify(signed)
    if not user.email_verified:
        user.email_verified = True
        user.save(update_fields=["email_verified"])
        audit.record(actor=user, action="address.verify", subject=user)
    return user


def to_verify(signed: str) -> User:
    """Return the person whose address a link confirms."""
    found = verified_by(signed)
    user = User.objects.filter(pk=found[0], email=found[1], is_active=True).first() if found else None
    if user is None:
        raise NotFound(gettext("This link has expired or is incomplete. Request a new one on your account page."))
    return user


@transaction.atomic
def sign_out_others(*, actor: User, keep: str | None) -> int:
    """End the sessions of this person except the one with the key ``keep``; return their number."""
    ended, _ = Session.objects.filter(user=actor).exclude(session_key=kept_as(keep)).delete()
    if ended:
        audit.record(actor=actor, action="session.end", subject=actor, data={"ended": ended})
    return ended


@transaction.atomic
def end_session(*, actor: User, session_id: str) -> None:
    """End one session of this person, by the hash of its key. Raises ``NotFound`` if there is none."""
    ended, _ = Session.objects.filter(user=actor, session_key=session_id).delete()
    if not ended:
        raise NotFound(gettext("This session has already ended. Reload your account page."))
    audit.record(actor=actor, action="session.end", subject=actor, data={"ended": ended})


def delete_ended_sessions(now: datetime) -> int:
    """Delete the rows of expired sessions; return their number. It is not an action of a person and leaves no audit
    entry.
    """
    return Session.objects.filter(expire_date__lte=now).delete()[0]


@transaction.atomic
def change_password(*, password: str, actor: User) -> None:
    """Set a new password. All sessions and tokens end (``User.save``); the view gives the requesting browser a new
    session.
    """
    tokens = actor.api_tokens.count()
    actor.set_password(password)
    actor.save(update_fields=["password"])
    audit.record(actor=actor, action="password.change", subject=actor, data={"tokens_revoked": tokens})


@transaction.atomic
def change_name(*, name: str, actor: User) -> None:
    before = actor.name
    actor.name = name
    actor.save(update_fields=["name"])
    audit.record(actor=actor, action="user.rename", subject=actor, data={"from": before, "to": name})


@transaction.atomic
def create_token(
    *, name: str, actor: User, scopes: Collection[Scope], benchmark: str = "", lasts: timedelta = TOKEN_LASTS
) -> tuple[ApiToken, str]:
    """Create an API token for one benchmark or all. The second value is the token itself, to be shown once."""
    if not scopes:
        raise InvalidInput(gettext("A token needs at least one scope. Choose a scope."), field="scopes")
    if benchmark and benchmark not in dict(benchmarks_of(actor)):
        raise InvalidInput(
            gettext("You don't have access to a benchmark %(benchmark)s. Choose another.") % {"benchmark": benchmark},
            field="benchmark",
        )
    if not timedelta(0) < lasts <= TOKEN_LASTS_AT_MOST:
        raise InvalidInput(
            gettext("A token lasts at most %(days)s days.") % {"days": TOKEN_LASTS_AT_MOST.days}, field="days"
        )
    secret, held = new_secret(), [scope.value for scope in Scope if scope in scopes]
    token = ApiToken.objects.create(
        user=actor, name=name, token_hash=hashed(secret), scopes=held, benchmark=benchmark,
        expires=timezone.now() + lasts,
    )  # fmt: skip
    audit.record(
        actor, "token.create", token, benchmark,
        data={"name": name, "scopes": held, "expires": token.expires.isoformat()},
    )  # fmt: skip
    return token, secret


@transaction.atomic
def revoke_token(token: ApiToken, *, actor: User) -> None:
    audit.record(actor, "token.revoke", token, token.benchmark, data={"name": token.name})
    token.delete()
