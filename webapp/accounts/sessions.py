"""Sessions that know whose they are, so that people see where they are signed in: the SESSION_ENGINE."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from webapp.accounts.models import Session, User
from webapp.common.http import client_address
from webapp.common.prepared import Prepared

SIGNED_IN = "signed_in"
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"), ("iPhone", "an iPhone"), ("iPad", "an iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)  # fmt: skip


LIVE = Prepared(lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now), str, datetime)


class SessionStore(DatabaseStore):
    """Sessions in the database; the row says who is signed in, since when and from where."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _get_session_from_db(self) -> Session | None:
        """As Django does, with every request."""
        found: Session | None = LIVE.first(self.session_key or "", timezone.now())
        if found is None:
            self._session_key = None
        return found

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row = cast(Session, super().create_model_instance(data))
        about = data.get(SIGNED_IN, {})
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.signed_in_at = parse_datetime(about["at"]) if about else None
        row.address = about.get("address")
        row.browser = about.get("browser", "")
        return row


@receiver(user_logged_in)
def note_where(sender: type[User], request: HttpRequest, user: User, **extra: Any) -> None:
    """Keep in the session when and from where somebody signed in."""
    request.session[SIGNED_IN] = {
        "at": timezone.now().isoformat(),
        "address": client_address(request),
        "browser": browser_of(request.headers.get("User-Agent", "")),
    }


def browser_of(agent: str) -> str:
    """The browser and the system that a User-Agent names: "Firefox on Linux"; "" when it names none we know."""
    browser = next((name for sign, name in BROWSERS if sign in agent), "")
    system = next((name for sign, name in SYSTEMS if sign in agent), "")
    return f"{browser} on {system}" if browser and system else browser


def sessions_of(user: User) -> list[Session]:
    """Where this person is signed in, the latest first."""
    return list(user.sessions.filter(expire_date__gt=timezone.now()).order_by("-signed_in_at", "session_key"))
