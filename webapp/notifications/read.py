"""The choices of a person."""

from __future__ import annotations

from webapp.accounts.models import User
from webapp.notifications.kinds import DEFAULTS
from webapp.notifications.models import NotificationSetting, TimeZone


def chosen_by(person: User) -> dict[str, str]:
    """The channel of every kind, and ``zone``. Two queries."""
    own = dict(NotificationSetting.objects.filter(person=person).values_list("kind", "channel"))
    zone = TimeZone.objects.filter(person=person).values_list("name", flat=True).first()
    return {str(kind): str(channel) for kind, channel in DEFAULTS.items()} | own | {"zone": zone or "UTC"}
