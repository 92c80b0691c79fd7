"""Rewards of a group of rollouts: sufficient and minimal evidence. Source: docs/metrics.md#reward-rules."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.metrics.settings import MetricSettings
from evaluation.schema import RolloutGroup

HIGHEST = 2.0


@dataclass(frozen=True, slots=True)
class Reward:
    """r_s (0 or 1), r_m (0..2) and r_final of one rollout."""

    sufficiency: float
    minimality: float
    final: float


def rewards(group: RolloutGroup, settings: MetricSettings) -> tuple[Reward, ...]:
    """The rewards of each rollout of one prompt, in order; empty for an empty group.

    r_m,i = clip(mean(I) / I_i, 0, 2), the mean over all rollouts, zeros included; r_final = r_acc + r_format +
    alpha · r_s · r_m. I_i = 0 earns r_m = 0, or the clipped 2 under ``grim_zero`` = clip.
    Raises ``ValueError`` on negative image tokens. Example: I = 100, 300 gives r_m = 2 and 0.667.
    """
    rollouts = group.rollouts
    if any(rollout.image_tokens < 0 for rollout in rollouts):
        raise ValueError(f"Rollout group {group.group_id!r}: image tokens must not be negative.")
    alpha = settings.alpha if group.alpha is None else group.alpha
    mean = sum(rollout.image_tokens for rollout in rollouts) / len(rollouts) if rollouts else 0.0
    found = []
    for rollout in rollouts:
        sufficiency = 1.0 if rollout.sufficient else 0.0
        minimality = _minimality(rollout.image_tokens, mean, settings)
        found.append(Reward(sufficiency, minimality, rollout.acc + rollout.format + alpha * sufficiency * minimality))
    return tuple(found)


def _minimality(tokens: float, mean: float, settings: MetricSettings) -> float:
    if tokens == 0:
        return HIGHEST if settings.grim_zero == "clip" else 0.0
    return min(mean / tokens, HIGHEST)
