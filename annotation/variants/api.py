"""The variants of a sample over the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.imaging.variants.recipes import LARGEST_SEED, MOST_VARIANTS, Kind, RecipeError, recipes_of
from annotation.models import Sample
from annotation.variants.read import refused, variants_of
from annotation.variants.write import make_variants
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField, TextField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form


class VariantSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="key")
    state = serializers.CharField()
    recipe = serializers.JSONField(source="variant.recipe", help_text="Kind, dose and choice.")
    seed = WholeNumberField(source="variant.seed")
    digest = serializers.CharField(source="variant.digest", help_text="sha256 of size and pixels.")
    polygons = serializers.JSONField(source="variant.polygons", help_text="Of each gold box; empty: the box is exact.")
    directions = serializers.ListField(
        source="variant.directions", child=serializers.CharField(), help_text="Words for directions in the question."
    )


class VariantsSerializer(serializers.Serializer[Any]):
    variants = VariantSerializer(many=True)


class MakeVariantsSerializer(Form):
    kind = WordField(choices=[one.value for one in Kind])
    doses = serializers.ListField(
        child=NumberField(), required=False, default=list, max_length=MOST_VARIANTS,
        help_text="One variant for each. A flip has none.",
    )  # fmt: skip
    choice = TextField(required=False, default="", allow_blank=True, help_text="A side or an axis.")
    seed = WholeNumberField(required=False, default=0, min_value=0, max_value=LARGEST_SEED)


class RejectedSerializer(serializers.Serializer[Any]):
    dose = serializers.FloatField(allow_null=True)
    boxes = serializers.ListField(child=serializers.IntegerField(), help_text="Gold boxes, from 1.")
    kept = serializers.FloatField(help_text="Smallest share of the area that is left.")


class RequestedSerializer(serializers.Serializer[Any]):
    job = serializers.UUIDField(allow_null=True, help_text="See /api/v1/jobs/ID/.")
    accepted = serializers.IntegerField(help_text="Variants that the job makes.")
    rejected = RejectedSerializer(many=True, help_text="Doses at which gold loses more than 5% of its area.")


@needs(Scope.IMPORT)
@extend_schema(methods=["GET"], operation_id="variants", responses={200: VariantsSerializer})
@extend_schema(
    methods=["POST"], operation_id="variants_make", request=MakeVariantsSerializer, responses={202: RequestedSerializer}
)
@api_view(["GET", "POST"])
def variants(request: Request, slug: str, key: str) -> Response:
    """The variants of a sample. POST makes further ones, which wait for review."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_SAMPLES)
    sample = get_object_or_404(Sample.objects.with_gold(), benchmark=benchmark, key=key)
    sample.benchmark = benchmark
    if request.method == "GET":
        return Response(VariantsSerializer({"variants": variants_of(sample)}).data)
    said = read_form(MakeVariantsSerializer, request)
    try:
        recipes = recipes_of(said["kind"], said["doses"], said["choice"], said["seed"])
    except RecipeError as error:
        raise refused(error, {"dose": "doses"}) from error
    done = make_variants(actor=person_of(request), sample=sample, recipes=recipes)
    rejected = [
        {"dose": one.recipe.dose, "boxes": list(one.rejected), "kept": one.smallest_share} for one in done.rejected
    ]
    found = {"job": done.job.pk if done.job else None, "accepted": len(done.accepted), "rejected": rejected}
    return Response(RequestedSerializer(found).data, status=202)
