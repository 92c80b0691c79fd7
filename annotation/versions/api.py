"""The frozen versions of a benchmark over the API."""

from __future__ import annotations

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.models import Version
from annotation.workflow import Right
from webapp.common.api_paging import PAGING, page_of, paged


class VersionSerializer(serializers.ModelSerializer):
    samples = serializers.IntegerField(source="samples_n", read_only=True)

    class Meta:
        model = Version
        fields = ("number", "note", "frozen_at", "checksum", "samples")
        read_only_fields = fields


@extend_schema(operation_id="versions", parameters=PAGING, responses=page_of("VersionPage", VersionSerializer))
@api_view(["GET"])
def versions(request: Request, slug: str) -> Response:
    """The versions in their order; scores name the one they are of."""
    found = benchmark_for(request, slug, Right.SEE_GOLD).versions.annotate(samples_n=Count("entries"))
    return paged(request, found, "number", lambda row: VersionSerializer(row).data)
