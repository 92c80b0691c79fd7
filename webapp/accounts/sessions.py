"""The SESSION_ENGINE. A session has a person, so that people see where they are signed in, and ends without use. The
database contains hashes of keys only.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from webapp.accounts.models import Session, User
from webapp.common.http import client_address

SIGNED_IN = "signed_in"
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)  # fmt: skip


class Limits(NamedTuple):
    """The lifetime of a session without use, and its maximum."""

    idle: timedelta
    most: timedelta


LIMITS = {
    False: Limits(timedelta(hours=8), timedelta(days=7)),
    True: Limits(timedelta(days=14), timedelta(seconds=settings.SESSION_COOKIE_AGE)),
}
"""By whether the person asked to stay signed in on this computer."""
USED_STEP = timedelta(minutes=5)
"""The precision of the last use: recording every request would need a write for each."""


def kept_as(key: str | None) -> str:
    """Return the stored form of a session key. A plain hash suffices, because a random key cannot be guessed."""
    return hashlib.sha256((key or "").encode()).hexdigest()


def ends_at(now: datetime, signed_in_at: datetime | None, *, stays: bool) -> datetime:
    """When a session that is used now ends unless it is used again."""
    limits = LIMITS[stays]
    return min(now + limits.idle, (signed_in_at or now) + limits.most)


class SessionStore(DatabaseStore):
    """Sessions in the database; the row has the person, and when and from where they signed in."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _get_session_from_db(self) -> Session | None:
        """Load the session as Django does, at every request."""
        now = timezone.now()
        found = Session.objects.filter(session_key=kept_as(self.session_key), expire_date__gt=now).first()
        if found is None:
            self._session_key = None
        elif now - found.last_used > USED_STEP:
            ends = ends_at(now, found.signed_in_at, stays=found.stays)
            Session.objects.filter(pk=found.pk).update(last_used=now, expire_date=ends)
        return found

    async def _aget_session_from_db(self) -> Session | None:
        return await sync_to_async(self._get_session_from_db)()

    def exists(self, session_key: str) -> bool:
        return super().exists(kept_as(session_key))

    async def aexists(self, session_key: str) -> bool:
        return await super().aexists(kept_as(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row = cast(Session, super().create_model_instance(data))
        about = data.get(SIGNED_IN, {})
        row.session_key = kept_as(row.session_key)
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.signed_in_at = parse_datetime(about["at"]) if about else None
        row.last_used = timezone.now()
        row.stays = not self.get_expire_at_browser_close()
        row.expire_date = ends_at(row.last_used, row.signed_in_at, stays=row.stays)
        row.address = about.get("address")
        row.browser = about.get("browser", "")
        return row

    async def acreate_model_instance(self, data: dict[str, Any]) -> Session:
        return await sync_to_async(self.create_model_instance)(data)

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            super().delete(kept_as(key))

    async def adelete(self, session_key: str | None = None) -> None:
        await sync_to_async(self.delete)(session_key)


@receiver(user_logged_in)
def note_where(sender: type[User], request: HttpRequest, user: User, **extra: Any) -> None:
    """Keep in the session when and from where a person signed in."""
    request.session[SIGNED_IN] = {
        "at": timezone.now().isoformat(),
        "address": client_address(request),
        "browser": browser_of(request.headers.get("User-Agent", "")),
    }


def browser_of(agent: str) -> str:
    """The browser and the system that a User-Agent names: "Firefox, Linux"; "" if it names none we know."""
    browser = next((name for sign, name in BROWSERS if sign in agent), "")
    system = next((name for sign, name in SYSTEMS if sign in agent), "")
    return f"{browser}, {system}" if browser and system else browser


def sessions_of(user: User) -> list[Session]:
    """Return where this person is signed in, the latest first."""
    return list(user.sessions.filter(expire_date__gt=timezone.now()).order_by("-signed_in_at", "session_key"))
