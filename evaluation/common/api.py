"""Shared fields of responses, for the schema of the API. Each use creates a new field: a form with one field under
two names would describe only the last of them."""

from __future__ import annotations

from typing import Any, TypeAlias

from rest_framework import serializers

Field: TypeAlias = "serializers.Field[Any, Any, Any, Any]"
Fields: TypeAlias = "dict[str, Field]"

QUERY_TEXT: dict[str, Any] = {"type": "string", "format": "trajectory-query"}
"""A query of docs/query.md. No pattern says which texts are one: any other answers 400 with the code ``query``."""


def integers(*names: str) -> Fields:
    return {name: serializers.IntegerField() for name in names}


def numbers(*names: str) -> Fields:
    """Return numbers under these names; null if undefined."""
    return {name: serializers.FloatField(allow_null=True) for name in names}


def terms_by(what: str) -> Field:
    """Of each count the terms of the list of exactly what it counts."""
    words = f"By {what}: the query of trajectories/."
    return serializers.DictField(child=serializers.DictField(child=serializers.CharField()), help_text=words)


def intervals(*names: str) -> Fields:
    """Return intervals under these names; null if there are none."""
    words = "low, high, method, detail."
    return {name: serializers.DictField(allow_null=True, help_text=words) for name in names}


def coefficients(*names: str) -> Fields:
    """Return coefficients of agreement under these names; null if undefined."""
    words = "value (null: undefined), n, interval."
    return {name: serializers.DictField(allow_null=True, help_text=words) for name in names}
