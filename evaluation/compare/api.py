"""Two to six runs on the samples they share, over the API: the numbers of the pages of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.common.api import Fields, integers, intervals, numbers, terms_by
from evaluation.common.compared import calling_terms
from evaluation.common.pairs import cell_terms, look_terms
from evaluation.compare.read.crops import read_crop_agreement
from evaluation.compare.read.runs import CELLS, comparable_runs, compare_runs
from evaluation.compare.read.sides import SideDifference, compare_sides, matched_pairs
from evaluation.compare.read.slices import find_largest_differences
from evaluation.metrics.calling import CallingEffect
from evaluation.metrics.comparison import Comparison
from evaluation.metrics.families import FAMILIES
from evaluation.metrics.slice_finder import LEAST
from evaluation.metrics.undecided import RANGES
from evaluation.models import Run
from evaluation.query.sql import MOST_RUNS
from webapp.common.api_query import number_of, said
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.records import plain

MOST_OF_A_CELL = 100
MOST_LEAST = 999_999

PAIR: Fields = {
    **integers("a", "b", "n", "dropped_a", "dropped_b", "both", "neither", "a_only", "b_only", "clusters"),
    **numbers("accuracy_a", "accuracy_b", "difference", "p_value", "p_cluster", "p_holm", "deff", "detectable"),
    **numbers(*RANGES),
    "could_turn": serializers.BooleanField(help_text="Undecided answers could change the sign of the difference."),
    "p_family": serializers.ChoiceField(choices=list(FAMILIES), help_text="The family that p_holm is adjusted over."),
    "p_family_size": serializers.IntegerField(help_text="Number of comparisons in that family."),
    **intervals("interval", "clustered"),
    "terms": terms_by("cell"),
}
OF_SLICE: Fields = {"slice": serializers.DictField(child=serializers.CharField(), help_text="Facet and value."), **PAIR}
LOOK: Fields = {
    **integers("n", "clusters", "dropped_a", "dropped_b", "both", "a_only", "b_only", "neither", "draws", "seed"),
    **numbers(
        "grounded_a", "grounded_b", "difference", "p_value", "p_cluster", "ioa_a", "ioa_b", "ioa_difference", "ioa_p"
    ),
    **intervals("interval", "clustered", "ioa_interval"),
    "terms": terms_by("count"),
}
CALLING: Fields = {
    **integers("without", "tools", "n", "clusters", "benefit", "harm", "needless", "futile", "uncalled", "unmet"),
    **numbers("net", "p_value", "p_cluster"),
    **intervals("interval", "clustered", "unmet_interval"),
    "terms": terms_by("count"),
}


def _asked(most: int, description: str) -> OpenApiParameter:
    several = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": most, "uniqueItems": True}
    return OpenApiParameter("run", several, required=True, description=description)


RUNS = _asked(MOST_RUNS, "Two to six runs. The first is compared with each of the others.")
PAIR_OF_RUNS = _asked(2, "Two runs.")


@extend_schema(
    operation_id="compare",
    parameters=[RUNS, OpenApiParameter("by", str, description="A facet to slice the first two by.")],
    responses=inline_serializer(
        "Compared",
        {
            "runs": serializers.ListField(child=serializers.IntegerField()),
            "settings": serializers.DictField(),
            "samples": serializers.IntegerField(help_text="With gold."),
            "clusters": serializers.IntegerField(help_text="Their image clusters."),
            "common": serializers.IntegerField(help_text="Samples with a trajectory in each of these runs."),
            "other_settings": serializers.ListField(
                child=serializers.IntegerField(), help_text="Runs with other metric settings than the first."
            ),
            "other_gold": serializers.ListField(
                child=serializers.IntegerField(), help_text="Runs scored on another gold version than the first."
            ),
            "pairs": inline_serializer("ComparedPair", dict(PAIR), many=True),
            "look": inline_serializer(
                "ComparedLook",
                dict(LOOK),
                help_text="Of the first two, where both have the sample in their grounding population: grounded or "
                "not, and mean IoA. No p is adjusted; ioa_p is of draws random signs.",
            ),
            "calling": inline_serializer(
                "ComparedCalling",
                dict(CALLING),
                allow_null=True,
                help_text="What calling tools did, where one of the first two runs made calls and the other made none.",
            ),
            "resampled": serializers.DictField(
                allow_null=True,
                help_text="Bootstrap interval of the difference of the first two: low, high, method, "
                "detail with draws and seed.",
            ),
            "facets": serializers.ListField(child=serializers.CharField()),
            "slices": inline_serializer("ComparedSlice", dict(OF_SLICE), many=True),
            "cells": serializers.DictField(
                child=serializers.ListField(child=serializers.CharField()),
                help_text=f"Of the first two: up to {MOST_OF_A_CELL} samples of each cell, those that differ most in "
                "coverage first; its terms in the pair list all.",
            ),
        },
    ),
)
@api_view(["GET"])
def compare(request: Request, slug: str) -> Response:
    """Differences with intervals, exact tests and what Holm makes of them; b is the later run, p_holm
    adjusts p_cluster over the pairs, or slices, of the answer."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    runs = _runs(request, benchmark, MOST_RUNS)
    by = said(request, "by")
    found = compare_runs(benchmark, runs, by=by)
    if by and not found.slices:
        raise NotFound(f"Unknown facet {by[:60]!r}.", field="by")
    first = {name: pks[:MOST_OF_A_CELL] for name, pks in found.cells.items()}
    named = {pk for pks in first.values() for pk in pks}
    keys = dict(benchmark.samples.filter(pk__in=named).order_by().values_list("pk", "key"))
    return Response(
        {
            "runs": [run.pk for run in runs],
            "settings": found.settings.as_dict(),
            "samples": found.samples,
            "clusters": found.clusters,
            "common": found.common,
            "other_settings": [run.pk for run in found.other_settings],
            "other_gold": [run.pk for run in found.other_gold],
            "pairs": [_pair(one, runs[0], other) for one, other in zip(found.pairs, runs[1:], strict=True)],
            "look": plain(found.look) | {"terms": look_terms(runs[0].pk, runs[1].pk)},
            "calling": _called(found.calling),
            "resampled": plain(found.resampled),
            "facets": found.facets,
            "slices": [_of_slice(one.found, runs[0], runs[1], {one.by: one.value}) for one in found.slices],
            "cells": {name: [keys[pk] for pk in pks] for name, pks in first.items()},
        }
    )


@extend_schema(
    operation_id="compare_slices",
    parameters=[
        PAIR_OF_RUNS,
        OpenApiParameter(
            "least",
            {"type": "integer", "minimum": 1, "maximum": MOST_LEAST},
            description=f"Minimum samples per slice, default {LEAST}.",
        ),
    ],
    responses=inline_serializer(
        "FoundSlices",
        {
            "tested": serializers.IntegerField(help_text="Slices that p_holm is adjusted over."),
            "apart": serializers.IntegerField(help_text="Number of slices with a significant difference at 5%."),
            "left_out": serializers.IntegerField(help_text="Values tested alone only."),
            "clustered": serializers.BooleanField(help_text="p_holm is of the sign flip over image clusters."),
            "least": serializers.IntegerField(),
            "slices": inline_serializer("FoundSlice", dict(OF_SLICE), many=True),
        },
    ),
)
@api_view(["GET"])
def compare_slices(request: Request, slug: str) -> Response:
    """The slices in which two runs differ most, over the values of facets and pairs of them."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    a, b = _runs(request, benchmark, 2)
    least = number_of(request, "least", "minimum samples per slice", MOST_LEAST) or LEAST
    found = find_largest_differences(benchmark, a, b, least=least)
    counts = {name: getattr(found, name) for name in ("tested", "apart", "left_out", "clustered", "least")}
    return Response({**counts, "slices": [_of_slice(one.found, a, b, dict(one.terms)) for one in found.slices]})


@extend_schema(
    operation_id="compare_crops",
    parameters=[PAIR_OF_RUNS],
    responses=inline_serializer(
        "CropAgreement",
        {
            "value": serializers.FloatField(allow_null=True, help_text="Mean IoU of the unions of their crops."),
            "n": serializers.IntegerField(),
            **intervals("interval"),
            "terms": serializers.DictField(child=serializers.CharField()),
        },
    ),
)
@api_view(["GET"])
def compare_crops(request: Request, slug: str) -> Response:
    """The agreement of the crops of two runs on the samples with crops of both."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    a, b = _runs(request, benchmark, 2)
    return Response({**plain(read_crop_agreement(benchmark, a, b)), "terms": cell_terms(a.pk, b.pk)["cropped"]})


@extend_schema(
    operation_id="compare_pairs",
    responses=inline_serializer(
        "MatchedPairs",
        {
            "pairs": serializers.IntegerField(help_text="Pairs of a real and a generated image with gold."),
            "incomplete": serializers.IntegerField(help_text="Pairs without one of them, or with several."),
            "runs": inline_serializer(
                "SideDifference",
                {
                    **integers("run", "n", "dropped", "both", "real_only", "generated_only", "neither"),
                    **numbers("real", "generated", "difference", "p_value", "p_holm"),
                    **intervals("interval"),
                },
                many=True,
            ),
        },
    ),
)
@api_view(["GET"])
def compare_pairs(request: Request, slug: str) -> Response:
    """Each scored run on matched pairs: its successes on real and on generated images, the difference generated − real
    with Newcombe's interval, McNemar's exact test over pairs, and Holm's adjustment over the runs."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    pairs = matched_pairs(benchmark)
    found = compare_sides(pairs, comparable_runs(benchmark)) if len(pairs) else []
    return Response({"pairs": len(pairs), "incomplete": pairs.incomplete, "runs": [_side(one) for one in found]})


def _side(one: SideDifference) -> dict[str, Any]:
    table = one.effect.table
    return {
        "run": one.run.pk,
        "n": table.n,
        "dropped": one.dropped,
        "both": table.both,
        "real_only": table.lost,
        "generated_only": table.gained,
        "neither": table.neither,
        "real": table.before,
        "generated": table.after,
        "difference": table.difference,
        "p_value": one.effect.p_value,
        "p_holm": one.p_holm,
        "interval": plain(one.effect.interval),
    }


def _runs(request: Request, benchmark: Any, most: int) -> list[Run]:
    known = {str(run.pk): run for run in comparable_runs(benchmark)}
    asked = request.query_params.getlist("run")
    if not 2 <= len(asked) <= most or len(set(asked)) < len(asked):
        words = "two runs" if most == 2 else f"two to {most} runs"
        raise InvalidInput(f"Give {words}, each once: ?run=1&run=2.", field="run")
    unknown = [pk for pk in asked if pk not in known]
    if unknown:
        raise NotFound(f"Unknown run “{unknown[0][:20]}”, or it has no scores.", field="run")
    return [known[pk] for pk in asked]


def _called(found: tuple[Run, Run, CallingEffect] | None) -> dict[str, Any] | None:
    if found is None:
        return None
    without, tools, effect = found
    terms = calling_terms(without.pk, tools.pk)
    return {"without": without.pk, "tools": tools.pk, **plain(effect), "terms": terms}


def _pair(one: Comparison, a: Run, b: Run, facets: Mapping[str, str] | None = None) -> dict[str, Any]:
    numbers = {name: value for name, value in plain(one).items() if not name.startswith(("model_", "range_"))}
    numbers |= {**one.ranges, "could_turn": one.could_turn}
    on_slice = {f"facet.{name}": value for name, value in (facets or {}).items()}
    terms = {name: of | on_slice for name, of in cell_terms(a.pk, b.pk).items() if name in CELLS}
    return {"a": a.pk, "b": b.pk, **numbers, "terms": terms}


def _of_slice(one: Comparison, a: Run, b: Run, facets: Mapping[str, str]) -> dict[str, Any]:
    return {"slice": dict(facets), **_pair(one, a, b, facets)}
