"""Forms of requests to the API. A form accepts what its description allows, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers
from rest_framework.request import Request

from webapp.common.api_schema import RULES


class Form(serializers.Serializer[Any]):
    """The fields of a request. An unknown field is rejected, because it would have no effect.

    ``rules``: descriptions of several fields together, as JSON Schema; ``validate`` checks the same.
    """

    rules: ClassVar[Mapping[str, Any]] = {}

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and (unknown := sorted(set(data) - set(self.fields))):
            raise serializers.ValidationError({unknown[0][:60]: f"Unknown field. Fields: {', '.join(self.fields)}."})
        return super().to_internal_value(data)


class FormExtension(OpenApiSerializerExtension):
    """Describe forms as objects without further properties."""

    target_class = "webapp.common.api_forms.Form"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        if "__doc__" not in vars(type(self.target)) or not type(self.target).__doc__:
            schema.pop("description", None)
        return {**schema, "additionalProperties": False, RULES: self.target.rules}


def read_form(form: type[Form], request: Request) -> dict[str, Any]:
    """Return the checked request. Raises ``ValidationError`` with all problems."""
    read = form(data=request.data)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)
