"""The size limit of uploaded portable files, for pages and the API."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from annotation.benchmarks.write.benchmark import may_create
from annotation.common.access import allowed, benchmark_seen_by
from annotation.workflow import Right
from webapp.common.bodies import ENVELOPE, Room


def portable_room(user: Any, **_: object) -> Room | None:
    """The bytes that a person who can create benchmarks may send."""
    advice = gettext("Import a larger file on the server with manage.py benchmark import.")
    return Room(int(settings.MAX_UPLOAD_BYTES) + ENVELOPE, advice) if may_create(user) else None


def two_files_room(user: Any, **_: object) -> Room | None:
    """As ``portable_room``, for two files."""
    room = portable_room(user)
    return room and Room(room.most + int(settings.MAX_UPLOAD_BYTES), room.advice)


def comparison_room(user: Any, slug: str, **_: object) -> Room | None:
    """The bytes that a lead may send to compare a file. It is deleted after the comparison, so the storage of the
    benchmark sets no limit."""
    benchmark = benchmark_seen_by(user, slug)
    if benchmark is None or not allowed(user, benchmark, Right.MANAGE):
        return None
    return Room(
        int(settings.MAX_UPLOAD_BYTES) + ENVELOPE, gettext("Compare larger files with manage.py benchmark diff.")
    )
