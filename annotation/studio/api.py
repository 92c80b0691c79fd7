"""Questions about one image over the API: those that the person may know, and asking another."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.requests import key_of
from annotation.models import Sample
from annotation.queue.handed import require_handed
from annotation.queue.image_questions import questions_on_image
from annotation.studio.write.another import ask_another
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TruthField
from webapp.common.api_forms import Form, read_form


class ImageQuestionSerializer(serializers.Serializer):
    number = serializers.IntegerField(help_text="From 1, in the order in which the samples were made.")
    id = serializers.CharField(source="key", help_text="Of the sample.")
    question = serializers.CharField(help_text="Yours, or the gold's; empty: none is written yet.")
    own = serializers.BooleanField(help_text="You work on the sample, or have.")


class AskForm(Form):
    copy = TruthField(default=False, help_text="Begin with the boxes and facets that you see on this sample.")


class ImageQuestionsSerializer(serializers.Serializer):
    questions = ImageQuestionSerializer(many=True, source="rows")
    count = serializers.IntegerField(help_text="Questions about the image that count for the limit.")
    most = serializers.IntegerField(allow_null=True, help_text="The limit; null: any number.")


class AskedSerializer(serializers.Serializer):
    id = serializers.CharField(source="key", help_text="Of the new sample, which is assigned to you.")
    asked_from = serializers.CharField(source="asked_from.key", help_text="The first sample of the image.")


@needs(Scope.ANNOTATE)
@extend_schema(methods=["GET"], operation_id="questions", responses=ImageQuestionsSerializer)
@extend_schema(methods=["POST"], operation_id="question_ask", request=AskForm, responses={201: AskedSerializer})
@api_view(["GET", "POST"])
def questions(request: Request, slug: str, key: str) -> Response:
    """The questions about the image of a sample that you may know: your own, and gold ones if you see gold. POST asks
    another: it makes a sample with the same image and reserves it for you. The same ``Idempotency-Key`` again makes no
    second one. Answers 409 if the image has as many questions as it may have, or the queue gives you no new sample."""
    benchmark, person = benchmark_for(request, slug, Right.ANNOTATE), person_of(request)
    sample = get_object_or_404(Sample.objects.select_related("image", "asked_from"), benchmark=benchmark, key=key)
    sample.benchmark = benchmark
    if request.method == "POST":
        given = read_form(AskForm, request)
        made = ask_another(actor=person, sample=sample, copy=given["copy"], key=key_of(request))
        return Response(AskedSerializer(made).data, status=201)
    require_handed(person, sample)
    return Response(ImageQuestionsSerializer(questions_on_image(person, sample)).data)
