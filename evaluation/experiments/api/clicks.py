"""Shapes from a click over the API: what a model proposes at a point of an image."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import ShownImageField, benchmark_for
from annotation.workflow import Right
from evaluation.experiments.present.clicks import shape_json
from evaluation.experiments.read.clicks import sample_to_click
from evaluation.experiments.write.clicks import propose_shape
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField
from webapp.common.api_forms import Form, read_form

MOST_PIXELS = 1_000_000_000


class ClickForm(Form):
    x = NumberField(min_value=0, max_value=MOST_PIXELS, help_text="In pixels of the original image, from its left.")
    y = NumberField(min_value=0, max_value=MOST_PIXELS, help_text="In pixels of the original image, from its top.")
    image_sha256 = ShownImageField()


class ProposedShapeSerializer(serializers.Serializer):
    id = serializers.IntegerField(help_text="Of the kept shape.")
    box = serializers.ListField(
        child=serializers.FloatField(), min_length=4, max_length=4,
        help_text="x1, y1, x2, y2 in pixels of the original image; of a polygon, its bounding box.",
    )  # fmt: skip
    points = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2), allow_null=True,
        help_text="The corners of a polygon; null: the shape is a box.",
    )  # fmt: skip
    label = serializers.CharField(  # type: ignore[assignment]  # of the fields
        help_text="What the model calls the object; empty: it gave no label."
    )
    score = serializers.FloatField(allow_null=True, help_text="From 0 to 1; null: the model gave none.")
    source = serializers.CharField(help_text="The model, with its version.")  # type: ignore[assignment]


@needs(Scope.ANNOTATE)
@extend_schema(operation_id="click", request=ClickForm, responses={200: ProposedShapeSerializer})
@api_view(["POST"])
def click(request: Request, slug: str, key: str) -> Response:
    """Ask the model of this benchmark for the shape at a point of a sample's image, as a click in the editor does. The
    shape is kept with the point, and no annotation changes. Save the sample in the editor.

    Answers 409 `no_model` where the editor offers you no clicks, such as in the control share or where the question is
    fixed, 409 `no_shape` if no shape contains the point, and 409 `image_replaced` if another image replaced yours.
    Answers 429 while this process asks for two other clicks, and 503 if the model gave no answer within 20 s; send the
    click again."""
    benchmark, person = benchmark_for(request, slug, Right.ANNOTATE), person_of(request)
    given = read_form(ClickForm, request)
    sample = sample_to_click(person, benchmark, key)
    point = (given["x"], given["y"])
    made, shape = propose_shape(actor=person, sample=sample, point=point, image=given["image_sha256"])
    return Response(ProposedShapeSerializer(shape_json(made, shape)).data)
