"""Trajectories over the API: rows of the native format, with the scores that the pages show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.access import known_to
from annotation.api.loading import FACET, benchmark_for, facets_of, terms_of
from annotation.workflow import Right
from evaluation.actions.list_facets import facet_counts
from evaluation.actions.list_words import check_query
from evaluation.actions.read_list import TrajectoryList
from evaluation.actions.read_marks import said_by
from evaluation.actions.read_runs import trajectory_record
from evaluation.actions.read_trajectory import kept_replay
from evaluation.api.parts import QUERY_TEXT
from evaluation.exporters.native import trajectory_row
from evaluation.metrics.catalogue import SAMPLE_COLUMNS
from evaluation.metrics.columns import ChainStatus, Outcome, Quadrant
from evaluation.metrics.failures import FAILURES, NO_FAILURE
from evaluation.metrics.reading import CLASSES, REASONS, RULES, WHERES
from evaluation.models import Run, Score, Trajectory
from evaluation.query.fields import described
from evaluation.querysets_query import TERMS, other_terms
from webapp.common.api_paging import PAGING, page_of, paged_keys

MEASURES = tuple(name for name in SAMPLE_COLUMNS if name not in ("run", "model", "sample"))
NAMED = {
    "quadrant": Quadrant.NAMES, "plan_outcome": Outcome.NAMES, "chain_status": ChainStatus.NAMES,
    "reading_where": WHERES, "reading_rule": RULES, "reading_class": CLASSES, "unread_reason": REASONS,
}  # fmt: skip
RELATED = ("run__model", "sample__image", "sample__gold__revision", "score", "replay")
PARAMETERS = [
    OpenApiParameter(
        "q", QUERY_TEXT, description="A query: run:3 quadrant:G+A- and (calls > 4 or tool:crop). 400 where it is none."
    ),
    *(OpenApiParameter(field.name, str, description=field.about) for field in described()),
    *(OpenApiParameter(name, str, description=f"As {said} in a query.") for name, said in other_terms()),
]
KNOWN = (*TERMS, "q")
ROW = inline_serializer(
    "ScoredTrajectory",
    {
        "id": serializers.IntegerField(),
        "run": serializers.IntegerField(),
        "trajectory": serializers.DictField(help_text="A row of the native format: model, sample_id, steps, answer."),
        "score": serializers.DictField(
            allow_null=True,
            help_text="The measures of docs/metrics.md#exports; null where undefined, or not scored yet.",
        ),
        "failure": serializers.CharField(
            allow_null=True, help_text="What went wrong, by rule or as people say; null: nothing, or not scored yet."
        ),
        "failure_said_by": serializers.CharField(allow_null=True, help_text="Who says so; null: the rule."),
        "tags": serializers.ListField(child=serializers.CharField(), help_text="Those that you see."),
        "replayed": serializers.BooleanField(
            help_text="Scores use boxes, sizes and success of a replay kept here, not those that were recorded."
        ),
    },
)


@extend_schema(
    operation_id="trajectories", parameters=[*PAGING, *PARAMETERS, FACET], responses=page_of("TrajectoryPage", ROW)
)
@api_view(["GET"])
def trajectories(request: Request, slug: str) -> Response:
    """Trajectories in the order they came, narrowed as on their page, by terms or by a query: ?run=3&q=quadrant:G%2BA-.

    As on the page, those that metrics are made of, unless ?condition= names another.
    """
    benchmark, terms = benchmark_for(request, slug, Right.SEE_GOLD), terms_of(request, KNOWN)
    check_query(benchmark, terms.get("q", ""), request.user)
    found = TrajectoryList(benchmark, list(Run.objects.of(benchmark).without_tables()), terms, request.user)
    rows = Trajectory.objects.select_related(*RELATED).with_marks(request.user)

    def read(pks: list[int]) -> Iterator[Trajectory]:
        by_pk = rows.in_bulk(pks)
        return (by_pk[pk] for pk in pks if pk in by_pk)

    named = known_to(request.user, benchmark).marks
    return paged_keys(request, np.sort(found.pks).data, read, lambda row: _shown(row, named=named))


@extend_schema(
    operation_id="trajectory_facets",
    parameters=[*PARAMETERS, FACET],
    responses=facets_of("TrajectoryFacets"),
)
@api_view(["GET"])
def facets(request: Request, slug: str) -> Response:
    """How many a list of trajectories holds, and the counts of its facets, each without its own term."""
    benchmark, terms = benchmark_for(request, slug, Right.SEE_GOLD), terms_of(request, KNOWN)
    check_query(benchmark, terms.get("q", ""), request.user)
    runs = list(Run.objects.of(benchmark).without_tables())
    found = TrajectoryList(benchmark, runs, terms, request.user)
    return Response({"total": found.total, "facets": facet_counts(found)})


@extend_schema(operation_id="trajectory", responses=ROW)
@api_view(["GET"])
def trajectory(request: Request, slug: str, pk: int) -> Response:
    """One trajectory as recorded, and its scores."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    rows = Trajectory.objects.of(benchmark).select_related(*RELATED)
    found = get_object_or_404(rows.with_marks(request.user), pk=pk)
    return Response(_shown(found, named=known_to(request.user, benchmark).marks))


def _shown(row: Trajectory, *, named: bool) -> dict[str, Any]:
    score, label = getattr(row, "score", None), next(iter(row.labels_in_force), None)  # type: ignore[attr-defined]
    code = label.failure if label else score.failure if score else NO_FAILURE
    return {
        "id": row.pk,
        "run": row.run_id,
        "trajectory": trajectory_row(trajectory_record(row)),
        "score": _measures(score) if score else None,
        "failure": FAILURES[code] if code >= 0 else None,
        "failure_said_by": said_by(label, named=named) if label else None,
        "tags": [one.tag.name for one in row.seen_taggings],  # type: ignore[attr-defined]
        "replayed": kept_replay(row) is not None,
    }


def _measures(score: Score) -> dict[str, Any]:
    measures = {name: getattr(score, name) for name in MEASURES}
    for name, words in NAMED.items():
        code = measures.get(name)
        measures[name] = None if code is None or code < 0 else words[code]
    return measures
