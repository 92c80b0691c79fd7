"""What parameters say of one another, as parts of a JSON Schema: which go together, which exclude each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Rule = Mapping[str, Any]


def _given(*names: str) -> Rule:
    """All of these are there, and not null."""
    not_null = {"not": {"type": "null"}}
    return {"required": list(names), "properties": dict.fromkeys(names, not_null)}


def _none_of(*names: str) -> Rule:
    return {"not": {"anyOf": [_given(name) for name in names]}}


RESIZE: tuple[Rule, ...] = (
    {
        "oneOf": [
            {"allOf": [_given("preset"), _none_of("width", "height")]},
            {"allOf": [_given("width", "height"), _none_of("preset")]},
        ]
    },
)
ZOOM: tuple[Rule, ...] = ({"oneOf": [_given("scale"), {"anyOf": [_given("target_width"), _given("target_height")]}]},)
BOTH_OR_NEITHER: tuple[Rule, ...] = (
    {"anyOf": [_given("threshold_low", "threshold_high"), _none_of("threshold_low", "threshold_high")]},
)
CHANNEL_NEEDS_COLOUR: tuple[Rule, ...] = (
    {
        "anyOf": [
            {"required": ["color_mode"], "properties": {"color_mode": {"const": "color"}}},
            {"properties": {"channels": {"const": "all"}}},
        ]
    },
)
