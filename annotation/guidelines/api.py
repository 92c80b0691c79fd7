"""The guidelines of a benchmark over the API."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.guideline_text import LONGEST
from annotation.guidelines.write import publish
from annotation.models import Guideline
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WholeNumberField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged


class GuidelineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Guideline
        fields = ("number", "body", "note", "must_read", "published_at")
        read_only_fields = fields


class PublishGuidelineSerializer(Form):
    body = TextField(max_length=LONGEST, trimmed=False, help_text="Markdown, other than that of the last version.")
    note = TextField(max_length=300, required=False, default="", allow_blank=True)
    must_read = TruthField(required=False, default=True)
    based_on = WholeNumberField(min_value=0, help_text="The newest number you know of; 0 before the first.")


@needs(Scope.MANAGE)
@extend_schema(
    methods=["GET"],
    operation_id="guidelines",
    parameters=PAGING,
    responses=page_of("GuidelinePage", GuidelineSerializer),
)
@extend_schema(
    methods=["POST"],
    operation_id="guidelines_publish",
    request=PublishGuidelineSerializer,
    responses={201: GuidelineSerializer},
)
@api_view(["GET", "POST"])
def guidelines(request: Request, slug: str) -> Response:
    """All versions of the guidelines; the one with the highest number is in force. POST publishes the next one, and
    answers 409 if another was published after ``based_on``."""
    if request.method == "POST":
        benchmark = benchmark_for(request, slug, Right.MANAGE)
        given = read_form(PublishGuidelineSerializer, request)
        made = publish(actor=person_of(request), benchmark=benchmark, **given)
        return Response(GuidelineSerializer(made).data, status=201)
    found = Guideline.objects.filter(benchmark=benchmark_for(request, slug, Right.VIEW))
    return paged(request, found, "number", lambda row: GuidelineSerializer(row).data)
