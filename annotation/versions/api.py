"""The frozen versions of a benchmark over the API."""

from __future__ import annotations

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.models import Version
from annotation.versions.read.withdrawn import withdrawn_by_version
from annotation.workflow import Right
from webapp.common.api_paging import PAGING, page_of, paged


class WithdrawnSerializer(serializers.Serializer[Any]):
    sample = serializers.CharField(source="key")
    reason = serializers.CharField(source="withdrawn")


class VersionSerializer(serializers.ModelSerializer):
    samples = serializers.IntegerField(source="samples_n", read_only=True)
    withdrawn = WithdrawnSerializer(many=True, read_only=True, help_text="Samples that were withdrawn since.")

    class Meta:
        model = Version
        fields = ("number", "note", "frozen_at", "checksum", "samples", "withdrawn")
        read_only_fields = fields


@extend_schema(operation_id="versions", parameters=PAGING, responses=page_of("VersionPage", VersionSerializer))
@api_view(["GET"])
def versions(request: Request, slug: str) -> Response:
    """The versions in their order; scores name the one they are of."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    withdrawn = withdrawn_by_version(benchmark, benchmark.versions.all())

    def row(version: Version) -> Any:
        version.withdrawn = withdrawn.get(version.pk, [])  # type: ignore[attr-defined]
        return VersionSerializer(version).data

    return paged(request, benchmark.versions.annotate(samples_n=Count("entries")), "number", row)
