"""Presets of sampling parameters. Each rollout adds its number to the seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SAMPLING: Mapping[str, Mapping[str, Any]] = {
    "instruct": {
        "temperature": 0.7,
        "top_p": 0.8,
        "top_k": 20,
        "repetition_penalty": 1.0,
        "presence_penalty": 1.5,
        "max_tokens": 16_384,
        "seed": 3407,
    },
    "thinking": {
        "temperature": 0.6,
        "top_p": 0.95,
        "top_k": 20,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "max_tokens": 40_960,
        "seed": 1234,
    },
    "reasoning": {"reasoning_effort": "high", "max_completion_tokens": 65_536},
    "greedy": {"temperature": 0.0, "max_tokens": 4096, "seed": 0},
}
"""Preset to its parameters. ``instruct`` and ``thinking`` are those of VTC-Bench's open models."""


def seeded(sampling: Mapping[str, Any], dropped: Sequence[str], number: int) -> dict[str, Any]:
    """Return the parameters of a draw as sent: without those dropped, and with its number added to the seed."""
    sent = {name: value for name, value in sampling.items() if name not in dropped}
    return sent | ({"seed": sent["seed"] + number} if isinstance(sent.get("seed"), int) else {})
