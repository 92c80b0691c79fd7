"""Planted errors in drafts over the API: their adoption, and withdrawing one."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.content.planted import withdraw_error
from annotation.drafting import PLANTABLE
from annotation.workflow import Right
from evaluation.experiments.present.planted import planted_json
from evaluation.experiments.read.planted import planted_of
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, WordField
from webapp.common.api_forms import Form, read_form

PLANTED = inline_serializer(
    "PlantedErrors",
    {
        "planted": serializers.IntegerField(help_text="Drafts with a planted error."),
        "withdrawn": serializers.IntegerField(help_text="Those of them whose content a lead found to be correct."),
        "shown": serializers.IntegerField(help_text="First submissions of people who saw one, by error."),
        "adopted": serializers.IntegerField(),
        "rate": serializers.FloatField(allow_null=True, help_text="adopted / shown; null: undefined."),
        "low": serializers.FloatField(allow_null=True, help_text="Of the 95% interval, clustered by image."),
        "high": serializers.FloatField(allow_null=True),
        "open": inline_serializer(
            "OpenPlantedError", {"sample": serializers.CharField(), "field": serializers.CharField()}, many=True
        ),
    },
)


class WithdrawForm(Form):
    sample = TextField(max_length=200, help_text="Id of the sample.")
    field = WordField(choices=[one.value for one in PLANTABLE])


@needs(Scope.MANAGE)
@extend_schema(operation_id="planted_withdraw", request=WithdrawForm, responses={200: PLANTED})
@api_view(["POST"])
def planted_withdraw(request: Request, slug: str) -> Response:
    """Withdraw a planted error whose content is correct, so that people who adopted it can submit it."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    given = read_form(WithdrawForm, request)
    withdraw_error(actor=person_of(request), benchmark=benchmark, key=given["sample"], field=given["field"])
    return Response(planted_json(planted_of(benchmark)))
