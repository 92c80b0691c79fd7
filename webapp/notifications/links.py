"""Links in emails that work without signing in."""

from __future__ import annotations

from django.core import signing
from django.urls import reverse

from webapp.accounts.models import User

_UNSUBSCRIBE = "unsubscribe"


def unsubscribe_path(person: User) -> str:
    """The path that ends emails to this person. It doesn't expire: old emails must be able to do that, too."""
    return reverse("notifications:unsubscribe", args=[signing.dumps([person.pk, person.email], salt=_UNSUBSCRIBE)])


def unsubscribed_by(signed: str) -> User | None:
    """Return the person named in the link, or None if it is not ours or for an earlier address."""
    try:
        pk, email = signing.loads(signed, salt=_UNSUBSCRIBE)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return User.objects.filter(pk=pk, email=email, is_active=True).first()
