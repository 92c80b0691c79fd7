"""The existing runs, for queries that reach them from other rows. ``Run.objects`` has the same condition."""

from __future__ import annotations

from django.db.models import Q


def live(path: str = "") -> Q:
    """Keep rows of runs that are neither staged nor in the trash. ``path``: from the row to its run, as ``run__``."""
    return Q(**{f"{path}staged_for": None, f"{path}deleted_at": None})
