"""What a trainer's environment says. The adapters run in its process, where the settings of the site are not."""

from __future__ import annotations

import os

REWARDS_URL, REWARDS_TOKEN = "SIGHTLINE_REWARDS_URL", "SIGHTLINE_REWARDS_TOKEN"
DIALECT, FAMILY = "SIGHTLINE_DIALECT", "SIGHTLINE_FAMILY"
RANK = "RANK"
"""The number of the process, as launchers of trainings set it."""


def value_of(name: str, default: str = "") -> str:
    """Return the value of a variable, ``default`` where it is not set or empty."""
    return os.environ.get(name) or default
