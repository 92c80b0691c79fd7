"""The functions that each trainer calls, by full name."""

from __future__ import annotations

from collections.abc import Mapping

ENTRY_POINTS: Mapping[str, tuple[str, ...]] = {
    "verl": ("evaluation.adapters.rewards.verl.compute_score", "evaluation.adapters.rewards.verl.compute_scores"),
    "TRL": ("evaluation.adapters.rewards.trl.sightline_reward",),
    "ms-swift": ("evaluation.adapters.rewards.ms_swift.SightlineReward",),
    "OpenRLHF": ("evaluation.adapters.rewards.openrlhf.label_of", "evaluation.adapters.rewards.openrlhf.reward_func"),
    "NeMo Gym": ("evaluation.adapters.rewards.nemo_gym.SightlineVerifier",),
}
"""Trainer to the functions and classes that it calls."""
