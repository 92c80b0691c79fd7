"""Answers under conditions over the API, for leads."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.content.facet_batches import undo_batch
from annotation.evidence import LEAST_ANSWERS, MOST_LEAST, Condition
from annotation.workflow import Right
from evaluation.common.api import Fields
from evaluation.common.checking import checking_of
from evaluation.evidence.present import change_counts, checking_json, necessity_json, tested_json
from evaluation.evidence.read.necessity import batches_of, necessity_of, result_of, tested_gold
from evaluation.evidence.write import set_facet
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TruthField, WholeNumberField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged

COUNTS: Fields = {
    name: serializers.IntegerField() for name in ("correct", "incorrect", "undecided", "unread")
}  # fmt: skip


class EvidenceRate(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True, help_text="hits / n; null without a case.")
    hits = serializers.IntegerField()
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True, help_text="Of the 95% interval, clustered by image.")
    high = serializers.FloatField(allow_null=True)


CHECKING = inline_serializer(
    "Checking",
    {
        "asked": serializers.IntegerField(help_text="Questions that a model was asked before their review."),
        "conditions": inline_serializer(
            "CheckedCondition",
            {"condition": serializers.ChoiceField(choices=list(Condition)), "mismatch": EvidenceRate(), **COUNTS},
            many=True,
        ),
        "flags": EvidenceRate(),
        "precision": EvidenceRate(help_text="Of the flags that the person who decided could see."),
        "precision_blind": EvidenceRate(help_text="Of the flags that the person who decided did not see."),
        "changed_without_flag": EvidenceRate(),
        "waiting": serializers.IntegerField(help_text="Flags without a decision of a reviewer."),
        "flagged": inline_serializer(
            "FlaggedSample",
            {
                "sample": serializers.CharField(),
                "models": serializers.ListField(child=serializers.CharField()),
                "decision": serializers.CharField(help_text="Of the review, or adjudicated."),
                "confirmed": serializers.BooleanField(),
            },
            many=True,
        ),
    },
)
NECESSITY = inline_serializer(
    "Necessity",
    {
        name: serializers.IntegerField()
        for name in (
            "samples", "needed", "not_needed", "undefined", "unreadable_at_1024", "readable_at_1024", "changes"
        )
    },
)  # fmt: skip
EVIDENCE = inline_serializer("Evidence", {"checking": CHECKING, "necessity": NECESSITY})
TESTED = inline_serializer(
    "TestedSample",
    {
        "sample": serializers.CharField(),
        "conditions": serializers.DictField(
            child=inline_serializer("ConditionCounts", COUNTS),
            help_text="By condition: image, small, masked, crop, question.",
        ),
        "needs_evidence": serializers.BooleanField(allow_null=True),
        "unreadable_at_1024": serializers.BooleanField(allow_null=True),
    },
)  # fmt: skip
SET = inline_serializer(
    "FacetBatch",
    {
        "batch": serializers.IntegerField(allow_null=True, help_text="null in a preview."),
        "yes": serializers.IntegerField(help_text="Samples that get yes."),
        "no": serializers.IntegerField(),
        "replaced": serializers.IntegerField(help_text="Those of them that have another value now."),
    },
)
UNDONE = inline_serializer(
    "FacetsUndone",
    {
        "restored": serializers.IntegerField(),
        "kept": serializers.IntegerField(help_text="Samples that were changed later."),
    },
)


class FacetForm(Form):
    least = WholeNumberField(
        required=False, default=LEAST_ANSWERS, min_value=1, max_value=MOST_LEAST,
        help_text="Decided answers that a condition needs.",
    )  # fmt: skip
    preview = TruthField(required=False, default=False, help_text="Only return the counts.")


class UndoForm(Form):
    batch = WholeNumberField(min_value=1, max_value=2**31 - 1)


@needs(Scope.MANAGE)
@extend_schema(operation_id="evidence", responses=EVIDENCE)
@api_view(["GET"])
def evidence(request: Request, slug: str) -> Response:
    """Answers of models that check annotators, and results of gold questions under conditions."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    return Response(
        {
            "checking": checking_json(checking_of(benchmark)),
            "necessity": necessity_json(necessity_of(benchmark, LEAST_ANSWERS)),
        }
    )


@needs(Scope.MANAGE)
@extend_schema(operation_id="evidence_samples", parameters=PAGING, responses=page_of("TestedSamplePage", TESTED))
@api_view(["GET"])
def samples(request: Request, slug: str) -> Response:
    """The gold questions with answers under conditions, and their results."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    return paged(request, tested_gold(benchmark), "pk", lambda one: tested_json(result_of(one, LEAST_ANSWERS)))


@needs(Scope.MANAGE)
@extend_schema(operation_id="evidence_facet", request=FacetForm, responses={200: SET})
@api_view(["POST"])
def facet(request: Request, slug: str) -> Response:
    """Set the facet needs_evidence of all samples whose result is defined. With ``preview``, only the counts."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    given = read_form(FacetForm, request)
    found = necessity_of(benchmark, given["least"])
    counts: dict[str, Any] = {name: n for name, n in change_counts(found).items() if name != "all"}
    if given["preview"]:
        return Response({"batch": None, **counts})
    made = set_facet(actor=person_of(request), benchmark=benchmark, least=given["least"], expected=len(found.changes))
    return Response({"batch": made.pk, **counts})


@needs(Scope.MANAGE)
@extend_schema(operation_id="evidence_facet_undo", request=UndoForm, responses={200: UNDONE})
@api_view(["POST"])
def undo(request: Request, slug: str) -> Response:
    """Give the samples of a batch their earlier values. Samples that were changed later keep theirs."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    number = read_form(UndoForm, request)["batch"]
    batch = get_object_or_404(batches_of(benchmark), pk=number)
    back, kept = undo_batch(actor=person_of(request), batch=batch)
    return Response({"restored": back, "kept": kept})
