"""Drafts of models over the API: what they do to people, and a new drafting."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.drafting import MOST_PLANTED, Field
from annotation.workflow import Right
from evaluation.common.checking import checking_of
from evaluation.detections import THRESHOLD
from evaluation.experiments.api.experiments import EXPERIMENT, Starting, created, prompt_field
from evaluation.experiments.api.planted import PLANTED
from evaluation.experiments.present.anchoring import anchoring_json
from evaluation.experiments.present.flags import flags_json
from evaluation.experiments.present.planted import planted_json
from evaluation.experiments.read.anchoring import MEASURES, anchoring_of
from evaluation.experiments.read.drafting import drafting_of, share_of
from evaluation.experiments.read.planted import planted_of
from evaluation.experiments.write.control_share import LEAST_SHARE, MOST_SHARE
from evaluation.experiments.write.create import DEFAULT_SAMPLING
from evaluation.experiments.write.drafts import (
    DraftChoices,
    create_drafts,
    derived_config,
    shown_config,
)
from evaluation.runner.images import FORM as POLICY
from evaluation.runner.label_config import LONGEST_CONFIG
from evaluation.runner.sampling import SAMPLING
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField, TextField, WordField


class NewDrafting(Starting):
    fields_drafted = serializers.ListField(
        child=WordField(choices=[one.value for one in Field]), required=False, min_length=1, default=[],
        help_text="Default: boxes for detectors and ML backends, otherwise question, options, answer and boxes.",
    )  # fmt: skip
    samples = TextField(
        max_length=2000, required=False, default="", allow_blank=True,
        help_text="Facets, such as facet.scene=street. They have to select samples to do. Empty: all of them.",
    )  # fmt: skip
    control_share = NumberField(
        required=False, min_value=LEAST_SHARE, max_value=MOST_SHARE,
        help_text="Share of pairs of a person and a sample without drafts. Its first use fixes it. Default: as set.",
    )  # fmt: skip
    planted_share = NumberField(
        required=False, default=0.0, min_value=0, max_value=MOST_PLANTED,
        help_text="Share of drafted answers and boxes with a planted error. Annotators learn it after submitting.",
    )  # fmt: skip
    prompt = prompt_field("slug@version, with the role draft.")
    sampling = WordField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)
    images = TextField(
        max_length=20, required=False, default="", allow_blank=True, pattern=POLICY,
        help_text="Size of images: original, fit:N (longer side) or pixels:N (area).",
    )  # fmt: skip
    names = TextField(
        max_length=20_000, required=False, default="", allow_blank=True,
        help_text="Of a detector or an ML backend, separated by commas or lines. Empty: all tools in the gold.",
    )  # fmt: skip
    threshold = NumberField(
        required=False, default=THRESHOLD, min_value=0, max_value=1,
        help_text="Of a detector or an ML backend: the minimum score of a box.",
    )  # fmt: skip
    label_config = TextField(
        max_length=LONGEST_CONFIG, required=False, default="", allow_blank=True,
        help_text="Labeling configuration of an ML backend. Empty: that of the task, with the names as labels.",
    )  # fmt: skip


class MeasureSerializer(serializers.Serializer):
    measure = serializers.ChoiceField(choices=MEASURES)
    shown = serializers.FloatField(allow_null=True, help_text="Mean with drafts.")
    shown_n = serializers.IntegerField()
    withheld = serializers.FloatField(allow_null=True, help_text="Mean without drafts.")
    withheld_n = serializers.IntegerField()
    difference = serializers.FloatField(allow_null=True, help_text="shown − withheld; null: undefined.")
    low = serializers.FloatField(allow_null=True, help_text="Of the 95% interval, clustered by image.")
    high = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField(help_text="Why the difference is undefined; empty: it is defined.")


class FlagPrecision(serializers.Serializer):
    precision = serializers.FloatField(allow_null=True, help_text="changed / n; null without a case.")
    changed = serializers.IntegerField(help_text="Changed, returned or discarded by the person who decided.")
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True, help_text="Of the 95% interval, clustered by image.")
    high = serializers.FloatField(allow_null=True)


class DraftingSerializer(serializers.Serializer):
    control_share = serializers.FloatField(help_text="Of pairs of a person and a sample: without drafts and flags.")
    control_share_fixed_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Its first use, after which it stays: a change would bias the comparison. null: it can change.",
    )
    shows = serializers.BooleanField(help_text="Annotators see drafts.")
    label_config = serializers.CharField(
        help_text="Of ML backends, if a drafting states neither another one nor names: the shapes that the task allows."
    )
    drafts = serializers.DictField(child=serializers.IntegerField(), help_text="Number of drafts by field.")
    decisions = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()), help_text="Number of decisions by field."
    )
    measures = MeasureSerializer(many=True)
    planted = PLANTED
    flags = inline_serializer(
        "FlagPrecisions",
        {"blind": FlagPrecision(help_text="Of flags that were not shown."), "shown": FlagPrecision()},
        help_text="Flags of checking models on answers, with a decision.",
    )


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="drafting", responses=DraftingSerializer)
@extend_schema(methods=["POST"], operation_id="draft", request=NewDrafting, responses={201: EXPERIMENT})
@api_view(["GET", "POST"])
def drafting(request: Request, slug: str) -> Response:
    """The effect of drafts of models on annotators, for leads. POST creates an experiment that drafts samples to do.
    Repeating the same ``Idempotency-Key`` returns the same experiment.
    """
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    if request.method == "POST":
        create = partial(create_drafts, benchmark=benchmark)
        return created(request, benchmark, NewDrafting, create, choices_of, f"create_drafts:{benchmark.pk}")
    now, found = drafting_of(benchmark), anchoring_of(benchmark)
    said = {
        "control_share": share_of(now),
        "control_share_fixed_at": now.fixed_at if now else None,
        "shows": bool(now and now.shows),
        "label_config": shown_config(lambda: derived_config(benchmark, "")),
        "drafts": found.drafts,
        "decisions": found.decisions,
        "measures": anchoring_json(found),
        "planted": planted_json(planted_of(benchmark)),
        "flags": flags_json(checking_of(benchmark)),
    }
    return Response(DraftingSerializer(said).data)


def choices_of(fields_drafted: list[str], **given: Any) -> DraftChoices:
    return DraftChoices(fields=fields_drafted, **given)
