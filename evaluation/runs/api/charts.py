"""The data of the charts on a run's page, over the API. Each count of trajectories includes the query terms of exactly
these trajectories, in the format of ``trajectories/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.common.api import Fields
from evaluation.common.crops import MISSED, CropPoints, crop_points, crop_regions, crop_sizes
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run, Scoring
from evaluation.models.querysets.runs import samples_without_trajectory
from evaluation.query.fields import slice_terms
from evaluation.runs.read.ranking import read_ranking
from evaluation.runs.read.repeats import LISTED, read_repeats
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from evaluation.store.tables import tables_of
from webapp.common.api_query import said
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.records import plain

HIDDEN: Mapping[str, Mapping[str, str]] = {
    "all": {},
    "scored": {"scored": "yes"},
    "failed": {"failed": "yes"},
    "unanswered": {"unanswered": "yes"},
    "unread": {"unread": "yes"},
    "undecided": {"undecided": "yes"},
    "unusable": {"unusable": "yes"},
    "outside": {"quadrant": "none"},
    "image_replaced": {"no_grounding": "image_replaced"},
    "with_evidence": {"evidence": "yes"},
    "counted": {"counted": "yes"},
}
"""Counts on every page of a run, with the query terms of each."""

THRESHOLDS = ("thresholds", "thresholds_open", "threshold_intervals", "grounded_difference")

COUNTED: Fields = {"n": serializers.IntegerField(), "terms": serializers.DictField(child=serializers.CharField())}
OF_POINT = ("trajectory", "sample", "coverage", "concentration")
POINT: Fields = {
    "trajectory": serializers.IntegerField(),
    "sample": serializers.CharField(),
    "coverage": serializers.FloatField(allow_null=True),
    "concentration": serializers.FloatField(allow_null=True),
    "quadrant": serializers.CharField(allow_null=True),
}
REPEATS: Fields = {
    "counts": inline_serializer("RepeatedCount", {"name": serializers.CharField(), **COUNTED}, many=True),
    "clusters": serializers.IntegerField(help_text="Image clusters of these samples."),
    "least": serializers.IntegerField(help_text="Rollouts of a sample, at least."),
    "mean": serializers.FloatField(help_text="On average."),
    "most": serializers.IntegerField(help_text="At most."),
    "value": serializers.FloatField(help_text="Mean over samples of the share of correct rollouts of each."),
    "ci_low": serializers.FloatField(allow_null=True),
    "ci_high": serializers.FloatField(allow_null=True),
    "ci_method": serializers.CharField(allow_blank=True),
    "detail": serializers.DictField(help_text="How the interval was made: clusters, design effect."),
    "ranges": serializers.DictField(
        child=serializers.ListField(child=serializers.FloatField(allow_null=True)),
        help_text="Lowest and highest value that undecided answers allow, of value, first, always, some and never.",
    ),
    "se": serializers.FloatField(allow_null=True, help_text="Standard error between image clusters; null with one."),
    "within": serializers.FloatField(help_text="Variance of rollouts about the mean of their sample, pooled."),
    "se_draws": serializers.FloatField(help_text="Standard error of value that the draws alone make."),
    "first": serializers.FloatField(allow_null=True, help_text="Share correct of the first rollouts only."),
}
CHARTS = inline_serializer(
    "RunCharts",
    {
        "run": serializers.IntegerField(),
        "slice_by": serializers.CharField(allow_blank=True),
        "slice": serializers.CharField(allow_blank=True),
        "settings": serializers.DictField(),
        "counts": inline_serializer("RunCount", {"name": serializers.CharField(), **COUNTED}, many=True),
        "missing": serializers.IntegerField(
            allow_null=True, help_text="Samples with gold and no trajectory; null where the slice lists none."
        ),
        "thresholds": serializers.ListField(
            help_text="At each threshold 0, 0.01 .. 1 the trajectories in G+A+, G+A-, G-A+, G-A-."
        ),
        "thresholds_open": serializers.ListField(
            help_text="At each threshold the undecided answers in G+A- and in G-A-; empty where they are left out."
        ),
        "threshold_intervals": serializers.ListField(help_text="At each threshold the 95% intervals of the four."),
        "grounded_difference": inline_serializer(
            "GroundedDifference",
            {
                "counts": serializers.ListField(
                    child=serializers.IntegerField(), help_text="Trajectories in G+A+, G+A-, G-A+, G-A-, as scored."
                ),
                "clusters": serializers.IntegerField(help_text="Their image clusters; below 20 no interval."),
                "value": serializers.FloatField(
                    allow_null=True,
                    help_text="Share correct among the grounded minus that among the others; null without one of them.",
                ),
                "odds_ratio": serializers.FloatField(allow_null=True),
                "halves_added": serializers.BooleanField(
                    help_text="0.5 was added to each cell of the odds ratio, as one is 0."
                ),
                "ci_low": serializers.FloatField(allow_null=True),
                "ci_high": serializers.FloatField(allow_null=True),
                "ci_method": serializers.CharField(allow_blank=True),
                "detail": serializers.DictField(help_text="How the interval was made: draws, seed, clusters."),
                "low": serializers.FloatField(allow_null=True, help_text="The least that undecided answers allow."),
                "high": serializers.FloatField(allow_null=True, help_text="The most that they allow."),
            },
        ),
        "ranking": inline_serializer(
            "RankedRun",
            {
                "run": serializers.IntegerField(),
                "model": serializers.CharField(),
                "setting": serializers.CharField(allow_blank=True),
                "ranks": serializers.ListField(child=serializers.IntegerField(), help_text="At each threshold."),
            },
            many=True,
        ),
        "regions": inline_serializer(
            "CropRegion",
            {
                "name": serializers.CharField(),
                "words": serializers.CharField(),
                "right": serializers.IntegerField(),
                **COUNTED,
            },
            many=True,
        ),
        "sizes": inline_serializer(
            "CropSize",
            {
                "above": serializers.FloatField(allow_null=True),
                "upto": serializers.FloatField(allow_null=True),
                **COUNTED,
            },
            many=True,
        ),
        "crops": inline_serializer(
            "CropPoints",
            {
                "total": serializers.IntegerField(),
                "missed": inline_serializer("MissedCrops", dict(COUNTED)),
                "points": inline_serializer("CropPoint", dict(POINT), many=True),
            },
        ),
        "heat": serializers.DictField(
            allow_null=True, help_text="Density of crops minus that of gold, in cells of the image."
        ),
        "crop_cells": serializers.ListField(help_text="Trajectories whose crop has its center in the cell."),
        "coverage": serializers.ListField(
            child=serializers.FloatField(allow_null=True), help_text="Mean share of the gold seen after 0, 1, .. calls."
        ),
        "tools": serializers.ListField(child=serializers.DictField(), help_text="Calls of each tool."),
        "tool_choices": serializers.ListField(child=serializers.DictField(), help_text="Against the references."),
        "lengths": serializers.ListField(
            child=serializers.DictField(), help_text="Toolchains compared with the references."
        ),
        "plan_outcomes": inline_serializer(
            "PlanOutcomes",
            {
                "outcomes": serializers.ListField(child=serializers.CharField()),
                "by_targets": serializers.DictField(help_text="Number of targets: how often each outcome."),
                "by_segment": serializers.DictField(),
            },
        ),
        "repeats": inline_serializer(
            "RepeatedRollouts",
            dict(REPEATS),
            allow_null=True,
            help_text="Null where no sample has two rollouts that count.",
        ),
    },
)


@extend_schema(
    operation_id="run_charts",
    parameters=[
        OpenApiParameter("by", str, description="A facet; needs slice."),
        OpenApiParameter("slice", str, description="Its value: everything is about that slice. Needs by."),
    ],
    responses=CHARTS,
)
@api_view(["GET"])
def run_charts(request: Request, slug: str, pk: int) -> Response:
    """The numbers and charts of a run's page, for the entire run or a slice; its metrics are at ``metrics/``."""
    run = get_object_or_404(Run.objects.of(benchmark_for(request, slug, Right.SEE_GOLD)), pk=pk)
    scoring: Scoring | None = getattr(run, "scoring", None)
    if scoring is None:
        raise NotFound(f"{run} has no scores yet.")
    by, value = said(request, "by"), said(request, "slice")
    if bool(by) != bool(value):
        raise InvalidInput("A slice is a facet and its value. Use both by and slice, or neither.", field="slice")
    narrowed = slice_terms(by, value)
    found = Selection(Snapshot(run.benchmark, [run], request.user), narrowed)
    settings = MetricSettings.from_mapping(scoring.settings)
    if by and not scoring.metrics.on_slice(by, value).exists():
        raise NotFound(f"No slice {by} = {value}.")
    tables = tables_of(found.snapshot, run, narrowed, canonical=settings.tool_aliases == "canonical")
    own = {"run": str(run.pk), **narrowed}
    counts = found.never_hidden()
    return Response(
        {
            "run": run.pk,
            "slice_by": by,
            "slice": value,
            "settings": settings.as_dict(),
            "counts": [{"name": name, "n": counts[name], "terms": {**own, **terms}} for name, terms in HIDDEN.items()],
            "missing": _missing(run, narrowed),
            **{name: tables[name] for name in THRESHOLDS},
            "ranking": [] if by else plain(read_ranking(run.benchmark)),
            **_crops(found, settings, own),
            "heat": tables["heat"],
            **{name: tables[name] or [] for name in ("crop_cells", "coverage", "tools", "tool_choices", "lengths")},
            "plan_outcomes": {
                "outcomes": list(Outcome.NAMES),
                "by_targets": tables["outcomes"],
                "by_segment": found.plan_outcomes_by("segment"),
            },
            "repeats": _repeats(tables, own),
        }
    )


def _repeats(tables: Mapping[str, Any], own: Mapping[str, str]) -> dict[str, Any] | None:
    found = read_repeats(tables)
    if found is None:
        return None
    counts = [{"name": name, "n": getattr(found, name), "terms": {**own, **terms}} for name, terms in LISTED.items()]
    return {"counts": counts, **{name: plain(getattr(found, name)) for name in REPEATS if name != "counts"}}


def _missing(run: Run, narrowed: Mapping[str, str]) -> int | None:
    listed = all(name.startswith("facet.") for name in narrowed)
    return samples_without_trajectory(run, narrowed).count() if listed else None


def _crops(found: Selection, settings: MetricSettings, own: Mapping[str, str]) -> dict[str, Any]:
    points = crop_points(found)
    regions = [
        {"name": one.name, "words": one.words, "n": one.n, "right": one.right} | {"terms": {**own, **one.terms}}
        for one in crop_regions(found, settings.ioa_threshold)
    ]
    sizes = [
        {"above": one.above, "upto": one.upto, "n": one.n, "terms": {**own, **one.terms}} for one in crop_sizes(found)
    ]
    return {"regions": regions, "sizes": sizes, "crops": _points(points, own)}


def _points(points: CropPoints, own: Mapping[str, str]) -> dict[str, Any]:
    rows = [
        {**dict(zip(OF_POINT, row[:-1], strict=True)), "quadrant": None if row[-1] < 0 else Quadrant.NAMES[row[-1]]}
        for row in points.rows
    ]
    return {"total": points.total, "missed": {"n": points.missed, "terms": {**own, **MISSED}}, "points": rows}
