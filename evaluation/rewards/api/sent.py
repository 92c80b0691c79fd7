"""Rollouts as programs send them, checked: a whole group, or one rollout that waits for its group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluation.metrics.settings import MetricSettings
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS
from evaluation.runner.rollouts import MOST_CALLS, MOST_CHARACTERS, MOST_ROLLOUTS, Scheme, SentRollout, calls_at
from evaluation.runner.tokens import FAMILIES
from webapp.common.api import NumberField, TextField, TruthField, WholeNumberField, WordField
from webapp.common.api_forms import Form

LARGEST = 100.0
"""The largest r_acc and r_format, and the smallest with a minus."""
MOST_TOKENS = 1e9
MOST_MESSAGES = 500
NAME = 200
"""Characters of a name."""


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "maxLength": MOST_CHARACTERS},
            {"type": "array", "items": {"type": "object"}, "maxItems": MOST_MESSAGES},
        ]
    }
)
class CompletionField(serializers.Field):
    """The output of a model: a text, or the messages of a chat."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "completion": f"A completion is a text of at most {MOST_CHARACTERS} characters, or at most {MOST_MESSAGES} "
        "messages."
    }

    def to_internal_value(self, data: Any) -> Any:
        text = isinstance(data, str) and len(data) <= MOST_CHARACTERS
        chat = isinstance(data, list) and len(data) <= MOST_MESSAGES and all(isinstance(one, dict) for one in data)
        if not text and not chat:
            self.fail("completion")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class RolloutSentSerializer(Form):
    rules: ClassVar = {"oneOf": [{"required": ["completion"]}, {"required": ["boxes"]}]}
    rollout = TextField(max_length=NAME, help_text="Its name, different from those of the others in the group.")
    completion = CompletionField(
        required=False, help_text="A text, or the messages of a chat. Calls are read by the dialect."
    )
    boxes = serializers.ListField(
        child=serializers.ListField(child=NumberField(), min_length=4, max_length=4, allow_null=True),
        required=False,
        max_length=MOST_CALLS,
        help_text="Instead of a completion: the executed box of each call, x1, y1, x2, y2 in pixels of the original. "
        "Null for a call that failed.",
    )
    acc = NumberField(min_value=-LARGEST, max_value=LARGEST, help_text="r_acc. From 0.5 on, the answer is correct.")
    format = NumberField(min_value=-LARGEST, max_value=LARGEST, help_text="r_format.")
    sufficient = TruthField(
        required=False, allow_null=True, default=None,
        help_text="Verdict of a judge. Without it: the crops cover half of the gold.",
    )  # fmt: skip
    image_tokens = NumberField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MOST_TOKENS,
        help_text="Of the images that calls returned. Without it, they are computed for the family.",
    )  # fmt: skip

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("completion" in attrs) == ("boxes" in attrs):
            raise serializers.ValidationError("Send either completion or boxes.")
        return attrs


class SchemeSerializer(Form):
    group = TextField(max_length=NAME, help_text="Name of the group.")
    sample = TextField(max_length=NAME, help_text="ID of the sample that the prompt asks about.")
    dialect = WordField(list(ZOOM_DIALECTS), required=False, default="qwen2.5-vl")
    family = WordField(
        list(FAMILIES), required=False, default="qwen2.5-vl", help_text="Family that counts image tokens."
    )


class GroupSentSerializer(SchemeSerializer):
    rollouts = serializers.ListField(child=RolloutSentSerializer(), min_length=1, max_length=MOST_ROLLOUTS)

    def validate_rollouts(self, rollouts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if len({one["rollout"] for one in rollouts}) < len(rollouts):
            raise serializers.ValidationError("Two rollouts have the same name.")
        return rollouts


class WaitingRolloutSerializer(SchemeSerializer, RolloutSentSerializer):
    """One rollout that waits until its group has all."""

    rollout = TextField(
        required=False,
        max_length=NAME,
        help_text="Its name in the group. Without one, each request is a new rollout, and a complete group gives way.",
    )
    trainer = TextField(max_length=NAME, help_text="Name of the training. It keeps groups of trainings apart.")
    size = WholeNumberField(min_value=1, max_value=MOST_ROLLOUTS, help_text="Rollouts of the group.")


def rollout_of(given: Mapping[str, Any]) -> SentRollout:
    """The rollout in a checked form."""
    calls = calls_at(given["boxes"]) if "boxes" in given else None
    return SentRollout(
        given.get("rollout", ""), given["acc"], given["format"], given.get("completion"), calls, given["sufficient"],
        given["image_tokens"],
    )  # fmt: skip


def scheme_of(given: Mapping[str, Any], settings: MetricSettings) -> Scheme:
    """Return how a group is rewarded: the dialect and family of a checked form, the settings of the benchmark."""
    return Scheme(given["dialect"], given["family"], settings)
