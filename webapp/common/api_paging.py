"""Pages of the API's lists: how they follow each other, how a view makes one, and how the description names it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.common.api_query import said
from webapp.common.errors import ApplicationError, InvalidInput

PAGING = [
    OpenApiParameter("cursor", str, description="Cursor of the page, from the next or previous address of a response."),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1},
        description="Rows per page: 100 by default, at most 1000.",
    ),
]
_STALE = "This page doesn't exist. Follow next and previous of a response, or omit cursor to get the first page."


def _stale() -> ApplicationError:
    return ApplicationError(_STALE, code="stale_page", status=404, field="cursor")


class KeysetPagination(CursorPagination):
    """Pages by the key of the last row, so that the thousandth is as fast as the first and none repeats."""

    page_size = 100
    page_size_query_param = "limit"
    max_page_size = 1000

    def get_page_size(self, request: Request) -> int:
        digits = said(request, "limit", str(self.page_size)).lstrip("0")
        if not (digits.isascii() and digits.isdigit()):
            raise InvalidInput("limit must be a whole number of at least 1.", field="limit")
        return self.max_page_size if len(digits) > 9 else min(int(digits), self.max_page_size)

    def decode_cursor(self, request: Request) -> Cursor | None:
        try:
            cursor = super().decode_cursor(request)
        except NotFound as error:
            raise _stale() from error
        if cursor is not None and not self._is_own(cursor, request):
            raise _stale()
        return cursor

    def _is_own(self, cursor: Cursor, request: Request) -> bool:
        """Whether this cursor is written just so: what the parser passes over would answer with the first page."""
        self.base_url = request.build_absolute_uri()
        [written] = parse_qs(urlsplit(self.encode_cursor(cursor)).query, keep_blank_values=True)["cursor"]
        return written == request.query_params["cursor"]

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        try:
            return super().paginate_queryset(queryset, request, view) or []
        except (ValidationError, TypeError, ValueError, OverflowError) as error:
            if "cursor" not in request.query_params:
                raise
            # The cursor can be read, but no such row can have its key.
            raise _stale() from error


class PlacePagination(KeysetPagination):
    """Pages by place, for rows that are made again each time and have no key."""

    offset_cutoff = 10**9

    def paginate_rows(self, rows: Iterable[Any], request: Request) -> list[Any]:
        self.base_url = request.build_absolute_uri()
        size, cursor = self.get_page_size(request), self.decode_cursor(request)
        first = cursor.offset if cursor else 0
        found = list(islice(rows, first, first + size + 1))
        self._next = first + size if len(found) > size else None
        self._previous = max(0, first - size) if first else None
        return found[:size]

    def get_next_link(self) -> str | None:
        return self._link(self._next)

    def get_previous_link(self) -> str | None:
        return self._link(self._previous)

    def _link(self, first: int | None) -> str | None:
        return None if first is None else self.encode_cursor(Cursor(first, False, None))


class KeyPagination(KeysetPagination):
    """Pages by key too, for rows whose keys are known, rising, before any row is read."""

    def paginate_keys(self, keys: Sequence[int], request: Request) -> list[int]:
        self.base_url = request.build_absolute_uri()
        size, cursor = self.get_page_size(request), self.decode_cursor(request)
        if cursor is None or cursor.position is None:
            first, last = 0, size
        elif cursor.reverse:
            last = bisect_left(keys, _key(str(cursor.position)))
            first = max(last - size, 0)
        else:
            first = bisect_right(keys, _key(str(cursor.position)))
            last = first + size
        found = [int(key) for key in keys[first:last]]
        self._next = found[-1] if found and last < len(keys) else None
        self._previous = found[0] if found and first else None
        return found

    def get_next_link(self) -> str | None:
        return None if self._next is None else self.encode_cursor(Cursor(0, False, self._next))

    def get_previous_link(self) -> str | None:
        return None if self._previous is None else self.encode_cursor(Cursor(0, True, self._previous))


def _key(position: str) -> int:
    if not (position.isascii() and position.isdigit() and len(position) < 19):
        raise _stale()
    return int(position)


def paged(
    request: Request,
    rows: QuerySet[Any],
    order: str | tuple[str, ...],
    shown: Callable[[Any], Any],
    read: Callable[[list[Any]], Iterable[Any]] = iter,
) -> Response:
    """One page of ``rows`` in a total order: a field that is unique in them, or several, the first of them nearly so.

    ``read``: what is read of all rows of the page at once, and then shown.
    """
    pages = KeysetPagination()
    pages.ordering = order
    found = pages.paginate_queryset(rows, request)
    return pages.get_paginated_response([shown(row) for row in read(found)])


def paged_rows(
    request: Request,
    rows: Iterable[Any],
    shown: Callable[[Any], Any],
    read: Callable[[list[Any]], Iterable[Any]] = iter,
) -> Response:
    """One page of rows that no query brings in their order. ``read``: as in ``paged``."""
    pages = PlacePagination()
    found = pages.paginate_rows(rows, request)
    return pages.get_paginated_response([shown(row) for row in read(found)])


def paged_keys(
    request: Request, keys: Sequence[int], read: Callable[[list[int]], Iterable[Any]], shown: Callable[[Any], Any]
) -> Response:
    """One page of rows with these keys, rising. ``read``: the rows of some keys, in their order."""
    pages = KeyPagination()
    found = pages.paginate_keys(keys, request)
    return pages.get_paginated_response([shown(row) for row in read(found)])


def page_of(name: str, item: serializers.Field | type[serializers.Serializer]) -> serializers.Serializer:
    """Return the description of such a page for the API."""
    results = item(many=True) if isinstance(item, type) else serializers.ListField(child=item)
    return inline_serializer(
        name,
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": results,
        },
    )
