"""The terms of an address that narrow a list of trajectories."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest

from evaluation.query.check import Vocabulary, read
from evaluation.query.fields import FIELDS
from evaluation.query.syntax import QueryError
from evaluation.store.terms import TERMS
from evaluation.store.trajectory_list import LOOK

PAGE_SIZE = 50
"""Trajectories in one page of a list."""

UNNARROWED = {"list": "all"}
"""The term of a trajectory's URL when it was opened from the list of all, whose neighbors it then shows."""


def terms_of(request: HttpRequest) -> dict[str, str]:
    """``q``, fields of queries, facets, and how the list is shown; blank and unknown names are omitted.

    An alias, as in links made before a field was renamed, comes as the name of its field."""
    asked = ((name, str(value).strip()) for name, value in request.GET.items())
    return {
        FIELDS[name].name if name in FIELDS else name: value
        for name, value in asked
        if value and (name == "q" or name in LOOK or name in TERMS or name.startswith("facet."))
    }  # fmt: skip


def query_error(query: str, vocabulary: Vocabulary) -> QueryError | None:
    """The error in a query as typed."""
    try:
        read(query, vocabulary)
    except QueryError as error:
        return error
    return None


def narrowing(terms: Mapping[str, str]) -> dict[str, str]:
    """These terms without those of its look: what says which trajectories a list has."""
    return {name: value for name, value in terms.items() if name not in LOOK}


def opened_from(request: HttpRequest) -> dict[str, str]:
    """Return the terms of the list from which the page of a trajectory was opened; empty if it was opened directly."""
    return terms_of(request) or (UNNARROWED if request.GET.get("list") == UNNARROWED["list"] else {})
