"""Uploaded portable files."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import Benchmark, PortableUpload
from webapp.accounts.models import User

STATES = PortableUpload.State.values


def uploads_of(person: User, benchmark: Benchmark | None = None) -> QuerySet[PortableUpload]:
    """The uploads of this person for new benchmarks, or to update this one."""
    found = PortableUpload.objects.filter(created_by=person).select_related("benchmark")
    return found.filter(updates=False) if benchmark is None else found.filter(updates=True, benchmark=benchmark)
