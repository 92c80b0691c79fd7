"""The terms of an address that narrow a list of trajectories."""

from __future__ import annotations

from django.http import HttpRequest

from evaluation.querysets_query import TERMS


def terms_of(request: HttpRequest) -> dict[str, str]:
    """``q``, fields of queries and facets; blank and unknown names are left out."""
    asked = ((name, str(value).strip()) for name, value in request.GET.items())
    return {
        name: value
        for name, value in asked
        if value and (name == "q" or name in TERMS or name.startswith("facet."))
    }  # fmt: skip
