"""The repeated rollouts of a run, or of a slice of it, and what lists each of their counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.metrics.repeats import RolloutStatistics

LISTED: Mapping[str, Mapping[str, str]] = {
    "n": {"repeats": "any"},
    "rollouts": {"repeats": "any", "rollout": "0+", "counted": "yes"},
    "always": {"repeats": "always"},
    "some": {"repeats": "some"},
    "never": {"repeats": "never"},
    "first_n": {"repeats": "any", "counted": "yes"},
    "first_right": {"repeats": "any", "right": "yes"},
}
"""The counts, and the terms of the list of each. Without a rollout among them a list has one trajectory of a sample."""


def read_repeats(tables: Mapping[str, Any]) -> RolloutStatistics | None:
    """Out of the tables of the run or slice; None where no sample is repeated."""
    found = tables["repeats"]
    return RolloutStatistics(**found) if found else None
