"""Benchmarks over the API."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Benchmark
from webapp.accounts.http import person_of
from webapp.common.api_paging import PAGING, page_of, paged


class BenchmarkSerializer(serializers.ModelSerializer):
    samples = serializers.IntegerField(source="samples_n", read_only=True)
    accepted = serializers.IntegerField(source="accepted_n", read_only=True)

    class Meta:
        model = Benchmark
        fields = ("slug", "title", "description", "licence", "public", "created_at", "samples", "accepted")
        read_only_fields = fields


@extend_schema(operation_id="benchmarks", parameters=PAGING, responses=page_of("BenchmarkPage", BenchmarkSerializer))
@api_view(["GET"])
def benchmarks(request: Request) -> Response:
    """The benchmarks you may see, by slug."""
    rows = Benchmark.objects.visible_to(person_of(request)).with_counts()
    return paged(request, rows, "slug", lambda row: BenchmarkSerializer(row).data)
