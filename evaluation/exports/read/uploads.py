"""Uploaded portable files."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import PortableUpload
from webapp.accounts.models import User

STATES = PortableUpload.State.values


def uploads_of(person: User) -> QuerySet[PortableUpload]:
    """The uploads of this person."""
    return PortableUpload.objects.filter(created_by=person).select_related("benchmark")
