"""Locking several rows: always in one order, so that two transactions never each hold a row that the other waits for.

docs/architecture.md#locks has the order of tables."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet


def lock_rows(rows: QuerySet[Any]) -> list[Any]:
    """Lock these rows in order of their primary keys until the transaction ends, and return the keys. An UPDATE or
    DELETE of several rows alone locks them in the order in which the database finds them."""
    return list(rows.order_by("pk").select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))
