"""Links that prove something once: that a person may choose a new password, that an address is theirs."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import signing
from django.urls import reverse

from webapp.accounts.models import User

VERIFY_SECONDS = 7 * 24 * 3600
SET_UP_SECONDS = 24 * 3600
_VERIFY, _SET_UP = "verify address", "set up the site"


class _Generator(PasswordResetTokenGenerator):
    """Signed with the password, the last sign-in and the address: the token is used up when one of them changes."""

    def __init__(self, key_salt: str) -> None:
        super().__init__()
        self.key_salt = key_salt


_BY_EMAIL, _BY_HAND = _Generator("reset link by email"), _Generator("reset link by hand")


def reset_path(user: User, *, by_email: bool) -> str:
    """The path of a link by which this person chooses a new password."""
    token = (_BY_EMAIL if by_email else _BY_HAND).make_token(user)
    return reverse("accounts:reset-password", args=[user.pk, token])


def opens_reset(user: User, token: str) -> str:
    """Return how the link with this token was delivered, "email" or "hand"; "" if it is no longer valid."""
    if not user.is_active:
        return ""
    if _BY_EMAIL.check_token(user, token):
        return "email"
    return "hand" if _BY_HAND.check_token(user, token) else ""


def verify_path(user: User) -> str:
    """The path of a link by which this person confirms the address."""
    return reverse("accounts:verify", args=[signing.dumps([user.pk, user.email], salt=_VERIFY)])


def verified_by(signed: str) -> tuple[int, str] | None:
    """The person and the address that a link confirms, or None when it is too old or not ours."""
    try:
        pk, email = signing.loads(signed, salt=_VERIFY, max_age=VERIFY_SECONDS)
    except signing.BadSignature:
        return None
    return int(pk), str(email)


def set_up_path() -> str:
    """The path of the link by which the first account is created."""
    return reverse("accounts:set-up", args=[signing.dumps("", salt=_SET_UP)])


def opens_set_up(signed: str) -> bool:
    """Whether this link was made on this site in the last 24 hours, and there are no accounts yet."""
    try:
        signing.loads(signed, salt=_SET_UP, max_age=SET_UP_SECONDS)
    except signing.BadSignature:
        return False
    return not User.objects.exists()


def on_site(path: str) -> str:
    """The whole address of a path, for an email or a terminal, where no request says it."""
    address = settings.SITE_URL or f"http://{settings.HOST}:{settings.PORT}"
    return f"{address}{path}"
