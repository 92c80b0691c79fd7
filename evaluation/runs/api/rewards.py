"""Rewards of rollout groups over the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.common.rewards import used_by
from evaluation.models import Rollout, RolloutGroup
from webapp.common.api_paging import PAGING, page_of, paged


class RolloutSerializer(serializers.ModelSerializer):
    """A rollout and its rewards, null where they are not computed yet."""

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
