"""Reads the environment of a trainer. The adapters run in its process, without the settings of the site."""

from __future__ import annotations

import os

REWARDS_URL, REWARDS_TOKEN = "SIGHTLINE_REWARDS_URL", "SIGHTLINE_REWARDS_TOKEN"
DIALECT, FAMILY = "SIGHTLINE_DIALECT", "SIGHTLINE_FAMILY"
RANK = "RANK"
"""The number of the process, as launchers of trainings set it."""


def value_of(name: str, default: str = "") -> str:
    """Return the value of a variable, ``default`` if it is unset or empty."""
    return os.environ.get(name) or default
