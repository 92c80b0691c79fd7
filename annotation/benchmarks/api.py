"""Benchmarks over the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import known_in_list
from annotation.models import Benchmark
from webapp.accounts.http import person_of
from webapp.common.api_paging import PAGING, page_of, paged


class BenchmarkSerializer(serializers.ModelSerializer):
    samples = serializers.IntegerField(source="samples_n", read_only=True)
    accepted = serializers.SerializerMethodField(
        help_text="Accepted samples; null for annotators while gold checks run."
    )

    class Meta:
        model = Benchmark
        fields = ("slug", "title", "description", "licence", "public", "created_at", "samples", "accepted")
        read_only_fields = fields

    def get_accepted(self, row: Any) -> int | None:
        return row.accepted_n if known_in_list(self.context["person"], row).states else None


@extend_schema(operation_id="benchmarks", parameters=PAGING, responses=page_of("BenchmarkPage", BenchmarkSerializer))
@api_view(["GET"])
def benchmarks(request: Request) -> Response:
    """The benchmarks you may see, by slug."""
    person = person_of(request)
    rows = Benchmark.objects.visible_to(person).with_counts().with_roles_of(person).select_related("quality")
    return paged(request, rows, "slug", lambda row: BenchmarkSerializer(row, context={"person": person}).data)
