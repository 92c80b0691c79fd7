"""Find it, and may you: how the API gets at a benchmark; and pages of its lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.access import allowed, benchmark_seen_by
from annotation.models import Benchmark
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.common.api import KeysetPagination
from webapp.common.errors import NotAllowed

PAGING = [
    OpenApiParameter("cursor", str, description="Of the next page, as the answer names it."),
    OpenApiParameter("limit", int, description="Rows on a page, 100 unless said, at most 1000."),
]
FACET = OpenApiParameter("facet.NAME", str, description="Only with this value on the facet NAME.")


def benchmark_for(request: Request, slug: str, right: Right = Right.VIEW) -> Benchmark:
    """The benchmark with this slug. A stranger gets 404; a member without the right gets 403."""
    person = person_of(request)
    benchmark = benchmark_seen_by(person, slug)
    if benchmark is None:
        raise Http404("There is no such benchmark for this person.")
    if not allowed(person, benchmark, right):
        raise NotAllowed(f"Your roles on {benchmark.title} do not let you {right.value.replace('_', ' ')}.")
    return benchmark


def public_benchmark_for(request: Request, slug: str) -> Benchmark:
    """The benchmark for what its public pages show: a visitor gets a public one, and is asked to sign in for others,
    whether they exist or not."""
    if request.user.is_authenticated:
        return benchmark_for(request, slug)
    found: Benchmark | None = Benchmark.objects.visible_to(request.user).filter(slug=slug).first()
    if found is None:
        raise NotAuthenticated
    return found


def terms_of(request: Request) -> dict[str, str]:
    """What the address narrows a list by; the last of two terms of one name counts."""
    return {name: str(value) for name, value in request.query_params.items() if name not in ("cursor", "limit")}


def facets_of(name: str) -> Any:
    """The form of the counts of a list and of its facets, in the description of the API."""
    counts = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="By term: how many there would be with each value of it instead.",
    )
    return inline_serializer(
        name, {"total": serializers.IntegerField(help_text="How many the list holds."), "facets": counts}
    )


def paged(request: Request, rows: QuerySet[Any], order: str, shown: Callable[[Any], Any]) -> Response:
    """One page of ``rows`` in the order of a field that is unique in them."""
    paginator = KeysetPagination()
    paginator.ordering = order
    found = paginator.paginate_queryset(rows, request) or []
    return paginator.get_paginated_response([shown(row) for row in found])


def page_of(name: str, item: serializers.Field | type[serializers.Serializer]) -> serializers.Serializer:
    """How the description of the API names such a page."""
    results = item(many=True) if isinstance(item, type) else serializers.ListField(child=item)
    return inline_serializer(
        name,
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": results,
        },
    )
