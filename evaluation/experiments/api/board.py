"""Models that draft and check texts of the building board, and that generate images, over the API."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.board.read.audits import BatchFacts, batches_of
from annotation.building.audits import LEAST_SHARE, BatchState
from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.experiments.api.experiments import EXPERIMENT, Asking, created, prompt_field
from evaluation.experiments.write.board import (
    AuditChoices,
    DescribeChoices,
    RenderChoices,
    create_audit,
    create_describing,
    create_rendering,
)
from evaluation.experiments.write.create import DEFAULT_SAMPLING
from evaluation.runner.renderings import LARGEST_SEED, SIZES
from evaluation.runner.sampling import SAMPLING
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField, TextField, WholeNumberField, WordField

MOST_ITEMS = 1000


def _items() -> serializers.ListField:
    return serializers.ListField(
        child=WholeNumberField(min_value=1), required=False, default=list, max_length=MOST_ITEMS,
        help_text="Numbers of items. Empty: all that can be asked about.",
    )  # fmt: skip


class NewAudit(Asking):
    items = _items()
    share = NumberField(
        required=False, default=LEAST_SHARE, min_value=LEAST_SHARE, max_value=1,
        help_text="Share of the items that people check, at least one.",
    )  # fmt: skip
    tools_prompt = prompt_field("slug@version, with the role audit-tools.")
    steps_prompt = prompt_field("slug@version, with the role audit-steps.")
    sampling = WordField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)


class NewDescriptions(Asking):
    items = _items()
    prompt = prompt_field("slug@version, with the role describe.")
    sampling = WordField(choices=list(SAMPLING), required=False, default=DEFAULT_SAMPLING)


class NewImages(Asking):
    endpoint = TextField(max_length=60, help_text="Name of an endpoint that generates images.")
    items = _items()
    size = WordField(choices=list(SIZES), required=False, default=SIZES[0], help_text="Width and height in pixels.")
    seed = WholeNumberField(
        required=False, default=0, min_value=0, max_value=LARGEST_SEED,
        help_text="From which the seed of each image is made.",
    )  # fmt: skip


class BatchSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    model = serializers.CharField()
    state = serializers.ChoiceField([state.value for state in BatchState])
    share = serializers.FloatField(help_text="Of the items, that people check.")
    seed = serializers.CharField(help_text="Of the draw.")
    prompt = serializers.CharField(help_text="SHA-256 of the texts that the model was sent.")
    texts_from = serializers.ChoiceField(
        ["batch", "prompts", "unknown"],
        help_text="batch: it stored both texts. prompts: prompts have the same SHA-256. unknown: only that is known.",
    )
    tools_text = serializers.CharField(
        allow_blank=True, help_text="The text about the tools, before values were put in. Empty: unknown."
    )
    steps_text = serializers.CharField(allow_blank=True, help_text="The text about the steps.")
    items = serializers.IntegerField(help_text="That the model checked and that count.")
    drawn = serializers.IntegerField(help_text="That people check.")
    waiting = serializers.ListField(child=serializers.IntegerField(), help_text="Drawn items without a person's check.")
    checked = serializers.IntegerField(help_text="Drawn items that people checked.")
    disagreements = serializers.IntegerField(help_text="Of these, where people found something else.")
    low = serializers.FloatField(allow_null=True, help_text="Of Wilson's 95% interval of the share; null: undefined.")
    high = serializers.FloatField(allow_null=True)


class BatchesSerializer(serializers.Serializer[Any]):
    audits = BatchSerializer(many=True)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="board_audits", responses=BatchesSerializer)
@extend_schema(methods=["POST"], operation_id="board_audit", request=NewAudit, responses={201: EXPERIMENT})
@api_view(["GET", "POST"])
def audits(request: Request, slug: str) -> Response:
    """The newest batches of texts that a model checked (QC-I), for leads. POST creates an experiment that checks the
    texts of items. Repeating the same ``Idempotency-Key`` returns the same experiment."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    if request.method == "POST":
        create = partial(create_audit, benchmark=benchmark)
        return created(request, benchmark, NewAudit, create, AuditChoices, f"create_audit:{benchmark.pk}")
    return Response(BatchesSerializer({"audits": [_row(one) for one in batches_of(benchmark)]}).data)


@needs(Scope.MANAGE)
@extend_schema(operation_id="board_descriptions", request=NewDescriptions, responses={201: EXPERIMENT})
@api_view(["POST"])
def descriptions(request: Request, slug: str) -> Response:
    """Create an experiment that drafts the descriptions of items. Repeating the same ``Idempotency-Key`` returns the
    same experiment."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    create = partial(create_describing, benchmark=benchmark)
    return created(request, benchmark, NewDescriptions, create, DescribeChoices, f"create_describing:{benchmark.pk}")


@needs(Scope.MANAGE)
@extend_schema(operation_id="board_images", request=NewImages, responses={201: EXPERIMENT})
@api_view(["POST"])
def images(request: Request, slug: str) -> Response:
    """Create an experiment that generates images of the descriptions of items. Repeating the same ``Idempotency-Key``
    returns the same experiment."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    create = partial(create_rendering, benchmark=benchmark)
    return created(request, benchmark, NewImages, create, RenderChoices, f"create_rendering:{benchmark.pk}")


def _row(one: BatchFacts) -> dict[str, Any]:
    interval = one.found.interval
    return {
        "id": one.batch.pk,
        **{name: getattr(one.batch, name) for name in ("model", "state", "share", "seed", "prompt")},
        "texts_from": ("prompts" if one.texts.name else "batch") if one.texts else "unknown",
        "tools_text": one.texts.tools if one.texts else "",
        "steps_text": one.texts.steps if one.texts else "",
        "items": one.items,
        "drawn": one.drawn,
        "waiting": [item.number for item in one.waiting],
        "checked": one.found.checked,
        "disagreements": one.found.items,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }
