"""Rewards of rollout groups over the API: those of imported groups, and those of a group that a trainer sends."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.common.rewards import used_by
from evaluation.models import Rollout, RolloutGroup
from evaluation.rewards.api.sent import GroupSentSerializer, rollout_of, scheme_of
from evaluation.rewards.read.prompts import prompt_of
from evaluation.runner.rollouts import reward_group
from evaluation.scoring.settings import settings_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_forms import read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.errors import InvalidInput

_NUMBER: dict[str, Any] = {"allow_null": True, "help_text": "Null without gold boxes."}
REWARD = inline_serializer(
    "RolloutReward",
    {
        "rollout": serializers.CharField(),
        "image_tokens": serializers.FloatField(),
        "r_acc": serializers.FloatField(),
        "r_format": serializers.FloatField(),
        "r_s": serializers.FloatField(),
        "r_m": serializers.FloatField(),
        "r_final": serializers.FloatField(help_text="r_acc + r_format + alpha · r_s · r_m."),
        "r_box": serializers.FloatField(**_NUMBER),
        "r_quadrant": serializers.FloatField(**_NUMBER),
        "calls": serializers.ListField(child=serializers.FloatField(), **_NUMBER),
    },
    many=True,
)
SETTINGS = inline_serializer(
    "RewardSettings",
    {
        "dialect": serializers.CharField(),
        "family": serializers.CharField(),
        "alpha": serializers.FloatField(),
        "grim_zero": serializers.CharField(),
        "ioa_threshold": serializers.FloatField(),
    },
)
REWARDED = inline_serializer(
    "RewardedGroup",
    {"group": serializers.CharField(), "sample": serializers.CharField(), "settings": SETTINGS, "rewards": REWARD},
)


class RolloutSerializer(serializers.ModelSerializer):
    """A rollout and its rewards, null if not computed yet."""

    class Meta:
        model = Rollout
        fields = (
            "position", "image_tokens", "acc", "format", "sufficient", "reward_sufficiency", "reward_minimality",
            "reward_final",
        )  # fmt: skip
        read_only_fields = fields


class RolloutGroupSerializer(serializers.ModelSerializer):
    settings = serializers.SerializerMethodField(help_text="alpha and grim_zero as used. Null before scoring.")
    rollouts = RolloutSerializer(many=True, read_only=True)

    class Meta:
        model = RolloutGroup
        fields = ("id", "group_id", "settings", "extra", "rollouts")
        read_only_fields = fields

    def get_settings(self, group: RolloutGroup) -> dict[str, Any]:
        return used_by(group.alpha, group.reward_settings)


@extend_schema(operation_id="rewards", parameters=PAGING, responses=page_of("RewardPage", RolloutGroupSerializer))
@api_view(["GET"])
def rewards(request: Request, slug: str) -> Response:
    """The rollout groups of a benchmark with the rewards of each rollout: the rows of ``export_metrics --rows
    rewards``, group by group."""
    groups = RolloutGroup.objects.filter(benchmark=benchmark_for(request, slug, Right.SEE_GOLD))
    return paged(request, groups.prefetch_related("rollouts"), "pk", lambda row: RolloutGroupSerializer(row).data)


@needs(Scope.REWARDS)
@extend_schema(operation_id="reward_group", request=GroupSentSerializer, responses={200: REWARDED})
@api_view(["POST"])
def groups(request: Request, slug: str) -> Response:
    """The rewards of a whole group of rollouts that a trainer sends, under the metric settings of the benchmark.
    Nothing is stored, and gold is not returned."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    given = read_form(GroupSentSerializer, request)
    scheme = scheme_of(given, settings_of(benchmark))
    rollouts = [rollout_of(one) for one in given["rollouts"]]
    try:
        found = reward_group(given["group"], rollouts, prompt_of(benchmark, given["sample"]), scheme)
    except ValueError as error:
        raise InvalidInput(str(error), field="rollouts") from error
    rows = [one.to_json() for one in found]
    return Response({"group": given["group"], "sample": given["sample"], "settings": scheme.to_json(), "rewards": rows})
