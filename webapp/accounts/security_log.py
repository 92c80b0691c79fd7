"""Sign-ins and changes in the admin site, which no action of ours performs, as audit entries."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.core.cache import cache
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from webapp.accounts.models import ApiToken, User
from webapp.common import audit

_ADMIN = {ADDITION: "admin.add", CHANGE: "admin.change", DELETION: "admin.delete"}
THROTTLED_ONCE_IN = 900
"""Seconds. Within this time, further rejected attempts from one address or for one account leave no
additional entry.
"""


@receiver(user_logged_in)
def _signed_in(sender: Any, request: HttpRequest, user: User, **_: Any) -> None:
    audit.record(actor=user, action="sign_in.done", subject=user)


@receiver(user_logged_out)
def _signed_out(sender: Any, request: HttpRequest, user: User | None, **_: Any) -> None:
    if user is not None:
        audit.record(actor=user, action="session.sign_out", subject=user)


@receiver(user_login_failed)
def _failed(sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    email = str(credentials.get("username") or credentials.get("email") or "")[:254].lower()
    audit.record(None, "sign_in.fail", User.objects.filter(email=email).first(), personal={"email": email})


def note_throttled(*, email: str, address: str | None, limit: str) -> None:
    """Log that attempts are rejected, at limited intervals, so that attackers cannot fill the log."""
    about = address if limit == "address" else email
    if cache.add(f"throttled/{limit}/{about}", True, THROTTLED_ONCE_IN):
        audit.record(None, "sign_in.throttle", None, data={"limit": limit}, personal={"email": email})


def note_refused(token: ApiToken, *, method: str, path: str) -> None:
    """Write down that a token was used outside its scopes or its benchmark, as a lost one would be; once in a while."""
    if cache.add(f"refused/{token.pk}", True, THROTTLED_ONCE_IN):
        audit.record(
            token.user, "token.refuse", token, token.benchmark,
            data={"name": token.name, "method": method, "path": path[:500]},
        )  # fmt: skip


@receiver(post_save, sender=LogEntry)
def _changed_in_admin(sender: Any, instance: LogEntry, created: bool, **_: Any) -> None:
    if not created:
        return
    kind = instance.content_type
    audit.record(
        actor=instance.user,
        action=_ADMIN.get(instance.action_flag, "admin.change"),
        subject=None,
        data={
            "model": f"{kind.app_label}.{kind.model}" if kind else "",
            "id": str(instance.object_id or ""),
            "change": instance.change_message,
        },
    )
