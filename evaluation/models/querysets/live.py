"""The existing runs and samples, for queries that reach them from other rows."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models import Q


def live(path: str = "") -> Q:
    """Keep rows of runs that are neither staged nor in the trash. ``path``: from the row to its run, as ``run__``."""
    return Q(**{f"{path}staged_for": None, f"{path}deleted_at": None})


def removed_samples() -> Any:
    """The samples that were deleted or withdrawn, of all benchmarks: few, and in an index of their own."""
    return apps.get_model("annotation", "Sample").everything.filter(removed_from__isnull=False).values("pk")


def on_samples(path: str = "") -> Q:
    """Keep rows of samples that are neither deleted nor withdrawn. ``path``: from the row to its sample, without it.

    No join, so that a query can lock, change and delete the rows."""
    return ~Q(**{f"{path}sample__in": removed_samples()})


def of_shown(path: str) -> Q:
    """Keep rows about trajectories that are shown: of live runs, on live samples. ``path``: from the row to its
    trajectory, as ``trajectory__``."""
    return live(f"{path}run__") & on_samples(path)
