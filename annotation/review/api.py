"""Adjudication over the API: which samples wait for it, how their annotations compare, and the decision."""

from __future__ import annotations

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import ShownImageField, benchmark_for
from annotation.common.requests import key_of
from annotation.consensus import Combine, Field
from annotation.evidence import CHECKED
from annotation.models import Adjudication, Sample
from annotation.review.present.comparison import comparison_json
from annotation.review.read import to_adjudicate
from annotation.review.write.adjudication import KINDS, Verdict, adjudicate, require_several
from annotation.review.write.decisions import under_review
from annotation.schema import AnswerType, Likeness
from annotation.task_schema import Shape
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged

FIELDS = [field.value for field in Field]
LETTER = "A, B and so on: people are named by letters that are drawn for each sample."


class WaitingSerializer(serializers.ModelSerializer):
    sample = serializers.CharField(source="key", read_only=True)
    annotations = serializers.IntegerField(source="waiting_n", read_only=True)
    disputed = serializers.SerializerMethodField(help_text="The fields on which they differ; empty if they agree.")

    class Meta:
        model = Sample
        fields = ("sample", "state", "annotations", "disputed")
        read_only_fields = fields

    def get_disputed(self, row: Any) -> list[str]:
        return [
            name for round in row.open_rounds for name, one in round.measured["fields"].items() if not one["agreed"]
        ]


BOX: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "box": serializers.ListField(
        child=serializers.FloatField(),
        min_length=4,
        max_length=4,
        required=False,
        help_text="x1, y1, x2, y2. Of a polygon or a point, the box around it, which is not read.",
    ),
    "kind": serializers.ChoiceField(
        choices=[shape.value for shape in Shape], required=False, help_text="box, unless it is given."
    ),
    "points": serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2),
        required=False,
        help_text="[x, y] of each vertex of a polygon, in order, or of a point.",
    ),
    "label": serializers.CharField(allow_blank=True),
    "source": serializers.CharField(required=False, help_text="Whose suggestion it was adopted from."),
}


class TargetForm(serializers.Serializer):
    tool = serializers.CharField()
    step = WholeNumberField(min_value=1)
    either = WholeNumberField(
        min_value=1, required=False, help_text="The group of targets of which one is enough. Missing: none."
    )


class ContentForm(serializers.Serializer):
    """The content of one annotation."""

    question = serializers.CharField(allow_blank=True)
    answer_type = serializers.ChoiceField(choices=[kind.value for kind in AnswerType])
    options = serializers.DictField(child=serializers.CharField(allow_blank=True), help_text="Texts by letter.")
    answer = serializers.ListField(child=serializers.CharField(allow_blank=True))
    gold_boxes = inline_serializer("AnnotationBox", BOX, many=True)
    reference_toolchain = serializers.ListField(child=serializers.DictField())
    targets = TargetForm(many=True)
    distractors = serializers.ListField(child=serializers.CharField())
    likeness = serializers.DictField(
        child=serializers.ChoiceField([one.value for one in Likeness]), help_text="Of distractors, where it is known."
    )
    ordered = serializers.BooleanField(allow_null=True)
    facets = serializers.DictField(child=serializers.ListField())
    unanswerable = serializers.CharField(
        allow_null=True, allow_blank=True, help_text="Why the question cannot be answered; null: it is answered."
    )


COMPARISON = inline_serializer(
    "Comparison",
    {
        "key": serializers.CharField(),
        "image_sha256": serializers.CharField(allow_null=True, help_text="The SHA-256 of the image that boxes are on."),
        "image_problem": serializers.CharField(allow_blank=True),
        "round": serializers.IntegerField(),
        "disputed": serializers.BooleanField(),
        "fields": inline_serializer(
            "ComparedField",
            {
                "name": serializers.ChoiceField(choices=FIELDS),
                "label": serializers.CharField(),
                "agreed": serializers.BooleanField(),
                "value": serializers.FloatField(allow_null=True, help_text="Mean over pairs, 0 to 1."),
                "optional_differ": serializers.BooleanField(
                    help_text="Whether facets that the schema does not require differ, which is no dispute."
                ),
            },
            many=True,
        ),
        "annotations": inline_serializer(
            "ComparedAnnotation",
            {
                "letter": serializers.CharField(help_text=LETTER),
                "author": serializers.CharField(allow_blank=True, help_text="Empty while the rule hides names."),
                "content": ContentForm(),
                "other_image": serializers.ChoiceField(
                    ["size", "shape"],
                    allow_null=True,
                    help_text="It was drawn on an image of another size, and is scaled; or of another shape, and its "
                    "boxes and toolchain are left out. Null: neither.",
                ),
            },
            many=True,
        ),
        "flags": inline_serializer(
            "ComparisonFlag",
            {
                "field": serializers.CharField(help_text="answer; question, if the questions differ."),
                "letters": serializers.ListField(
                    child=serializers.CharField(help_text=LETTER), help_text="The annotations that answer differently."
                ),
                "model": serializers.CharField(),
                "condition": serializers.ChoiceField(choices=list(CHECKED), help_text="What the model saw."),
                "answer": serializers.CharField(help_text="An option with its text."),
            },
            many=True,
            help_text="Answers of checking models that differ; empty in the control arm.",
        ),
        "groups": inline_serializer(
            "BoxGroup",
            {
                "members": serializers.DictField(help_text="Box by letter."),
                "combined": serializers.DictField(help_text="Box by combination: " + ", ".join(Combine) + "."),
            },
            many=True,
        ),
        "combine": serializers.ChoiceField(choices=list(Combine)),
        "content": ContentForm(help_text="The proposed gold."),
        "checks": serializers.ListField(child=serializers.DictField(), help_text="Findings about the proposal."),
        "reasons": serializers.ListField(child=serializers.CharField(), help_text="Reasons that a decision can give."),
    },
)


class DecisionForm(Form):
    rules: ClassVar = {
        "anyOf": [
            {
                "properties": {"decision": {"enum": ["accept"]}, "content": {"type": "object", "nullable": False}},
                "required": ["content"],
            },
            {
                "properties": {
                    "decision": {"enum": ["keep"]}, "content": {"enum": [None]},
                    "letters": {"minItems": 2, "uniqueItems": True},
                },
                "required": ["letters"],
            },
            {
                "properties": {
                    "decision": {"enum": ["return"]}, "content": {"enum": [None]}, "comments": {"minProperties": 1}
                },
                "required": ["comments"],
            },
            {"properties": {"decision": {"enum": ["discard"]}, "content": {"enum": [None]}}},
        ]
    }  # fmt: skip
    decision = WordField(choices=list(KINDS))
    content = serializers.DictField(
        required=False, allow_null=True, default=None, help_text="For accept: the gold, of the form of the proposal."
    )
    letters = serializers.ListField(
        child=TextField(max_length=1),
        required=False,
        default=list,
        help_text="For keep: the first stays, at least two.",
    )
    comments = serializers.DictField(
        child=TextField(max_length=5000, allow_blank=True),
        required=False,
        default=dict,
        help_text="For return: words to the author, by letter. For discard: words under any name.",
    )
    reasons = serializers.ListField(
        child=TextField(max_length=60), required=False, default=list,
        help_text="For return and discard, which need a reason or words. Codes of the task: see /task/.",
    )  # fmt: skip
    image_sha256 = ShownImageField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["decision"] == "keep" and len(set(attrs["letters"])) < len(attrs["letters"]):
            raise serializers.ValidationError({"letters": "Name each annotation once."})
        return attrs


@extend_schema(
    operation_id="adjudications", parameters=PAGING, responses=page_of("AdjudicationPage", WaitingSerializer)
)
@api_view(["GET"])
def adjudications(request: Request, slug: str) -> Response:
    """The samples whose several annotations wait for your decision, by id. Samples that you annotated, and those that
    another reviewer has open, are left out."""
    benchmark = benchmark_for(request, slug, Right.REVIEW)
    rows = to_adjudicate(person_of(request), benchmark)
    return paged(request, rows, "key", lambda row: WaitingSerializer(row).data)


@needs(Scope.ANNOTATE)
@extend_schema(methods=["GET"], operation_id="adjudication", responses=COMPARISON)
@extend_schema(
    methods=["POST"],
    operation_id="adjudicate",
    request=DecisionForm,
    responses=inline_serializer(
        "Decided",
        {
            "sample": serializers.CharField(),
            "state": serializers.CharField(),
            "decision": serializers.ChoiceField(choices=Adjudication.Decision.values),
        },
    ),
)
@api_view(["GET", "POST"])
def adjudication(request: Request, slug: str, key: str) -> Response:
    """The comparison of the annotations of a sample, with a proposal. POST decides on all of them; it is 409 if another
    reviewer has the sample, if it no longer has several annotations, or with `image_replaced` if another image
    replaced yours. Send an Idempotency-Key to repeat a request.
    """
    benchmark, person = benchmark_for(request, slug, Right.REVIEW), person_of(request)
    sample = get_object_or_404(benchmark.samples.select_related("image"), key=key)
    sample.benchmark = benchmark
    if request.method == "POST":
        given = read_form(DecisionForm, request)
        image = given.pop("image_sha256")
        verdict = Verdict(kind=given.pop("decision"), **given)
        adjudicate(actor=person, sample=sample, verdict=verdict, key=key_of(request), go_on=False, image=image)
        return Response(_decided(sample))
    under_review(person, sample)
    require_several(sample)
    return Response(comparison_json(person, sample))


def _decided(sample: Sample) -> dict[str, Any]:
    sample.refresh_from_db(fields=["state"])
    last = Adjudication.objects.filter(sample=sample).exclude(decision="").latest("round")
    return {"sample": sample.key, "state": sample.state, "decision": last.decision}
