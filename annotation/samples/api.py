"""Samples over the API: rows of the native format, as in an export."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import allowed
from annotation.common.api import FACET, benchmark_for, facets_of, terms_of
from annotation.common.facets.read import sample_facets
from annotation.content.clicks import unrecorded_sources
from annotation.content.records import record_of
from annotation.exporters.native import sample_row
from annotation.models import Sample
from annotation.models.querysets.samples import SAMPLE_TERMS
from annotation.samples.read.named import find_sample
from annotation.workflow import Right
from webapp.common.api_paging import PAGING, page_of, paged

ROW = serializers.DictField(help_text="A row of the native format: id, question, answer, gold_boxes and so on.")
TERMS = [
    OpenApiParameter(name, str, many=name == "id", description="As in the list of samples.") for name in SAMPLE_TERMS
]


@extend_schema(operation_id="samples", parameters=[*PAGING, *TERMS, FACET], responses=page_of("SamplePage", ROW))
@api_view(["GET"])
def samples(request: Request, slug: str) -> Response:
    """The samples of a benchmark with their gold, by id; narrowed by the terms of the page of samples."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    rows = benchmark.samples.with_gold().narrowed(terms_of(request, SAMPLE_TERMS), **_of(request))
    return paged(request, rows, "key", _row)


@extend_schema(
    operation_id="sample_facets",
    parameters=[*TERMS, FACET],
    responses=facets_of("SampleFacets"),
)
@api_view(["GET"])
def facets(request: Request, slug: str) -> Response:
    """Return the number of samples in a list, and the counts of its facets, each without its own term."""
    benchmark, terms = benchmark_for(request, slug, Right.SEE_GOLD), terms_of(request, SAMPLE_TERMS)
    samples, of = benchmark.samples.all(), _of(request)
    found = sample_facets(samples, terms, of["chosen"], of["user"], benchmark)
    own = {f"facet.{name}": dict(values) for name, values in found.own.items()}
    return Response({"total": samples.narrowed(terms, **of).count(), "facets": {**found.known, **own}})


@extend_schema(operation_id="sample", responses={200: dict})
@api_view(["GET"])
def sample(request: Request, slug: str, key: str) -> Response:
    """One sample with its gold. Members who compare work also get `sources_not_recorded`, if there are any: positions
    in `gold_boxes`, from 0, of polygons that were accepted from a model and whose source was not kept."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    found = find_sample(benchmark, benchmark.samples.with_gold(), key)
    unrecorded = unrecorded_sources(found) if allowed(request.user, benchmark, Right.COMPARE_WORK) else ()
    return Response(_row(found) | ({"sources_not_recorded": sorted(unrecorded)} if unrecorded else {}))


def _of(request: Request) -> dict[str, Any]:
    """Return the filters of a list of samples in addition to its terms: chosen samples, and the person."""
    return {"chosen": tuple(request.query_params.getlist("id")), "user": request.user}


def _row(row: Sample) -> dict[str, Any]:
    return sample_row(record_of(row))
