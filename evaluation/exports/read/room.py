"""The size limit of uploaded portable files, for pages and the API."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from annotation.benchmarks.write.benchmark import may_create
from webapp.common.bodies import ENVELOPE, Room


def portable_room(user: Any, **_: object) -> Room | None:
    """The bytes that a person who can create benchmarks may send."""
    advice = gettext("Import a larger file on the server with manage.py benchmark import.")
    return Room(int(settings.MAX_UPLOAD_BYTES) + ENVELOPE, advice) if may_create(user) else None
