"""Trajectories over the API: rows of the native format, with the scores that the pages show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import known_to
from annotation.common.api import FACET, benchmark_for, facets_of, terms_of
from annotation.workflow import Right
from evaluation.common.api import QUERY_TEXT
from evaluation.common.records import trajectory_record
from evaluation.common.trajectory.read import kept_replay
from evaluation.common.vocabulary import check_query
from evaluation.exporters.native import trajectory_row
from evaluation.metrics.columns import VerdictBy
from evaluation.models import Run, Trajectory
from evaluation.query.fields import described
from evaluation.scoring.load.images import Earliers, earlier_images_on
from evaluation.store.measures import MEASURES
from evaluation.store.rows import read_rows
from evaluation.store.snapshot import Snapshot
from evaluation.store.terms import TERMS, other_terms
from evaluation.store.trajectory_list import TrajectoryList
from evaluation.trajectories.read.facets import facet_counts
from evaluation.trajectories.read.marks import said_by
from webapp.common.api_paging import PAGING, page_of, paged_keys

STORED = {**MEASURES, "scored": "scored", "failure": "failure"}
"""Columns of a trajectory in the file of its run."""
RELATED = ("run__model", "sample__image", "sample__gold__revision", "replay")
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
            allow_null=True, help_text="Failure by rule or as set by people; null: none, or not scored."
        ),
        "failure_said_by": serializers.CharField(allow_null=True, help_text="Person who set it; null: by rule."),
        "tags": serializers.ListField(child=serializers.CharField(), help_text="The tags that you can see."),
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
    found = TrajectoryList(benchmark, list(Run.objects.of(benchmark)), terms, request.user)
    rows = Trajectory.objects.select_related(*RELATED).with_marks(request.user)

    def read(pks: list[int]) -> Iterator[tuple[Trajectory, dict[str, Any], Earliers]]:
        by_pk, stored = rows.in_bulk(pks), read_rows(found.snapshot, pks, STORED)
        earlier = earlier_images_on({one.sample_id for one in by_pk.values()})
        return ((by_pk[pk], stored[pk], earlier) for pk in pks if pk in by_pk and pk in stored)

    named = known_to(request.user, benchmark).marks
    return paged_keys(request, np.sort(found.pks).data, read, lambda row: _shown(*row, named=named))


@extend_schema(
    operation_id="trajectory_facets",
    parameters=[*PARAMETERS, FACET],
    responses=facets_of("TrajectoryFacets"),
)
@api_view(["GET"])
def facets(request: Request, slug: str) -> Response:
    """The number of trajectories in a list, and the counts of its facets, each without its own term."""
    benchmark, terms = benchmark_for(request, slug, Right.SEE_GOLD), terms_of(request, KNOWN)
    check_query(benchmark, terms.get("q", ""), request.user)
    runs = list(Run.objects.of(benchmark))
    found = TrajectoryList(benchmark, runs, terms, request.user)
    return Response({"total": found.total, "facets": facet_counts(found)})


@extend_schema(operation_id="trajectory", responses=ROW)
@api_view(["GET"])
def trajectory(request: Request, slug: str, pk: int) -> Response:
    """One trajectory as recorded, and its scores."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    rows = Trajectory.objects.of(benchmark).select_related(*RELATED, "run__scoring", "run__file")
    found = get_object_or_404(rows.with_marks(request.user), pk=pk)
    stored = read_rows(Snapshot(benchmark, [found.run], request.user), [pk], STORED)[pk]
    return Response(_shown(found, stored, named=known_to(request.user, benchmark).marks))


def _shown(
    row: Trajectory, stored: Mapping[str, Any], earlier: Earliers | None = None, *, named: bool
) -> dict[str, Any]:
    """``stored``: of ``STORED``; ``earlier``: as of ``trajectory_record``."""
    label = next(iter(row.labels_in_force), None)  # type: ignore[attr-defined]
    return {
        "id": row.pk,
        "run": row.run_id,
        "trajectory": trajectory_row(trajectory_record(row, earlier)),
        "score": _measures(stored) if stored["scored"] else None,
        "failure": stored["failure"],
        "failure_said_by": said_by(label, named=named) if label else None,
        "tags": [one.tag.name for one in row.seen_taggings],  # type: ignore[attr-defined]
        "replayed": kept_replay(row) is not None,
    }


def _measures(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measures; the deciding source is a code here."""
    return {name: stored[name] for name in MEASURES} | {"verdict_by": VerdictBy.NAMES.index(stored["verdict_by"])}
