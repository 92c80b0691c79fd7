"""Rows of samples that were removed from a benchmark, for what still counts them."""

from __future__ import annotations

from typing import Any

from django.db.models import Q


def with_removed(path: str, benchmark: Any) -> Q:
    """Keep rows of the samples of a benchmark, and of those deleted from it or withdrawn. ``path``: from the row to
    its sample, without the benchmark."""
    return Q(**{f"{path}__benchmark": benchmark}) | Q(**{f"{path}__removed_from": benchmark})


def with_withdrawn(path: str, benchmark: Any) -> Q:
    """Keep rows of the samples of a benchmark, and of those withdrawn from it. ``path``: from the row to its sample,
    with ``__`` at its end, or "" for samples themselves."""
    withdrawn = Q(**{f"{path}removed_from": benchmark}) & ~Q(**{f"{path}withdrawn": ""})
    return Q(**{f"{path}benchmark": benchmark}) | withdrawn
