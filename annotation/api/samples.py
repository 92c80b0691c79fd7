"""Samples over the API: rows of the native format, as an export writes them."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.read_samples import record_of
from annotation.actions.sample_facets import sample_facets
from annotation.api.loading import FACET, PAGING, benchmark_for, facets_of, page_of, paged, terms_of
from annotation.exporters.native import sample_row
from annotation.models import Sample
from annotation.querysets import SAMPLE_FILTERS
from annotation.workflow import Right

ROW = serializers.DictField(help_text="A row of the native format: id, question, answer, gold_boxes and so on.")
TERMS = [OpenApiParameter(name, str, description="As in the list of samples.") for name in SAMPLE_FILTERS]


@extend_schema(operation_id="samples", parameters=[*PAGING, *TERMS, FACET], responses=page_of("SamplePage", ROW))
@api_view(["GET"])
def samples(request: Request, slug: str) -> Response:
    """The samples of a benchmark with their gold, by id; narrowed by the terms of the page of samples."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    rows = benchmark.samples.with_gold().narrowed(terms_of(request))
    return paged(request, rows, "key", _row)


@extend_schema(
    operation_id="sample_facets",
    parameters=[*TERMS, FACET],
    responses=facets_of("SampleFacets"),
)
@api_view(["GET"])
def facets(request: Request, slug: str) -> Response:
    """How many a list of samples holds, and the counts of its facets, each without its own term."""
    benchmark, terms = benchmark_for(request, slug, Right.SEE_GOLD), terms_of(request)
    samples = benchmark.samples.all()
    found = sample_facets(samples, terms, (), request.user, benchmark)
    own = {f"facet.{name}": dict(values) for name, values in found.own.items()}
    return Response({"total": samples.narrowed(terms, user=request.user).count(), "facets": {**found.known, **own}})


@extend_schema(operation_id="sample", responses={200: dict})
@api_view(["GET"])
def sample(request: Request, slug: str, key: str) -> Response:
    """One sample with its gold."""
    return Response(_row(get_object_or_404(benchmark_for(request, slug, Right.SEE_GOLD).samples.with_gold(), key=key)))


def _row(row: Sample) -> dict[str, Any]:
    return sample_row(record_of(row))
